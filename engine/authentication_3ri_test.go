package engine_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// newSavedWorld authenticates and saves a card, at a processor that charges the card again. It returns the saved method's id.
func newSavedWorld(t *testing.T) (*secureWorld, *asked, string) {
	s, seen := watched()
	a := newAuthenticator()
	a.authenticate = uuids(always("Y"))
	native := plugins.NativeConnectors(map[string]*sdk.Adapter{"sim2": s})
	w := &secureWorld{world: newWorldWith(t, engine.Options{PublicURL: "https://switch.test"}, withAuthenticators{native, map[string]*authenticator{"threedsecureio": a}},
		filepath.Join(t.TempDir(), "p.db")), a: a}
	w.account("sim2", "")
	_, err := w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "authentication_processor", Connector: "threedsecureio", Label: "3ds"})
	require.NoError(t, err)
	w.setProfile(`{"authentication_connector_details":{"authentication_connectors":["threedsecureio"],"three_ds_requestor_url":"https://shop.test"}}`)
	v := w.begun(offSession, agreed, customer("c"))
	require.Equal(t, "Y", w.authenticated(v).TransStatus)
	v = w.done(v.Payment.ID)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.NotNil(t, v.Method)
	return w, seen, v.Method.ID
}

// uuids answers with a directory server's id in the form that the simulator requires.
func uuids(f func(*sdk.Request) *sdk.AuthenticationOutcome) func(*sdk.Request) *sdk.AuthenticationOutcome {
	return func(r *sdk.Request) *sdk.AuthenticationOutcome {
		o := f(r)
		o.DSTransID = "52274852-4ad0-4035-8705-b6852b81be4c"
		return o
	}
}

func TestThreeRI(t *testing.T) {
	t.Parallel()
	w, seen, method := newSavedWorld(t)
	prior := w.method(method).Details.Initial
	require.NotNil(t, prior, "the saved method keeps the authentication that later ones refer to")
	require.Equal(t, "acs-1", prior.ACSTransID)
	require.Equal(t, "01", prior.Method)
	charge := func() *change.View {
		return w.pay(mit(777, method, func(in *request.Input) {
			in.MITCategory = sdk.MITRecurring
		}))
	}
	require.Equal(t, payment.Succeeded, charge().Payment.Status)
	require.Equal(t, 1, w.a.count(sdk.OpAuthenticate), "off by default")

	w.setProfile(`{"external_three_ds_policy":{"three_ri_for_mit":"on"}}`)
	v := charge()
	require.Equal(t, payment.Succeeded, v.Payment.Status, "never a customer's action")
	req := w.a.last(t, sdk.OpAuthenticate)
	require.Equal(t, sdk.Channel3RI, req.Authentication.DeviceChannel)
	require.Equal(t, "01", req.Authentication.ThreeRIInd)
	require.Equal(t, "acs-1", req.Authentication.Prior.Reference)
	require.EqualValues(t, 777, req.Amount.Minor)
	require.Equal(t, visa, w.a.secrets[len(w.a.secrets)-1].Number.Reveal())
	require.Equal(t, "05", seen.last().ThreeDS.ECI)
	require.Equal(t, sdk.InitiatorMerchant, seen.last().StoredCredential.Initiator)
	require.Equal(t, []string{"payment_succeeded"}, w.events(v.Payment.ID))
	require.Equal(t, authentication.Consumed, w.record(v.Payment.ID).State)

	for status, want := range map[string]payment.Status{"N": payment.Failed, "R": payment.Failed, "C": payment.Failed, "U": payment.Succeeded} {
		w.a.authenticate = always(status)
		v := charge()
		require.Equal(t, want, v.Payment.Status, status)
		require.Nil(t, v.Attempt.Private.Invoke)
	}
	w.a.authenticate = failing(sdk.ErrorBadRequest, "201")
	require.Equal(t, payment.Succeeded, charge().Payment.Status, "the charge goes on without authentication")
	require.Nil(t, seen.last().ThreeDS)
	w.setProfile(`{"external_three_ds_policy":{"three_ri_for_mit":"mandatory"}}`)
	require.Equal(t, payment.Failed, charge().Payment.Status)
}
