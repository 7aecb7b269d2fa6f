package engine_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/authorizedotnet"
	"payswitch/plugins/bluesnap"
	"payswitch/plugins/braintree"
	"payswitch/plugins/checkout"
	"payswitch/plugins/cybersource"
	"payswitch/plugins/globalpay"
	"payswitch/plugins/mollie"
	"payswitch/plugins/nmi"
	"payswitch/plugins/paypal"
	"payswitch/plugins/stripe"
	"payswitch/plugins/worldpay"
	"payswitch/sdk"
)

// refundDesk is a processor that answers refunds with its recorded answers. Tests set what becomes of a refund.
type refundDesk struct {
	*httptest.Server
	samples map[string]func(change ...string) (int, []byte)

	mu     sync.Mutex
	refuse bool   // the next refund is refused
	lose   bool   // the next refund acts, and its answer is lost
	state  string // pending or done: how queries find the refund
	minor  int64  // amount of the refund
	id     string // our id of the refund
	keys   map[string]bool
	posts  int
	body   string // of the latest request for a refund
}

// major returns the refund's amount as most processors write it.
func (d *refundDesk) major() string { return fmt.Sprintf("%d.%02d", d.minor/100, d.minor%100) }

// pick returns done's value for a refund that is done, else pending's.
func (d *refundDesk) pick(pending, done string) string {
	if d.state == "done" {
		return done
	}
	return pending
}

// sample returns a recorded answer with changes.
func (d *refundDesk) sample(name string, change ...string) string {
	_, body := d.samples[name](change...)
	if body[0] == '"' { // a form or XML, kept as a JSON text
		var text string
		json.Unmarshal(body, &text)
		return strings.NewReplacer(change...).Replace(text)
	}
	return string(body)
}

// desk is one processor's part of a refundDesk.
type desk struct {
	adapter               func() *sdk.Adapter
	credentials, metadata string
	base                  string // path of the base URL
	// isRefund reports whether a request asks for a refund. key is what makes a repeated one the same.
	isRefund func(r *http.Request, body string) bool
	// refund answers a refund that acts, refusal one that does not, other everything else.
	refund  func(d *refundDesk) string
	refusal func(d *refundDesk) (int, string)
	other   func(d *refundDesk, r *http.Request, body string) string
	code    string // of the refusal
	atOnce  bool   // the answer to a refund says that it is done
	amount  func(minor int64) string
}

func (d *refundDesk) serve(k desk) {
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		d.mu.Lock()
		defer d.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if !k.isRefund(r, string(b)) {
			answer := k.other(d, r, string(b))
			if answer == "" {
				w.WriteHeader(500)
			}
			io.WriteString(w, answer)
			return
		}
		d.posts++
		d.body = string(b)
		switch {
		case d.refuse:
			status, text := k.refusal(d)
			w.WriteHeader(status)
			io.WriteString(w, text)
		case d.lose:
			d.lose = false
			d.keys[r.Header.Get("Idempotency-Key")+string(b)] = true
			w.WriteHeader(500)
		default:
			d.keys[r.Header.Get("Idempotency-Key")+string(b)] = true
			w.WriteHeader(201)
			io.WriteString(w, k.refund(d))
		}
	}))
}

func (d *refundDesk) set(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

// asked is the body of the latest request for a refund.
func (d *refundDesk) asked() (body string) {
	d.set(func() { body = d.body })
	return body
}

func wholeMinor(minor int64) string { return fmt.Sprint(minor) }
func wholeMajor(minor int64) string { return fmt.Sprintf("%d.%02d", minor/100, minor%100) }

// refundDesks are the processors by name. Adyen answers no query about a refund: TestRefundAdyen has it.
var refundDesks = map[string]desk{
	"authorizedotnet": {adapter: authorizedotnet.Adapter, credentials: `{"auth_type":"BodyKey","api_key":"login_1","key1":"transaction_key_1"}`,
		isRefund: func(_ *http.Request, body string) bool { return strings.Contains(body, "refundTransaction") },
		refund:   func(d *refundDesk) string { return d.sample("refunded") },
		refusal:  func(d *refundDesk) (int, string) { return 200, d.sample("refund_error") }, code: "54",
		other: func(d *refundDesk, _ *http.Request, body string) string {
			switch {
			case strings.Contains(body, "createTransactionRequest"):
				return d.sample("charged")
			case strings.Contains(body, "getUnsettledTransactionListRequest"):
				return `{"transactions":[{"transId":"60198495580","submitTimeUTC":"2026-01-15T10:19:30Z","invoiceNumber":"` + d.id +
					`"}],"totalNumInResultSet":1,"messages":{"resultCode":"Ok","message":[{"code":"I00001","text":"Successful."}]}}`
			case strings.Contains(body, "getTransactionDetailsRequest"):
				return d.sample("refund_sync_pending", "24.99", d.major(), "order-1001", d.id, "refundPendingSettlement", d.pick("refundPendingSettlement", "refundSettledSuccessfully"))
			}
			return ""
		}, amount: wholeMajor},
	"bluesnap": {adapter: bluesnap.Adapter, credentials: `{"auth_type":"BodyKey","api_key":"password_1","key1":"user_1"}`, metadata: `{"merchant_id":"700001"}`,
		isRefund: func(r *http.Request, _ string) bool { return strings.Contains(r.URL.Path, "/refund/") },
		refund:   func(d *refundDesk) string { return d.sample("refunded", "SUCCESS", d.pick("PENDING", "SUCCESS")) },
		refusal: func(*refundDesk) (int, string) {
			return 400, `{"message":[{"errorName":"PAYMENT_METHOD_NOT_REFUNDABLE","code":"14040","description":"The payment cannot be refunded."}]}`
		}, code: "14040",
		other: func(d *refundDesk, r *http.Request, _ string) string {
			if r.Method == "GET" {
				return d.sample("sync_success", "AUTH_CAPTURE", "REFUND", "38486450", "1022834219", "24.99", d.major(), "SUCCESS", d.pick("PENDING", "SUCCESS"))
			}
			return d.sample("charged")
		}, amount: wholeMajor},
	"braintree": {adapter: braintree.Adapter, credentials: `{"auth_type":"SignatureKey","api_key":"public_1","api_secret":"private_1","key1":"merchant_1"}`,
		metadata: `{"merchant_account_id":"shop_usd","merchant_config_currency":"USD"}`,
		isRefund: func(_ *http.Request, body string) bool { return strings.Contains(body, "refundTransaction(") },
		refund: func(d *refundDesk) string {
			return d.sample("refunded", "7.00", d.major(), "SUBMITTED_FOR_SETTLEMENT", d.pick("SUBMITTED_FOR_SETTLEMENT", "SETTLED"))
		},
		refusal: func(*refundDesk) (int, string) {
			return 200, `{"errors":[{"message":"Cannot refund a transaction unless it is settled.","path":["refundTransaction"],"extensions":{"errorClass":"VALIDATION","legacyCode":"91506"}}],"data":{"refundTransaction":null}}`
		}, code: "91506",
		other: func(d *refundDesk, _ *http.Request, body string) string {
			switch {
			case strings.Contains(body, "tokenizeCreditCard"):
				return `{"data":{"tokenizeCreditCard":{"clientMutationId":null,"paymentMethod":{"id":"tokencc_bh_abc"}}}}`
			case strings.Contains(body, "chargeCreditCard"):
				return d.sample("mit_charged", "19.99", "24.99")
			}
			return d.sample("refund_sync_settled", "7.00", d.major(), "REF2000001", "cmVmdW5kX3h5eg", "ref-1", d.id, "SETTLED", d.pick("SETTLING", "SETTLED"))
		}, amount: wholeMajor},
	"cybersource": {adapter: cybersource.Adapter, credentials: `{"auth_type":"SignatureKey","api_key":"key_1","key1":"shop_1","api_secret":"c2VjcmV0IG9mIHRoZSBzaG9w"}`,
		isRefund: func(r *http.Request, _ string) bool { return strings.HasSuffix(r.URL.Path, "/refunds") },
		refund:   func(d *refundDesk) string { return d.sample("refunded", "ref-1", d.id) },
		refusal: func(*refundDesk) (int, string) {
			return 400, `{"status":"INVALID_REQUEST","reason":"EXCEEDS_CAPTURED_AMOUNT","message":"The payment cannot be refunded."}`
		}, code: "EXCEEDS_CAPTURED_AMOUNT",
		other: func(d *refundDesk, r *http.Request, _ string) string {
			switch {
			case strings.HasSuffix(r.URL.Path, "/searches"):
				return `{"totalCount":1,"_embedded":{"transactionSummaries":[{"id":"7000000000006789404005","clientReferenceInformation":{"code":"` + d.id +
					`"},"applicationInformation":{"applications":[{"name":"ics_credit"}]}}]}}`
			case r.Method == "GET":
				return d.sample("sync_transmitted", "7000000000006789404002", "7000000000006789404005", "order-1001", d.id, "TRANSMITTED", d.pick("PENDING", "TRANSMITTED"))
			}
			return d.sample("charged")
		}, amount: wholeMajor},
	"globalpay": {adapter: globalpay.Adapter, credentials: `{"auth_type":"BodyKey","api_key":"app_key_1","key1":"app_id_1"}`, base: "/ucp",
		isRefund: func(r *http.Request, _ string) bool { return strings.HasSuffix(r.URL.Path, "/refund") },
		refund: func(d *refundDesk) string {
			return d.sample("refunded", `"700"`, fmt.Sprintf("%q", wholeMinor(d.minor)), `"status": "CAPTURED"`, `"status": "`+d.pick("INITIATED", "CAPTURED")+`"`)
		},
		refusal: func(*refundDesk) (int, string) {
			return 400, `{"error_code":"INVALID_ACTION","detailed_error_code":"40088","detailed_error_description":"You may only refund up to 100% of the original amount"}`
		}, code: "INVALID_ACTION",
		other: func(d *refundDesk, r *http.Request, _ string) string {
			switch {
			case strings.HasSuffix(r.URL.Path, "/accesstoken"):
				return d.sample("access_token")
			case r.Method == "GET":
				return d.sample("refunded", `"700"`, fmt.Sprintf("%q", wholeMinor(d.minor)), `"status": "CAPTURED"`, `"status": "`+d.pick("INITIATED", "CAPTURED")+`"`)
			}
			return d.sample("charged")
		}, amount: wholeMinor},
	"mollie": {adapter: mollieWithoutTokens, credentials: `{"auth_type":"BodyKey","api_key":"test_0123456789","key1":"pfl_1"}`,
		isRefund: func(r *http.Request, _ string) bool {
			return r.Method == "POST" && strings.HasSuffix(r.URL.Path, "/refunds")
		},
		refund: func(d *refundDesk) string { return d.sample("refund_pending", "7.00", d.major(), "ref-2", d.id) },
		refusal: func(*refundDesk) (int, string) {
			return 422, `{"status":422,"title":"Unprocessable Entity","detail":"The payment has already been refunded","field":"amount"}`
		}, code: "Unprocessable Entity",
		other: func(d *refundDesk, r *http.Request, _ string) string {
			found := d.sample("refund_pending", "7.00", d.major(), "ref-2", d.id, `"pending"`, `"`+d.pick("processing", "refunded")+`"`)
			switch {
			case r.Method == "GET" && strings.HasSuffix(r.URL.Path, "/refunds"):
				return `{"count":1,"_embedded":{"refunds":[` + found + `]},"_links":{"next":null}}`
			case r.Method == "GET":
				return found
			}
			return d.sample("charged")
		}, amount: wholeMajor},
	"nmi": {adapter: nmi.Adapter, credentials: `{"auth_type":"BodyKey","api_key":"security_1","key1":"public_1"}`, atOnce: true,
		isRefund: func(_ *http.Request, body string) bool { return strings.Contains(body, "type=refund") },
		refund:   func(d *refundDesk) string { return d.sample("refunded", "order-1001", d.id) },
		refusal: func(*refundDesk) (int, string) {
			return 200, "response=3&responsetext=Refund+amount+may+not+exceed+the+transaction+balance&authcode=&transactionid=&orderid=&type=refund&response_code=300"
		}, code: "300",
		other: func(d *refundDesk, r *http.Request, _ string) string {
			if strings.HasSuffix(r.URL.Path, "/query.php") {
				return d.sample("refund_sync_complete", "24.99", d.major(), "ref-1", d.id, "<condition>complete", "<condition>"+d.pick("pending", "complete"))
			}
			return d.sample("charged")
		}, amount: wholeMajor},
	"stripe": {adapter: stripe.Adapter, credentials: `{"auth_type":"HeaderKey","api_key":"sk_test_0123456789"}`,
		isRefund: func(r *http.Request, _ string) bool {
			return r.Method == "POST" && strings.HasSuffix(r.URL.Path, "/refunds")
		},
		refund: func(d *refundDesk) string {
			return d.sample("refunded", "700", wholeMinor(d.minor), "ref-2", d.id, "succeeded", d.pick("pending", "succeeded"))
		},
		refusal: func(*refundDesk) (int, string) {
			return 400, `{"error":{"type":"invalid_request_error","code":"charge_already_refunded","message":"Charge ch_1 has already been refunded."}}`
		}, code: "charge_already_refunded",
		other: func(d *refundDesk, r *http.Request, _ string) string {
			found := d.sample("refunded", "700", wholeMinor(d.minor), "ref-2", d.id, "succeeded", d.pick("pending", "succeeded"))
			switch {
			case r.Method == "GET" && strings.HasSuffix(r.URL.Path, "/refunds"):
				return `{"object":"list","has_more":false,"data":[` + found + `]}`
			case r.Method == "GET":
				return found
			}
			return d.sample("charged")
		}, amount: wholeMinor},
	"checkout": {adapter: checkout.Adapter, credentials: `{"auth_type":"SignatureKey","api_key":"pk_test_1","key1":"pc_1","api_secret":"sk_test_0123456789"}`,
		isRefund: func(r *http.Request, _ string) bool { return strings.HasSuffix(r.URL.Path, "/refunds") },
		refund:   func(d *refundDesk) string { return d.sample("refund_accepted", "ref-1", d.id) },
		refusal: func(*refundDesk) (int, string) {
			return 422, `{"request_id":"r","error_type":"request_invalid","error_codes":["refund_amount_exceeds_balance"]}`
		}, code: "refund_amount_exceeds_balance",
		other: func(d *refundDesk, r *http.Request, _ string) string {
			if r.Method == "GET" {
				return d.pick(`[{"id":"act_ref1","type":"Refund","amount":`+wholeMinor(d.minor)+`,"reference":"`+d.id+`"}]`,
					d.sample("refund_sync_done", "2499", wholeMinor(d.minor), "REF2000001", "act_ref1", "ref-1", d.id))
			}
			return d.sample("charged")
		}, amount: wholeMinor},
	"paypal": {adapter: paypal.Adapter, credentials: `{"auth_type":"SignatureKey","api_key":"secret_of_paypal","key1":"client_of_paypal","api_secret":"payer"}`,
		isRefund: func(r *http.Request, _ string) bool { return strings.HasSuffix(r.URL.Path, "/refund") },
		refund: func(d *refundDesk) string {
			return d.sample("refunded", "7.00", d.major(), "COMPLETED", d.pick("PENDING", "COMPLETED"))
		},
		refusal: func(*refundDesk) (int, string) {
			return 422, `{"name":"UNPROCESSABLE_ENTITY","message":"The requested action could not be performed.","details":[{"issue":"CAPTURE_FULLY_REFUNDED","description":"The capture has already been fully refunded"}]}`
		}, code: "CAPTURE_FULLY_REFUNDED",
		other: func(d *refundDesk, r *http.Request, _ string) string {
			found := d.sample("refunded", "7.00", d.major(), "COMPLETED", d.pick("PENDING", "COMPLETED"))
			switch {
			case strings.HasSuffix(r.URL.Path, "/token"):
				return `{"access_token":"A21_token","token_type":"Bearer","expires_in":32400}`
			case r.Method == "GET" && strings.Contains(r.URL.Path, "/orders/"):
				return strings.Replace(d.sample("charged"), `"captures":`, `"refunds":[{"custom_id":"`+d.id+`",`+found[1:]+`],"captures":`, 1)
			case r.Method == "GET":
				return found
			}
			return d.sample("charged")
		}, amount: wholeMajor},
	"worldpay": {adapter: worldpay.Adapter, credentials: `{"auth_type":"SignatureKey","api_key":"password_1","key1":"user_1","api_secret":"default"}`, atOnce: true,
		isRefund: func(r *http.Request, _ string) bool { return strings.HasSuffix(r.URL.Path, "/partialRefunds") },
		refund:   func(d *refundDesk) string { return d.sample("refunded") },
		refusal: func(*refundDesk) (int, string) {
			return 400, `{"errorName":"refundFailed","message":"The payment cannot be refunded."}`
		}, code: "refundFailed",
		other: func(d *refundDesk, r *http.Request, _ string) string {
			if r.Method == "GET" {
				return d.sample("refund_sync_sent", "sentForRefund", d.pick("settled", "sentForRefund"))
			}
			return d.sample("charged")
		}, amount: wholeMinor},
}

// mollieWithoutTokens returns the adapter of mollie. Its payments need no card token, because Mollie makes tokens at a host of its own.
func mollieWithoutTokens() *sdk.Adapter {
	a := *mollie.Adapter()
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := c.Do(&sdk.Send{Method: "POST", URL: "/payments", Body: []byte(`{}`)})
		if err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: r.JSON().Str("id"), Amount: &c.Request.Amount}, nil
	}
	return &a
}

// open makes a world with an account at a desk, and a captured payment of 24.99 USD.
func (k desk) open(t *testing.T, name string) (d *refundDesk, w *world, id string) {
	return k.openWith(t, name, func(c port.Connectors) port.Connectors { return c })
}

// openWith is open with other connectors than the adapter's own.
func (k desk) openWith(t *testing.T, name string, with func(port.Connectors) port.Connectors) (d *refundDesk, w *world, id string) {
	d = &refundDesk{samples: recorded(t, name), keys: map[string]bool{}, state: "pending"}
	d.serve(k)
	t.Cleanup(d.Close)
	w = newWorldWith(t, quick, with(plugins.NativeConnectors(map[string]*sdk.Adapter{name: k.adapter()})), t.TempDir()+"/p.db")
	in := account.AccountInput{Type: "payment_processor", Connector: name, Label: name, Credentials: secret.New(k.credentials)}
	if k.metadata != "" {
		in.Metadata = json.RawMessage(k.metadata)
	}
	at, err := w.CreateAccount(t.Context(), w.auth, in)
	require.NoError(t, err)
	_, err = w.SetEgress(t.Context(), w.auth, at.ID, account.EgressInput{BaseURL: d.URL + k.base})
	require.NoError(t, err)
	v := w.pay(sale(2499, visa))
	require.Equal(t, payment.Succeeded, v.Payment.Status, "%+v", v.Attempt.Details.Error)
	return d, w, v.Payment.ID
}

// hurry makes background work look at a refund's open operation now, unless it is looking already.
func (w *world) hurry(r *payment.Refund) {
	w.t.Helper()
	require.NoError(w.t, w.db.Update(w.t.Context(), func(tx engine.Tx) error {
		op, err := tx.Operation(r.OperationID)
		if err != nil || op.Leased(tx.Now()) || !op.Status.Open() && op.Status != payment.OperationPending {
			return err
		}
		op.ResolveAt = tx.Now()
		return tx.UpdateOperation(op)
	}))
}

// TestRefundsAtProcessors drives the refunds of the processors through the engine: a part that takes time, the whole, a refusal, and an answer that
// does not come.
func TestRefundsAtProcessors(t *testing.T) {
	for name, k := range refundDesks {
		t.Run(name+"/part", func(t *testing.T) {
			t.Parallel()
			d, w, id := k.open(t, name)
			d.set(func() { d.minor, d.id = 700, "r1" })
			r, err := w.refund(id, 700, named("r1"))
			require.NoError(t, err)
			require.Contains(t, d.asked(), k.amount(700))
			require.NotEmpty(t, r.ProcessorID)
			if !k.atOnce {
				require.Equal(t, payment.RefundPending, r.Status)
				require.Equal(t, []int64{700, 0}, refundAmounts(w, id))
				require.Equal(t, payment.RefundPending, w.refundedBy("r1", true).Status)
				d.set(func() { d.state = "done" })
				require.Equal(t, payment.RefundPending, w.refunded("r1").Status)
			}
			again := w.refundedBy("r1", true)
			require.Equal(t, payment.RefundSucceeded, again.Status)
			require.Equal(t, r.ProcessorID, again.ProcessorID)
			require.Equal(t, []int64{700, 700}, refundAmounts(w, id))
			require.Equal(t, []string{"refund_succeeded"}, w.events("r1"))
			require.Empty(t, w.alarms.all())
			_, err = w.refund(id, 1800)
			require.Equal(t, "IR_13", code(t, err))
			d.set(func() { require.Equal(t, 1, d.posts) })
		})
		t.Run(name+"/whole", func(t *testing.T) {
			t.Parallel()
			d, w, id := k.open(t, name)
			d.set(func() { d.minor, d.id, d.state = 2499, "r1", "done" })
			r, err := w.refund(id, 0, named("r1"))
			require.NoError(t, err)
			require.Contains(t, d.asked(), k.amount(2499))
			if r.Status == payment.RefundPending { // the processor only accepts refunds
				r = w.refundedBy("r1", true)
			}
			require.Equal(t, payment.RefundSucceeded, r.Status)
			require.Equal(t, []int64{2499, 2499}, refundAmounts(w, id))
			require.Empty(t, w.alarms.all())
		})
		t.Run(name+"/refused", func(t *testing.T) {
			t.Parallel()
			d, w, id := k.open(t, name)
			d.set(func() { d.minor, d.id, d.refuse = 700, "r1", true })
			r, err := w.refund(id, 700, named("r1"))
			require.NoError(t, err, "a refusal is an answer")
			require.Equal(t, payment.RefundFailed, r.Status)
			require.Equal(t, k.code, r.Details.Error.Code)
			require.NotEmpty(t, r.Details.Error.Message)
			require.Equal(t, []int64{0, 0}, refundAmounts(w, id))
			require.Equal(t, []string{"refund_failed"}, w.events("r1"))
			require.Empty(t, w.alarms.all())
			require.Equal(t, payment.Succeeded, w.get(id, request.RetrieveInput{}).Payment.Status)
			d.set(func() { d.refuse, d.state = false, "done" })
			r, err = w.refund(id, 700, named("r2"))
			require.NoError(t, err)
			require.NotEqual(t, payment.RefundFailed, r.Status)
		})
		t.Run(name+"/unknown", func(t *testing.T) {
			t.Parallel()
			d, w, id := k.open(t, name)
			d.set(func() { d.minor, d.id, d.lose = 700, "r1", true })
			r, err := w.refund(id, 700, named("r1"))
			require.NoError(t, err)
			require.Equal(t, payment.RefundPending, r.Status)
			require.Equal(t, payment.OperationUnknown, w.refundOperation(r).Status)
			require.Equal(t, []int64{700, 0}, refundAmounts(w, id))
			d.set(func() { d.id = r.Reference })
			w.running()
			keys := 0
			require.Eventually(t, func() bool { w.hurry(r); return w.refundOperation(r).Status != payment.OperationUnknown }, 20*time.Second, 20*time.Millisecond)
			d.set(func() { d.state = "done" })
			require.Eventually(t, func() bool { w.hurry(r); return w.refunded("r1").Status == payment.RefundSucceeded }, 20*time.Second, 20*time.Millisecond)
			require.Equal(t, []int64{700, 700}, refundAmounts(w, id))
			d.set(func() { keys = len(d.keys) })
			require.Equal(t, 1, keys, "a second request under another key, or with another body, would give the money back twice")
			require.Equal(t, []string{"refund_succeeded"}, w.events("r1"))
			require.Empty(t, w.alarms.all())
		})
	}
}
