package router_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/authentication"
	"payswitch/engine/secret"
	sealing "payswitch/engine/vault"
	"payswitch/plugins/simulator3ds"
	"payswitch/router"
	"payswitch/sdk"
)

const form = "application/x-www-form-urlencoded"

// TestOpenRoutesAreListed: the routes without a key are exactly the lines of openRoutes.
func TestOpenRoutesAreListed(t *testing.T) {
	t.Parallel()
	served := newWorld(t).server.OpenPatterns()
	var listed []string
	for _, line := range router.OpenRoutes() {
		require.NotEmpty(t, line.Why, line.Pattern)
		require.Contains(t, []string{"token", "signature", "nothing", "link", "develop"}, line.By, line.Pattern)
		if slices.Contains(simulator3ds.Prefixes(), line.Pattern) {
			require.Equal(t, "develop", line.By) // the development server's, which is no part of the mux
			continue
		}
		listed = append(listed, line.Pattern)
		if line.By == "token" {
			require.Contains(t, line.Pattern, "{token}")
		}
	}
	for _, prefix := range simulator3ds.Prefixes() {
		require.True(t, slices.ContainsFunc(router.OpenRoutes(), func(l router.OpenRoute) bool { return l.Pattern == prefix }), prefix)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(served)), listed)
	require.ErrorContains(t, router.GuardRoutes("/payments/{payment_id}/secrets", "open"), "has no line in openRoutes")
	require.ErrorContains(t, router.GuardRoutes("/health", "secret"), "remove the line")
	require.ErrorContains(t, router.GuardRoutes("/x", "forgotten"), "does not say who may call it")
	require.NoError(t, router.GuardRoutes("/health", "open"))
}

// TestNothingIsReadBeforeTheToken: a request with a wrong token gets 404, even with further faults. The only call of the engine checks the token.
func TestNothingIsReadBeforeTheToken(t *testing.T) {
	t.Parallel()
	f := &fake{} // every method but OpensURL panics
	s := f.server(t, router.Options{}, io.Discard)
	for pattern, methods := range s.OpenPatterns() {
		if !strings.Contains(pattern, "{token}") {
			continue
		}
		for _, token := range []string{"x", "wrong.token", strings.Repeat("y", 300), "%20", "t%00"} {
			path := strings.NewReplacer("{payment_id}", "p", "{merchant_id}", "m1", "{attempt_id}", "p_1", "{connector}", "stripe", "{token}", token).Replace(pattern)
			for _, method := range methods {
				for _, query := range []string{"", "?a=%zz", "?token=t"} {
					w := &world{t: t, handler: s}
					r := w.send(method, path+query, "", strings.Repeat("z", 300<<10), "Content-Type", form)
					require.Equal(t, 404, r.status, "%s %s: %s", method, path, r.body)
				}
			}
		}
	}
}

// bare returns an answer without the headers that differ for every request.
func bare(r response) response {
	h := r.header.Clone()
	require.NotEmpty(r.t, h.Get("X-Request-Id"))
	h.Del("X-Request-Id")
	return response{status: r.status, header: h, body: r.body}
}

// state returns the whole payment as the merchant sees it.
func (w *world) state(id string) string {
	return w.get("/payments/" + id + "?expand_attempts=true&expand_captures=true").body
}

// TestOpenRoutesWithoutToken opens every public URL as an attacker who knows all ids of a payment but not its token. The attacker sends no token, a
// guess, and tokens of another payment and of other uses. Each answer equals the answer for an unknown payment, byte for byte. Nothing changes.
func TestOpenRoutesWithoutToken(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	mine, theirs := b.tokens(), b.tokens()
	patterns := b.world.server.OpenPatterns()
	tried := 0
	before, beforeNative := b.state(mine.payment), b.state(mine.native)
	for pattern, methods := range patterns {
		if !strings.Contains(pattern, "{token}") {
			continue
		}
		right := mine.of(pattern)
		require.NotEmpty(t, right, pattern)
		payment := mine.payment
		if strings.Contains(pattern, "redirect") {
			payment = mine.native
		}
		first := "A"
		if right[0] == 'A' {
			first = "B"
		}
		wrong := []string{"x", first + right[1:], strings.Repeat("A", len(right)), right[:len(right)-1], right + "A", right[:len(right)-2] + "__", strings.ToUpper(right), "0000" + right[4:]}
		if strings.Contains(pattern, "{payment_id}") {
			wrong = append(wrong, theirs.of(pattern))
		}
		for other := range patterns {
			if token := mine.of(other); token != "" && mine.use(other) != mine.use(pattern) {
				wrong = append(wrong, token)
			}
		}
		path := func(payment, merchant, token string) string {
			return strings.NewReplacer("{payment_id}", payment, "{merchant_id}", merchant, "{attempt_id}", payment+"_1", "{connector}", "stripe", "{token}", token).Replace(pattern)
		}
		for _, method := range methods {
			send := func(path string) response {
				r := b.send(method, path, "", "", "Content-Type", form)
				require.Equal(t, 404, r.status, "%s %s: %s", method, path, r.body)
				require.NotContains(t, r.body, payment)
				require.NotContains(t, r.body+r.header.Get("Location"), "client_secret")
				return bare(r)
			}
			nothing := send(path("pay_none", "nobody", strings.Repeat("B", len(right))))
			for _, token := range wrong {
				require.Equal(t, nothing, send(path(payment, merchant, token)), "%s %s %s", method, pattern, token)
				tried++
			}
			if strings.Contains(pattern, "{payment_id}") { // the right token, on another payment's path
				require.Equal(t, nothing, send(path(theirs.payment, merchant, right)))
				require.Equal(t, nothing, send(path(payment, "m2", right)))
				require.Equal(t, nothing, send(path("pay_none", merchant, right)))
			}
			r := b.send(method, strings.TrimSuffix(path(payment, merchant, ""), "/"), "", "") // the URL of an earlier release, without a token
			require.Contains(t, []int{404, 405}, r.status, r.body)
			require.NotContains(t, r.body+r.header.Get("Location"), "client_secret")
		}
		for _, method := range []string{"HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"} { // no method says more than the path's form does
			known, unknown := b.send(method, path(payment, merchant, "x"), "", ""), b.send(method, path("pay_none", "nobody", "x"), "", "")
			require.Equal(t, bare(unknown), bare(known), method)
			require.Equal(t, 405, known.status)
			preflight := b.send("OPTIONS", path(payment, merchant, right), "", "", "Access-Control-Request-Method", "GET", "Origin", "https://evil.example")
			require.Equal(t, 204, preflight.status)
			require.Empty(t, preflight.header.Get("Access-Control-Allow-Origin"))
		}
	}
	require.Greater(t, tried, 200)
	require.Equal(t, before, b.state(mine.payment), "nothing has changed")
	require.Equal(t, beforeNative, b.state(mine.native))
}

// tokens are the right tokens of two payments: one that payswitch authenticates, and one with the processor's own 3-D Secure.
type tokens struct {
	payment, native string
	uses            map[string]string // by the first part of the URL, which names the use
}

func (b *bankWorld) tokens() *tokens {
	last := func(u string) string { return regexp.MustCompile(`[^/]*$`).FindString(u) }
	p, data := b.invoke("4000003001700000")
	b.authenticate(p, "U")
	k := &tokens{payment: p["payment_id"].(string), uses: map[string]string{}}
	k.uses["authorize"] = last(data["three_ds_authorize_url"].(string))
	k.uses["run"] = last(p["next_action"].(map[string]any)["redirect_to_url"].(string))
	asked := b.counted.asked(k.payment, sdk.OpAuthenticate).Authentication
	for use, u := range map[string]string{"m": asked.MethodNotificationURL, "c": asked.NotificationURL, "r": asked.ResultURL, "e": asked.EventURL} {
		k.uses[use] = last(u)
	}
	vault, err := engine.OpenVault(b.t.Context(), b.store, secret.New("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="))
	require.NoError(b.t, err)
	record := b.record(k.payment) // the URLs that only some authenticators are given
	stored, err := vault.Open(record.Sealed, "authentication/m1/"+record.ID)
	require.NoError(b.t, err)
	stored, err = sealing.Unpack(stored)
	require.NoError(b.t, err)
	var private authentication.Private
	require.NoError(b.t, json.Unmarshal(stored, &private))
	k.uses["f"], k.uses["g"] = private.Tokens[authentication.URLFrames], private.Tokens[authentication.URLOpen]
	n := b.post("/payments", with(plain, "authentication_type", `"three_ds"`)).ok()
	k.native = n["payment_id"].(string)
	page := n["next_action"].(map[string]any)["redirect_to_url"].(string)
	k.uses["redirect"] = last(page)
	to, err := url.Parse(b.send("GET", strings.TrimPrefix(page, publicURL), "", "").header.Get("Location"))
	require.NoError(b.t, err)
	k.uses["return"] = last(to.Query().Get("return_url"))
	return k
}

// use names the use of the token in a pattern.
func (k *tokens) use(pattern string) string {
	switch {
	case strings.Contains(pattern, "/redirect/response/"), strings.Contains(pattern, "/redirect/complete/"):
		return "return"
	case strings.HasPrefix(pattern, "/payments/redirect/"):
		return "redirect"
	case strings.Contains(pattern, "/authorize/"):
		return "authorize"
	case strings.HasPrefix(pattern, "/3ds/"):
		return strings.Split(pattern, "/")[2]
	}
	return ""
}

func (k *tokens) of(pattern string) string { return k.uses[k.use(pattern)] }
