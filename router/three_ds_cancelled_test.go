package router_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/netcetera"
	"payswitch/sdk"
)

// TestCancelledChallengeIsTold: if the merchant cancels a payment whose payer is at the bank, a vendor that asks for it gets a message. A result that
// comes afterwards authorizes nothing.
func TestCancelledChallengeIsTold(t *testing.T) {
	t.Parallel()
	answers := netceteraAnswers()
	answers["/3ds/challenge-cancelled"] = `{}`
	w := newVendorWorld(t, netcetera.Adapter(), netceteraMetadata, answers)
	p, _ := w.invoke("4242424242424242")
	require.Equal(t, "C", w.authenticate(p, "U")["trans_status"])
	id := p["payment_id"].(string)
	require.Equal(t, "cancelled", w.post("/payments/"+id+"/cancel", `{}`).ok()["status"])
	require.Eventually(t, func() bool { return w.vendor.count("POST /3ds/challenge-cancelled") == 1 }, 10*time.Second, 5*time.Millisecond)
	require.Equal(t, "s-1", w.vendor.body(t, "/3ds/challenge-cancelled")["threeDSServerTransID"])
	result := w.counted.asked(id, sdk.OpAuthenticate).Authentication.ResultURL
	require.Equal(t, 200, w.hook("POST", result[len(publicURL):], rreq("Y"), nil).status)
	require.Equal(t, "cancelled", w.get("/payments/" + id).ok()["status"])
	require.Zero(t, w.counted.called(id, sdk.OpAuthorize))
}
