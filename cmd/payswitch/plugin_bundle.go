package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"aead.dev/minisign"

	"payswitch/plugins"
)

// pluginKeygen makes a key pair to sign bundles with, in minisign's format: NAME.key and NAME.pub.
func (p *program) pluginKeygen(_ context.Context, args []string) error {
	f := p.flags("plugin keygen NAME")
	password := passwordFlag(f)
	name, err := operand(f, args, "a name for its two files, as: payswitch plugin keygen acme")
	if err != nil {
		return err
	}
	secret, err := readPassword(*password)
	if err != nil {
		return err
	}
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		return err
	}
	var text []byte
	if secret == "" {
		text, err = private.MarshalText()
	} else {
		text, err = minisign.EncryptKey(secret, private)
	}
	if err != nil {
		return err
	}
	known, err := public.MarshalText()
	if err != nil {
		return err
	}
	if err := writeNew(name+".key", text, 0o600); err != nil {
		return err
	}
	if err := writeNew(name+".pub", append(known, '\n'), 0o644); err != nil {
		return err
	}
	if err := ignoreKeys(filepath.Dir(name)); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s.key signs bundles: keep it secret. An operator who installs your adapters adds to config.yaml\n\n  plugins:\n    trusted_keys: [%s]\n", name, public)
	return nil
}

// ignoreKeys keeps secret keys out of git: it adds *.key to the .gitignore of a folder that has one, or that is a repository.
func ignoreKeys(dir string) error {
	path := filepath.Join(dir, ".gitignore")
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !exists(filepath.Join(dir, ".git")):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) == "*.key" {
			return nil
		}
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return os.WriteFile(path, append(text, "*.key\n"...), 0o644)
}

func passwordFlag(f *flag.FlagSet) *string {
	return f.String("password-file", "", "read the secret key's password from this `file`; without the flag the key is not encrypted")
}

func readPassword(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("--password-file: %w", err)
	}
	password := strings.TrimRight(string(text), "\r\n")
	if password == "" {
		return "", fmt.Errorf("--password-file: %s is empty", path)
	}
	return password, nil
}

// writeNew writes a new file. It overwrites none, because an overwritten key is lost.
func writeNew(path string, content []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already and stays: choose another name", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// readSigningKey reads a secret key in minisign's format.
func readSigningKey(path, passwordFile string) (key minisign.PrivateKey, err error) {
	password, err := readPassword(passwordFile)
	if err != nil {
		return key, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return key, fmt.Errorf("--sign: %w", err)
	}
	if !minisign.IsEncrypted(text) {
		if err := key.UnmarshalText(text); err != nil {
			return key, fmt.Errorf("--sign: %s: %w", path, err)
		}
		return key, nil
	}
	if password == "" {
		return key, fmt.Errorf("--sign: %s is protected by a password: name a file with the password with --password-file", path)
	}
	if key, err = minisign.DecryptKey(password, text); err != nil {
		return key, fmt.Errorf("--sign: %s does not open with that password: %w", path, err)
	}
	return key, nil
}

// pluginBundle certifies a module and packs it into one file.
func (p *program) pluginBundle(ctx context.Context, args []string) error {
	f := p.flags("plugin bundle FILE.wasm")
	sign := f.String("sign", "", "sign with the secret key in this `file` (payswitch plugin keygen, or minisign -G)")
	password := passwordFlag(f)
	cases := casesFlag(f)
	out := f.String("o", "", "write the bundle to this `file`; without the flag, to NAME-VERSION.bundle")
	path, err := operand(f, args, "a file, as: payswitch plugin bundle acme.wasm --sign acme.key")
	if err != nil {
		return err
	}
	wasm, err := readWASM(path)
	if err != nil {
		return err
	}
	var key minisign.PrivateKey
	if *sign != "" {
		if key, err = readSigningKey(*sign, *password); err != nil {
			return err
		}
	}
	m, err := loadAccepted(ctx, wasm)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer m.Close()
	manifest := m.manifest
	report, err := m.certify(ctx, wasm, *cases, path)
	if err != nil {
		return err
	}
	if !report.Passed {
		report.print(p.stdout)
		return fmt.Errorf("%s does not pass the check, so that it cannot be bundled: %s", path, report.summary())
	}
	b := &plugins.Bundle{Module: wasm}
	if b.Manifest, err = document(manifest); err != nil {
		return err
	}
	if b.Certificate, err = document(report); err != nil {
		return err
	}
	if *sign != "" {
		b.Sign(key, manifest.Name, manifest.Version)
	}
	if *out == "" {
		*out = manifest.Name + "-" + manifest.Version + ".bundle"
	}
	file, err := os.OpenFile(*out, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	n, err := b.WriteTo(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	signed := "unsigned: --sign makes one that operators can trust"
	if *sign != "" {
		signed = "signed by key " + plugins.KeyID(key.ID())
	}
	fmt.Fprintf(p.stdout, "%s  %s  sha256 %s, %s\n", *out, bytesText(int(n)), b.Hash(), signed)
	return nil
}

// document encodes a value as a file of a bundle.
func document(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}
