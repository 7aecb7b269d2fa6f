package engine_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/adyen"
	"payswitch/plugins/checkout"
	"payswitch/plugins/paypal"
	"payswitch/plugins/stripe"
	"payswitch/sdk"
)

// recorded returns a processor's recorded answers by name, from the adapter's own tests.
func recorded(t *testing.T, adapter string) map[string]func(change ...string) (int, []byte) {
	b, err := os.ReadFile("../plugins/" + adapter + "/testdata/" + adapter + ".responses.json")
	require.NoError(t, err)
	var file struct {
		Samples []struct {
			Name     string
			Response struct {
				Status int
				Body   json.RawMessage
			}
		}
	}
	require.NoError(t, json.Unmarshal(b, &file))
	out := map[string]func(...string) (int, []byte){}
	for _, s := range file.Samples {
		out[s.Name] = func(change ...string) (int, []byte) {
			body := strings.NewReplacer(change...).Replace(string(s.Response.Body))
			return s.Response.Status, []byte(body)
		}
	}
	return out
}

// replayed is a processor that gives recorded answers by method and path, and notes what it was sent.
type replayed struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]func(body string) (int, []byte) // "POST /refunds": the path's end
	sent    []string
}

func replay(t *testing.T) *replayed {
	p := &replayed{answers: map[string]func(string) (int, []byte){}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sent = append(p.sent, r.Method+" "+r.URL.Path+" "+string(b))
		for key, answer := range p.answers {
			method, end, _ := strings.Cut(key, " ")
			if r.Method == method && strings.HasSuffix(r.URL.Path, end) {
				status, body := answer(string(b))
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				w.Write(body)
				return
			}
		}
		w.WriteHeader(500)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *replayed) on(key string, answer func(body string) (int, []byte)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers[key] = answer
}

func (p *replayed) last() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent[len(p.sent)-1]
}

// at makes a world with one account of an adapter at p, and a payment of 24.99 USD.
func (p *replayed) world(t *testing.T, name string, a *sdk.Adapter, credentials, hook string) (*world, *account.Account, string) {
	w := newWorldWith(t, quick, plugins.NativeConnectors(map[string]*sdk.Adapter{name: a}), t.TempDir()+"/p.db")
	in := account.AccountInput{Type: "payment_processor", Connector: name, Label: name, Credentials: secret.New(credentials)}
	if hook != "" {
		hidden, _ := json.Marshal(map[string]string{"merchant_secret": hook})
		in.Fields = account.Fields{"connector_webhook_details": hidden}
	}
	at, err := w.CreateAccount(t.Context(), w.auth, in)
	require.NoError(t, err)
	_, err = w.SetEgress(t.Context(), w.auth, at.ID, account.EgressInput{BaseURL: p.URL})
	require.NoError(t, err)
	v := w.pay(sale(2499, visa))
	require.Equal(t, payment.Succeeded, v.Payment.Status, p.sent)
	return w, at, v.Payment.ID
}

// Stripe: a part is refunded at once; a refund that fails; one that is refused; a lost answer, found in the list by our reference.
func TestRefundStripe(t *testing.T) {
	t.Parallel()
	p, samples := replay(t), recorded(t, "stripe")
	p.on("POST /payment_intents", func(string) (int, []byte) { return samples["charged"]() })
	p.on("POST /refunds", func(body string) (int, []byte) {
		form, _ := url.ParseQuery(body)
		require.Equal(t, "pi_3PqQ2eKZ0aB1cD2e", form.Get("payment_intent"))
		return samples["refunded"]("700", form.Get("amount"))
	})
	w, _, id := p.world(t, "stripe", stripe.Adapter(), `{"auth_type":"HeaderKey","api_key":"sk_test_0123456789"}`, "")
	r, err := w.refund(id, 700, named("ref-2"))
	require.NoError(t, err)
	require.Equal(t, []any{payment.RefundSucceeded, "re_3PqQ2e"}, []any{r.Status, r.ProcessorID})
	require.Contains(t, p.last(), "metadata[order_id]=ref-2")

	p.on("POST /refunds", func(string) (int, []byte) { return samples["refund_failed"]("700", "100", "re_3PqQ2e", "re_2") })
	r, err = w.refund(id, 100, named("failed"))
	require.NoError(t, err)
	require.Equal(t, []any{payment.RefundFailed, "lost_or_stolen_card"}, []any{r.Status, r.Details.Error.Message})

	p.on("POST /refunds", func(string) (int, []byte) {
		return 400, []byte(`{"error":{"type":"invalid_request_error","code":"charge_already_refunded","message":"Charge ch_1 has already been refunded."}}`)
	})
	r, err = w.refund(id, 100, named("refused"))
	require.NoError(t, err)
	require.Equal(t, []any{payment.RefundFailed, "charge_already_refunded"}, []any{r.Status, r.Details.Error.Code})

	p.on("POST /refunds", func(string) (int, []byte) { return 500, []byte(`{"error":{"type":"api_error"}}`) })
	r, err = w.refund(id, 100, named("lost"))
	require.NoError(t, err)
	require.Equal(t, payment.RefundPending, r.Status)
	p.on("GET /refunds", func(string) (int, []byte) {
		return 200, []byte(`{"object":"list","has_more":false,"data":[{"id":"re_9","object":"refund","amount":100,"currency":"usd","payment_intent":"pi_3PqQ2eKZ0aB1cD2e","metadata":{"order_id":"lost"},"status":"succeeded"}]}`)
	})
	p.on("POST /refunds", func(string) (int, []byte) {
		return 200, []byte(`{"id":"re_9","object":"refund","amount":100,"currency":"usd","payment_intent":"pi_3PqQ2eKZ0aB1cD2e","metadata":{"order_id":"lost"},"status":"succeeded"}`)
	})
	w.running()
	require.Equal(t, "re_9", w.refundBecomes("lost", payment.RefundSucceeded).ProcessorID)
	require.Equal(t, []int64{800, 800}, refundAmounts(w, id))
}

// Adyen accepts a refund and reports its end in a notification. A later notification may revoke that.
func TestRefundAdyen(t *testing.T) {
	t.Parallel()
	const key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	p, samples := replay(t), recorded(t, "adyen")
	p.on("POST /payments", func(string) (int, []byte) { return samples["charged"]() })
	psp := ""
	p.on("POST /refunds", func(string) (int, []byte) { return samples["refund_received"]("883617895207777C", psp) })
	w, a, id := p.world(t, "adyen", adyen.Adapter(), `{"auth_type":"BodyKey","api_key":"AQ_secret_key_of_adyen","key1":"Shop"}`, key)
	notify := func(psp, reference, event, success string) {
		t.Helper()
		raw, _ := hex.DecodeString(key)
		h := hmac.New(sha256.New, raw)
		h.Write([]byte(strings.Join([]string{psp, "993617895204576J", "Shop", reference, "500", "USD", event, success}, ":")))
		body, _ := json.Marshal(map[string]any{"live": "false", "notificationItems": []any{map[string]any{"NotificationRequestItem": map[string]any{
			"pspReference": psp, "originalReference": "993617895204576J", "merchantAccountCode": "Shop", "merchantReference": reference, "reason": "r",
			"amount": map[string]any{"currency": "USD", "value": 500}, "eventCode": event, "success": success,
			"additionalData": map[string]string{"hmacSignature": base64.StdEncoding.EncodeToString(h.Sum(nil))}}}}})
		_, err := w.ReceiveWebhook(t.Context(), engine.WebhookInput{MerchantID: "m1", Account: a.ID, Message: sdk.WebhookMessage{Method: "POST", Body: body, BodyLength: len(body)}})
		require.NoError(t, err)
	}
	accepted := func(name string) *payment.Refund {
		psp = "PSP" + name
		r, err := w.refund(id, 500, named(name))
		require.NoError(t, err)
		require.Equal(t, []any{payment.RefundPending, psp}, []any{r.Status, r.ProcessorID})
		return r
	}
	accepted("done")
	for range 2 {
		notify("PSPdone", "done", "REFUND", "true")
	}
	require.Equal(t, payment.RefundSucceeded, w.refunded("done").Status)
	accepted("no")
	notify("PSPno", "no", "REFUND", "false")
	require.Equal(t, payment.RefundFailed, w.refunded("no").Status)
	require.Empty(t, w.alarms.all())

	accepted("back") // first told done, then that the money did not arrive
	notify("PSPback", "back", "REFUND", "true")
	notify("PSPback", "back", "REFUND_FAILED", "true")
	require.Equal(t, payment.RefundFailed, w.refunded("back").Status)
	require.Equal(t, []string{"refund_succeeded", "refund_failed"}, w.events("back"))
	accepted("order") // the same two messages in the other order
	notify("PSPorder", "order", "REFUND_FAILED", "true")
	notify("PSPorder", "order", "REFUND", "true")
	require.Equal(t, payment.RefundFailed, w.refunded("order").Status)
	require.Equal(t, []int64{500, 500}, refundAmounts(w, id))

	p.on("POST /refunds", func(string) (int, []byte) {
		return 422, []byte(`{"status":422,"errorCode":"137","message":"Invalid amount specified","errorType":"validation"}`)
	})
	r, err := w.refund(id, 500, named("refused"))
	require.NoError(t, err)
	require.Equal(t, []any{payment.RefundFailed, "137"}, []any{r.Status, r.Details.Error.Code})
	p.on("POST /refunds", func(string) (int, []byte) { return 500, []byte(`{}`) })
	r, err = w.refund(id, 500, named("lost"))
	require.NoError(t, err)
	require.Equal(t, payment.RefundPending, r.Status)
	require.Equal(t, payment.OperationUnknown, w.refundOperation(r).Status)
	notify("PSPlost", r.Reference, "REFUND", "true")
	require.Equal(t, []any{payment.RefundSucceeded, "PSPlost"}, []any{w.refunded("lost").Status, w.refunded("lost").ProcessorID})
	r, err = w.refund(id, 1499, named("rest"))
	require.NoError(t, err)
	require.Equal(t, payment.OperationUnknown, w.refundOperation(r).Status)
	_, err = w.ResolveOperation(t.Context(), r.OperationID, word("not_done"))
	require.NoError(t, err)
	require.Equal(t, payment.RefundFailed, w.refunded("rest").Status)
	require.Equal(t, []int64{1000, 1000}, refundAmounts(w, id))
}

// Checkout.com accepts a refund, and the payment's actions tell its end.
func TestRefundCheckout(t *testing.T) {
	t.Parallel()
	p, samples := replay(t), recorded(t, "checkout")
	p.on("POST /payments", func(string) (int, []byte) { return samples["charged"]() })
	p.on("POST /refunds", func(string) (int, []byte) { return samples["refund_accepted"]() })
	p.on("GET /actions", func(string) (int, []byte) {
		return 200, []byte(`[{"id":"act_ref1","type":"Refund","amount":2499,"reference":"ref-1"}]`)
	})
	w, a, id := p.world(t, "checkout", checkout.Adapter(),
		`{"auth_type":"SignatureKey","api_key":"pk_test_1","key1":"pc_1","api_secret":"sk_test_0123456789"}`, hookSecret)
	r, err := w.refund(id, 0, named("ref-1"))
	require.NoError(t, err)
	require.Equal(t, []any{payment.RefundPending, "act_ref1"}, []any{r.Status, r.ProcessorID})
	require.Equal(t, payment.RefundPending, w.refundedBy("ref-1", true).Status)
	p.on("GET /actions", func(string) (int, []byte) { return samples["refund_sync_done"]("REF2000001", "act_ref1") })
	body, _ := json.Marshal(map[string]any{"type": "payment_refunded", "created_on": time.Now().UTC().Format(time.RFC3339),
		"data": map[string]any{"id": "pay_mbabizu24mvu3mela5njyhpit4", "action_id": "act_ref1", "reference": "order-1001"}})
	_, err = w.ReceiveWebhook(t.Context(), engine.WebhookInput{MerchantID: "m1", Account: a.ID, Message: sdk.WebhookMessage{Method: "POST", Body: body, BodyLength: len(body),
		Headers: []sdk.Header{{Name: "Cko-Signature", Value: hmacHex(hookSecret, body)}}}})
	require.NoError(t, err)
	require.Equal(t, payment.RefundSucceeded, w.refunded("ref-1").Status)
}

// PayPal refunds the capture.
func TestRefundPayPal(t *testing.T) {
	t.Parallel()
	p, samples := replay(t), recorded(t, "paypal")
	p.on("POST /token", func(string) (int, []byte) {
		return 200, []byte(`{"access_token":"A21_token","token_type":"Bearer","expires_in":32400}`)
	})
	p.on("POST /orders", func(string) (int, []byte) { return samples["charged"]() })
	p.on("POST /refund", func(string) (int, []byte) { return samples["refunded"]() })
	w, _, id := p.world(t, "paypal", paypal.Adapter(), `{"auth_type":"SignatureKey","api_key":"secret_of_paypal","key1":"client_of_paypal","api_secret":"payer"}`, "")
	r, err := w.refund(id, 700, named("r1"))
	require.NoError(t, err)
	require.Equal(t, []any{payment.RefundSucceeded, "1JU08902781691411"}, []any{r.Status, r.ProcessorID})
	require.Contains(t, p.last(), "POST /v2/payments/captures/3C679366HH908993F/refund")

	p.on("POST /refund", func(string) (int, []byte) {
		return samples["refunded"]("COMPLETED", "PENDING", "1JU08902781691411", "2JU")
	})
	p.on("GET /2JU", func(string) (int, []byte) { return samples["refunded"]("1JU08902781691411", "2JU") })
	r, err = w.refund(id, 700, named("r2"))
	require.NoError(t, err)
	require.Equal(t, payment.RefundPending, r.Status)
	require.Equal(t, payment.RefundSucceeded, w.refundedBy("r2", true).Status)

	p.on("POST /refund", func(string) (int, []byte) {
		return 422, []byte(`{"name":"UNPROCESSABLE_ENTITY","message":"The requested action could not be performed.","details":[{"issue":"CAPTURE_FULLY_REFUNDED","description":"The capture has already been fully refunded"}]}`)
	})
	r, err = w.refund(id, 700, named("r3"))
	require.NoError(t, err)
	require.Equal(t, []any{payment.RefundFailed, "CAPTURE_FULLY_REFUNDED"}, []any{r.Status, r.Details.Error.Code})
	require.Equal(t, []int64{1400, 1400}, refundAmounts(w, id))
}
