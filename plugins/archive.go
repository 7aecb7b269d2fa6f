package plugins

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// archive keeps the bytes of every build that was ever current. So the build that began an operation can resolve it after the
// adapter was replaced, and after a restart. A nil archive keeps nothing.
type archive struct {
	dir    string
	retain time.Duration
}

var archivedName = regexp.MustCompile(`^[0-9a-f]{64}\.wasm$`)

func openArchive(cacheDir string, retain time.Duration) (*archive, error) {
	if cacheDir == "" {
		return nil, nil
	}
	dir := filepath.Join(cacheDir, "builds")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("plugins: cache directory: %w", err)
	}
	return &archive{dir: dir, retain: retain}, nil
}

func (a *archive) path(hash string) string { return filepath.Join(a.dir, hash+".wasm") }

// touch marks a build as used. It returns false if the archive does not hold the build.
func (a *archive) touch(hash string) bool {
	now := time.Now()
	return a != nil && os.Chtimes(a.path(hash), now, now) == nil
}

// keep stores a build. It calls read for the bytes only when the archive does not have them.
func (a *archive) keep(hash string, read func() ([]byte, error)) error {
	if a == nil || a.touch(hash) {
		return nil
	}
	wasm, err := read()
	if err != nil {
		return err
	}
	if hashOf(wasm) != hash {
		return errors.New("the module's bytes have changed since it was loaded")
	}
	f, err := os.CreateTemp(a.dir, "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
	_, err = f.Write(wasm)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), a.path(hash))
}

// read returns a build's bytes after a check of their hash.
func (a *archive) read(hash string) ([]byte, error) {
	if a == nil || !archivedName.MatchString(hash+".wasm") {
		return nil, fs.ErrNotExist
	}
	wasm, err := os.ReadFile(a.path(hash))
	if err != nil {
		return nil, err
	}
	if hashOf(wasm) != hash {
		return nil, errors.New("the archived build does not match its hash: its file was changed")
	}
	a.touch(hash)
	return wasm, nil
}

// prune removes the builds that were not used for as long as the archive retains them.
func (a *archive) prune(inUse func(hash string) bool) error {
	if a == nil {
		return nil
	}
	entries, err := os.ReadDir(a.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < a.retain {
			continue
		}
		name := e.Name()
		if archivedName.MatchString(name) && inUse(name[:64]) {
			continue
		}
		errs = append(errs, os.Remove(filepath.Join(a.dir, name)))
	}
	return errors.Join(errs...)
}
