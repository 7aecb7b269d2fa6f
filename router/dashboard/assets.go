package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
)

// assets are the files that pages load. An address contains the hash of its content: browsers keep the file for good.
type assets struct {
	addresses map[string]string // by name
	files     map[string]asset  // by address
}

type asset struct {
	kind          string
	plain, packed []byte
}

// wantedAssets are the files that pages name, with their media types.
var wantedAssets = map[string]string{"app.js": "text/javascript; charset=utf-8", "app.css": "text/css; charset=utf-8"}

// ErrNoAssets is the error of New in a program that was built without the made files.
var ErrNoAssets = errors.New("the program was built without the dashboard's script and style")

func readAssets(from fs.FS) (*assets, error) {
	a := &assets{map[string]string{}, map[string]asset{}}
	for name, kind := range wantedAssets {
		text, err := fs.ReadFile(from, "assets/"+name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: run make assets, and build again (router/dashboard/assets/%s is missing)", ErrNoAssets, name)
		}
		if err != nil {
			return nil, err
		}
		hash := sha256.Sum256(text)
		stem, ending, _ := strings.Cut(name, ".")
		address := "/assets/" + stem + "." + hex.EncodeToString(hash[:8]) + "." + ending
		a.addresses[name], a.files[address] = address, asset{kind, text, gzipped(text)}
	}
	return a, nil
}

func (a *assets) address(name string) string { return a.addresses[name] }

// serve answers a request for an asset. It returns false for any other request.
func (a *assets) serve(w http.ResponseWriter, r *http.Request) bool {
	f, ok := a.files[r.URL.Path]
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	body := f.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		body = f.packed
		h.Set("Content-Encoding", "gzip")
	}
	http.ServeContent(w, r, "", zeroTime, bytes.NewReader(body))
	return true
}

// gzipped packs a text.
func gzipped(text []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.DefaultCompression) // the level is valid
	_, _ = z.Write(text)                                     // a buffer takes every write
	_ = z.Close()
	return b.Bytes()
}
