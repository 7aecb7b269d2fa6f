package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// wazeroVersion is part of the key of everything kept on disk: the validator's verdict is its. A test compares it with
// go.mod.
const wazeroVersion = "v1.12.0"

// diskCache keeps beside wazero's compiled code which modules were found acceptable, and their manifests. A nil
// diskCache knows nothing and keeps nothing. Failing to read is not knowing; failing to write is logged.
type diskCache struct {
	dir     string
	version string // of everything a verdict depends on except the module
}

// openDiskCache creates the directory if it is missing, and refuses one that others may write to.
func openDiskCache(dir string, l Limits, unoptimised bool) (*diskCache, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("sandbox: cache directory: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("sandbox: cache directory: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("sandbox: cache directory: %w", err)
	}
	if err := ours(dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("sandbox: cache directory: %w", err)
	}
	for _, e := range entries { // wazero keeps its files one level down
		if strings.HasPrefix(e.Name(), scratchPrefix) || strings.HasSuffix(e.Name(), tmpSuffix) {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
				_ = os.RemoveAll(filepath.Join(dir, e.Name()))
			}
			continue
		}
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			if err := ours(filepath.Join(dir, e.Name())); err != nil {
				return nil, err
			}
		}
	}
	l.CompileTime, l.CompileMemory, l.Instances, l.StepFuel = 0, 0, 0, 0
	version := fmt.Sprintf("%d %s %+v unoptimised=%t", rewriterVersion, wazeroVersion, l, unoptimised)
	return &diskCache{dir: dir, version: version}, nil
}

// scratchPrefix is what the names of compilers' directories begin with. One that is an hour old was left behind by a process that was killed.
const scratchPrefix = "compile-"

// tmpSuffix is how the names of files end that are being written. It is the same with them.
const tmpSuffix = ".tmp"

// adopt takes what a compiler wrote to its directory: native code first, as the rest says that it is there.
func (d *diskCache) adopt(dir string) error {
	code, err := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
	if err != nil {
		return err
	}
	rest, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil {
		return err
	}
	for _, path := range append(code, rest...) {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue // the directory of the native code
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(d.dir, name)), 0o700)
		}
		if err == nil {
			err = os.Rename(path, filepath.Join(d.dir, name))
		}
		if err != nil {
			return fmt.Errorf("sandbox: cache directory: %w", err)
		}
	}
	return nil
}

// ours refuses a directory that somebody else owns or may write to.
func ours(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("sandbox: cache directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("sandbox: cache directory %s is not a directory", dir)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("sandbox: cache directory %s belongs to another user: it holds native code", dir)
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("sandbox: cache directory %s may be written by others (mode %#o): it holds native code", dir, mode)
	}
	return nil
}

func (d *diskCache) path(hash, kind string) string {
	key := sha256.Sum256([]byte(d.version + "\x00" + hash))
	return filepath.Join(d.dir, hex.EncodeToString(key[:])+"."+kind)
}

// accepted reports whether the module was found acceptable before.
func (d *diskCache) accepted(hash string) bool {
	if d == nil {
		return false
	}
	b, ok := d.read(hash, "accepted")
	return ok && string(b) == hash
}

func (d *diskCache) accept(hash string, log *slog.Logger) {
	d.write(hash, "accepted", []byte(hash), log)
}

func (d *diskCache) manifest(hash string) ([]byte, bool) {
	if d == nil {
		return nil, false
	}
	return d.read(hash, "manifest")
}

func (d *diskCache) storeManifest(hash string, manifest []byte, log *slog.Logger) {
	d.write(hash, "manifest", manifest, log)
}

// read returns what was written, unless it has been damaged.
func (d *diskCache) read(hash, kind string) ([]byte, bool) {
	b, err := os.ReadFile(d.path(hash, kind))
	if err != nil || len(b) < sha256.Size {
		return nil, false
	}
	sum := sha256.Sum256(b[sha256.Size:])
	return b[sha256.Size:], bytes.Equal(sum[:], b[:sha256.Size])
}

// write keeps b, with its checksum before it, under a name that appears only when all of it is there.
func (d *diskCache) write(hash, kind string, b []byte, log *slog.Logger) {
	if d == nil {
		return
	}
	path := d.path(hash, kind)
	err := func() error {
		f, err := os.CreateTemp(d.dir, "*"+tmpSuffix)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(b)
		_, err = f.Write(append(sum[:], b...))
		if err = errors.Join(err, f.Close()); err == nil {
			err = os.Rename(f.Name(), path)
		}
		if err != nil {
			_ = os.Remove(f.Name())
		}
		return err
	}()
	if err != nil {
		log.Warn("sandbox: cannot write to the cache directory", "path", path, "error", err)
	}
}
