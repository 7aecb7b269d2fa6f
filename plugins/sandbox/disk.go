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

// wazeroVersion is part of the key of every file, because wazero validates modules. A test compares it with go.mod.
const wazeroVersion = "v1.12.0"

// diskCache keeps, next to wazero's compiled code, which modules were accepted, and their manifests. A nil diskCache is empty and stays
// empty. A file that cannot be read counts as missing; a failure to write is logged.
type diskCache struct {
	dir     string
	version string // versions, limits and form: everything that a verdict depends on, except the module
}

// openDiskCache creates the directory if it is missing, and refuses a directory that other users may write to.
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

// scratchPrefix begins the names of compilers' directories. A killed process leaves its directory behind; the next start removes it
// after an hour.
const scratchPrefix = "compile-"

// tmpSuffix ends the names of files that are being written. A killed process leaves them behind as well.
const tmpSuffix = ".tmp"

// adopt moves the files of a compiler's directory into the cache. The native code comes first, because the other files say that it is
// there.
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
			continue // the directory that holds the native code
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

// ours refuses a directory that another user owns or may write to.
func ours(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("sandbox: cache directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("sandbox: cache directory %s is a file: name a directory", dir)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("sandbox: cache directory %s belongs to another user, who could run code in this process: make it this user's own", dir)
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("sandbox: cache directory %s may be written by others (mode %#o), who could run code in this process: chmod 700", dir, mode)
	}
	return nil
}

func (d *diskCache) path(hash, kind string) string {
	key := sha256.Sum256([]byte(d.version + "\x00" + hash))
	return filepath.Join(d.dir, hex.EncodeToString(key[:])+"."+kind)
}

// accepted reports whether an earlier Load accepted the module.
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

// read returns the content of a file, and false if the file is missing or damaged.
func (d *diskCache) read(hash, kind string) ([]byte, bool) {
	b, err := os.ReadFile(d.path(hash, kind))
	if err != nil || len(b) < sha256.Size {
		return nil, false
	}
	sum := sha256.Sum256(b[sha256.Size:])
	return b[sha256.Size:], bytes.Equal(sum[:], b[:sha256.Size])
}

// write keeps b with its checksum. The file appears under its name only once it is complete.
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
