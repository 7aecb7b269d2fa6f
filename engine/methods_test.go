package engine_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// asked records the requests of authorizations and verifications.
type asked struct {
	mu   sync.Mutex
	list []sdk.Request
}

func (a *asked) last() sdk.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.list[len(a.list)-1]
}

func (a *asked) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.list)
}

// watched returns the simulator with recorded requests. change may alter the simulator.
func watched(change ...func(*sdk.Adapter)) (*sdk.Adapter, *asked) {
	s, seen := simulatorAdapter(), &asked{}
	watch := func(f func(*sdk.Call) (*sdk.Outcome, error)) func(*sdk.Call) (*sdk.Outcome, error) {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			seen.mu.Lock()
			seen.list = append(seen.list, *c.Request)
			seen.mu.Unlock()
			return f(c)
		}
	}
	s.Authorize, s.Verify = watch(s.Authorize), watch(s.Verify)
	for _, f := range change {
		f(s)
	}
	return s, seen
}

func customer(id string) func(*request.Input) {
	return func(in *request.Input) { in.CustomerID = id }
}

func agreed(in *request.Input) {
	in.Acceptance = &payment.Acceptance{Type: "online", Online: true, IP: "1.2.3.4", UserAgent: "test"}
}

func onSession(in *request.Input) { in.SetupFutureUsage = "on_session" }

func offSession(in *request.Input) { in.SetupFutureUsage = "off_session" }

// mit returns a merchant-initiated charge of a saved method.
func mit(amount int64, id string, change ...func(*request.Input)) *request.Input {
	in := &request.Input{Amount: &amount, Currency: "USD", OffSession: ptr(true), Recurring: &request.Recurring{Type: "payment_method_id", ID: id}}
	for _, f := range change {
		f(in)
	}
	return in
}

func (w *world) method(id string) *method.PaymentMethod {
	w.t.Helper()
	m, err := w.PaymentMethod(w.t.Context(), w.auth, id)
	require.NoError(w.t, err)
	return m
}

func (w *world) methods(customer string) []method.MethodItem {
	w.t.Helper()
	list, err := w.CustomerMethods(w.t.Context(), w.auth, customer, method.MethodFilter{})
	require.NoError(w.t, err)
	return list
}

func (w *world) fails(in *request.Input) *fault.Error {
	w.t.Helper()
	_, err := w.CreatePayment(w.t.Context(), w.auth, in)
	var e *fault.Error
	require.ErrorAs(w.t, err, &e)
	return e
}

func (w *world) agnostic() {
	_, err := w.UpdateProfile(w.t.Context(), w.auth, w.profile.ID, account.ProfileInput{Fields: account.Fields{"is_connector_agnostic_mit_enabled": []byte("true")}})
	require.NoError(w.t, err)
}

// TestSaving: the contract's table of the payments that save a card, and of what is saved.
func TestSaving(t *testing.T) {
	t.Parallel()
	s, seen := watched()
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"sim2": s})
	account := w.account("sim2", "")
	for i, c := range []struct {
		name   string
		change []func(*request.Input)
		number string
		saved  bool
		usage  sdk.CredentialUsage // told to the processor
		stored bool
	}{
		{"off session", []func(*request.Input){offSession, agreed}, visa, true, "off_session", true},
		{"on session", []func(*request.Input){onSession, agreed}, visa, true, "on_session", false},
		{"off session without consent", []func(*request.Input){offSession}, visa, false, "", false},
		{"on session without consent", []func(*request.Input){onSession}, visa, false, "", false},
		{"consent alone", []func(*request.Input){agreed}, visa, true, "on_session", false},
		{"manual capture", []func(*request.Input){offSession, agreed, manual}, visa, true, "off_session", true},
		{"declined", []func(*request.Input){offSession, agreed}, declined, false, "off_session", false},
		{"neither", nil, visa, false, "", false},
	} {
		id := fmt.Sprint("cus_", i)
		v := w.pay(sale(1000, c.number, append(c.change, customer(id))...))
		r := seen.last()
		if c.usage == "" {
			require.Nil(t, r.StoredCredential, c.name)
		} else {
			require.Equal(t, &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: c.usage}, r.StoredCredential, c.name)
		}
		if !c.saved {
			require.Nil(t, v.Method, c.name)
			require.Empty(t, v.Attempt.Details.MethodID, c.name)
			require.Empty(t, w.methods(id), c.name)
			continue
		}
		require.NotNil(t, v.Method, c.name)
		list := w.methods(id)
		require.Len(t, list, 1, c.name)
		require.Equal(t, v.Method.ID, list[0].ID, c.name)
		require.True(t, list[0].Default, c.name)
		require.Equal(t, c.stored, list[0].Recurring, c.name)
		again := w.get(v.Payment.ID, request.RetrieveInput{})
		require.Equal(t, v.Method.ID, again.Method.ID, c.name)
		require.Equal(t, method.MethodActive, again.Method.Status, c.name)
		m := w.method(v.Method.ID)
		require.Equal(t, "Joseph Doe", m.Private.Holder, c.name)
		require.Equal(t, "1.2.3.4", m.Private.Consent.IP, c.name)
		require.Equal(t, v.Payment.ID, m.Private.Consent.PaymentID, c.name)
		require.EqualValues(t, 1000, m.Private.Consent.Amount, c.name)
		require.False(t, m.Private.Consent.At.IsZero(), c.name)
		if c.stored {
			require.Equal(t, v.Attempt.Details.NetworkTransactionID, m.Details.NetworkTransactionID, c.name)
			require.Equal(t, v.Attempt.Details.StoredCredential, m.Details.Accounts[account.ID].Credential, c.name)
			require.NotNil(t, m.Details.Accounts[account.ID].Credential, c.name)
		} else {
			require.Empty(t, m.Details.NetworkTransactionID, c.name)
			require.Empty(t, m.Details.Accounts, c.name)
		}
	}
	v := w.pay(sale(1000, visa, agreed))
	require.Nil(t, v.Method, "a guest has nothing saved")
	require.Equal(t, "customer_id is mandatory when setup_future_usage is given", w.fails(sale(1000, visa, offSession, agreed)).Message)
	require.Empty(t, w.alarms.all())
}

// TestSavedOnce: a customer's card is one method, with the expiry and holder that were entered last. Another customer gets another method.
func TestSavedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	first := w.pay(sale(1000, visa, offSession, agreed, customer("c")))
	second := w.pay(sale(1000, visa, onSession, agreed, customer("c"), func(in *request.Input) {
		in.Card.ExpYear, in.Card.Holder, in.Card.Nickname = "2051", secret.New("J. Doe"), "blue one"
	}))
	require.Equal(t, first.Method.ID, second.Method.ID)
	m := w.method(first.Method.ID)
	require.Equal(t, "2051", m.Details.Card.ExpYear)
	require.Equal(t, "J. Doe", m.Private.Holder)
	require.Equal(t, "blue one", m.Private.Nickname)
	require.NotEmpty(t, m.Details.NetworkTransactionID, "on_session takes nothing away")
	require.True(t, m.LastUsedAt.After(m.CreatedAt) || m.LastUsedAt.Equal(second.Payment.CreatedAt))
	other := w.pay(sale(1000, visa, onSession, agreed, customer("d")))
	require.NotEqual(t, m.ID, other.Method.ID)
	third := w.pay(sale(1000, "378282246310005", onSession, agreed, customer("c"), func(in *request.Input) { in.Card.CVC = secret.New("7373") }))
	require.NotEqual(t, m.ID, third.Method.ID)
	list := w.methods("c")
	require.Len(t, list, 2)
	require.Equal(t, third.Method.ID, list[0].ID, "the latest used is first")
	require.True(t, list[1].Default)

	made, err := w.CreatePaymentMethod(t.Context(), w.auth, method.MethodInput{CustomerID: "c", Card: &card.Input{Number: secret.New(visa), ExpMonth: "1", ExpYear: "52"}})
	require.NoError(t, err)
	require.Equal(t, m.ID, made.ID)
}

// TestSavingWithRedirect: with 3-D Secure run by the processor, the record exists at once and is active after the payer's return.
func TestSavingWithRedirect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v := w.pay(sale(1000, visa, threeDS, offSession, agreed, customer("c")))
	require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
	require.Equal(t, method.MethodInactive, v.Method.Status)
	require.Empty(t, w.methods("c"))
	require.Equal(t, "IR_39", w.fails(mit(1, v.Method.ID)).Code)
	id := v.Method.ID
	back, err := w.PaymentReturn(t.Context(), request.ReturnInput{PaymentID: v.Payment.ID, MerchantID: "m1", Connector: "simulator", Token: w.returnToken(v), Complete: true,
		Return: sdk.Return{Method: "GET", Query: []sdk.Header{{Name: "result", Value: "approve"}}}})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, back.View.Payment.Status)
	require.Equal(t, id, back.View.Method.ID)
	require.Equal(t, method.MethodActive, back.View.Method.Status)
	require.Equal(t, payment.Succeeded, w.pay(mit(1, id)).Payment.Status)

	v = w.pay(sale(1000, "4111111111111111", threeDS, offSession, agreed, customer("c")))
	_, err = w.PaymentReturn(t.Context(), request.ReturnInput{PaymentID: v.Payment.ID, MerchantID: "m1", Connector: "simulator", Token: w.returnToken(v), Complete: true,
		Return: sdk.Return{Method: "GET", Query: []sdk.Header{{Name: "result", Value: "decline"}}}})
	require.NoError(t, err)
	require.Equal(t, method.MethodInactive, w.get(v.Payment.ID, request.RetrieveInput{}).Method.Status)
	require.Len(t, w.methods("c"), 1)
}

// TestSavingWithoutCharge: zero-amount verification.
func TestSavingWithoutCharge(t *testing.T) {
	t.Parallel()
	s, seen := watched()
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"sim2": s})
	w.account("sim2", "")
	v := w.pay(sale(0, visa, offSession, agreed, customer("c"), func(in *request.Input) { in.PaymentType = "setup_mandate" }))
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Zero(t, v.Payment.Received)
	require.Equal(t, sdk.OpVerify, w.operations(v.Payment.ID)[0].Kind)
	require.Equal(t, sdk.UsageOffSession, seen.last().StoredCredential.Usage)
	require.Equal(t, payment.Succeeded, w.pay(mit(900, v.Method.ID)).Payment.Status)
}

// TestSavingAfterUnknown: an authorization with a lost answer saves its card too, once there is evidence.
func TestSavingAfterUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v := w.pay(sale(900_000_030, visa, offSession, agreed, customer("c")))
	require.Equal(t, payment.Processing, v.Payment.Status)
	v = w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, method.MethodActive, v.Method.Status)
	require.Equal(t, payment.Succeeded, w.pay(mit(5, v.Method.ID)).Payment.Status)

	v = w.pay(sale(900_000_020, "4111111111111111", offSession, agreed, customer("c")))
	require.Equal(t, payment.Processing, v.Payment.Status)
	require.Equal(t, method.MethodInactive, v.Method.Status)
	w.pass(10 * time.Second)
	v = w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, method.MethodActive, v.Method.Status)
}

// TestDeletion: a deletion is final, and a second one changes nothing.
func TestDeletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	cit := w.pay(sale(1000, visa, offSession, agreed, customer("c")))
	id := cit.Method.ID
	require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) error { _, err := r.Card("m1", id); return err }))
	require.Equal(t, "HE_02", code(t, w.DeletePaymentMethod(t.Context(), account.Auth{MerchantID: "m2"}, id)))
	require.Equal(t, "HE_02", code(t, w.DeletePaymentMethod(t.Context(), account.Auth{MerchantID: "m1", CustomerID: "d"}, id)))
	for range 2 {
		require.NoError(t, w.DeletePaymentMethod(t.Context(), w.auth, id))
	}
	require.ErrorIs(t, w.db.View(t.Context(), func(r engine.Reader) error { _, err := r.Card("m1", id); return err }), fault.ErrNotFound)
	_, err := w.PaymentMethod(t.Context(), w.auth, id)
	require.Equal(t, "HE_02", code(t, err))
	require.Equal(t, "HE_02", w.fails(mit(1, id)).Code)
	require.Empty(t, w.methods("c"))
	c, err := w.Customer(t.Context(), w.auth, "c")
	require.NoError(t, err)
	require.Empty(t, c.DefaultMethodID)
	require.Equal(t, method.MethodInactive, w.get(cit.Payment.ID, request.RetrieveInput{}).Method.Status)
	require.Equal(t, "HE_02", code(t, w.DeletePaymentMethod(t.Context(), w.auth, "pm_none")))

	again := w.pay(sale(1000, visa, offSession, agreed, customer("c")))
	require.NotEqual(t, id, again.Method.ID, "what was deleted does not come back")
}

// TestDeleteCustomerWithMethods: the deletion of a customer deletes the saved cards; payments stay.
func TestDeleteCustomerWithMethods(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	cit := w.pay(sale(1000, visa, offSession, agreed, customer("c"), func(in *request.Input) {
		in.MandateData = &request.MandateInput{Terms: payment.MandateTerms{Amount: 500, Currency: "USD"}}
	}))
	require.Equal(t, "IR_10", code(t, w.DeleteCustomer(t.Context(), w.auth, "c")))
	require.NoError(t, w.RevokeMandate(t.Context(), w.auth, cit.Payment.Details.MandateID))
	require.NoError(t, w.DeleteCustomer(t.Context(), w.auth, "c"))
	require.Equal(t, "IR_11", code(t, w.DeleteCustomer(t.Context(), w.auth, "c")))
	v := w.get(cit.Payment.ID, request.RetrieveInput{})
	require.Equal(t, method.MethodRedacted, v.Method.Status)
	require.Equal(t, "HE_02", w.fails(mit(1, cit.Method.ID)).Code)
	require.ErrorIs(t, w.db.View(t.Context(), func(r engine.Reader) error { _, err := r.Card("m1", cit.Method.ID); return err }), fault.ErrNotFound)
}

// TestExpiry: an expired card is listed as expired and cannot be charged. A new expiry date makes it usable again.
func TestExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	now := time.Now().UTC()
	cit := w.pay(sale(1000, visa, offSession, agreed, customer("c"), func(in *request.Input) {
		in.Card.ExpMonth, in.Card.ExpYear = fmt.Sprintf("%02d", now.Month()), fmt.Sprint(now.Year())
	}))
	require.False(t, w.methods("c")[0].Expired)
	w.pass(32 * 24 * time.Hour)
	require.True(t, w.methods("c")[0].Expired)
	e := w.fails(mit(1, cit.Method.ID))
	require.Equal(t, "Card Expired", e.Message)
	_, err := w.UpdatePaymentMethod(t.Context(), w.auth, cit.Method.ID, method.MethodUpdate{ExpYear: ptr("20")})
	require.Equal(t, "IR_16", code(t, err))
	year := fmt.Sprint(now.Year() + 3)
	m, err := w.UpdatePaymentMethod(t.Context(), w.auth, cit.Method.ID, method.MethodUpdate{ExpMonth: ptr("05"), ExpYear: &year, Nickname: ptr("mine")})
	require.NoError(t, err)
	require.Equal(t, "mine", m.Private.Nickname)
	require.Equal(t, "Joseph Doe", m.Private.Holder)
	require.Equal(t, payment.Succeeded, w.pay(mit(1, cit.Method.ID)).Payment.Status)
}
