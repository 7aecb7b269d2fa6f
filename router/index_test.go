package router_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/router"
)

const browserAccepts = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

func TestIndexPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *router.Options) { o.Version = "1.2.3<b>" })
	r := w.send("GET", "/", "", "", "Accept", browserAccepts)
	require.Equal(t, 200, r.status)
	require.Equal(t, "'none'", framing(t, r))
	require.Contains(t, r.header.Values("Vary"), "Accept")
	require.Contains(t, r.body, "payswitch is running")
	require.Contains(t, r.body, "Version 1.2.3&lt;b&gt;")
	require.NotRegexp(t, `<script|<img|<link|https?://|@import|url\(| style=`, r.body, "it loads nothing")
	policy := r.header.Get("Content-Security-Policy")
	require.Regexp(t, `^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; form-action 'none'; base-uri 'none'; frame-ancestors 'none'$`, policy)
	require.NotContains(t, r.body, "Test cards", "no simulated 3DS server")

	links := regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(r.body, -1)
	require.Len(t, links, 3)
	for _, link := range links {
		require.Equal(t, 200, w.send("GET", "/"+link[1], "", "").status, link[1])
	}
	files := regexp.MustCompile(`<code>([^<]+)</code>`).FindAllStringSubmatch(r.body, -1)
	require.Len(t, files, 5)
	for _, file := range files {
		_, err := os.Stat(filepath.Join("..", file[1]))
		require.NoError(t, err)
	}

	w = newWorld(t, func(o *router.Options) { o.Simulator3DS = http.NotFoundHandler() })
	require.Contains(t, w.send("GET", "/", "", "", "Accept", "text/html").body, `href="sim/3ds/cards"`)
}

func TestIndexByAccept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *router.Options) { o.Version = "1.2.3" })
	for accept, want := range map[string]string{
		"text/html": "text/html; charset=utf-8", "TEXT/HTML; q=0.1": "text/html; charset=utf-8", "application/json;q=0.5, text/html": "text/html; charset=utf-8",
		"*/*": "application/json", "application/json": "application/json", "text/html;q=0.4, application/json;q=0.5": "application/json", "text/html;q=0": "application/json",
		"text/html;q=x": "application/json", "text/plain": "application/json", ";;": "application/json",
	} {
		r := w.send("GET", "/", "", "", "Accept", accept)
		require.Equal(t, 200, r.status, accept)
		require.Equal(t, want, r.header.Get("Content-Type"), accept)
		require.Equal(t, "Accept", r.header.Get("Vary"), accept)
	}
	require.Equal(t, map[string]any{"name": "payswitch", "version": "1.2.3",
		"links": map[string]any{"health": "/health", "openapi": "/openapi.yaml", "feature_matrix": "/feature_matrix"}},
		w.send("GET", "/", "", "", "Accept", "application/json").ok())
	w.send("GET", "/", "", "").expect(404, "IR_02", "Unrecognized request URL")
	r := w.send("POST", "/", "", "", "Accept", "text/html")
	r.expect(405, "IR_03", "The HTTP method is not applicable for this API")
	require.Equal(t, "GET, HEAD", r.header.Get("Allow"))
}

// TestIndexHead: over HTTP, HEAD has the headers of GET and no body.
func TestIndexHead(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newWorld(t).server)
	defer server.Close()
	fetch := func(method, accept string) (*http.Response, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/", nil)
		require.NoError(t, err)
		r.Header.Set("Accept", accept)
		got, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer got.Body.Close()
		body, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		return got, string(body)
	}
	for _, accept := range []string{"text/html", "application/json"} {
		full, body := fetch("GET", accept)
		head, none := fetch("HEAD", accept)
		require.Empty(t, none)
		require.Equal(t, 200, head.StatusCode)
		require.Equal(t, strconv.Itoa(len(body)), head.Header.Get("Content-Length"))
		for _, h := range []http.Header{full.Header, head.Header} {
			for _, name := range []string{"X-Request-Id", "Date"} {
				h.Del(name)
			}
		}
		require.Equal(t, full.Header, head.Header)
	}
}
