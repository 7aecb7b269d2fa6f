package plugins

import (
	"archive/zip"
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"

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
	return z, nil
}

// packWindow is how far back the compression looks, in bytes: over a whole adapter. A decoder takes about as much memory.
const packWindow = 4 << 20

// Pack writes the modules of a folder, *.wasm, each with its description, as one compressed file for the binary to embed. The same
// modules give the same bytes. Describing a module takes seconds of one processor; Pack takes the descriptions that still fit from an
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
			if descriptions[i], err = Describe(ctx, modules[i], sandbox.Options{}); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	z.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor(zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(packWindow)))
	for i, name := range names {
		if err := packFile(z, name, modules[i]); err != nil {
			return err
		}
		if err := packFile(z, DescriptionName(name), descriptions[i]); err != nil {
			return err
		}
	}
	return z.Close()
}

func packFile(z *zip.Writer, name string, content []byte) error {
	f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zstd.ZipMethodWinZip}) // without a time: the same content, the same bytes
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return err
}
