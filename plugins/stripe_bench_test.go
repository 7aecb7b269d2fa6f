package plugins

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins/scrub"
	"payswitch/plugins/stripe"
	"payswitch/sdk"
)

// intent returns a PaymentIntent with its expanded charge, as large as Stripe's.
func intent(reference string) []byte {
	charge := `{"id":"ch_3PxTf2LkdIwHu7ix1rYz0abc","object":"charge","amount":1050,"amount_captured":1050,"amount_refunded":0,"application":null,"application_fee":null,` +
		`"application_fee_amount":null,"balance_transaction":"txn_3PxTf2LkdIwHu7ix1abcdefg","billing_details":{"address":{"city":"San Francisco","country":"US","line1":"1 Market Street",` +
		`"line2":null,"postal_code":"94105","state":"CA"},"email":"ada@example.com","name":"Ada Lovelace","phone":null},"calculated_statement_descriptor":"SHOP","captured":true,` +
		`"created":1732190402,"currency":"usd","customer":null,"description":null,"destination":null,"dispute":null,"disputed":false,"failure_balance_transaction":null,"failure_code":null,` +
		`"failure_message":null,"fraud_details":{},"invoice":null,"livemode":false,"metadata":{"order_id":"` + reference + `"},"on_behalf_of":null,"order":null,"outcome":{"advice_code":null,` +
		`"network_advice_code":null,"network_decline_code":null,"network_status":"approved_by_network","reason":null,"risk_level":"normal","risk_score":34,"seller_message":"Payment complete.",` +
		`"type":"authorized"},"paid":true,"payment_intent":"pi_3PxTf2LkdIwHu7ix1HRaLbKz","payment_method":"pm_1PxTf2LkdIwHu7ixYbCdEfGh","payment_method_details":{"card":{"amount_authorized":1050,` +
		`"authorization_code":"123456","brand":"visa","checks":{"address_line1_check":"pass","address_postal_code_check":"pass","cvc_check":"pass"},"country":"US","exp_month":12,"exp_year":2030,` +
		`"extended_authorization":{"status":"disabled"},"fingerprint":"Xt5EWLLDS7FJjR1c","funding":"credit","incremental_authorization":{"status":"unavailable"},"installments":null,"last4":"1111",` +
		`"mandate":null,"multicapture":{"status":"unavailable"},"network":"visa","network_token":{"used":false},"network_transaction_id":"104102978678771","overcapture":{"maximum_amount_capturable":1050,` +
		`"status":"unavailable"},"regulated_status":"unregulated","three_d_secure":null,"wallet":null},"type":"card"},"radar_options":{},"receipt_email":null,"receipt_number":null,` +
		`"receipt_url":"https://pay.stripe.com/receipts/payment/` + strings.Repeat("CAcaFwoVYWNjdF8xTTJKVGtMa2RJd0h1N2l4", 3) + `","refunded":false,"review":null,"shipping":null,"source":null,"source_transfer":null,` +
		`"statement_descriptor":null,"statement_descriptor_suffix":null,"status":"succeeded","transfer_data":null,"transfer_group":null}`
	return []byte(`{"id":"pi_3PxTf2LkdIwHu7ix1HRaLbKz","object":"payment_intent","amount":1050,"amount_capturable":0,"amount_details":{"tip":{}},"amount_received":1050,"application":null,` +
		`"application_fee_amount":null,"automatic_payment_methods":null,"canceled_at":null,"cancellation_reason":null,"capture_method":"automatic","client_secret":` +
		`"pi_3PxTf2LkdIwHu7ix1HRaLbKz_secret_abcdefghijklmnopqrstuvwx","confirmation_method":"automatic","created":1732190400,"currency":"usd","customer":null,"description":null,"excluded_payment_method_types":null,` +
		`"last_payment_error":null,"latest_charge":` + charge + `,"livemode":false,"metadata":{"order_id":"` + reference + `"},"next_action":null,"on_behalf_of":null,"payment_method":"pm_1PxTf2LkdIwHu7ixYbCdEfGh",` +
		`"payment_method_configuration_details":null,"payment_method_options":{"card":{"installments":null,"mandate_options":null,"network":null,"request_three_d_secure":"automatic"}},"payment_method_types":["card"],` +
		`"processing":null,"receipt_email":null,"review":null,"setup_future_usage":null,"shipping":null,"source":null,"statement_descriptor":null,"statement_descriptor_suffix":null,"status":"succeeded",` +
		`"transfer_data":null,"transfer_group":null,"presentment_details":null,"hooks":null,"amount_overpaid":0,"description_lines":"` + strings.Repeat("order line; ", 60) + `"}`)
}

const stripeReference = "pay_0192f3a4b5c6_1"

// BenchmarkStripe measures a Stripe authorize through the sandbox without the network: the step that asks, filling in the request,
// scrubbing an answer of 4 KB, the step that reads it, and the memory resets. blind-% is the share of filling in and scrubbing.
func BenchmarkStripe(b *testing.B) {
	h, err := New(b.Context(), Options{CacheDir: b.TempDir()})
	require.NoError(b, err)
	defer h.Close(context.Background())
	if _, ok := h.Adapter("stripe"); !ok {
		b.Skip("the adapter is not built: make plugins")
	}
	body := intent(stripeReference)
	require.Greater(b, len(body), 4096)
	h.driver.egress.instead = answering(body)
	var took []time.Duration
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		d := stripeDrive(n)
		began := time.Now()
		res, err := h.Drive(context.Background(), d)
		if err != nil || res.Outcome == nil || res.Outcome.Status != sdk.StatusCaptured {
			b.Fatal(err, res.Outcome)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	whole := took[len(took)/2]
	b.ReportMetric(float64(whole)/1e3, "us-median")
	b.ReportMetric(100*float64(blindness(b, stripeDrive(0), body))/float64(whole), "blind-%")
}

// stripeDrive returns a card's authorize with a billing address.
func stripeDrive(n int) *port.Drive {
	d := &port.Drive{Connector: "stripe", Operation: sdk.OpAuthorize, OperationID: fmt.Sprintf("op_%d", n), Started: time.Now(),
		Account: port.DriveAccount{ID: "mca_1", Environment: "test", Credentials: map[string]secret.Value{"api_key": secret.New("sk_test_9fK2mQ7xL4vB8nT1cR6zW3yDh5")}},
		Request: sdk.Request{PaymentID: "pay_0192f3a4b5c6", AttemptID: stripeReference, Reference: stripeReference, Amount: sdk.Money{Minor: 1050, Currency: "USD"}, Capture: sdk.CaptureAutomatic,
			Instrument: &sdk.Instrument{Card: &sdk.Card{ExpMonth: 12, ExpYear: 2030, Holder: "Ada Lovelace", BIN: "411111", LastFour: "1111", Length: 16, Network: sdk.Visa}},
			Billing:    &sdk.Address{FirstName: "Ada", LastName: "Lovelace", Line1: "1 Market Street", City: "San Francisco", State: "CA", Zip: "94105", Country: "US", Email: "ada@example.com"},
			ReturnURL:  "https://switch.example/back"},
		Secrets: card.Secrets{Number: secret.New("4111111111111111"), CVC: secret.New("737")}}
	d.Seed[0], d.Seed[1], d.Seed[2] = byte(n), byte(n>>8), byte(n>>16)
	return d
}

// recorded returns recorded results without running an adapter: its cost is that of the messages to and from the adapter.
type recorded [][]byte

func (r recorded) step(_ context.Context, s *sdk.Step, _ [32]byte, _ func(string) string) (*sdk.Result, error) {
	sdk.EncodeStep(s)
	return sdk.DecodeResult(r[len(s.Exchanges)])
}

// BenchmarkStripeHost measures the host's part of BenchmarkStripe: the same drive without the adapter's work.
func BenchmarkStripeHost(b *testing.B) {
	native := stripe.Adapter()
	m, err := sdk.DecodeManifest(native.ManifestMessage())
	require.NoError(b, err)
	body := intent(stripeReference)
	d := newDriver(Options{}.withDefaults())
	d.egress.instead = answering(body)
	var steps recorded
	a := &adapter{name: m.Name, hash: "0", manifest: m, places: placesOf(m), names: scrub.NamesOf(m), stepper: stepFunc(func(s *sdk.Step) *sdk.Result {
		r := native.Step(s)
		steps = append(steps, sdk.EncodeResult(&r))
		return &r
	})}
	in := stripeDrive(0)
	_, err = d.drive(b.Context(), a, in)
	require.NoError(b, err)
	require.Len(b, steps, 2)
	a.stepper = steps
	b.ReportAllocs()
	for b.Loop() {
		res, err := d.drive(context.Background(), a, in)
		if err != nil || res.Outcome == nil || res.Outcome.Status != sdk.StatusCaptured {
			b.Fatal(err, res.Outcome)
		}
	}
}

type stepFunc func(*sdk.Step) *sdk.Result

func (f stepFunc) step(_ context.Context, s *sdk.Step, _ [32]byte, _ func(string) string) (*sdk.Result, error) {
	return f(s), nil
}

// answering returns an egress that gives each request a copy of one answer.
func answering(body []byte) func(context.Context, *outgoing) answer {
	return func(context.Context, *outgoing) answer {
		return answer{sent: true, status: 200, body: slices.Clone(body), headers: []sdk.Header{{Name: "Content-Type", Value: "application/json"}, {Name: "Request-Id", Value: "req_1"}}}
	}
}

// blindness returns the median time to fill in the request and scrub its answer.
func blindness(b *testing.B, d *port.Drive, body []byte) time.Duration {
	a := stripe.Adapter()
	to, err := newReach(&d.Account, &a.Manifest)
	require.NoError(b, err)
	step, secrets := newStep(d, &a.Manifest, to.baseURL)
	r := a.Step(step)
	require.NotNil(b, r.Send)
	places := placesOf(&a.Manifest)
	took := make([]time.Duration, 2001)
	for i := range took {
		began := time.Now()
		out, err := fill(r.Send, secrets, places, sdk.OpAuthorize, to, "op_1-0")
		if err != nil {
			b.Fatal(err)
		}
		scrubber := newScrubber(factsOf(d), nil, secrets)
		addSent(&scrubber, out.filled.put)
		scrubber.Text(string(body), r.Send)
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[len(took)/2]
}
