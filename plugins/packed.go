package plugins

import (
	"archive/zip"
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"payswitch/plugins/sandbox"
)

// packed holds a README.md and, once `make plugins` has run, the pack of the built-in adapters.
//
//go:embed builtin/embedded
var packed embed.FS

// packedName is the file in packed that Pack wrote.
const packedName = "builtin/embedded/adapters.zip"

// embedded returns the adapters that are part of this program, *.wasm with their descriptions. Reading a module inflates it.
func embedded() fs.FS {
	f, err := packed.Open(packedName)
	if err != nil {
		return embed.FS{} // built without adapters
	}
	info, err := f.Stat()
	if err == nil {
		var adapters fs.FS
		if adapters, err = OpenPack(f.(io.ReaderAt), info.Size()); err == nil {
			return adapters
		}
	}
	panic(fmt.Sprintf("plugins: this program was built with a damaged %s: %v", packedName, err))
}

// OpenPack reads what Pack wrote. The result is safe for concurrent use. It keeps only the list of files in memory.
func OpenPack(r io.ReaderAt, size int64) (fs.FS, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(packWindow)))
	second, others := &likeFirst{pack: z, ones: 1}, &likeFirst{pack: z, ones: 2}
	z.RegisterDecompressor(methodLikeFirst, second.inflate)
	z.RegisterDecompressor(methodLikeTwo, others.inflate)
	return z, nil
}

const (
	// packWindow is how far back the compression looks, in bytes: over an adapter and the first ones. A decoder takes at most as much memory.
	packWindow = 8 << 20
	// packMemory bounds the size of a module.
	packMemory = 64 << 20
	// methodLikeFirst is the zip method of the second module, which is compressed by the difference to the pack's first module: Zstandard with that
	// module as its dictionary. Most of a module is Go's runtime and the SDK, which all of them have.
	methodLikeFirst = 0x5a46
	// methodLikeTwo is the same for the others, with the first two modules as the dictionary: where the linker has moved a function in one of them, the
	// other one often has it in its place.
	methodLikeTwo = 0x5a47
	firstID       = 1
)

// likeFirst inflates modules that were compressed by the difference to the pack's first ones. Its decoder, which holds the first ones, stays in memory
// while a start inflates many, until the garbage collection.
type likeFirst struct {
	pack *zip.Reader
	ones int // how many modules make the dictionary
	mu   sync.Mutex
	kept weak.Pointer[zstd.Decoder]
}

// inflate inflates a module in one piece, which takes no buffers but the module's own.
func (f *likeFirst) inflate(r io.Reader) io.ReadCloser {
	compressed, err := io.ReadAll(r)
	if err != nil {
		return failingReader{err}
	}
	d, err := f.decoder()
	if err != nil {
		return failingReader{fmt.Errorf("read the module that the others are compressed by: %w", err)}
	}
	module, err := d.DecodeAll(compressed, nil)
	if err != nil {
		return failingReader{err}
	}
	return io.NopCloser(bytes.NewReader(module))
}

func (f *likeFirst) decoder() (*zstd.Decoder, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d := f.kept.Value(); d != nil {
		return d, nil
	}
	var dictionary []byte
	left := f.ones
	for _, one := range f.pack.File {
		if path.Ext(one.Name) != ".wasm" || one.Method == methodLikeTwo || left == 0 {
			continue
		}
		module, err := fs.ReadFile(f.pack, one.Name)
		if err != nil {
			return nil, err
		}
		dictionary, left = append(dictionary, module...), left-1
	}
	if left > 0 {
		return nil, errors.New("the pack has none")
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(packMemory), zstd.WithDecoderDictRaw(firstID, dictionary))
	if err == nil {
		f.kept = weak.Make(d)
	}
	return d, err
}

// deflater compresses a module in one piece, so that the pack says how large it is.
type deflater struct {
	bytes.Buffer
	to   io.Writer
	zstd *zstd.Encoder
}

// Close implements io.Closer.
func (d *deflater) Close() error {
	_, err := d.to.Write(d.zstd.EncodeAll(d.Bytes(), nil))
	return err
}

// failingReader is a file that cannot be read.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

func (f failingReader) Close() error { return nil }

// Pack writes the modules of a folder, *.wasm, each with its description, as one compressed file for the binary to embed. The same
// modules give the same bytes. Describing a module takes a second of one processor; Pack takes the descriptions that still fit from an
// earlier pack, which may be nil. At most parallel modules are described at a time.
func Pack(ctx context.Context, w io.Writer, folder, earlier fs.FS, parallel int) error {
	names, err := fs.Glob(folder, "*.wasm")
	if err != nil {
		return err
	}
	modules, descriptions := make([][]byte, len(names)), make([][]byte, len(names))
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(parallel)
	for i, name := range names {
		all.Go(func() (err error) {
			if modules[i], err = fs.ReadFile(folder, name); err != nil {
				return err
			}
			if earlier != nil {
				if old, err := fs.ReadFile(earlier, DescriptionName(name)); err == nil && Described(modules[i], old) {
					descriptions[i] = old
					return nil
				}
			}
			// The modules were built from this source: however busy the machine is, their compilation ends. A description takes one call, for
			// which neither native code nor optimisations nor a warm-up pay.
			if descriptions[i], err = describeAfter(ctx, modules[i], nil, sandbox.Options{Interpreted: true, Unoptimised: true,
				Limits: sandbox.Limits{CompileTime: time.Hour}}); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	best := []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(packWindow)}
	z.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor(best...))
	methods := []uint16{zstd.ZipMethodWinZip, methodLikeFirst, methodLikeTwo}
	for ones, method := range methods {
		if ones == 0 {
			continue
		}
		z.RegisterCompressor(method, func(w io.Writer) (io.WriteCloser, error) {
			e, err := zstd.NewWriter(nil, append(best, zstd.WithEncoderDictRaw(firstID, slices.Concat(modules[:ones]...)))...)
			return &deflater{to: w, zstd: e}, err
		})
	}
	for i, name := range names {
		method := methods[min(i, 2)]
		if err := packFile(z, name, method, modules[i]); err != nil {
			return err
		}
		if err := packFile(z, DescriptionName(name), zstd.ZipMethodWinZip, descriptions[i]); err != nil {
			return err
		}
	}
	return z.Close()
}

func packFile(z *zip.Writer, name string, method uint16, content []byte) error {
	f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method}) // without a time: the same content, the same bytes
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return err
}
