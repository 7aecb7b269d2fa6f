package router_test

import (
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// framed opens three_ds_authorize_url as a shop's page does in a frame, after the payer's part is over.
func (c *challenged) framed() string {
	c.t.Helper()
	r := c.send("POST", strings.TrimPrefix(c.data["three_ds_authorize_url"].(string), publicURL), "", "", "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Dest", "iframe")
	require.Equal(c.t, 200, r.status, r.body)
	return html.UnescapeString(r.body)
}

func (c *challenged) polled() any {
	c.t.Helper()
	return c.send("GET", "/poll/status/"+c.data["poll_config"].(map[string]any)["poll_id"].(string), c.publishable, "").ok()["status"]
}

// TestSlowResultInAFrame: a result that comes six seconds after the challenge. The return page and the authorize URL tell the shop's page to poll, and
// the poll ends with the result.
func TestSlowResultInAFrame(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	c := b.challenge("0170")
	b.says("/sim/3ds/postauth", noResult)
	to, fields := c.confirms("1234")
	page := html.UnescapeString(b.ours(to, fields).body)
	require.Contains(t, page, `"poll_status":{"delay_in_secs":"2","frequency":"30","poll_id":"external_authentication_`+c.payment["payment_id"].(string)+`"`)
	require.NotContains(t, page, "openurl_if_required")
	for range 3 {
		require.Contains(t, c.framed(), "poll_status", "the answer does not wait for the result")
	}
	require.Equal(t, "pending", c.polled())
	b.passes(6 * time.Second)
	b.heals()
	require.Eventually(t, func() bool { return c.polled() == "completed" }, 20*time.Second, 20*time.Millisecond, "the result comes without a query by the shop")
	b.ends(c.payment, "succeeded", "", 1)
	require.Contains(t, c.framed(), `{"openurl_if_required":"https://shop.example/done?order=7"}`)
}

// TestQuestionOfASuspendedMachine: the machine is suspended before a question about a result leaves, and awakes after the deadline. The
// question is asked then, and the payment fails for what the authenticator answers.
func TestQuestionOfASuspendedMachine(t *testing.T) {
	t.Parallel()
	for code, answer := range map[string]string{"authentication_result_lost": "", "authentication_timeout": noResult} {
		b := newBankWorld(t)
		c := b.challenge("0170")
		if answer != "" {
			b.says("/sim/3ds/postauth", answer)
		}
		var once sync.Once
		suspend := func(op sdk.Operation) {
			if op == sdk.OpResult {
				once.Do(func() { b.passes(16 * time.Minute) })
			}
		}
		b.counted.before.Store(&suspend)
		b.background()
		c.returns("1234")
		b.ends(c.payment, "failed", code, 0)
	}
}

// TestClosedWindowOfASuspendedMachine: the payer approved and closed the challenge, and the machine is suspended before the question about the result
// leaves. The challenge is not given up for that: the question is asked.
func TestClosedWindowOfASuspendedMachine(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	c := b.challenge("0170")
	c.confirms("1234") // the browser never comes back
	var once sync.Once
	suspend := func(op sdk.Operation) {
		if op == sdk.OpResult {
			once.Do(func() { b.passes(2 * time.Minute) })
		}
	}
	b.counted.before.Store(&suspend)
	r := c.send("GET", strings.TrimPrefix(c.data["three_ds_authorize_url"].(string), publicURL), "", "", "Sec-Fetch-Dest", "document")
	require.Equal(t, 303, r.status, r.body)
	require.Contains(t, r.header.Get("Location"), "status=succeeded")
	b.ends(c.payment, "succeeded", "", 1)
}

// TestResultOfAClosedChallenge: the shop's page gave the challenge up, so it opens the authorize URL in a frame. A result that comes in time counts.
func TestResultOfAClosedChallenge(t *testing.T) {
	costly(t)
	t.Parallel()
	b := newBankWorld(t)
	c := b.challenge("0170")
	require.Contains(t, c.framed(), "poll_status")
	c.confirms("1234") // approved at the bank, but the browser never comes back
	b.passes(3 * time.Second)
	b.ends(c.payment, "succeeded", "", 1)
	require.Equal(t, "completed", c.polled())

	c = b.challenge("0170")
	require.Contains(t, c.framed(), "poll_status")
	require.Contains(t, c.framed(), "poll_status")
	require.Equal(t, "pending", c.polled())
	b.passes(11 * time.Second)
	b.ends(c.payment, "failed", "challenge_cancelled", 0)
	require.Equal(t, "completed", c.polled())
	require.Contains(t, c.framed(), "openurl_if_required")
}

// TestNoticeGoesToTheParentAlone: the page's script posts to the page around it, and to no page further out.
func TestNoticeGoesToTheParentAlone(t *testing.T) {
	t.Parallel()
	page := readFile(t, "pages/three_ds.html")
	require.NotContains(t, page, "window.top")
	require.NotContains(t, page, `"*"`)
	b := newBankWorld(t)
	c := b.challenge("0170")
	require.NotContains(t, c.framed(), "data-nested")
}

// TestImpatientReload: a payer whose browser waits at the authorize URL reloads the page. The first visit ends, and the challenge is not given up before
// its time.
func TestImpatientReload(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	c := b.challenge("0170")
	ctx, reload := context.WithCancel(context.Background())
	b.says("/sim/3ds/postauth", noResult)
	said := *b.instead.Load()
	b.replaces("/sim/3ds/postauth", func(w http.ResponseWriter, r *http.Request) bool {
		reload()
		said(w, r)
		return true
	})
	r := httptest.NewRequest("GET", strings.TrimPrefix(c.data["three_ds_authorize_url"].(string), publicURL), nil).WithContext(ctx)
	r.Header.Set("Sec-Fetch-Dest", "document")
	record(b.world.server, r) // the browser has gone
	b.waits(c.payment)
	b.heals()
	c.confirms("1234")
	b.ends(c.payment, "succeeded", "", 1)
}
