package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
	"payswitch/sdk"
)

// An account allows a limited number of wrong signatures. The processor's own messages still arrive then, and strangers' do after a while.
func TestWrongSignaturesRunOut(t *testing.T) {
	t.Parallel()
	a := mailing(byWebhook)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a, "other": renamed(a, "other")})
	shop := w.mailAccount("shop", nowhere, "")
	other := w.mailAccount("other", nowhere, "")
	nothing := map[string]any{"reference": "nobody's", "object": "payment"}
	began, later := time.Now(), time.Duration(0)
	send := func(account, sender, secret string) (fault.Kind, string) {
		in := mail(account, secret, nothing)
		in.Sender = sender
		w.clock.Store(int64(time.Until(began) + later)) // it stands still, however slow the machine is
		_, err := w.ReceiveWebhook(t.Context(), in)
		if err == nil {
			return "", ""
		}
		var e *fault.Error
		require.ErrorAs(t, err, &e)
		return e.Kind, e.Code
	}
	genuine := func(account, sender string) bool {
		kind, c := send(account, sender, hookSecret)
		return kind == fault.KindNotFound && c == "WE_04" // it was read: the payment is not ours
	}
	require.True(t, genuine(shop.ID, "192.0.2.1"), "the processor is known from here on")
	guesses := 0
	for ; guesses < 1000; guesses++ {
		kind, c := send(shop.ID, "198.51.100.7", "a guess")
		require.Equal(t, "WE_01", c)
		if kind == fault.KindLimited {
			break
		}
		require.Equal(t, fault.KindUnauthorized, kind)
	}
	require.Equal(t, 60, guesses)
	kind, _ := send(shop.ID, "203.0.113.9", hookSecret)
	require.Equal(t, fault.KindLimited, kind, "of a stranger's nothing is looked at, so that a right guess shows nothing")
	kind, _ = send("shop", "203.0.113.9", hookSecret)
	require.Equal(t, fault.KindLimited, kind, "under another name of the account neither")
	require.GreaterOrEqual(t, w.alarms.all()["webhook_signatures"], 1)
	require.True(t, genuine(shop.ID, "192.0.2.1"), "the processor's get in")
	require.True(t, genuine(other.ID, "198.51.100.7"), "another account's budget is its own")
	later = 5 * time.Second
	require.True(t, genuine(shop.ID, "203.0.113.9"), "after a while strangers' are looked at again")
	for range 59 { // genuine messages use up no budget
		require.True(t, genuine(shop.ID, "203.0.113.9"))
	}
}

func renamed(a *sdk.Adapter, name string) *sdk.Adapter {
	b := *a
	b.Manifest.Name = name
	return &b
}
