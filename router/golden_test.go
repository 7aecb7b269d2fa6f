package router_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/contact"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/router"
	"payswitch/sdk"
)

var update = flag.Bool("update", false, "write golden files")

// golden compares got with testdata/name, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	require.Equal(t, readFile(t, file), string(got))
}

// sample returns a payment with almost every field set.
func sample(status payment.Status) *change.View {
	at := time.Date(2026, 6, 25, 10, 11, 12, 13_000_000, time.UTC)
	yes, tax := true, int64(40)
	return &change.View{
		BaseURL: publicURL, RedirectURL: publicURL + "/payments/redirect/pay_1/m1/pay_1_1",
		Payment: &payment.Payment{
			MerchantID: "m1", ID: "pay_1", ProfileID: "pro_1", CustomerID: "cus_1", Status: status, Currency: "USD", Amount: 1000, NetAmount: 1040,
			AttemptCount: 1, AttemptID: "pay_1_1", CreatedAt: at, ModifiedAt: at.Add(time.Second), ExpiresAt: at.Add(15 * time.Minute),
			Details: payment.Details{
				CaptureMethod: "manual", AuthenticationType: "no_three_ds", SetupFutureUsage: "off_session", OffSession: &yes, OrderTaxAmount: &tax,
				Description: "a \"quoted\" text\n\u2028<b>", ReturnURL: "https://shop.test/?a=1&b=2", OrderReference: "order 7",
				Metadata: json.RawMessage(`{"a":"b"}`), DescriptorName: "SHOP", Routing: &routed.Preference{Type: "single"},
				Echo: map[string]json.RawMessage{"order_details": json.RawMessage(`[{"product_name":"shirt","quantity":1,"amount":1000}]`),
					"connector_metadata": json.RawMessage(`{"x":1}`), "payment_link": json.RawMessage(`true`)},
			},
			Private: &payment.Private{
				ClientSecret: "pay_1_secret_x", Customer: &contact.Customer{ID: "cus_1", Name: "Jöhn Doe", Email: "j@example.com"},
				Billing: &contact.Contact{Address: &contact.Address{City: "Zürich", Country: "CH", Zip: "8000"}, Email: "j@example.com"},
				Browser: &contact.Browser{Browser: sdk.Browser{IP: "192.0.2.1", Language: "de-CH", ColorDepth: 24, TimeZone: -60}},
			},
		},
		Attempt: &payment.Attempt{
			MerchantID: "m1", PaymentID: "pay_1", ID: "pay_1_1", Number: 1, Status: payment.Authorized, Connector: "stripe", AccountID: "mca_1", Amount: 1040,
			TransactionID: "ch_1", CreatedAt: at, ModifiedAt: at.Add(time.Second),
			Details: payment.AttemptDetails{PaymentMethod: "card", PaymentMethodType: "credit", Confirmed: true, CardDiscovery: "manual",
				NetworkTransactionID: "ntid", ProcessorReference: "ref", StoredCredential: &sdk.StoredCredential{ID: "pm_x", CustomerID: "cust_x"},
				Checks: &sdk.Checks{CVC: "pass", AddressLine1: "fail"},
				Card: &card.Facts{BIN: "424242", LastFour: "4242", Length: 16, ExpMonth: "10", ExpYear: "50", Network: sdk.Visa, Type: "CREDIT",
					Issuer: "STRIPE PAYMENTS UK LIMITED", Country: "UNITEDKINGDOM"}},
			Private: &payment.AttemptPrivate{Holder: "J Doe"},
		},
	}
}

// TestPaymentGolden shows the payment object in each status.
func TestPaymentGolden(t *testing.T) {
	t.Parallel()
	failure := &payment.AttemptError{Operation: sdk.OpAuthorize, Code: "card_declined", Message: "no money", Reason: sdk.DeclineInsufficientFunds, NetworkCode: "51", AdviceCode: "02"}
	for status, change := range map[payment.Status]func(v *change.View){
		payment.RequiresPaymentMethod: func(v *change.View) {
			v.Attempt.Details, v.Attempt.Connector, v.Attempt.AccountID, v.Attempt.TransactionID = payment.AttemptDetails{}, "", "", ""
			v.Payment.CustomerID, v.Payment.Private.Customer, v.Payment.Private.Billing, v.Payment.Private.Browser = "", nil, nil, nil
			v.Payment.Details = payment.Details{CaptureMethod: "automatic"}
			v.Payment.Capturable = 1040
		},
		payment.RequiresConfirmation: func(v *change.View) {
			v.Attempt.Details.Confirmed, v.Payment.Details.Token = false, "token_1"
			v.Payment.CustomerID, v.Payment.Private.Customer.ID = "", "" // a guest
		},
		payment.RequiresCustomerAction: func(v *change.View) {
			v.Attempt.Details.NextAction = &sdk.NextAction{Type: "form_post", URL: "https://acs.test", Fields: []sdk.Header{{Name: "PaReq", Value: "x"}}}
		},
		payment.Processing:      func(*change.View) {},
		payment.RequiresCapture: func(v *change.View) { v.Payment.Capturable, v.Attempt.Details.Error = 1040, failure },
		payment.PartiallyCaptured: func(v *change.View) {
			v.Payment.Received, v.ShowAttempts, v.ShowCaptures, v.Attempts = 600, true, true, []*payment.Attempt{v.Attempt}
			v.Attempt.Details.Captures = []payment.CaptureRecord{{ID: "pay_1_1_1", Sequence: 1, Amount: 600, Status: "charged", ProcessorID: "cap_1"}}
			v.Payment.Private.MethodBilling = &contact.Contact{Phone: &contact.Phone{Number: "1", CountryCode: "+41"}}
		},
		payment.Succeeded: func(v *change.View) { v.Payment.Received = 1040 },
		payment.Failed:    func(v *change.View) { v.Attempt.Status, v.Attempt.Details.Error = payment.AttemptFailure, failure },
		payment.Cancelled: func(v *change.View) { v.Payment.Details.CancellationReason = "changed my mind" },
	} {
		v := sample(status)
		change(v)
		var out any
		b := router.PaymentJSON(v)
		require.NoError(t, json.Unmarshal(b, &out), string(b))
		golden(t, "payment_"+string(status)+".json", []byte(readable(string(b))))
	}
}

// readable puts every top-level member on its own line and changes nothing else.
func readable(object string) string {
	var out strings.Builder
	depth, quoted := 0, false
	for i, c := range object {
		if c == '"' && object[i-1] != '\\' {
			quoted = !quoted
		}
		if !quoted {
			switch c {
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
		}
		out.WriteRune(c)
		if c == ',' && depth == 1 && !quoted {
			out.WriteByte('\n')
		}
	}
	return out.String() + "\n"
}

func TestEventGolden(t *testing.T) {
	t.Parallel()
	v := sample(payment.Succeeded)
	at := time.Date(2026, 6, 25, 10, 11, 13, 0, time.UTC)
	b, err := router.Presenter{}.PaymentEvent("evt_1", "payment_succeeded", at, v)
	require.NoError(t, err)
	var event struct {
		Content struct{ Object json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(b, &event))
	require.Equal(t, string(router.PaymentJSON(v)), string(event.Content.Object), "as GET shows it")
	golden(t, "event.json", []byte(strings.Replace(string(b), string(event.Content.Object), "{…}", 1)+"\n"))
}

func TestDeviceData(t *testing.T) {
	t.Parallel()
	v := sample(payment.RequiresCustomerAction)
	v.Attempt.Details.NextAction = &sdk.NextAction{Type: "device_data", URL: "https://acs.test/m", Fields: []sdk.Header{{Name: "JWT", Value: "abc"}}}
	var p struct {
		NextAction json.RawMessage `json:"next_action"`
	}
	require.NoError(t, json.Unmarshal(router.PaymentJSON(v), &p))
	require.JSONEq(t, `{"type":"invoke_hidden_iframe","iframe_data":{"method_key":"JWT","three_ds_method_data_submission":true,
		"three_ds_method_data":"abc","three_ds_method_url":"https://acs.test/m","directory_server_id":null,"message_version":null}}`, string(p.NextAction))
}
