package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/change"
	"payswitch/engine/contact"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/routed"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// TestMerchantInitiated: the saved method is charged at the account that saved it, by that account's reference.
func TestMerchantInitiated(t *testing.T) {
	t.Parallel()
	s, seen := watched()
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"sim2": s})
	w.account("sim2", "")
	cit := w.pay(sale(1000, visa, offSession, agreed, customer("c"), func(in *request.Input) {
		in.Billing = &contact.Contact{Address: &contact.Address{City: "Berlin"}}
	}))
	time.Sleep(2 * time.Millisecond) // the store's times are whole milliseconds
	v := w.pay(mit(777, cit.Method.ID, func(in *request.Input) {
		in.AuthenticationType = "three_ds"
		in.MITCategory = sdk.MITRecurring
	}))
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, "c", v.Payment.CustomerID)
	require.Equal(t, payment.AuthenticationNoThreeDS, v.Payment.Details.AuthenticationType)
	require.Equal(t, cit.Method.ID, v.Method.ID)
	require.Equal(t, "424242", v.Attempt.Details.Card.BIN)
	require.Equal(t, "Joseph Doe", v.Attempt.Private.Holder)
	require.Equal(t, "saved_card", v.Attempt.Details.CardDiscovery)
	require.Equal(t, cit.Attempt.Details.StoredCredential, v.Attempt.Details.StoredCredential)
	require.Equal(t, "Berlin", v.Payment.Private.Billing.Address.City)
	r := seen.last()
	require.Equal(t, &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session", Category: "recurring"}, r.StoredCredential)
	require.Nil(t, r.Instrument.Card, "the card stays in the vault")
	require.Equal(t, cit.Attempt.Details.StoredCredential.ID, r.Instrument.StoredCredentialID)
	require.False(t, r.Request3DS)
	require.Len(t, w.methods("c"), 1)
	require.True(t, w.method(v.Method.ID).LastUsedAt.After(w.method(v.Method.ID).CreatedAt))

	for name, c := range map[string]struct {
		change func(in *request.Input)
		code   string
		text   string
	}{
		"no off_session":    {func(in *request.Input) { in.OffSession = nil }, "IR_04", "off_session"},
		"off_session false": {func(in *request.Input) { in.OffSession = ptr(false) }, "IR_16", "`off_session` should be `true` for mandates"},
		"confirm false":     {func(in *request.Input) { in.Confirm = ptr(false) }, "IR_16", "`confirm` must be `true` for mandates"},
		"unknown":           {func(in *request.Input) { in.Recurring.ID = "pm_none" }, "HE_02", "Payment method does not exist in our records"},
		"another customer":  {customer("d"), "HE_02", "Payment method does not exist in our records"},
		"currency":          {func(in *request.Input) { in.Currency = "EUR" }, "HE_03", "Cross currency mandates not supported"},
		"network token": {func(in *request.Input) {
			in.Recurring.Type = "network_transaction_id_and_network_token_details"
		}, "IR_39", "No eligible connector"},
		"new mandate": {func(in *request.Input) { in.MandateData = &request.MandateInput{} }, "HE_03", "Mandate Validation Failed"},
	} {
		before := seen.count()
		e := w.fails(mit(1, cit.Method.ID, c.change))
		require.Equal(t, c.code, e.Code, name)
		require.Contains(t, e.Error(), c.text, name)
		require.Equal(t, before, seen.count(), "%s: nothing is sent", name)
	}
	on := w.pay(sale(1000, visa, onSession, agreed, customer("e")))
	require.Equal(t, "IR_39", w.fails(mit(1, on.Method.ID)).Code, "saved for payments with the customer only")
	_, err := w.ConfirmPayment(t.Context(), w.pk, v.Payment.ID, mit(1, cit.Method.ID, func(in *request.Input) { in.ClientSecret = v.Payment.Private.ClientSecret }))
	require.Equal(t, "IR_01", code(t, err), "not for the customer's device")
	require.Empty(t, w.alarms.all())
}

// TestMerchantInitiatedElsewhere: another processor gets the card with the network's transaction id, if both sides allow that.
func TestMerchantInitiatedElsewhere(t *testing.T) {
	t.Parallel()
	a, _ := watched()
	b, seen := watched()
	plain, _ := watched(func(s *sdk.Adapter) { s.Manifest.Features.NetworkMIT = false })
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"a": a, "b": b, "plain": plain})
	w.account("a", "")
	w.account("plain", "")
	w.account("b", "")
	at := func(name string) func(*request.Input) {
		return func(in *request.Input) {
			in.Routing = &routed.Preference{Type: "single", Choices: []routed.Choice{{Connector: name}}}
		}
	}
	cit := w.pay(sale(1000, visa, offSession, agreed, customer("c"), at("a")))
	require.Equal(t, "IR_39", w.fails(mit(1, cit.Method.ID, at("b"))).Code, "the profile does not allow it")
	require.Equal(t, "a", w.pay(mit(1, cit.Method.ID)).Attempt.Connector)
	w.agnostic()
	require.Equal(t, "IR_39", w.fails(mit(1, cit.Method.ID, at("plain"))).Code, "the processor does not take it")
	v := w.pay(mit(500, cit.Method.ID, at("b"), func(in *request.Input) { in.Currency = "EUR" }))
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Nil(t, v.Attempt.Details.StoredCredential, "charged by the network transaction id")
	r := seen.last()
	require.Equal(t, cit.Attempt.Details.NetworkTransactionID, r.Instrument.NetworkTransactionID)
	require.Equal(t, "424242", r.Instrument.Card.BIN)
	require.NotEmpty(t, r.Instrument.Card.Number)
	require.Empty(t, r.Instrument.Card.CVC)
	require.Equal(t, 2050, r.Instrument.Card.ExpYear)
}

// TestBroughtCredentials: credentials of payments that another system made.
func TestBroughtCredentials(t *testing.T) {
	t.Parallel()
	s, seen := watched()
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"sim2": s})
	account := w.account("sim2", "")
	v := w.pay(mit(100, "", func(in *request.Input) {
		in.OffSession = nil
		in.Recurring = &request.Recurring{Type: "processor_payment_token", ProcessorToken: "simcard_4242424242_x", AccountID: account.ID}
	}))
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, "simcard_4242424242_x", seen.last().Instrument.StoredCredentialID)
	require.Equal(t, "simcard_4242424242_x", v.Attempt.Details.StoredCredential.ID)
	require.Nil(t, v.Attempt.Details.Card)
	require.Equal(t, "HE_02", w.fails(mit(100, "", func(in *request.Input) {
		in.Recurring = &request.Recurring{Type: "processor_payment_token", ProcessorToken: "x", AccountID: "mca_none"}
	})).Code)

	v = w.pay(mit(100, "", func(in *request.Input) {
		c := typedCard(visa)
		c.CVC = secret.Value{}
		in.Recurring = &request.Recurring{Type: "network_transaction_id_and_card_details", Card: c, NetworkTransactionID: "123456789012345"}
	}))
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, "424242", v.Attempt.Details.Card.BIN)
	require.Equal(t, "123456789012345", seen.last().Instrument.NetworkTransactionID)
	require.Equal(t, sdk.InitiatorMerchant, seen.last().StoredCredential.Initiator)
	e := w.fails(mit(100, "", func(in *request.Input) {
		c := typedCard(visa)
		c.ExpYear = "20"
		in.Recurring = &request.Recurring{Type: "network_transaction_id_and_card_details", Card: c, NetworkTransactionID: "1"}
	}))
	require.Equal(t, "Invalid Expiry Year", e.Message)
}

// TestSavedCardOnSession: the customer pays with a saved card: a token from the list, and a fresh CVC.
func TestSavedCardOnSession(t *testing.T) {
	t.Parallel()
	s, seen := watched()
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"sim2": s})
	w.account("sim2", "")
	saved := w.pay(sale(1000, visa, onSession, agreed, customer("c"))).Method
	token := w.methods("c")[0].Token
	require.Regexp(t, `^token_[0-9A-Za-z]{20}$`, token)
	require.NotEqual(t, token, w.methods("c")[0].Token, "new in every list")
	open := func(c string, change ...func(*request.Input)) *change.View {
		in := &request.Input{Amount: ptr(int64(500)), Currency: "USD", CustomerID: c, ReturnURL: "https://shop.test/done"}
		for _, f := range change {
			f(in)
		}
		return w.pay(in)
	}
	confirm := func(v *change.View, token, cvc string) (*change.View, error) {
		return w.ConfirmPayment(t.Context(), w.pk, v.Payment.ID, &request.Input{ClientSecret: v.Payment.Private.ClientSecret,
			PaymentMethod: "card", PaymentToken: token, CardCVC: secret.New(cvc)})
	}
	for _, named := range []string{token, saved.ID} {
		v, err := confirm(open("c"), named, "999")
		require.NoError(t, err)
		require.Equal(t, payment.Succeeded, v.Payment.Status)
		require.Equal(t, saved.ID, v.Method.ID)
		require.Equal(t, named, v.Attempt.Details.Token)
		require.Equal(t, "saved_card", v.Attempt.Details.CardDiscovery)
		r := seen.last()
		require.NotEmpty(t, r.Instrument.Card.Number)
		require.NotEmpty(t, r.Instrument.Card.CVC)
		require.Equal(t, &sdk.StoredCredentialUse{Initiator: "cit", Usage: "on_session"}, r.StoredCredential)
	}
	v, err := confirm(open("c", threeDS), token, "999")
	require.NoError(t, err)
	require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status, "a saved card is authenticated as a typed one")

	before := seen.count()
	for name, c := range map[string]struct {
		v           *change.View
		token, cvc  string
		code, param string
	}{
		"no CVC":            {open("c"), token, "", "IR_04", "card_cvc"},
		"CVC too long":      {open("c"), token, "12345", "IR_16", ""},
		"another customer":  {open("d"), token, "999", "IR_29", "payment_token"},
		"a guest":           {open(""), token, "999", "IR_29", "payment_token"},
		"not a token":       {open("c"), "token_" + "ZZZZZZZZZZZZZZZZZZZZ", "999", "IR_29", "payment_token"},
		"tampered":          {open("c"), token[:len(token)-1] + "_", "999", "IR_29", "payment_token"},
		"another's id":      {open("d"), saved.ID, "999", "IR_29", "payment_token"},
		"an id of nothing":  {open("c"), "pm_nothing", "999", "IR_29", "payment_token"},
		"no such customer?": {open("e"), token, "999", "IR_29", "payment_token"},
	} {
		_, err := confirm(c.v, c.token, c.cvc)
		require.Equal(t, c.code, code(t, err), name)
	}
	w.pass(901 * time.Second)
	late := open("c")
	_, err = confirm(late, token, "999")
	require.Equal(t, "IR_29", code(t, err), "its time is over")
	require.Equal(t, before, seen.count())
}

// TestSavedTokenBeforeConfirm: the confirm charges the token that came with the create or the update.
func TestSavedTokenBeforeConfirm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	saved := w.pay(sale(1000, visa, onSession, agreed, customer("c"))).Method
	token := w.methods("c")[0].Token
	given := func() *request.Input {
		return &request.Input{Amount: ptr(int64(500)), Currency: "USD", CustomerID: "c", PaymentMethod: "card", PaymentToken: token}
	}
	v := w.pay(given())
	require.Equal(t, payment.RequiresConfirmation, v.Payment.Status)
	cancelled, err := w.CancelPayment(t.Context(), w.auth, w.pay(given()).Payment.ID, "")
	require.NoError(t, err)
	require.Equal(t, payment.Cancelled, cancelled.Payment.Status)
	v, err = w.UpdatePayment(t.Context(), w.auth, v.Payment.ID, &request.Input{Description: "dropped"})
	require.NoError(t, err)
	require.Equal(t, payment.RequiresPaymentMethod, v.Payment.Status)
	v, err = w.UpdatePayment(t.Context(), w.auth, v.Payment.ID, given())
	require.NoError(t, err)
	require.Equal(t, payment.RequiresConfirmation, v.Payment.Status)
	v, err = w.ConfirmPayment(t.Context(), w.pk, v.Payment.ID, &request.Input{ClientSecret: v.Payment.Private.ClientSecret, CardCVC: secret.New("737")})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, saved.ID, v.Method.ID)
}

// TestStoredCredentialOnSession: after an agreement to off_session charges, the customer needs no CVC.
func TestStoredCredentialOnSession(t *testing.T) {
	t.Parallel()
	s, seen := watched()
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"sim2": s})
	w.account("sim2", "")
	cit := w.pay(sale(1000, visa, offSession, agreed, customer("c")))
	pay := func(change ...func(*request.Input)) *request.Input {
		in := &request.Input{Amount: ptr(int64(500)), Currency: "USD", CustomerID: "c", Confirm: ptr(true), PaymentMethod: "card", PaymentToken: w.methods("c")[0].Token,
			SetupFutureUsage: "off_session"}
		for _, f := range change {
			f(in)
		}
		return in
	}
	v := w.pay(pay())
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, cit.Attempt.Details.StoredCredential.ID, seen.last().Instrument.StoredCredentialID)
	require.Equal(t, &sdk.StoredCredentialUse{Initiator: "cit", Usage: "off_session"}, seen.last().StoredCredential)
	require.Equal(t, "IR_04", w.fails(pay(agreed)).Code, "agreeing anew is a new set-up, with CVC")
	v = w.pay(pay(agreed, func(in *request.Input) { in.CardCVC = secret.New("999") }))
	require.Equal(t, cit.Method.ID, v.Method.ID)
	require.Equal(t, &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}, seen.last().StoredCredential)

	open := w.pay(&request.Input{Amount: ptr(int64(500)), Currency: "USD", CustomerID: "c", SetupFutureUsage: "off_session"})
	items, err := w.PaymentMethods(t.Context(), open.Payment, open.Profile, method.MethodFilter{})
	require.NoError(t, err)
	require.Len(t, items, 1)
	require.False(t, items[0].RequiresCVC)
	require.True(t, w.methods("c")[0].RequiresCVC)

	w.pay(sale(1000, visa, onSession, agreed, customer("d")))
	e := w.fails(pay(customer("d"), func(in *request.Input) { in.PaymentToken = w.methods("d")[0].Token }))
	require.Equal(t, "IR_39", e.Code)
}

// TestExternal3DSAndSavedCards: the approval of an authenticated payment saves the card, with the authentication for later payments. Saved cards,
// and processors' references to them, are authenticated like typed cards. Charges without the customer never are.
func TestExternal3DSAndSavedCards(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	w.bank.answer = func(r *sdk.Request) *sdk.Outcome {
		o := &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx_" + r.Reference, NetworkTransactionID: "123456789012345"}
		if r.StoredCredential != nil && r.StoredCredential.First {
			o.StoredCredential = &sdk.StoredCredential{ID: "ref_1"}
			o.ConnectorData = &sdk.ConnectorData{Version: 2, Method: "m", Customer: "shopper_1"}
		}
		return o
	}
	v := w.begun(offSession, agreed, customer("c"))
	require.Nil(t, v.Method)
	require.Empty(t, w.methods("c"), "not at the 3-D Secure step")
	w.authenticated(v)
	v = w.done(v.Payment.ID)
	require.Equal(t, method.MethodActive, v.Method.Status)
	m := w.method(v.Method.ID)
	require.Equal(t, "acs-1", m.Details.Initial.ACSTransID)
	require.Equal(t, "ds-1", m.Details.Initial.DSTransID)
	require.EqualValues(t, 6540, m.Details.Initial.Amount)

	charged := w.pay(mit(100, m.ID, external))
	require.Equal(t, payment.Succeeded, charged.Payment.Status)
	require.Equal(t, "ref_1", w.bank.last(t).Instrument.StoredCredentialID)
	require.Equal(t, &sdk.ConnectorData{Version: 2, Method: "m", Customer: "shopper_1"}, w.bank.last(t).ConnectorData)
	require.Nil(t, w.bank.last(t).ThreeDS)

	for _, usage := range []sdk.CredentialUsage{"", "off_session"} {
		before := w.a.count(sdk.OpPrepare)
		v := w.pay(&request.Input{Amount: ptr(int64(500)), Currency: "USD", CustomerID: "c", Confirm: ptr(true), PaymentMethod: "card", SetupFutureUsage: usage,
			PaymentToken: w.methods("c")[0].Token, CardCVC: secret.New("737"), External3DS: ptr(true), AuthenticationType: "three_ds", ReturnURL: "https://shop.test/done"})
		require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status, usage)
		require.Equal(t, before+1, w.a.count(sdk.OpPrepare))
		require.Equal(t, "424242", w.a.last(t, sdk.OpPrepare).Instrument.Card.BIN)
		require.Equal(t, "4242424242424242", w.a.secrets[len(w.a.secrets)-1].Number.Reveal())
		w.authenticated(v)
		v = w.done(v.Payment.ID)
		require.Equal(t, payment.Succeeded, v.Payment.Status, usage)
		require.NotNil(t, w.bank.last(t).ThreeDS, usage)
		if usage == "" {
			require.NotNil(t, w.bank.last(t).Instrument.Card)
		} else {
			require.Equal(t, &sdk.Instrument{StoredCredentialID: "ref_1"}, w.bank.last(t).Instrument)
		}
	}

	again := w.pay(sale(100, "378282246310005", offSession, agreed, customer("c"), func(in *request.Input) { in.Card.CVC = secret.New("7373") }))
	require.Equal(t, payment.Succeeded, again.Payment.Status)
	require.Equal(t, "shopper_1", w.bank.last(t).ConnectorData.Customer, "the request names the processor's customer again")
	require.Empty(t, w.alarms.all())

	w.bank.answer = func(r *sdk.Request) *sdk.Outcome {
		return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "05", Message: "no", Reason: sdk.DeclineDoNotHonor}}
	}
	v = w.begun(offSession, agreed, customer("d"))
	w.authenticated(v)
	v = w.done(v.Payment.ID)
	require.Equal(t, payment.Failed, v.Payment.Status)
	require.Nil(t, v.Method, "what is refused is not kept")
}
