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

// Pin says which build a module in the adapters directory must be. acme.pin lies next to acme.wasm. The host does not load a
// module whose hash differs from its pin. A module without a pin was put there by hand.
type Pin struct {
	Name        string    `json:"name"`
	Version     string    `json:"version"`
	SHA256      string    `json:"sha256"` // of the module, lowercase hex
	InstalledAt time.Time `json:"installed_at"`
	// Sums and Signature are the bundle's, so that its signature can be verified again; "" for an unsigned bundle.
	Sums      string `json:"sums,omitempty"`
	Signature string `json:"signature,omitempty"`
	// Replaces is the pin of the previous module, which may still lie there during an installation; nil otherwise.
	Replaces *Pin `json:"replaces,omitempty"`
}

// PinName returns the file name of a module's pin: acme.pin for acme.wasm.
func PinName(module string) string { return strings.TrimSuffix(module, ".wasm") + ".pin" }

// Verify checks the signature of the installed bundle. Its errors are those of Bundle.Verify.
func (p *Pin) Verify(trusted []minisign.PublicKey) (minisign.PublicKey, error) {
	key, err := verifySums([]byte(p.Sums), []byte(p.Signature), trusted, p.Name, p.Version)
	if err == nil && !strings.HasPrefix(p.Sums, p.SHA256+"  "+bundleModule+"\n") {
		err = ErrTampered
	}
	return key, err
}

// of returns the pin of a module's hash: p, or the pin that p replaces, or nil.
func (p *Pin) of(hash string) *Pin {
	switch {
	case p.SHA256 == hash:
		return p
	case p.Replaces != nil && p.Replaces.SHA256 == hash:
		return p.Replaces
	}
	return nil
}

// ReadPin reads the pin of a module's file. It returns nil without a pin.
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
		return nil, fmt.Errorf("the pin %s is damaged: install the adapter again: %w", PinName(module), err)
	}
	return p, nil
}

// Install writes the bundle's module into an adapters directory as name.wasm, and pins it. A crash at any point leaves the old
// build or the new one, never a module that its pin refuses. A running switch that watches the directory loads it. Call Verify
// first.
func (b *Bundle) Install(dir, name, version string, at time.Time) error {
	unlock, err := lockDirectory(dir)
	if err != nil {
		return err
	}
	defer unlock()
	path := filepath.Join(dir, name+".wasm")
	p := b.Pin(name, version, at)
	if p.Replaces, err = pinBefore(path); err != nil {
		return err
	}
	if err := p.write(path); err != nil { // this pin allows both modules
		return err
	}
	if err := replaceFile(path, b.Module); err != nil {
		return err
	}
	p.Replaces = nil
	return p.write(path)
}

// Pin makes the pin of the bundle's module, for Install or for Shared.
func (b *Bundle) Pin(name, version string, at time.Time) Pin {
	p := Pin{Name: name, Version: version, SHA256: b.Hash(), InstalledAt: at.UTC().Truncate(time.Second)}
	if len(b.Signature) > 0 {
		p.Sums, p.Signature = string(b.Sums()), string(b.Signature)
	}
	return p
}

// pinBefore returns the pin of the module that lies there; it makes one if no pin fits. nil if there is no module.
func pinBefore(module string) (*Pin, error) {
	old, err := os.ReadFile(module)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	hash := hashOf(old)
	if p, err := ReadPin(module); err == nil && p != nil {
		if p = p.of(hash); p != nil {
			p.Replaces = nil
			return p, nil
		}
	}
	return &Pin{SHA256: hash}, nil
}

// Remove deletes the adapter name.wasm and its pin from a directory. It returns fs.ErrNotExist if there is none.
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

// replaceFile replaces a file in one step: readers find the old content or the new. All users may read it: modules and pins are
// not secret, and the switch may run as another user.
func replaceFile(path string, content []byte) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
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

// lockDirectory admits one installation at a time to a directory. The lock ends with the process.
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
