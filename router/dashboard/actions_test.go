package dashboard

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/staff"
	"payswitch/sdk"
)

// TestLimitOfSupport: support moves money up to the limit of its role. Small parts do not get round it, and a form that is sent twice counts once.
func TestLimitOfSupport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support, Limits: map[sdk.Currency]int64{"USD": 2000}})
	at := func(p *payment.Payment, act string) string { return "/m/acme/payments/" + p.ID + "/" + act }
	read := func(p *payment.Payment) *payment.Payment {
		v, err := w.engine.RetrievePayment(t.Context(), w.auth, p.ID, request.RetrieveInput{})
		require.NoError(t, err)
		return v.Payment
	}
	refused := func(path, text string, pairs ...string) {
		t.Helper()
		rec := w.post(path, pairs...)
		require.Equal(t, http.StatusForbidden, rec.Code, mainOf(rec.Body.String()))
		require.Contains(t, rec.Body.String(), text)
	}
	paid := w.pay(6540).Payment
	require.Contains(t, w.page(at(paid, "refund")), "Your role moves at most 20.00 USD of a payment.")
	refused(at(paid, "refund"), "This amount is above the limit of your role", "amount", "20.01", "key", "k1")
	for range 2 {
		require.Contains(t, w.done(at(paid, "refund"), "amount", "15.00", "key", "k2"), "did=refund")
	}
	refused(at(paid, "refund"), "Together with the 15.00 USD that this payment gave back before", "amount", "10.00", "key", "k3")
	require.Contains(t, w.done(at(paid, "refund"), "amount", "5.00", "key", "k4"), "did=refund")
	require.EqualValues(t, 2000, read(paid).Refunded)

	held := w.pay(6540, func(in *request.Input) { in.CaptureMethod = payment.CaptureManual }).Payment
	refused(at(held, "capture"), "above the limit", "amount", "65.40", "key", "k5")
	refused(at(held, "cancel"), "above the limit", "key", "k6")
	require.Equal(t, payment.RequiresCapture, read(held).Status)
	require.Contains(t, w.done(at(held, "capture"), "amount", "20.00", "key", "k7"), "did=capture")

	waits := w.pay(6540, func(in *request.Input) { in.Confirm = nil }).Payment
	require.Contains(t, w.done(at(waits, "cancel"), "key", "k8"), "did=cancel", "no money is held, so that no limit binds")
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Admin})
	require.False(t, strings.Contains(w.page(at(paid, "refund")), "Your role moves"))
}

// TestRaiseAndExtend: a person raises what is held and holds it for longer, where the payment has asked for that. Both stand in the timeline.
func TestRaiseAndExtend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	const raises, extends = "Raise the held amount", "Hold for longer"
	plain := w.pay(6540, func(in *request.Input) { in.CaptureMethod = payment.CaptureManual }).Payment.ID
	page := w.page("/m/acme/payments/" + plain)
	require.NotContains(t, page, raises)
	require.NotContains(t, page, extends)
	require.Contains(t, w.page("/m/acme/payments/"+plain+"/raise"), "it is not allowed for incremental_authorization")

	held := w.pay(6540, func(in *request.Input) {
		in.CaptureMethod, in.Incremental, in.Extended = payment.CaptureManual, new(true), new(true)
	}).Payment.ID
	at := "/m/acme/payments/" + held
	page = w.page(at)
	require.Contains(t, page, raises)
	require.Contains(t, page, extends)
	page = w.page(at + "/raise")
	require.Contains(t, page, `value="65.40"`, "the form begins with the old total")
	require.Contains(t, page, "More than the 65.40 USD that are held now.")
	require.Contains(t, page, "/payments/"+held+"/incremental_authorization")
	rec := w.post(at+"/raise", "amount", "65.40", "key", formKeyOf(t, page))
	require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	require.Contains(t, rec.Body.String(), "This is not more than the 65.40 USD that are held now.")
	rec = w.post(at+"/raise", "amount", "10000000.00", "key", "r0")
	require.Contains(t, rec.Body.String(), "that can be held.")
	for range 2 { // a second click raises once
		require.Contains(t, w.done(at+"/raise", "amount", "80.00", "reason", "one night more", "key", "r1"), "did=raise")
	}
	require.Contains(t, w.done(at+"/extend", "key", "e1"), "did=extend")
	v, err := w.engine.RetrievePayment(t.Context(), w.auth, held, request.RetrieveInput{})
	require.NoError(t, err)
	require.Len(t, v.Attempt.Details.Increments, 1)
	require.EqualValues(t, 8000, v.Payment.Capturable)
	require.False(t, v.Attempt.Details.ExtendedAt.IsZero())
	page = w.page(at)
	require.Contains(t, page, "incremental authorize 80.00 USD")
	require.Contains(t, page, "extend authorization")

	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support, Limits: map[sdk.Currency]int64{"USD": 9000}})
	rec = w.post(at+"/raise", "amount", "90.01", "key", "r2")
	require.Equal(t, http.StatusForbidden, rec.Code, "the role's limit binds the new total")
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	require.NotContains(t, w.page(at), raises)
	code, _ := w.get(at + "/raise")
	require.Equal(t, http.StatusForbidden, code)
}

// formKeyOf returns the key of the sheet's form in a page.
func formKeyOf(t *testing.T, page string) string {
	t.Helper()
	found := regexp.MustCompile(`name="key" value="([^"]+)"`).FindStringSubmatch(page)
	require.NotNil(t, found, mainOf(page))
	return found[1]
}

// TestSheetAfterRefusal: a person who typed a wrong amount corrects it in the same form. A form that did something stays the form of that alone.
func TestSheetAfterRefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support, Limits: map[sdk.Currency]int64{"USD": 2000}})
	paid := w.pay(6540).Payment.ID
	path := "/m/acme/payments/" + paid + "/refund"
	page := w.page(path)
	require.Contains(t, page, `value="20.00"`, "the form begins with what the role allows")
	rec := w.post(path, "amount", "60.00", "key", formKeyOf(t, page))
	require.Contains(t, rec.Body.String(), "above the limit of your role")
	key := formKeyOf(t, rec.Body.String())
	for range 2 {
		require.Contains(t, w.done(path, "amount", "10.00", "key", key), "did=refund")
	}
	require.Contains(t, w.page(path), `value="10.00"`)

	rec = w.post(path, "amount", "5.00", "key", key)
	require.Equal(t, http.StatusConflict, rec.Code)
	require.Contains(t, rec.Body.String(), "This form was sent before")
	require.NotContains(t, mainOf(rec.Body.String()), "Idempotency-Key")
	require.NotContains(t, rec.Body.String(), `name="key"`)

	w.as(staff.Grant{MerchantID: "acme", Role: staff.Admin})
	rec = w.post(path, "amount", "60.00", "key", "a1")
	require.Contains(t, rec.Body.String(), "This is more than the 55.40 USD that can be given back.")
	require.Contains(t, w.done(path, "amount", "55.40", "key", formKeyOf(t, rec.Body.String())), "did=refund")
	require.Contains(t, w.page(path), "Nothing of the payment is left to give back.")
	require.Contains(t, w.page("/m/acme/payments/"+paid), "Nothing of the payment is left to give back.")
	rec = w.post(path, "amount", "1.00", "key", "a2")
	require.Contains(t, rec.Body.String(), "Nothing of the payment is left to give back.")
}

// together is the engine of two nodes whose requests have both read the payment before one of them moves money.
type together struct {
	Engine
	read *sync.WaitGroup
}

func (e together) CreateRefund(ctx context.Context, a account.Auth, in *request.RefundInput) (*payment.Refund, error) {
	e.read.Done()
	e.read.Wait()
	return e.Engine.CreateRefund(ctx, a, in)
}

func (e together) CapturePayment(ctx context.Context, a account.Auth, id string, in *request.CaptureInput) (*change.View, error) {
	e.read.Done()
	e.read.Wait()
	return e.Engine.CapturePayment(ctx, a, id, in)
}

// TestLimitOfSupportAtOnce: two refunds, or two captures, that are sent at the same time over two connections keep the limit of the role together.
func TestLimitOfSupportAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support, Limits: map[sdk.Currency]int64{"USD": 2000}})
	nodes := []*world{w, w.second()}
	paid := w.pay(6540).Payment.ID
	held := w.pay(6540, func(in *request.Input) { in.CaptureMethod = payment.CaptureManualMultiple }).Payment.ID
	for act, id := range map[string]string{"refund": paid, "capture": held} {
		var read, done sync.WaitGroup
		read.Add(len(nodes))
		answers := make([]*httptest.ResponseRecorder, len(nodes))
		for i, node := range nodes {
			own := node.server.Engine
			node.server.Engine = together{own, &read}
			done.Go(func() {
				answers[i] = node.post("/m/acme/payments/"+id+"/"+act, "amount", "15.00", "key", act+string(rune('a'+i)))
			})
		}
		done.Wait()
		good := 0
		for i, node := range nodes {
			node.server.Engine = node.server.Engine.(together).Engine
			if answers[i].Code == http.StatusSeeOther {
				good++
			} else {
				require.NotEqual(t, http.StatusInternalServerError, answers[i].Code, mainOf(answers[i].Body.String()))
			}
		}
		require.Equal(t, 1, good, act)
		v, err := w.engine.RetrievePayment(t.Context(), w.auth, id, request.RetrieveInput{})
		require.NoError(t, err)
		require.EqualValues(t, map[string]int64{"refund": 1500, "capture": 0}[act], v.Payment.Refunded)
		if act == "refund" {
			rec := w.post("/m/acme/payments/"+id+"/refund", "amount", "5.01", "key", "later"+act)
			require.Contains(t, rec.Body.String(), "Together with the 15.00 USD that this payment gave back before")
			continue
		}
		require.EqualValues(t, 1500, v.Attempt.Captured+v.Attempt.Unsettled())
		rec := w.post("/m/acme/payments/"+id+"/capture", "amount", "5.01", "key", "later"+act)
		require.Contains(t, rec.Body.String(), "Together with the 15.00 USD that were captured before")
	}
}
