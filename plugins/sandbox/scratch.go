package sandbox

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// scratchDir is a cache directory that lives as long as its runtime. A lock on it shows other processes that it is in use.
type scratchDir struct {
	path string
	lock *os.File
}

const scratchDirs = "payswitch-adapters-"

// newScratch makes a directory. It removes the directories that killed processes of this user left behind.
func newScratch() (*scratchDir, error) {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), scratchDirs+"*"))
	for _, path := range old {
		abandoned(path)
	}
	path, err := os.MkdirTemp("", scratchDirs)
	if err != nil {
		return nil, err
	}
	s := &scratchDir{path: path}
	if s.lock, err = lockDir(path); err != nil {
		_ = os.RemoveAll(path)
		return nil, err
	}
	return s, nil
}

func lockDir(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// abandoned removes a directory of this user that no process has locked. It spares directories younger than a minute, which may not be
// locked yet.
func abandoned(path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || time.Since(info.ModTime()) < time.Minute {
		return
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return
	}
	if lock, err := lockDir(path); err == nil {
		_ = os.RemoveAll(path)
		_ = lock.Close()
	}
}

func (s *scratchDir) remove() error {
	if s == nil {
		return nil
	}
	err := os.RemoveAll(s.path)
	_ = s.lock.Close()
	return err
}
