package dashboard

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/staff"
)

// TestSimulator: each ending that the form offers ends as it says, and a second click makes no second payment.
func TestSimulator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Contains(t, w.page("/m/acme/simulator"), "No account at the simulator")
	require.Equal(t, http.StatusUnprocessableEntity, w.post("/m/acme/simulator", "ending", "approved", "amount", "1", "currency", "USD").Code)
	w.done("/m/acme/connectors", "connector", "simulator")
	want := map[string]payment.Status{"approved": payment.Succeeded, "3ds": payment.RequiresCustomerAction, "pending": payment.Processing, "review": payment.RequiresMerchantAction,
		"answer-lost": payment.Processing, "never-acted": payment.Processing}
	for _, e := range endings {
		to := w.done("/m/acme/simulator", "key", "KEYKEYKEYKEYKEYKEYKEY"+strings.ToUpper(strings.ReplaceAll(e.name, "-", "")), "ending", e.name, "amount", "12.34", "currency", "eur")
		v, err := w.engine.RetrievePayment(t.Context(), w.auth, to[strings.LastIndex(to, "/")+1:], request.RetrieveInput{})
		require.NoError(t, err)
		switch status, named := want[e.name]; {
		case named:
			require.Equal(t, status, v.Payment.Status, e.name)
		case e.minor == 0:
			require.Equal(t, payment.Failed, v.Payment.Status, e.name)
		}
		require.EqualValues(t, "EUR", v.Payment.Currency)
		require.NotContains(t, w.page(to), e.card)
	}
	count := func() int {
		list, err := w.engine.ListPayments(t.Context(), w.auth, request.ListInput{Limit: 100})
		require.NoError(t, err)
		return len(list)
	}
	before := count()
	first := w.done("/m/acme/simulator", "key", "AGAINAGAINAGAINAGAIN", "ending", "approved", "amount", "1", "currency", "JPY")
	require.Equal(t, first, w.done("/m/acme/simulator", "key", "AGAINAGAINAGAINAGAIN", "ending", "approved", "amount", "1", "currency", "JPY"))
	require.Equal(t, before+1, count())
	for _, bad := range [][2]string{{"1.5", "JPY"}, {"1", "XX"}, {"0", "USD"}, {"-1", "USD"}} {
		require.Equal(t, http.StatusUnprocessableEntity, w.post("/m/acme/simulator", "ending", "approved", "amount", bad[0], "currency", bad[1]).Code, bad)
	}
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support})
	require.Equal(t, http.StatusForbidden, w.post("/m/acme/simulator", "ending", "approved", "amount", "1", "currency", "USD").Code)
}

// TestSimulatorInLive: an installation with live keys simulates nothing at an account of its live mode.
func TestSimulatorInLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Live = true })
	w.done("/m/acme/connectors", "connector", "simulator")
	require.Contains(t, w.page("/m/acme/simulator"), "No account at the simulator")
	require.Equal(t, http.StatusUnprocessableEntity, w.post("/m/acme/simulator", "ending", "approved", "amount", "1", "currency", "USD").Code)
}
