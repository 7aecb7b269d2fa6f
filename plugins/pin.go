package plugins

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"aead.dev/minisign"
)

// Pin says which build a module in the adapters directory must be. It lies beside it, acme.pin beside acme.wasm; a module whose hash is
// not its pin's is not loaded. A module without a pin was put there by hand.
type Pin struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"` // of the module, lowercase hex
	// Replaces is the hash of the module that may still lie there while an installation is under way; "" otherwise.
	Replaces    string    `json:"replaces,omitempty"`
	InstalledAt time.Time `json:"installed_at"`
	// Sums and Signature are the bundle's, so that who vouches for the module can be verified again; "" where nobody does.
	Sums      string `json:"sums,omitempty"`
	Signature string `json:"signature,omitempty"`
}

// PinName is the file of a module's pin: acme.wasm → acme.pin.
func PinName(module string) string { return strings.TrimSuffix(module, ".wasm") + ".pin" }

// Verify is as Bundle.Verify, of what was installed.
func (p *Pin) Verify(trusted []minisign.PublicKey) (minisign.PublicKey, error) {
	key, err := verifySums([]byte(p.Sums), []byte(p.Signature), trusted, p.Name, p.Version)
	if err == nil && !strings.HasPrefix(p.Sums, p.SHA256+"  "+bundleModule+"\n") {
		err = ErrTampered
	}
	return key, err
}

// allows says whether a module is the pinned one.
func (p *Pin) allows(hash string) bool {
	return p == nil || p.SHA256 == hash || p.Replaces != "" && p.Replaces == hash
}

// ReadPin reads the pin of a module's file; nil when it has none.
func ReadPin(module string) (*Pin, error) {
	text, err := os.ReadFile(PinName(module))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read pin: %w", err)
	}
	p := new(Pin)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("pin %s is damaged: install the adapter again: %w", PinName(module), err)
	}
	return p, nil
}

// Install puts the bundle's module into an adapters directory as name.wasm and pins it. A crash at any point leaves the old build or the
// new one, never a module that its pin refuses. A switch that watches the directory takes it in. Verify the bundle first.
func (b *Bundle) Install(dir, name, version string, at time.Time) error {
	unlock, err := lockDirectory(dir)
	if err != nil {
		return err
	}
	defer unlock()
	path := filepath.Join(dir, name+".wasm")
	p := Pin{Name: name, Version: version, SHA256: b.Hash(), InstalledAt: at.UTC().Truncate(time.Second)}
	if len(b.Signature) > 0 {
		p.Sums, p.Signature = string(b.Sums()), string(b.Signature)
	}
	switch old, err := os.ReadFile(path); {
	case err == nil:
		p.Replaces = hashOf(old)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := p.write(path); err != nil { // allows both
		return err
	}
	if err := replaceFile(path, b.Module); err != nil {
		return err
	}
	p.Replaces = ""
	return p.write(path)
}

// Remove takes the adapter that is installed as name.wasm out of a directory. It answers fs.ErrNotExist when there is none.
func Remove(dir, name string) error {
	unlock, err := lockDirectory(dir)
	if err != nil {
		return err
	}
	defer unlock()
	path := filepath.Join(dir, name+".wasm")
	if err := os.Remove(path); err != nil {
		return err
	}
	if err := os.Remove(PinName(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return syncDirectory(dir)
}

func (p *Pin) write(module string) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(PinName(module), append(text, '\n'))
}

// replaceFile writes a file so that at any time it is there as a whole, the old or the new one. Everybody may read it: neither modules nor
// pins are secret, and the switch may run as another user.
func replaceFile(path string, content []byte) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already once it was renamed
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDirectory(dir)
}

func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// lockDirectory keeps installations in one directory apart. The lock goes with the process.
func lockDirectory(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX); err != nil {
		d.Close()
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return func() { d.Close() }, nil
}
