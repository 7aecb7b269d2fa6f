package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/vault"
	"payswitch/plugins"
	"payswitch/storage"
)

// sharesAdapters reports whether adapters are installed into the database, because nodes on several machines use it.
func (c Config) sharesAdapters() bool { return !strings.HasPrefix(c.Storage.DSN.Reveal(), "sqlite:") }

// sharedAdapters implements plugins.Shared with a database. Its rows must be signed: the vault must be open.
type sharedAdapters struct{ db *storage.DB }

var _ plugins.Shared = sharedAdapters{}

// Installed implements plugins.Shared. It leaves out altered rows, for which the vault has raised its alarm.
func (s sharedAdapters) Installed(ctx context.Context) ([]plugins.Pin, error) {
	list, err := s.db.Adapters(ctx)
	if err != nil && !errors.Is(err, vault.ErrAltered) {
		return nil, err
	}
	var out []plugins.Pin
	for _, a := range list {
		var p plugins.Pin
		if err := json.Unmarshal([]byte(a.Pin), &p); err != nil {
			return nil, fmt.Errorf("the pin of adapter %s is damaged: install it again: %w", a.Name, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// Module implements plugins.Shared.
func (s sharedAdapters) Module(ctx context.Context, hash string) ([]byte, error) {
	packed, err := s.db.Module(ctx, hash)
	if errors.Is(err, fault.ErrNotFound) {
		err = fmt.Errorf("the database does not have it either: %w", fs.ErrNotExist)
	}
	return packed, err
}

// Use implements plugins.Shared.
func (s sharedAdapters) Use(ctx context.Context, hashes []string) ([]string, error) {
	return s.db.UseModules(ctx, hashes)
}

// Put implements plugins.Shared.
func (s sharedAdapters) Put(ctx context.Context, hash string, packed []byte) error {
	return s.db.PutModule(ctx, hash, packed)
}

// Prune implements plugins.Shared.
func (s sharedAdapters) Prune(ctx context.Context, unused time.Duration) error {
	return s.db.DeleteModules(ctx, unused)
}

// install installs a bundle for all nodes, and keeps it, so that the switch can go back to it later.
func (s sharedAdapters) install(ctx context.Context, b *plugins.Bundle, name, version string) error {
	var file bytes.Buffer
	if _, err := b.WriteTo(&file); err != nil {
		return err
	}
	a, err := sharedAdapter(b, name, version)
	if err != nil {
		return err
	}
	hash := fileHash(file.Bytes())
	if err := s.db.PutBundle(ctx, port.Bundle{SHA256: hash, Name: name, Version: version, GivenBy: theHost}, file.Bytes()); err != nil {
		return err
	}
	return s.db.InstallBundle(ctx, hash, theHost, a, plugins.PackModule(b.Module))
}

// theHost names the person who installs a bundle with a command on this machine.
const theHost = "the host"

// sharedAdapter returns the row of a bundle's adapter in the database, with its pin.
func sharedAdapter(b *plugins.Bundle, name, version string) (*storage.Adapter, error) {
	p := b.Pin(name, version, time.Now())
	text, err := json.Marshal(p)
	return &storage.Adapter{Name: name, Version: version, SHA256: p.SHA256, Pin: string(text), InstalledAt: p.InstalledAt}, err
}

// withShared calls f with the adapters of the database, or with nil where the database does not share them.
func (p *program) withShared(ctx context.Context, c Config, f func(ctx context.Context, s *sharedAdapters) error) error {
	if !c.sharesAdapters() {
		return f(ctx, nil)
	}
	return p.openStore(ctx, c, func(ctx context.Context, _ Config, db *storage.DB, _ *vault.Vault) error {
		return f(ctx, &sharedAdapters{db})
	})
}

// shared returns the adapters of an open database, nil where it does not share them.
func shared(c Config, db *storage.DB) *sharedAdapters {
	if !c.sharesAdapters() {
		return nil
	}
	return &sharedAdapters{db}
}
