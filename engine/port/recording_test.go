package port_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/port"
	"payswitch/sdk"
)

// ordinary returns the recording of an authorization with one request and an answer of 4 KB.
func ordinary() *port.Recording {
	answer := []byte(`{"id":"pi_3MtwBwLkdIwHu7ix28a3tqPa","object":"payment_intent","amount":6540,"amount_capturable":0,"capture_method":"automatic",` +
		strings.Repeat(`"created":1732190400,"status":"succeeded","payment_method_details":{"card":{"brand":"visa","checks":{"cvc_check":"pass"},"network":"visa"}},`, 28) + `"x":1}`)
	step := &sdk.Step{ABI: sdk.ABI, Operation: sdk.OpAuthorize, OperationID: "op_0193500b2f4d8a6b4c1e9f00112233aa", Now: 1732190400123,
		Seed: strings.Repeat("0123456789abcdef", 4), DerivePrefix: "aB3dE6q9Zx8Yw7Vu6Ts5Rr4Qq3P",
		Account: sdk.Account{ID: "mca_0193500b2f4d8a6b4c1e", Connector: "stripe", Environment: "test", BaseURL: "https://api.stripe.com",
			Credentials: map[string]string{"api_key": "aB3dE6Jk9Lm8Nb7Vc6Xz5As4Df3G"}},
		Request: sdk.Request{PaymentID: "pay_0193500b2f4d8a6b", AttemptID: "pay_0193500b2f4d8a6b_1", Reference: "pay0193500b2f4d8a6b1",
			Amount: sdk.Money{Minor: 6540, Currency: "USD"}, Capture: sdk.CaptureAutomatic,
			Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "aB3dE6Qw9Er8Ty7Ui6Op5Lk4Jh3G", CVC: "aB3dE6Zx1Cv2Bn3Mq4We5Rt6Yu7I", ExpMonth: 10, ExpYear: 2050, Holder: "Ada Lovelace",
				BIN: "424242", LastFour: "4242", Length: 16, Network: sdk.Visa}},
			Customer: &sdk.Customer{ID: "cus_1", Name: "Ada Lovelace", Email: "ada@example.com"}, ReturnURL: "https://pay.example.com/payments/pay_0193500b2f4d8a6b/return"},
		Exchanges: []sdk.Exchange{{Now: 1732190400003, RequestHash: strings.Repeat("0123456789abcdef", 4), Sent: true, Status: 200,
			Headers:    []sdk.Header{{Name: "Content-Type", Value: "application/json"}, {Name: "Request-Id", Value: "req_a1b2c3d4e5f6g7"}, {Name: "Stripe-Version", Value: "2024-06-20"}},
			BodyLength: len(answer), Body: answer}}}
	send := sdk.EncodeResult(&sdk.Result{Send: &sdk.Send{Method: "POST", URL: "https://api.stripe.com/v1/payment_intents", IdempotencyHeader: "Idempotency-Key", SafeToRepeat: true,
		Headers: []sdk.Header{{Name: "Content-Type", Value: "application/x-www-form-urlencoded"}, {Name: "Authorization", Value: "Bearer aB3dE6Jk9Lm8Nb7Vc6Xz5As4Df3G"}},
		Body:    []byte("amount=6540&currency=usd&confirm=true&capture_method=automatic&payment_method_data[type]=card&payment_method_data[card][number]=aB3dE6Qw9Er8Ty7Ui6Op5Lk4Jh3G&payment_method_data[card][exp_month]=10&payment_method_data[card][exp_year]=2050&payment_method_data[card][cvc]=aB3dE6Zx1Cv2Bn3Mq4We5Rt6Yu7I")}})
	out := sdk.EncodeResult(&sdk.Result{Outcome: &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "pi_3MtwBwLkdIwHu7ix28a3tqPa", NetworkTransactionID: "104102978678771"}})
	return &port.Recording{Adapter: "stripe", Hash: strings.Repeat("0123456789abcdef", 4), Seed: [32]byte{1}, Step: step,
		Steps: []port.RecordedStep{{Result: send, Took: 70000, Exchange: 120000000}, {Result: out, Took: 90000}}}
}

func TestRecordingComesBack(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*port.Recording){
		"whole": func(*port.Recording) {},
		"failed": func(r *port.Recording) {
			r.Steps[1] = port.RecordedStep{Fault: "fuel", Took: 1000}
			r.Error, r.Altered = "stopped", true
		},
		"resumed":           func(r *port.Recording) { r.Resumed, r.Steps = 1, r.Steps[1:] },
		"refreshed":         func(r *port.Recording) { r.Steps[0].Refreshed = true },
		"nothing was asked": func(r *port.Recording) { r.Step.Exchanges, r.Steps = nil, r.Steps[1:] },
	} {
		r := ordinary()
		change(r)
		b, err := r.Encode()
		require.NoError(t, err, name)
		got, err := port.DecodeRecording(b)
		require.NoError(t, err, name)
		require.Equal(t, sdk.EncodeStep(r.Step), sdk.EncodeStep(got.Step), name)
		r.Step, got.Step = nil, nil
		require.Equal(t, r, got, name)
	}
}

func FuzzDecodeRecording(f *testing.F) {
	b, err := ordinary().Encode()
	require.NoError(f, err)
	f.Add(b)
	f.Add(binary.LittleEndian.AppendUint32(nil, 1<<31))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := port.DecodeRecording(b)
		if err == nil {
			_, err = r.Encode()
			require.NoError(t, err)
		}
	})
}

// BenchmarkRecording measures the journal's time for an operation with one request and an answer of 4 KB, without the row.
func BenchmarkRecording(b *testing.B) {
	r := ordinary()
	text, err := r.Encode()
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Encode(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(text)), "stored-B")
}
