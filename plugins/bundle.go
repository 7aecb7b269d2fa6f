package plugins

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"aead.dev/minisign"
)

// Bundle is an adapter in one file: its module, its manifest, the certificate of its check, and a signature over the three. The
// file is a ZIP, so anyone can open it and verify it by hand:
//
//	unzip acme-0.1.0.bundle && sha256sum -c SHA256SUMS && minisign -V -m SHA256SUMS -P KEY
type Bundle struct {
	Module      []byte // WASM
	Manifest    []byte // JSON, as the module states it
	Certificate []byte // the JSON report of plugin check
	Signature   []byte // minisign's, over Sums; nil for an unsigned bundle
}

// The files of a bundle.
const (
	bundleModule      = "adapter.wasm"
	bundleManifest    = "manifest.json"
	bundleCertificate = "certificate.json"
	bundleSums        = "SHA256SUMS"
	bundleSignature   = "SHA256SUMS.minisig"
)

// Bounds of a bundle, in bytes. ReadBundle refuses larger files unread.
const (
	MaxBundle   = 32 << 20
	maxModule   = 16 << 20
	maxDocument = 4 << 20
)

// signedAs begins the signed comment. A signature that its key made for another purpose has another comment, and does not count.
const signedAs = "payswitch adapter "

// Errors of Bundle.Verify.
var (
	ErrUnsigned  = errors.New("the adapter is not signed")
	ErrUntrusted = errors.New("the adapter is signed by a key that is not trusted here")
	ErrTampered  = errors.New("the signature does not match: the adapter was changed after it was signed, or was signed under another name or version")
)

// Sums returns the SHA-256 sums of the bundle's files, in the form of sha256sum. The signature signs them.
func (b *Bundle) Sums() []byte {
	return fmt.Appendf(nil, "%s  %s\n%s  %s\n%s  %s\n", hashOf(b.Module), bundleModule, hashOf(b.Manifest), bundleManifest,
		hashOf(b.Certificate), bundleCertificate)
}

// Hash returns the SHA-256 of the module, in hexadecimal.
func (b *Bundle) Hash() string { return hashOf(b.Module) }

// Sign signs the bundle as the adapter of that name and version.
func (b *Bundle) Sign(key minisign.PrivateKey, name, version string) {
	b.Signature = minisign.SignWithComments(key, b.Sums(), signedAs+name+" "+version, "signed by payswitch plugin bundle")
}

// Verify checks that one of the trusted keys has signed this bundle as the adapter of that name and version, and returns the key.
// Its errors are ErrUnsigned, ErrUntrusted and ErrTampered.
func (b *Bundle) Verify(trusted []minisign.PublicKey, name, version string) (minisign.PublicKey, error) {
	return verifySums(b.Sums(), b.Signature, trusted, name, version)
}

func verifySums(sums, signature []byte, trusted []minisign.PublicKey, name, version string) (none minisign.PublicKey, _ error) {
	if len(signature) == 0 {
		return none, ErrUnsigned
	}
	var s minisign.Signature
	if err := s.UnmarshalText(signature); err != nil {
		return none, fmt.Errorf("%w (%v)", ErrTampered, err)
	}
	for _, key := range trusted {
		if key.ID() != s.KeyID {
			continue
		}
		if !minisign.Verify(key, sums, signature) || s.TrustedComment != signedAs+name+" "+version {
			return none, fmt.Errorf("%w (key %s)", ErrTampered, KeyID(key.ID()))
		}
		return key, nil
	}
	return none, fmt.Errorf("%w (key %s)", ErrUntrusted, KeyID(s.KeyID))
}

// KeyID writes the id of a key as minisign does. It helps people to find a key; it proves nothing.
func KeyID(id uint64) string { return fmt.Sprintf("%016X", id) }

// ParsePublicKey reads a minisign public key: the line that begins with RW, with or without the comment above it.
func ParsePublicKey(text string) (k minisign.PublicKey, err error) {
	return k, k.UnmarshalText([]byte(strings.TrimSpace(text)))
}

// WriteTo writes the bundle's file. It implements io.WriterTo.
func (b *Bundle) WriteTo(w io.Writer) (int64, error) {
	counted := &counter{w: w}
	z := zip.NewWriter(counted)
	for _, f := range []struct {
		name    string
		content []byte
	}{
		{bundleManifest, b.Manifest}, {bundleCertificate, b.Certificate}, {bundleSums, b.Sums()}, {bundleSignature, b.Signature}, {bundleModule, b.Module},
	} {
		if f.name == bundleSignature && len(f.content) == 0 {
			continue
		}
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)} // a fixed time: equal bundles have equal bytes
		part, err := z.CreateHeader(h)
		if err == nil {
			_, err = part.Write(f.content)
		}
		if err != nil {
			return counted.n, err
		}
	}
	return counted.n, z.Close()
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// ReadBundle reads a bundle's file. Each file must be there once, no other file may be, and the sums must match. It verifies no
// signature: call Verify.
func ReadBundle(file []byte) (*Bundle, error) {
	if len(file) > MaxBundle {
		return nil, fmt.Errorf("the bundle is larger than %d MiB", MaxBundle>>20)
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, fmt.Errorf("the file is not a bundle: %w", err)
	}
	parts := map[string][]byte{}
	for _, f := range z.File {
		if _, twice := parts[f.Name]; twice {
			return nil, fmt.Errorf("the bundle holds %q twice", f.Name)
		}
		limit := maxDocument
		switch f.Name {
		case bundleModule:
			limit = maxModule
		case bundleManifest, bundleCertificate, bundleSums, bundleSignature:
		default:
			return nil, fmt.Errorf("the bundle holds %q, which is not a file of a bundle", f.Name)
		}
		if parts[f.Name], err = unpack(f, limit); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	for _, name := range []string{bundleModule, bundleManifest, bundleCertificate, bundleSums} {
		if parts[name] == nil {
			return nil, fmt.Errorf("the bundle holds no %s: make bundles with  payswitch plugin bundle", name)
		}
	}
	b := &Bundle{Module: parts[bundleModule], Manifest: parts[bundleManifest], Certificate: parts[bundleCertificate], Signature: parts[bundleSignature]}
	if !bytes.Equal(b.Sums(), parts[bundleSums]) {
		return nil, fmt.Errorf("the bundle's %s do not match its files: the bundle was changed", bundleSums)
	}
	return b, nil
}

// unpack reads one file of at most limit bytes. It does not trust the length in the file's header.
func unpack(f *zip.File, limit int) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(content) > limit {
		err = fmt.Errorf("the file is larger than %d MiB", limit>>20)
	}
	return content, err
}
