package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"aead.dev/minisign"
	"golang.org/x/mod/semver"

	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/plugins"
	"payswitch/sdk"
	"payswitch/storage"
)

// bundles implements port.Bundles with the database and the host of a node. It takes only bundles that one of plugins.trusted_keys has signed: an
// unsigned one is installed by a command on the machine.
type bundles struct {
	config  Config
	db      *storage.DB
	host    *plugins.Host
	trusted []minisign.PublicKey
	turn    chan struct{} // one examination at a time: each compiles a module
}

var _ port.Bundles = (*bundles)(nil)

func newBundles(c Config, db *storage.DB, h *plugins.Host) *bundles {
	trusted, _ := trustedKeys(c.Plugins.TrustedKeys, nil) // Validate has checked them
	return &bundles{config: c, db: db, host: h, trusted: trusted, turn: make(chan struct{}, 1)}
}

// fileHash returns the SHA-256 of a bundle's file, in hexadecimal.
func fileHash(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// badBundle returns the error for a bundle that is refused.
func badBundle(err error) error {
	return fault.Unprocessable("bundle", err.Error()).WithHint("Send a bundle that payswitch plugin bundle made.")
}

// examined is a bundle that passed its examination.
type examined struct {
	bundle   *plugins.Bundle
	manifest *sdk.Manifest
}

// examine examines a bundle's file as `payswitch plugin install` does. It compiles the module, and waits for its turn.
func (s *bundles) examine(ctx context.Context, file []byte) (*examined, error) {
	b, err := plugins.ReadBundle(file)
	if err != nil {
		return nil, badBundle(err)
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, fault.Unprocessable("bundle", "payswitch is examining another bundle: try again").WithHint("Send the same request again in a second.")
	}
	m, _, err := examine(ctx, s.config, b, s.trusted, false, io.Discard)
	if err != nil {
		return nil, badBundle(err)
	}
	return &examined{b, m}, nil
}

// Give implements port.Bundles.
func (s *bundles) Give(ctx context.Context, file []byte, by string) (*port.BundleView, error) {
	x, err := s.examine(ctx, file)
	if err != nil {
		return nil, err
	}
	hash := fileHash(file)
	if err := s.db.PutBundle(ctx, port.Bundle{SHA256: hash, Name: x.manifest.Name, Version: x.manifest.Version, GivenBy: by}, file); err != nil {
		return nil, fault.FromStore(err, "keep a bundle")
	}
	return s.Bundle(ctx, hash)
}

// Bundles implements port.Bundles.
func (s *bundles) Bundles(ctx context.Context, adapter string) ([]port.Bundle, error) {
	list, err := s.db.Bundles(ctx, adapter)
	return list, fault.FromStore(err, "list bundles")
}

// kept reads a kept bundle and its file, whose hash it compares: rows of bundles have no signature of payswitch.
func (s *bundles) kept(ctx context.Context, sha256 string) (port.Bundle, []byte, error) {
	row, file, err := s.db.Bundle(ctx, sha256)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return row, nil, fault.NotFound("Bundle")
	case err != nil:
		return row, nil, fault.FromStore(err, "read a bundle")
	case fileHash(file) != sha256:
		return row, nil, fault.Unprocessable("bundle", "the stored file is not the bundle that was given: give it again").WithHint("Give the bundle again.")
	}
	return row, file, nil
}

// Bundle implements port.Bundles. It shows what the signed file says, and not the row.
func (s *bundles) Bundle(ctx context.Context, sha256 string) (*port.BundleView, error) {
	row, file, err := s.kept(ctx, sha256)
	if err != nil {
		return nil, err
	}
	b, err := plugins.ReadBundle(file)
	if err != nil {
		return nil, badBundle(err)
	}
	m := new(sdk.Manifest)
	if err := json.Unmarshal(b.Manifest, m); err != nil {
		return nil, badBundle(fmt.Errorf("the bundle's manifest cannot be read: %w", err))
	}
	key, err := b.Verify(s.trusted, m.Name, m.Version)
	row.Name, row.Version = m.Name, m.Version
	v := s.view(row, b.Hash(), m, key, err)
	v.Size = len(b.Module)
	return v, nil
}

// view compares a bundle with the build in use. unsigned is the error of its signature.
func (s *bundles) view(row port.Bundle, module string, m *sdk.Manifest, key minisign.PublicKey, unsigned error) *port.BundleView {
	v := &port.BundleView{Bundle: row, Module: module, Manifest: m, Signer: plugins.KeyID(key.ID())}
	if unsigned != nil {
		v.Signer, v.Refused = "", unsigned.Error()
		return v
	}
	if now, loaded := s.host.Adapter(m.Name); loaded && !now.Simulated {
		v.InUse = now.Hash == module
		v.Older = !now.BuiltIn && semver.Compare("v"+m.Version, "v"+now.Manifest.Version) < 0
	}
	now, err := compared(s.host, s.config, m)
	if v.Replaces, v.BuiltIn = now.text, now.builtIn; now.text == "nothing" {
		v.Replaces = ""
	}
	if !now.further.IsEmpty() {
		v.Further = now.further.String()
	}
	switch {
	case err != nil:
		v.Refused = err.Error()
	case !s.config.sharesAdapters() && s.config.Plugins.Directory == "":
		v.Refused = "plugins.directory is not set: name the folder that holds the switch's adapters, and start payswitch again"
	}
	return v
}

// Install implements port.Bundles.
func (s *bundles) Install(ctx context.Context, sha256, by string, may port.Replacing) (*port.BundleView, error) {
	v, err := s.Bundle(ctx, sha256)
	if err != nil {
		return nil, err
	}
	switch {
	case v.Refused != "":
		return nil, fault.Unprocessable("bundle", v.Refused).WithHint("Give a bundle without this fault.")
	case v.Older && !may.Older:
		return nil, fault.Unprocessable("allow_older", fmt.Sprintf("%s %s is older than the build in use: an old bundle stays signed for ever, whatever was found wrong with it since", v.Name, v.Version)).WithHint("Install a newer build, or send allow_older true.")
	case v.BuiltIn && !may.BuiltIn:
		return nil, fault.Unprocessable("replace_builtin", replacesBuiltIn(v.Name)).WithHint("Build the adapter under another name, or send replace_builtin true.")
	}
	_, file, err := s.kept(ctx, sha256)
	if err != nil {
		return nil, err
	}
	x, err := s.examine(ctx, file)
	if err != nil {
		return nil, err
	}
	if err := s.install(ctx, sha256, by, x); err != nil {
		return nil, err
	}
	return s.Bundle(ctx, sha256)
}

// install installs where `payswitch plugin install` does.
func (s *bundles) install(ctx context.Context, sha256, by string, x *examined) error {
	if s.config.sharesAdapters() {
		a, err := sharedAdapter(x.bundle, x.manifest.Name, x.manifest.Version)
		if err != nil {
			return err
		}
		return fault.FromStore(s.db.InstallBundle(ctx, sha256, by, a, plugins.PackModule(x.bundle.Module)), "install a bundle")
	}
	if err := x.bundle.Install(s.config.Plugins.Directory, x.manifest.Name, x.manifest.Version, time.Now()); err != nil {
		return fault.Unprocessable("bundle", "the adapter cannot be written into plugins.directory: "+err.Error()).WithHint("Let the switch write into plugins.directory.")
	}
	return fault.FromStore(s.db.InstallBundle(ctx, sha256, by, nil, nil), "note an installation")
}
