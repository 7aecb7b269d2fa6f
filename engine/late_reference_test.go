package engine_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/change"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// lateShop makes its references to saved cards in the background. It reports them in a webhook, with a capture, or in the answer to a query.
func lateShop(told *sdk.StoredCredential) *sdk.Adapter {
	a := mailing(byReference)
	sync, authorize := a.Sync, a.Authorize
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		o, err := authorize(c)
		if err == nil && c.Request.Capture == sdk.CaptureManual {
			o.Status = sdk.StatusAuthorized
		}
		return o, err
	}
	a.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
		o, err := sync(c)
		if err == nil {
			o.StoredCredential = told
		}
		return o, err
	}
	a.Capture = func(c *sdk.Call) (*sdk.Outcome, error) {
		if _, err := c.Do(&sdk.Send{Method: "POST", URL: "/capture"}); err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: c.Request.TransactionID, StoredCredential: told}, nil
	}
	return a
}

func TestReferenceToldLater(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": lateShop(&sdk.StoredCredential{ID: "ref_asked"})})
	account := w.mailAccount("shop", p.URL, "")
	tell := func(v *change.View, status sdk.OutcomeStatus, ref string) {
		t.Helper()
		o := sdk.Outcome{Status: status, TransactionID: v.Attempt.TransactionID, StoredCredential: &sdk.StoredCredential{ID: ref}}
		_, err := w.ReceiveWebhook(t.Context(), mail(account.ID, hookSecret, map[string]any{"reference": v.Attempt.Details.Reference, "outcome": o}))
		require.NoError(t, err)
	}
	known := func(id string) method.MethodAccount { t.Helper(); return w.method(id).Details.Accounts[account.ID] }

	v := w.pay(sale(100, visa, offSession, agreed, customer("c")))
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Empty(t, w.method(v.Method.ID).Details.Accounts)
	used := w.method(v.Method.ID).LastUsedAt
	tell(v, sdk.StatusDeclined, "ref_0")
	require.Empty(t, w.method(v.Method.ID).Details.Accounts, "not of a payment that is said to have failed")
	tell(v, sdk.StatusCaptured, "ref_1")
	got := known(v.Method.ID)
	require.Equal(t, "ref_1", got.Credential.ID)
	require.Equal(t, v.Payment.ID, got.PaymentID)
	require.Equal(t, sdk.Currency("USD"), got.Currency)
	require.Equal(t, "shop", got.Connector)
	require.Equal(t, "ref_1", w.get(v.Payment.ID, request.RetrieveInput{}).Attempt.Details.StoredCredential.ID)
	require.Equal(t, used, w.method(v.Method.ID).LastUsedAt, "to be told of is not to be used")

	version := w.method(v.Method.ID).Version
	tell(v, sdk.StatusCaptured, "ref_1")
	tell(v, sdk.StatusCaptured, "ref_2") // which of two is the newer is not known
	require.Equal(t, version, w.method(v.Method.ID).Version)
	require.Equal(t, "ref_1", known(v.Method.ID).Credential.ID)

	// The reference of a later payment is not replaced by that of an earlier one.
	later := w.pay(sale(100, visa, offSession, agreed, customer("c")))
	require.Equal(t, v.Method.ID, later.Method.ID)
	tell(later, sdk.StatusCaptured, "ref_later")
	require.Equal(t, "ref_later", known(v.Method.ID).Credential.ID)
	tell(v, sdk.StatusCaptured, "ref_1")
	require.Equal(t, "ref_later", known(v.Method.ID).Credential.ID)
	require.Equal(t, later.Payment.ID, known(v.Method.ID).PaymentID)

	// No reference is kept if the customer agreed only to payments in person, or if the card was deleted.
	on := w.pay(sale(100, "5555555555554444", onSession, agreed, customer("c")))
	tell(on, sdk.StatusCaptured, "ref_on")
	require.Empty(t, w.method(on.Method.ID).Details.Accounts)
	gone := w.pay(sale(100, "4000000000003220", offSession, agreed, customer("c")))
	require.NoError(t, w.DeletePaymentMethod(t.Context(), w.auth, gone.Method.ID))
	tell(gone, sdk.StatusCaptured, "ref_gone")
	require.Equal(t, map[string]int{"late_evidence": 1}, w.alarms.all(), "the one that said that it had failed")
}

// The reference also arrives with the following capture, and in the answer to a query.
func TestReferenceToldWithACaptureOrASync(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": lateShop(&sdk.StoredCredential{ID: "ref_asked"})})
	account := w.mailAccount("shop", p.URL, "")
	for number, ask := range map[string]func(id string) error{
		visa: func(id string) error {
			_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{})
			return err
		},
		"5555555555554444": func(id string) error {
			_, err := w.RetrievePayment(t.Context(), w.auth, id, request.RetrieveInput{ForceSync: true})
			return err
		},
	} {
		v := w.pay(sale(100, number, offSession, agreed, customer("c"), func(in *request.Input) { in.CaptureMethod = "manual" }))
		require.Equal(t, payment.RequiresCapture, v.Payment.Status)
		require.Empty(t, w.method(v.Method.ID).Details.Accounts)
		require.NoError(t, ask(v.Payment.ID))
		require.Equal(t, "ref_asked", w.method(v.Method.ID).Details.Accounts[account.ID].Credential.ID)
	}
}

// Many messages at once, and another change of the method at the same time: the reference is written once, and no other change is lost.
func TestReferenceToldAtOnce(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": lateShop(nil)})
	account := w.mailAccount("shop", p.URL, "")
	v := w.pay(sale(100, visa, offSession, agreed, customer("c")))
	o := sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: v.Attempt.TransactionID, StoredCredential: &sdk.StoredCredential{ID: "ref_1"}}
	message := mail(account.ID, hookSecret, map[string]any{"reference": v.Attempt.Details.Reference, "outcome": o})
	version := w.method(v.Method.ID).Version
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := w.ReceiveWebhook(t.Context(), message); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	m := w.method(v.Method.ID)
	require.Equal(t, "ref_1", m.Details.Accounts[account.ID].Credential.ID)
	require.Equal(t, version+1, m.Version)
}
