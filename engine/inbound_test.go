package engine_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/drive"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/adyen"
	"payswitch/plugins/stripe"
	"payswitch/sdk"
)

const hookSecret = "the webhook's secret"

// mailing returns the shop's adapter that reads messages: {"reference", "id", "object", "sync", "outcome"}, signed with the account's webhook secret.
func mailing(rule sdk.ResolveRule) *sdk.Adapter {
	a := shop(rule)
	a.Manifest.Credentials = []sdk.Field{{Name: "webhook_secret", Label: "Webhook secret", Type: "secret", Optional: true}}
	a.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) {
		m := c.Request.Webhook
		ok, err := c.Verify(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(c.Account.Credentials["webhook_secret"]), sdk.Body())), sdk.HeaderValue(m.Headers, "Signature"))
		if err != nil {
			return nil, err
		}
		if !ok {
			return &sdk.Outcome{Status: sdk.StatusHandled, Reply: &sdk.Reply{Status: 401}}, nil
		}
		return readMail(c)
	}
	return a
}

// withoutProof makes an adapter of mailing read messages without proof.
func withoutProof(a *sdk.Adapter) *sdk.Adapter {
	a.Webhook = readMail
	return a
}

func readMail(c *sdk.Call) (*sdk.Outcome, error) {
	var in struct {
		Reference, ID, Object string
		Sync                  bool
		Outcome               *sdk.Outcome
		Dispute               *sdk.Dispute
		Time                  int64
	}
	if json.Unmarshal(c.Request.Webhook.Body, &in) != nil {
		return &sdk.Outcome{Status: sdk.StatusHandled, Reply: &sdk.Reply{Status: 400}}, nil
	}
	return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{{Object: sdk.EventObject(in.Object), Reference: in.Reference, TransactionID: in.ID, Sync: in.Sync, Outcome: in.Outcome,
		Dispute: in.Dispute, Time: in.Time}}}, nil
}

var byWebhook = sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByWebhook}}

// mailAccount returns an account at a processor on loopback that signs its messages.
func (w *world) mailAccount(connector, url, credentials string) *account.Account {
	w.t.Helper()
	hidden, _ := json.Marshal(map[string]string{"merchant_secret": hookSecret})
	in := account.AccountInput{Type: "payment_processor", Connector: connector, Label: connector + strconv.FormatInt(time.Now().UnixNano(), 36),
		Fields: account.Fields{"connector_webhook_details": hidden}}
	if credentials != "" {
		in.Credentials = secret.New(credentials)
	}
	a, err := w.CreateAccount(w.t.Context(), w.auth, in)
	require.NoError(w.t, err)
	_, err = w.SetEgress(w.t.Context(), w.auth, a.ID, account.EgressInput{BaseURL: url})
	require.NoError(w.t, err)
	return a
}

func hmacHex(key string, data []byte) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// mail makes a message of the shop.
func mail(account, secret string, content map[string]any) engine.WebhookInput {
	if content["object"] == nil {
		content["object"] = "payment"
	}
	body, _ := json.Marshal(content)
	return engine.WebhookInput{MerchantID: "m1", Account: account, Message: sdk.WebhookMessage{Method: "POST", Body: body, BodyLength: len(body),
		Headers: []sdk.Header{{Name: "Signature", Value: hmacHex(secret, body)}}}}
}

func (w *world) evidence(operationID string) (out []drive.Evidence) {
	w.t.Helper()
	require.NoError(w.t, w.db.View(w.t.Context(), func(r engine.Reader) (err error) { out, err = r.Evidence(operationID); return err }))
	return out
}

// This processor answers no queries. Its genuine message settles an unknown operation, once.
func TestWebhookSettlesUnknown(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.hangs.Store(true)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": mailing(byWebhook)})
	a := w.mailAccount("shop", p.URL, "")
	v := w.pay(sale(100, visa))
	require.Equal(t, payment.Processing, v.Payment.Status)
	captured := map[string]any{"reference": v.Attempt.Details.Reference, "outcome": sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx_1",
		Amount: &sdk.Money{Minor: 100, Currency: "USD"}}}

	_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, "another secret", captured))
	require.Equal(t, "WE_01", code(t, err))
	forged := mail(a.ID, hookSecret, captured)
	forged.Message.Body = []byte(strings.Replace(string(forged.Message.Body), "tx_1", "tx_2", 1))
	_, err = w.ReceiveWebhook(t.Context(), forged)
	require.Equal(t, "WE_01", code(t, err))
	require.Equal(t, payment.Processing, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)

	for range 3 {
		reply, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, captured))
		require.NoError(t, err)
		require.Equal(t, 200, reply.Status)
	}
	got := w.get(v.Payment.ID, request.RetrieveInput{})
	require.Equal(t, payment.Succeeded, got.Payment.Status)
	require.Equal(t, int64(100), got.Payment.Received)
	require.Equal(t, "tx_1", got.Attempt.TransactionID)
	require.Equal(t, []string{"payment_processing", "payment_succeeded"}, w.events(v.Payment.ID))
	op := w.operations(v.Payment.ID)[0]
	require.Equal(t, payment.OperationSucceeded, op.Status)
	require.Empty(t, op.Instrument)
	require.Empty(t, w.evidence(op.ID))
	require.Empty(t, w.alarms.all())

	// From now on the processor's id finds the payment too. The engine stores a contradicting message and raises an alarm, once.
	declined := map[string]any{"id": "tx_1", "outcome": sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "x", Reason: sdk.DeclineGeneric}}}
	for range 2 {
		_, err = w.ReceiveWebhook(t.Context(), mail("shop", hookSecret, declined))
		require.NoError(t, err)
	}
	require.Equal(t, payment.Succeeded, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.Len(t, w.evidence(op.ID), 1)
	require.Equal(t, "webhook", string(w.evidence(op.ID)[0].Source))
	require.Equal(t, 2, w.alarms.all()["late_evidence"])
}

func TestWebhookOfNothingOfOurs(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": mailing(byWebhook), "silent": shop(byReference)})
	a := w.mailAccount("shop", p.URL, "")
	nothing := map[string]any{"reference": "none", "outcome": sdk.Outcome{Status: sdk.StatusCaptured}}
	_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, nothing))
	require.Equal(t, "WE_04", code(t, err))
	_, err = w.ReceiveWebhook(t.Context(), mail("mca_none", hookSecret, nothing))
	require.Equal(t, "HE_02", code(t, err))
	in := mail(a.ID, hookSecret, nothing)
	in.MerchantID = "m2"
	_, err = w.ReceiveWebhook(t.Context(), in)
	require.Equal(t, "HE_02", code(t, err))
	bad := mail(a.ID, hookSecret, nothing)
	bad.Message.Body = []byte("{")
	bad.Message.Headers[0].Value = hmacHex(hookSecret, []byte("{"))
	_, err = w.ReceiveWebhook(t.Context(), bad)
	require.Equal(t, "WE_02", code(t, err))

	w.mailAccount("shop", p.URL, "")
	_, err = w.ReceiveWebhook(t.Context(), mail("shop", hookSecret, nothing))
	require.Equal(t, "HE_02", code(t, err))
	require.ErrorContains(t, err, "several accounts")
	_, err = w.ReceiveWebhook(t.Context(), mail(w.account("silent", "").ID, hookSecret, nothing))
	require.Equal(t, "IR_20", code(t, err))
}

// The engine never books a message that does not fit the payment: another currency, or more than the requested amount.
func TestWebhookAmounts(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.hangs.Store(true)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": mailing(byWebhook)})
	a := w.mailAccount("shop", p.URL, "")
	v := w.pay(sale(100, visa))
	of := func(m sdk.Money) map[string]any {
		return map[string]any{"reference": v.Attempt.Details.Reference, "outcome": sdk.Outcome{Status: sdk.StatusCaptured, Amount: &m}}
	}
	_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, of(sdk.Money{Minor: 100, Currency: "EUR"})))
	require.NoError(t, err)
	require.Equal(t, payment.Processing, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.Len(t, w.evidence(w.operations(v.Payment.ID)[0].ID), 1)
	require.Equal(t, 1, w.alarms.all()["amount_mismatch"])

	_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, of(sdk.Money{Minor: 101, Currency: "USD"})))
	require.NoError(t, err)
	require.Equal(t, payment.Conflicted, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
}

// A message may arrive before the answer to its request. The engine stores the message and uses it if the answer never comes.
func TestWebhookBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	var w *world
	var account atomic.Value
	told := make(chan error, 1)
	p := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var in struct{ Reference string }
		json.NewDecoder(r.Body).Decode(&in)
		_, err := w.ReceiveWebhook(r.Context(), mail(account.Load().(string), hookSecret, map[string]any{"reference": in.Reference,
			"outcome": sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx_9"}}))
		told <- err
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(p.Close)
	w = newWorld(t, quick, map[string]*sdk.Adapter{"shop": mailing(byWebhook)})
	account.Store(w.mailAccount("shop", p.URL, "").ID)
	v := w.pay(sale(100, visa))
	require.NoError(t, <-told)
	require.Equal(t, payment.Processing, v.Payment.Status)
	require.Len(t, w.evidence(w.operations(v.Payment.ID)[0].ID), 1)
	w.pass(time.Minute)
	w.running()
	require.Equal(t, "tx_9", w.eventually(v.Payment.ID, payment.Succeeded).Attempt.TransactionID)
}

// An event without an outcome makes the engine ask the processor.
func TestWebhookSync(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.hangs.Store(true)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": mailing(byReference)})
	a := w.mailAccount("shop", p.URL, "")
	v := w.pay(sale(100, visa))
	_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": v.Attempt.Details.Reference, "sync": true}))
	require.NoError(t, err)
	require.Equal(t, 1, p.count("GET"))
	require.Equal(t, payment.Succeeded, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	// The payment is closed now, and the engine asks as well.
	_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": v.Attempt.Details.Reference, "sync": true}))
	require.NoError(t, err)
	require.Equal(t, 2, p.count("GET"))
	// A message about a refund that payswitch did not make is kept.
	_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": v.Attempt.Details.Reference, "object": "refund",
		"outcome": sdk.Outcome{Status: sdk.StatusRefunded}}))
	require.NoError(t, err)
	require.Len(t, w.evidence(w.operations(v.Payment.ID)[0].ID), 1)
}

// A message about a refund or a dispute, kept with the payment, does not settle the payment's unknown authorization.
func TestWebhookOfAnotherObject(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.hangs.Store(true)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": mailing(byWebhook)})
	a := w.mailAccount("shop", p.URL, "")
	v := w.pay(sale(100, visa))
	require.Equal(t, payment.Processing, v.Payment.Status)
	for _, object := range []string{"refund", "dispute"} {
		_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": object, "reference": v.Attempt.Details.Reference,
			"outcome": sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "no", Message: "No."}}}))
		require.NoError(t, err)
	}
	require.Len(t, w.evidence(w.operations(v.Payment.ID)[0].ID), 2)
	w.running()
	require.Eventually(t, func() bool { return w.operations(v.Payment.ID)[0].ResolveTries > 0 }, 10*time.Second, 20*time.Millisecond)
	require.Equal(t, payment.Processing, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
}

// Adyen's own notifications, by its adapter: an authorization that was only received, then a capture that fails.
func TestWebhookAdyen(t *testing.T) {
	t.Parallel()
	const key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	var made atomic.Int32
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/captures") || strings.HasSuffix(r.URL.Path, "/cancels") {
			w.WriteHeader(201)
			w.Write([]byte(`{"pspReference":"CAPTURE1","paymentPspReference":"PSP1","status":"received"}`))
			return
		}
		fmt.Fprintf(w, `{"pspReference":"PSP%d","resultCode":"Received"}`, made.Add(1))
	}))
	t.Cleanup(p.Close)
	w := newWorldWith(t, quick, plugins.NativeConnectors(map[string]*sdk.Adapter{"adyen": adyen.Adapter()}), t.TempDir()+"/p.db")
	hidden, _ := json.Marshal(map[string]string{"merchant_secret": key})
	a, err := w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "adyen", Label: "adyen",
		Credentials: secret.New(`{"auth_type":"BodyKey","api_key":"AQ_secret_key_of_adyen","key1":"Shop"}`),
		Fields:      account.Fields{"connector_webhook_details": hidden}})
	require.NoError(t, err)
	_, err = w.SetEgress(t.Context(), w.auth, a.ID, account.EgressInput{BaseURL: p.URL})
	require.NoError(t, err)
	v := w.pay(sale(1130, visa, manual, func(in *request.Input) { in.Currency = "EUR" }))
	require.Equal(t, payment.Processing, v.Payment.Status)

	notify := func(psp, original, account, event, success string) (*sdk.Reply, error) {
		ref := v.Attempt.Details.Reference
		raw, _ := hex.DecodeString(key)
		h := hmac.New(sha256.New, raw)
		h.Write([]byte(strings.Join([]string{psp, original, account, ref, "1130", "EUR", event, success}, ":")))
		body, _ := json.Marshal(map[string]any{"live": "false", "notificationItems": []any{map[string]any{"NotificationRequestItem": map[string]any{
			"pspReference": psp, "originalReference": original, "merchantAccountCode": account, "merchantReference": ref, "reason": "r",
			"amount": map[string]any{"currency": "EUR", "value": 1130}, "eventCode": event, "success": success,
			"additionalData": map[string]string{"hmacSignature": base64.StdEncoding.EncodeToString(h.Sum(nil))}}}}})
		return w.ReceiveWebhook(t.Context(), engine.WebhookInput{MerchantID: "m1", Account: "adyen",
			Message: sdk.WebhookMessage{Method: "POST", Body: body, BodyLength: len(body)}})
	}
	reply, err := notify("PSP1", "", "Another", "AUTHORISATION", "true")
	require.NoError(t, err)
	require.Equal(t, "[accepted]", reply.Body)
	require.Equal(t, payment.Processing, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status, "an event of another account of theirs")
	_, err = notify("PSP1", "", "Shop", "AUTHORISATION", "true")
	require.NoError(t, err)
	require.Equal(t, payment.RequiresCapture, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)

	got, err := w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{})
	require.NoError(t, err)
	require.Equal(t, payment.Processing, got.Payment.Status)
	_, err = notify("CAPTURE1", "PSP1", "Shop", "CAPTURE", "false")
	require.NoError(t, err)
	got = w.get(v.Payment.ID, request.RetrieveInput{})
	require.Equal(t, payment.RequiresCapture, got.Payment.Status)
	require.Equal(t, payment.CaptureFailed, got.Attempt.Details.Captures[0].Status)
	_, err = notify("CAPTURE1", "PSP1", "Shop", "CAPTURE", "false")
	require.NoError(t, err)

	// A refused cancel ends the wait for it: the merchant may capture, or cancel again. An old approval that comes again says nothing of the cancel.
	for _, event := range []string{"CANCELLATION", "CANCEL_OR_REFUND"} {
		got, err = w.CancelPayment(t.Context(), w.auth, v.Payment.ID, "changed my mind")
		require.NoError(t, err)
		require.Equal(t, payment.Processing, got.Payment.Status)
		_, err = notify("PSP1", "", "Shop", "AUTHORISATION", "true")
		require.NoError(t, err)
		require.Equal(t, payment.Processing, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
		for range 2 {
			_, err = notify("REFUSED_"+event, "PSP1", "Shop", event, "false")
			require.NoError(t, err)
			got = w.get(v.Payment.ID, request.RetrieveInput{})
			require.Equal(t, payment.RequiresCapture, got.Payment.Status, event)
			require.EqualValues(t, 1130, got.Payment.Capturable)
			require.Equal(t, []any{sdk.OpVoid, event, "r"}, []any{got.Attempt.Details.Error.Operation, got.Attempt.Details.Error.Code, got.Attempt.Details.Error.Message})
			ops := w.operations(v.Payment.ID)
			require.Equal(t, payment.OperationDeclined, ops[len(ops)-1].Status)
		}
	}
	_, err = w.CancelPayment(t.Context(), w.auth, v.Payment.ID, "changed my mind")
	require.NoError(t, err)
	for _, event := range []string{"CANCELLATION", "CANCEL_OR_REFUND"} { // the refusal of an earlier cancel, delivered again, ends the wait for this one not
		_, err = notify("REFUSED_"+event, "PSP1", "Shop", event, "false")
		require.NoError(t, err)
		got = w.get(v.Payment.ID, request.RetrieveInput{})
		require.Equal(t, payment.Processing, got.Payment.Status, event)
		require.Equal(t, "PSP1", got.Attempt.TransactionID)
	}
	_, err = notify("CANCEL2", "PSP1", "Shop", "CANCELLATION", "true")
	require.NoError(t, err)
	for _, event := range []string{"CANCELLATION", "CANCEL_OR_REFUND"} { // a second one, in Adyen's own pages
		_, err = notify("CANCEL3", "PSP1", "Shop", event, "false")
		require.NoError(t, err)
		require.Equal(t, payment.Cancelled, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	}

	// Adyen sends no message after the authorization of a payment that it captures at once.
	v = w.pay(sale(1130, visa, func(in *request.Input) { in.Currency = "EUR" }))
	require.Equal(t, payment.Processing, v.Payment.Status)
	for range 2 {
		_, err = notify("PSP2", "", "Shop", "AUTHORISATION", "true")
		require.NoError(t, err)
	}
	got = w.get(v.Payment.ID, request.RetrieveInput{})
	require.Equal(t, payment.Succeeded, got.Payment.Status)
	require.EqualValues(t, 1130, got.Payment.Received)

	// A refused message about a payment that ended without money is no proof of money.
	v = w.pay(sale(1130, visa, func(in *request.Input) { in.Currency = "EUR" }))
	_, err = notify("PSP3", "", "Shop", "AUTHORISATION", "false")
	require.NoError(t, err)
	for _, event := range []string{"CANCELLATION", "CANCEL_OR_REFUND"} {
		_, err = notify("CANCEL4", "PSP3", "Shop", event, "false")
		require.NoError(t, err)
		require.Equal(t, payment.Failed, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	}
	require.Empty(t, w.alarms.all())
}

// Stripe's events, read by Stripe's adapter: signed events count if nothing can follow, and old events are refused.
func TestWebhookStripe(t *testing.T) {
	t.Parallel()
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"id":"pi_1","object":"payment_intent","amount":100,"currency":"usd","status":"processing","capture_method":"automatic"}`))
	}))
	t.Cleanup(p.Close)
	w := newWorldWith(t, quick, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": stripe.Adapter()}), t.TempDir()+"/p.db")
	a := w.mailAccount("stripe", p.URL, `{"auth_type":"HeaderKey","api_key":"sk_test_0123456789"}`)
	v := w.pay(sale(100, visa))
	require.Equal(t, payment.Processing, v.Payment.Status)
	event := func(at time.Time) error {
		body := []byte(`{"id":"evt_1","object":"event","type":"payment_intent.succeeded","created":` + strconv.FormatInt(at.Unix(), 10) + `,"data":{"object":
			{"id":"pi_1","object":"payment_intent","amount":100,"amount_received":100,"currency":"usd","status":"succeeded","capture_method":"automatic"}}}`)
		stamp := strconv.FormatInt(at.Unix(), 10)
		_, err := w.ReceiveWebhook(t.Context(), engine.WebhookInput{MerchantID: "m1", Account: a.ID, Message: sdk.WebhookMessage{Method: "POST", Body: body,
			BodyLength: len(body), Headers: []sdk.Header{{Name: "Stripe-Signature", Value: "t=" + stamp + ",v1=" + hmacHex(hookSecret, append([]byte(stamp+"."), body...))}}}})
		return err
	}
	require.Equal(t, "WE_01", code(t, event(time.Now().Add(-10*time.Minute))))
	require.Equal(t, payment.Processing, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.NoError(t, event(time.Now()))
	require.Equal(t, payment.Succeeded, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.NoError(t, event(time.Now()))
	require.Equal(t, []string{"payment_processing", "payment_succeeded"}, w.events(v.Payment.ID))
}

// A message to the name of a connector is for the account of the default profile, however many accounts other profiles have.
func TestWebhookByNameToTheDefaultProfile(t *testing.T) {
	t.Parallel()
	w, _, a, id := disputeWorld(t)
	second, err := w.CreateProfile(t.Context(), w.auth, account.ProfileInput{Name: "second"})
	require.NoError(t, err)
	for _, label := range []string{"b", "c"} {
		_, err = w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "shop", Label: label, ProfileID: second.ID})
		require.NoError(t, err)
	}
	byName := *a
	byName.ID = "shop"
	require.NoError(t, w.dispute(&byName, hookSecret, id, "dp_1", sdk.DisputeOpened, 700, "USD", 1))
	require.EqualValues(t, 700, w.get(id, request.RetrieveInput{}).Payment.Disputed())
}
