package router_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/router/checkout"
)

// checkoutPages returns the documents as built, or the test fails.
func checkoutPages(t testing.TB) *checkout.Pages {
	t.Helper()
	pages, err := checkout.New()
	require.NoError(t, err, "run make assets")
	return pages
}

// TestCheckoutScripts: every address has the same script, and an address with a hash never has another one.
func TestCheckoutScripts(t *testing.T) {
	t.Parallel()
	pages, w := checkoutPages(t), newWorld(t)
	for _, path := range []string{"/HyperLoader.js", "/v0/HyperLoader.js", "/v1/HyperLoader.js", "/checkout/" + pages.Hash + "/loader.js"} {
		r := w.send("GET", path, "", "", "Origin", "https://shop.example")
		require.Equal(t, 200, r.status, path)
		require.Equal(t, string(pages.Loader.Body), r.body)
		require.Equal(t, "*", r.header.Get("Access-Control-Allow-Origin"), "a browser checks the integrity of a script with CORS alone")
		require.Equal(t, "cross-origin", r.header.Get("Cross-Origin-Resource-Policy"))
		require.Equal(t, strings.HasPrefix(path, "/checkout/"), strings.Contains(r.header.Get("Cache-Control"), "immutable"), path)
		require.Equal(t, 304, w.send("GET", path, "", "", "If-None-Match", r.header.Get("ETag")).status)
		zipped := w.send("GET", path, "", "", "Accept-Encoding", "br, gzip;q=0.8")
		require.Equal(t, "gzip", zipped.header.Get("Content-Encoding"))
		unzip, err := gzip.NewReader(strings.NewReader(zipped.body))
		require.NoError(t, err)
		plain, err := io.ReadAll(unzip)
		require.NoError(t, err)
		require.Equal(t, r.body, string(plain))
		require.Empty(t, w.send("GET", path, "", "", "Accept-Encoding", "gzip;q=0, br").header.Get("Content-Encoding"))
	}
	require.Equal(t, 404, w.send("GET", "/checkout/0000000000000000/loader.js", "", "").status)
	sum := sha512.Sum384(pages.Loader.Body)
	o := w.send("GET", "/checkout/integrity", "", "").object()
	require.Equal(t, publicURL+"/checkout/"+pages.Hash+"/loader.js", o["script"])
	require.Equal(t, "sha384-"+base64.StdEncoding.EncodeToString(sum[:]), o["integrity"])
	scripts, _ := o["scripts"].([]any)
	require.Len(t, scripts, 4)
	first, _ := scripts[0].(map[string]any)
	require.Equal(t, []any{o["script"], o["integrity"]}, []any{first["address"], first["integrity"]})
	for _, x := range scripts[1:] { // the frame's own policy names the hash
		script, _ := x.(map[string]any)
		path := strings.TrimPrefix(script["address"].(string), publicURL)
		require.Contains(t, w.send("GET", path, "", "").header.Get("Content-Security-Policy"), "script-src '"+script["integrity"].(string)+"'", path)
	}
	require.Contains(t, w.send("GET", "/checkout/hyper.mjs", "", "").body, "loadHyper")
}

// TestCheckoutPolicy: the frames run their own script alone, and name it by its hash.
func TestCheckoutPolicy(t *testing.T) {
	t.Parallel()
	checkoutPages(t)
	w := newWorld(t)
	for path, frames := range map[string]string{"/checkout/v1/frame": "frame-src 'self';", "/checkout/v1/challenge": "frame-src http: https:;"} {
		r := w.send("GET", path+"?key="+w.publishable+"&origin=https://shop.example&locale=ar", "", "")
		require.Equal(t, 200, r.status)
		policy := r.header.Get("Content-Security-Policy")
		for _, tag := range []string{"script", "style"} {
			_, text, _ := strings.Cut(r.body, "<"+tag+">")
			text, _, _ = strings.Cut(text, "</"+tag+">")
			sum := sha256.Sum256([]byte(text))
			require.Contains(t, policy, tag+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"';", path)
		}
		require.Contains(t, policy, "default-src 'none'")
		require.Contains(t, policy, frames)
		require.NotContains(t, policy, "unsafe")
		require.Contains(t, r.body, `lang="ar" dir="rtl"`)
		require.Equal(t, "no-referrer", r.header.Get("Referrer-Policy"))
		require.Empty(t, r.header.Get("Set-Cookie"))
		require.Empty(t, r.header.Get("X-Frame-Options"))
	}
	require.Contains(t, w.send("GET", "/checkout/v1/frame", "", "", "Accept-Language", "de-AT,de;q=0.9").body, `<html lang="de"`)
}

// TestCheckoutOrigins: only the pages of checkout_origins may frame the form of a publishable key.
func TestCheckoutOrigins(t *testing.T) {
	t.Parallel()
	checkoutPages(t)
	w := newWorld(t)
	profile := "/account/m1/business_profile/" + w.profile
	framers := func(query string) string {
		r := w.send("GET", "/checkout/v1/frame?"+query, "", "")
		require.Equal(t, 200, r.status, r.body)
		_, list, _ := strings.Cut(r.header.Get("Content-Security-Policy"), "frame-ancestors ")
		return list
	}
	require.Equal(t, "'self' http: https:", framers("key="+w.publishable), "any page, until the profile names some")
	w.post(profile, `{"checkout_origins":["https://shop.example","http://localhost:3000"]}`).ok()
	require.Equal(t, "'self' https://shop.example http://localhost:3000", framers("key="+w.publishable))
	require.Equal(t, "'self' https://shop.example http://localhost:3000", framers("key="+w.publishable+"&origin=https://evil.example"), "the address allows nobody")
	require.Equal(t, "'self' https://shop.example http://localhost:3000", framers("key="+w.publishable+"&profile="+w.profile))
	require.Equal(t, "'none'", framers("key="+w.publishable+"&profile=pro_none"))
	require.Equal(t, "'self' http: https:", framers("key=pk_dev_nobodys"), "the page of an unknown key holds nothing")
	require.Contains(t, framers("key="+w.publishable+"&origin=https://a%3Bscript-src+*"), "shop.example")
	require.NotContains(t, framers("key="+w.publishable+"&origin=https://a%3Bscript-src+*"), "script-src *")
	p := w.post("/payments", open).ok()
	client := "/payments/" + p["payment_id"].(string) + "/client?client_secret=" + p["client_secret"].(string)
	for origin, status := range map[string]int{"": 200, "&origin=https://shop.example": 200, "&origin=http://localhost:3000": 200, "&origin=" + publicURL: 200, "&origin=http://example.com": 200,
		"&origin=https://evil.example": 422, "&origin=null": 422, "&origin=https://shop.example.evil.example": 422, "&origin=http://switch.tes": 422, "&origin=http:": 422} {
		require.Equal(t, status, w.send("GET", client+origin, w.publishable, "").status, "%s: a page that names another key in the frame's address", origin)
	}
	w.post("/customers", `{"customer_id":"cus_framed"}`).ok()
	ephemeral := w.post("/ephemeral_keys", `{"customer_id":"cus_framed"}`).ok()["secret"].(string)
	for origin, status := range map[string]int{"": 200, "?origin=https://shop.example": 200, "?origin=" + publicURL: 200, "?origin=https://evil.example": 422} {
		require.Equal(t, status, w.send("GET", "/customers/payment_methods"+origin, ephemeral, "").status, "saved cards in a page of %s", origin)
	}
	for _, origin := range []string{"https://shop.example/", "https://shop.example/a", "shop.example", "*", "https://*.example", "https://a;b", "https://Shop.example"} {
		w.post(profile, `{"checkout_origins":["`+origin+`"]}`).refused(400, "IR_06", "origin")
	}
	require.Equal(t, []any{"https://shop.example", "http://localhost:3000"}, w.get(profile).ok()["checkout_origins"])
	w.post(profile, `{"checkout_origins":[]}`).ok()
	require.Equal(t, "'self' http: https:", framers("key="+w.publishable))
	require.False(t, bytes.Contains(w.logs.Bytes(), []byte("script-src")), "a stranger writes nothing into the log")
}
