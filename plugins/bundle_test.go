package plugins_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"aead.dev/minisign"
	"github.com/stretchr/testify/require"

	"payswitch/plugins"
)

func keys(t testing.TB) (minisign.PublicKey, minisign.PrivateKey) {
	t.Helper()
	public, private, err := minisign.GenerateKey(nil)
	require.NoError(t, err)
	return public, private
}

func bundleOf(module []byte) *plugins.Bundle {
	return &plugins.Bundle{Module: module, Manifest: []byte("{}\n"), Certificate: []byte(`{"passed":true}`)}
}

// A bundle survives its file unchanged, and common tools verify it.
func TestBundleRoundTrip(t *testing.T) {
	public, private := keys(t)
	b := bundleOf([]byte("module"))
	b.Sign(private, "acme", "1.0.0")
	var file, again bytes.Buffer
	n, err := b.WriteTo(&file)
	require.NoError(t, err)
	require.EqualValues(t, file.Len(), n)
	_, err = b.WriteTo(&again)
	require.NoError(t, err)
	require.Equal(t, file.Bytes(), again.Bytes(), "the bytes do not depend on the time")

	read, err := plugins.ReadBundle(file.Bytes())
	require.NoError(t, err)
	require.Equal(t, b, read)
	key, err := read.Verify([]minisign.PublicKey{public}, "acme", "1.0.0")
	require.NoError(t, err)
	require.True(t, key.Equal(public))

	parts := unzip(t, file.Bytes())
	require.True(t, minisign.Verify(public, parts["SHA256SUMS"], parts["SHA256SUMS.minisig"]))
	require.Equal(t, b.Hash()+"  adapter.wasm", strings.SplitN(string(parts["SHA256SUMS"]), "\n", 2)[0])
}

func unzip(t testing.TB, file []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	parts := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		parts[f.Name], err = io.ReadAll(r)
		require.NoError(t, err)
	}
	return parts
}

func TestBundleVerify(t *testing.T) {
	public, private := keys(t)
	other, _ := keys(t)
	signed := func() *plugins.Bundle {
		b := bundleOf([]byte("module"))
		b.Sign(private, "acme", "1.0.0")
		return b
	}
	for name, tc := range map[string]struct {
		change  func(b *plugins.Bundle)
		trusted []minisign.PublicKey
		as      string
		want    error
	}{
		"good":                {trusted: []minisign.PublicKey{other, public}},
		"unsigned":            {change: func(b *plugins.Bundle) { b.Signature = nil }, trusted: []minisign.PublicKey{public}, want: plugins.ErrUnsigned},
		"no key is trusted":   {want: plugins.ErrUntrusted},
		"another is trusted":  {trusted: []minisign.PublicKey{other}, want: plugins.ErrUntrusted},
		"other module":        {change: func(b *plugins.Bundle) { b.Module = []byte("modulf") }, trusted: []minisign.PublicKey{public}, want: plugins.ErrTampered},
		"other manifest":      {change: func(b *plugins.Bundle) { b.Manifest = []byte("{ }") }, trusted: []minisign.PublicKey{public}, want: plugins.ErrTampered},
		"other certificate":   {change: func(b *plugins.Bundle) { b.Certificate = nil }, trusted: []minisign.PublicKey{public}, want: plugins.ErrTampered},
		"for another version": {as: "2.0.0", trusted: []minisign.PublicKey{public}, want: plugins.ErrTampered},
		"no signature at all": {change: func(b *plugins.Bundle) { b.Signature = []byte("x") }, trusted: []minisign.PublicKey{public}, want: plugins.ErrTampered},
		"of something else": {change: func(b *plugins.Bundle) {
			b.Signature = minisign.SignWithComments(private, b.Sums(), "a release", "")
		}, trusted: []minisign.PublicKey{public}, want: plugins.ErrTampered},
	} {
		t.Run(name, func(t *testing.T) {
			b := signed()
			if tc.change != nil {
				tc.change(b)
			}
			version := "1.0.0"
			if tc.as != "" {
				version = tc.as
			}
			_, err := b.Verify(tc.trusted, "acme", version)
			require.ErrorIs(t, err, tc.want)
		})
	}
}

func zipped(t testing.TB, parts map[string][]byte, names ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for _, name := range names {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write(parts[name])
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return file.Bytes()
}

func TestReadBundleIsStrict(t *testing.T) {
	var good bytes.Buffer
	_, err := bundleOf([]byte("module")).WriteTo(&good)
	require.NoError(t, err)
	parts := unzip(t, good.Bytes())
	with := func(name string, content []byte) map[string][]byte {
		changed := maps.Clone(parts)
		changed[name] = content
		return changed
	}
	all := []string{"adapter.wasm", "manifest.json", "certificate.json", "SHA256SUMS"}
	_, err = plugins.ReadBundle(zipped(t, parts, all...))
	require.NoError(t, err)
	for want, file := range map[string][]byte{
		"the file is not a bundle":                        []byte("\x00asm"),
		"the bundle holds no adapter.wasm":                zipped(t, parts, all[1:]...),
		"the bundle holds no SHA256SUMS":                  zipped(t, parts, all[:3]...),
		`the bundle holds "adapter.wasm" twice`:           zipped(t, parts, append(all, "adapter.wasm")...),
		`the bundle holds "../evil.wasm", which is no`:    zipped(t, with("../evil.wasm", nil), append(all, "../evil.wasm")...),
		"the bundle is larger than 32 MiB":                make([]byte, plugins.MaxBundle+1),
		"certificate.json: the file is larger than 4 MiB": zipped(t, with("certificate.json", make([]byte, 5<<20)), all...),
		"the bundle's SHA256SUMS do not match its files":  zipped(t, with("adapter.wasm", []byte("modulf")), all...),
	} {
		_, err := plugins.ReadBundle(file)
		require.ErrorContains(t, err, want)
	}
}

// The host loads a module as long as it is the installed one.
func TestPins(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	first, second := bundleOf(tiny(t, "acme", p.URL, "first")), bundleOf(tiny(t, "acme", p.URL, "second"))
	public, private := keys(t)
	first.Sign(private, "acme", "1.0.0")
	require.NoError(t, first.Install(dir, "acme", "1.0.0", time.Now()))
	log := &logged{}
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir(), Logger: log.logger()})
	hash := func() string { now, _ := h.Adapter("acme"); return now.Hash }
	require.Equal(t, first.Hash(), hash())
	file, pin := h.File("acme")
	require.Equal(t, "acme.wasm", file)
	_, err := pin.Verify([]minisign.PublicKey{public})
	require.NoError(t, err)

	// The host refuses another module in its place, now and at the next start, and logs that.
	put(t, dir, "acme.wasm", second.Module)
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "the module is not the installed one") }, soon, 5*time.Millisecond)
	require.Equal(t, first.Hash(), hash(), "the build loaded before stays")
	require.Empty(t, newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir()}).Adapters())

	// After its installation the host loads it.
	require.NoError(t, second.Install(dir, "acme", "1.1.0", time.Now()))
	require.Eventually(t, func() bool { return hash() == second.Hash() }, soon, 5*time.Millisecond)
	require.Eventually(t, func() bool { _, pin = h.File("acme"); return pin != nil && pin.Version == "1.1.0" }, soon, 5*time.Millisecond)
	_, err = pin.Verify([]minisign.PublicKey{public})
	require.ErrorIs(t, err, plugins.ErrUnsigned)

	// With a damaged pin the host loads no module.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "acme.pin"), []byte("{"), 0o600))
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "is damaged: install the adapter again") }, soon, 5*time.Millisecond)
	require.Empty(t, newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir()}).Adapters())

	require.NoError(t, plugins.Remove(dir, "acme"))
	require.Eventually(t, func() bool { _, there := h.Adapter("acme"); return !there }, soon, 5*time.Millisecond)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	require.ErrorIs(t, plugins.Remove(dir, "acme"), fs.ErrNotExist)
}

// A crash during an installation leaves the old build or the new one, and the host loads either.
func TestInstallInterrupted(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	first, second := bundleOf(tiny(t, "acme", p.URL, "first")), bundleOf(tiny(t, "acme", p.URL, "second"))
	require.NoError(t, first.Install(dir, "acme", "1.0.0", time.Now()))
	pin := `{"name":"acme","version":"2.0.0","sha256":"` + second.Hash() + `","replaces":{"sha256":"` + first.Hash() + `"}}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "acme.pin"), []byte(pin), 0o600)) // the pin is there, the module is not yet
	for _, b := range []*plugins.Bundle{first, second} {
		put(t, dir, "acme.wasm", b.Module)
		now, loaded := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir()}).Adapter("acme")
		require.True(t, loaded)
		require.Equal(t, b.Hash(), now.Hash)
	}
	// Of two installations at a time one remains, with its pin.
	var wg sync.WaitGroup
	for _, b := range []*plugins.Bundle{first, second, first, second} {
		wg.Go(func() { require.NoError(t, b.Install(dir, "acme", "3.0.0", time.Now())) })
	}
	wg.Wait()
	now, err := plugins.ReadPin(filepath.Join(dir, "acme.wasm"))
	require.NoError(t, err)
	require.Nil(t, now.Replaces)
	_, loaded := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir()}).Adapter("acme")
	require.True(t, loaded)
}

// With SignedOnly the host loads signed adapters alone, also after an interrupted installation.
func TestSignedOnly(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	public, private := keys(t)
	other, _ := keys(t)
	signed, unsigned := bundleOf(tiny(t, "acme", p.URL, "first")), bundleOf(tiny(t, "acme", p.URL, "second"))
	signed.Sign(private, "acme", "1.0.0")
	log := &logged{}
	loads := func(trusted ...minisign.PublicKey) bool {
		h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir(), Logger: log.logger(), SignedOnly: true, Trusted: trusted})
		_, loaded := h.Adapter("acme")
		return loaded
	}
	put(t, dir, "acme.wasm", signed.Module)
	require.False(t, loads(public), "not pinned")
	require.Contains(t, log.String(), "plugins.signed_only admits signed adapters alone: the adapter is not signed")
	require.NoError(t, signed.Install(dir, "acme", "1.0.0", time.Now()))
	require.True(t, loads(other, public))
	require.False(t, loads(other))
	before, err := plugins.ReadPin(filepath.Join(dir, "acme.wasm"))
	require.NoError(t, err)

	require.NoError(t, unsigned.Install(dir, "acme", "2.0.0", time.Now()))
	require.False(t, loads(public))
	now, err := plugins.ReadPin(filepath.Join(dir, "acme.wasm"))
	require.NoError(t, err)
	now.Replaces = before // as in the middle of the installation
	text, err := json.Marshal(now)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "acme.pin"), text, 0o600))
	require.False(t, loads(public))
	put(t, dir, "acme.wasm", signed.Module)
	require.True(t, loads(public))

	// A signature of another module proves nothing.
	now.Sums, now.Signature, now.Version = before.Sums, before.Signature, before.Version
	text, err = json.Marshal(now)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "acme.pin"), text, 0o600))
	put(t, dir, "acme.wasm", unsigned.Module)
	require.False(t, loads(public))
}

// ReadBundle returns an error, or a bundle that survives its own file unchanged.
func FuzzReadBundle(f *testing.F) {
	_, private := keys(f)
	b := bundleOf([]byte("module"))
	var unsigned, signed bytes.Buffer
	_, _ = b.WriteTo(&unsigned)
	b.Sign(private, "acme", "1.0.0")
	_, _ = b.WriteTo(&signed)
	f.Add(unsigned.Bytes())
	f.Add(signed.Bytes())
	f.Add(signed.Bytes()[10:])
	f.Fuzz(func(t *testing.T, file []byte) {
		b, err := plugins.ReadBundle(file)
		if err != nil {
			return
		}
		_, err = b.Verify(nil, "acme", "1.0.0")
		require.Error(t, err)
		var again bytes.Buffer
		_, err = b.WriteTo(&again)
		require.NoError(t, err)
		same, err := plugins.ReadBundle(again.Bytes())
		require.NoError(t, err)
		require.Equal(t, b.Sums(), same.Sums())
	})
}
