package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"payswitch/engine"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
	"payswitch/storage"
)

// keySource says where a master key comes from: the zero value is no key; at most one of the three sources is set.
type keySource struct {
	name string // of the setting that holds the key itself: vault.master_key
	text secret.Value
	file string
	uri  string
}

func (v VaultConfig) current() keySource {
	return keySource{"vault.master_key", v.MasterKey, v.MasterKeyFile, v.MasterKeyURI}
}

func (v VaultConfig) next() keySource {
	return keySource{"vault.next_master_key", v.NextMasterKey, v.NextMasterKeyFile, v.NextMasterKeyURI}
}

func (s keySource) isZero() bool { return s.text.IsZero() && s.file == "" && s.uri == "" }

// setting names the setting that gives the key, and where the key is.
func (s keySource) setting() string {
	switch {
	case s.file != "":
		return fmt.Sprintf("%s_file (%s)", s.name, s.file)
	case s.uri != "":
		return s.name + "_uri"
	}
	return fmt.Sprintf("%s (%s)", s.name, variableOf(s.name))
}

// check returns the errors in the settings, and reads neither file nor service.
func (s keySource) check() error {
	set := 0
	for _, given := range []bool{!s.text.IsZero(), s.file != "", s.uri != ""} {
		if given {
			set++
		}
	}
	if set > 1 {
		return problem(s.name, "is given twice: set one of %s, %s_file and %s_uri", s.name, s.name, s.name)
	}
	if !s.text.IsZero() {
		if _, err := vault.LocalMasterKey(s.text); err != nil {
			return problem(s.name, "must be the base64 of 32 bytes: make one with  openssl rand -base64 32")
		}
	}
	if s.uri != "" {
		if _, err := parseTransit(s.uri); err != nil {
			return problem(s.name+"_uri", "%v", err)
		}
	}
	return nil
}

// open reads the master key, or makes a client of the key service. It returns nil when no source is set.
func (s keySource) open(c Config) (vault.MasterKey, error) {
	switch {
	case s.uri != "":
		at, err := parseTransit(s.uri)
		if err != nil {
			return nil, problem(s.name+"_uri", "%v", err)
		}
		if c.Vault.KMSToken.IsZero() {
			return nil, problem("vault.kms_token", "is not set: the service at %s_uri wants one (set %s)", s.name, variableOf("vault.kms_token"))
		}
		return newTransitKey(at, c.Vault.KMSToken), nil
	case s.file != "":
		b, err := os.ReadFile(s.file)
		if err != nil {
			return nil, problem(s.name+"_file", "cannot be read: %v", err)
		}
		text := secret.New(strings.TrimSpace(string(b)))
		clear(b)
		if text.Reveal() == demoMasterKey && !c.testing() {
			return nil, problem(s.name+"_file", "%s", isDemoKey)
		}
		k, err := vault.LocalMasterKey(text)
		if err != nil {
			return nil, problem(s.name+"_file", "%s %v", s.file, err)
		}
		return k, nil
	case !s.text.IsZero():
		k, err := vault.LocalMasterKey(s.text)
		if err != nil {
			return nil, problem(s.name, "%v", err)
		}
		return k, nil
	}
	return nil, nil
}

// openVault opens the vault in s with the configuration's master key.
func openVault(ctx context.Context, s engine.Store, c Config, log *slog.Logger) (*vault.Vault, error) {
	master, err := c.Vault.current().open(c)
	if err != nil {
		return nil, err
	}
	if master == nil {
		return nil, missingMasterKey(ctx, c)
	}
	next, err := c.Vault.next().open(c)
	if err != nil {
		return nil, err
	}
	v, err := engine.OpenVaultWith(ctx, s, vault.Options{Master: master, Next: next, Refresh: c.Vault.Refresh, Logger: log})
	if errors.Is(err, vault.ErrMasterKey) {
		return nil, fmt.Errorf("%s: %w", c.Vault.current().setting(), err)
	}
	return v, err
}

// missingMasterKey returns the error for a configuration without a master key. It names the key that a used database needs.
func missingMasterKey(ctx context.Context, c Config) error {
	missing := errors.New(noMasterKey)
	if pending, err := storage.Pending(ctx, c.Storage.DSN.Reveal()); err != nil || len(pending) > 0 {
		return missing // a missing database, or an older one, cannot name its key
	}
	db, err := storage.Open(ctx, c.Storage.DSN.Reveal(), storage.Options{})
	if err != nil {
		return missing
	}
	defer db.Close()
	if wanted, err := engine.WantedMasterKey(ctx, db); err == nil && wanted != "" {
		return fmt.Errorf("%w. This database needs %s: no other key opens it", missing, wanted)
	}
	return missing
}

// warnings returns what an operator should know about the place of the key.
func (s keySource) warnings(c Config) (w []string) {
	if s.file == "" {
		return nil
	}
	if st, err := os.Stat(s.file); err == nil && st.Mode().Perm()&0o077 != 0 {
		w = append(w, fmt.Sprintf("%s_file: others on this machine may read %s: chmod 600 it", s.name, s.file))
	}
	if path, ok := strings.CutPrefix(c.Storage.DSN.Reveal(), "sqlite:"); ok && sameFolder(path, s.file) {
		w = append(w, fmt.Sprintf("%s_file: %s is in the database's folder: a copy of the folder includes both. Keep the key elsewhere", s.name, s.file))
	}
	return w
}

func sameFolder(a, b string) bool {
	one, err := filepath.Abs(filepath.Dir(a))
	other, err2 := filepath.Abs(filepath.Dir(b))
	return err == nil && err2 == nil && one == other
}
