package dashboard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/staff"
)

// shelf keeps one bundle.
type shelf struct {
	file      []byte
	by        string
	installed []port.Replacing
	older     bool
	builtIn   bool
}

func (s *shelf) Give(_ context.Context, file []byte, by string) (*port.BundleView, error) {
	if !bytes.HasPrefix(file, []byte("bundle")) {
		return nil, fault.Unprocessable("bundle", "the file is not a bundle")
	}
	s.file, s.by = file, by
	return s.Bundle(context.Background(), s.sum())
}

func (s *shelf) sum() string {
	sum := sha256.Sum256(s.file)
	return hex.EncodeToString(sum[:])
}

func (s *shelf) Bundles(context.Context, string) ([]port.Bundle, error) {
	if s.file == nil {
		return nil, nil
	}
	v, err := s.Bundle(context.Background(), s.sum())
	return []port.Bundle{v.Bundle}, err
}

func (s *shelf) Bundle(_ context.Context, sum string) (*port.BundleView, error) {
	if s.file == nil || sum != s.sum() {
		return nil, fault.NotFound("Bundle")
	}
	v := someBundle()
	v.SHA256, v.GivenBy, v.InUse, v.Older, v.BuiltIn = sum, s.by, len(s.installed) > 0, s.older, s.builtIn
	return v, nil
}

func (s *shelf) Install(ctx context.Context, sum, _ string, may port.Replacing) (*port.BundleView, error) {
	if s.builtIn && !may.BuiltIn {
		return nil, fault.Unprocessable("replace_builtin", "acme is a built-in adapter")
	}
	if s.older && !may.Older {
		return nil, fault.Unprocessable("allow_older", "acme 0.1.0 is older than the build in use")
	}
	s.installed = append(s.installed, may)
	return s.Bundle(ctx, sum)
}

// give sends the form with a bundle.
func (w *world) give(content []byte) *httptest.ResponseRecorder {
	w.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", "acme.bundle")
	require.NoError(w.t, err)
	_, err = part.Write(content)
	require.NoError(w.t, err)
	require.NoError(w.t, form.Close())
	return w.sendForm("/adapters/bundles", form, &b)
}

// TestGiveBundle: a bundle is given, shown with what it may reach, installed and rolled back, each with the second factor and a line of the audit.
func TestGiveBundle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kept := &shelf{}
	w.as(staff.Grant{Role: staff.Operator})
	require.Equal(t, http.StatusNotFound, w.give([]byte("bundle")).Code)
	require.NotContains(t, w.page("/adapters"), "Examine the bundle")
	w.server.Bundles = kept
	require.Contains(t, w.page("/adapters"), "Examine the bundle")
	for name, content := range map[string][]byte{"other": []byte("other"), "empty": nil, "huge": append([]byte("bundle"), make([]byte, maxBundleForm)...)} {
		rec := w.give(content)
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, name)
		require.Contains(t, rec.Body.String(), `id="bundle-p-file"`, name)
	}
	large := append([]byte("bundle"), make([]byte, 5<<20)...)
	given := w.give(large)
	require.Equal(t, http.StatusSeeOther, given.Code)
	one := given.Header().Get("Location")
	require.Equal(t, "/adapters/bundles/"+kept.sum(), one)
	require.Equal(t, large, kept.file)
	require.Equal(t, "Ada Lovelace", kept.by)
	page := w.page(one)
	for _, text := range []string{"0123456789ABCDEF", "What it may reach", "It asks for more than the build in use", "host api.acme.example", "Install acme 0.1.0", "payswitch plugin pin " + kept.sum(), "--data"} {
		if text == "--data" {
			page = w.page("/adapters")
		}
		require.Contains(t, page, text)
	}
	require.Contains(t, page, one, "the list has it")
	require.Equal(t, one+"?did=install", w.done(one+"/install"))
	require.Contains(t, w.page(one+"?did=install"), "Every node takes it up within seconds")
	require.NotContains(t, w.page(one), "Install acme")
	kept.older = true
	kept.installed = nil
	require.Contains(t, w.page(one), "Go back to acme 0.1.0")
	require.Equal(t, http.StatusUnprocessableEntity, w.post(one+"/install").Code)
	w.done(one+"/install", "allow_older", "true")
	require.Equal(t, []port.Replacing{{Older: true}}, kept.installed)
	kept.older, kept.builtIn, kept.installed = false, true, nil
	page = w.page(one)
	for _, text := range []string{"Replace the built-in acme", "payswitch plugin pin " + kept.sum() + " --replace-builtin", "plugin remove acme"} {
		require.Contains(t, page, text)
	}
	require.Equal(t, http.StatusUnprocessableEntity, w.post(one+"/install").Code)
	w.done(one+"/install", "replace_builtin", "true")
	require.Equal(t, []port.Replacing{{BuiltIn: true}}, kept.installed)
	var acts []string
	for _, a := range w.audit.acts {
		acts = append(acts, a.Action)
	}
	require.Subset(t, acts, []string{"adapter.give", "adapter.install"})
	require.Equal(t, http.StatusNotFound, get(t, w.server, "/adapters/bundles/"+strings.Repeat("0", 64)).Code)

	n := len(kept.installed)
	w.person.SecondFactorAt = time.Time{}
	require.Contains(t, w.page("/adapters"), "Confirm with the second factor")
	require.Equal(t, http.StatusForbidden, w.give([]byte("bundle of another")).Code)
	require.Equal(t, http.StatusForbidden, w.post(one+"/install", "allow_older", "true").Code)
	w.person.SecondFactorAt = time.Now()
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Admin})
	require.Equal(t, http.StatusForbidden, w.give([]byte("bundle of another")).Code)
	require.Len(t, kept.installed, n)
	require.Equal(t, large, kept.file)
}
