package wasmtest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// authorizeStep returns a step of usual size: a message of about 2 KB.
func authorizeStep() *sdk.Step {
	return &sdk.Step{
		ABI: sdk.ABI, Operation: sdk.OpAuthorize, OperationID: "op_0197f1c2a4e07d5e9b1c3a5d7f9e2b4c", Now: 1_760_000_000_123,
		Seed: strings.Repeat("0f1e2d3c", 8), DerivePrefix: "d4Kq81Zt6Ypw93MnvXc2LsRbTg",
		Account: sdk.Account{ID: "mca_Tq8Fz1Y2mC", Connector: "guest", Environment: "test", BaseURL: "https://api.guest.example",
			Credentials: map[string]string{"api_key": "s8Fq2Lm5Rt7Yx1Bc3Vn6Zk9Wp", "secret": "t9Gr3Mn6Su8Za2Cd4Wo7Al0Xq"}, Config: map[string]string{"shop": "main"}},
		Request: sdk.Request{
			PaymentID: "pay_mbabizu24mvu3mela5njyhpit4", AttemptID: "pay_mbabizu24mvu3mela5njyhpit4_1", Reference: "mbabizu24mvu3mela5njyhpit4",
			Amount: sdk.Money{Minor: 6540, Currency: "USD"}, Capture: sdk.CaptureManual,
			Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "n1Hs4No7Tv9Ab3De5Xp8Bm1Yr", CVC: "c2It5Op8Uw0Bc4Ef6Yq9Cn2Zs", ExpMonth: 3, ExpYear: 2030,
				Holder: "Joseph Doe", BIN: "424242", LastFour: "4242", Length: 16, Network: sdk.Visa, Funding: "credit", Country: "US"}},
			StoredCredential: &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"},
			Customer:         &sdk.Customer{ID: "cus_y3oqhf46pyzuxjbcn2giaqnb44", Name: "Joseph Doe", Email: "joseph@example.com", Phone: "5550100", PhoneCountry: "+1"},
			Billing:          address(), Shipping: address(),
			Browser: &sdk.Browser{IP: "203.0.113.7", UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", AcceptHeader: "text/html",
				Language: "en-GB", ColorDepth: 24, ScreenHeight: 1080, ScreenWidth: 1920, TimeZone: -60, JavaScriptEnable: true},
			Description: "Its my first payment request", DescriptorName: "SHOP", OrderReference: "order-1",
			Lines:    []sdk.Line{{Name: "Coat \"warm\"", SKU: "c-1", Quantity: 1, UnitPrice: 6540}},
			Metadata: map[string]string{"udf1": "value1", "login_date": "2019-09-10T10:11:12Z"}, ReturnURL: "https://switch.example/return/abc", WebhookURL: "https://switch.example/in/abc",
		},
	}
}

func address() *sdk.Address {
	return &sdk.Address{FirstName: "Joseph", LastName: "Doe", Line1: "1467", Line2: "Harrison Street", City: "San Fransico", State: "California",
		Zip: "94122", Country: "US", Email: "joseph@example.com", Phone: "5550100", PhoneCountry: "+1"}
}

const answer = `{"id":"pi_3MtwBwLkdIwHu7ix28a3tqPa","object":"payment_intent","amount":6540,"status":"requires_capture","charge":{"id":"ch_1","authorization_code":"123456",
"network_transaction_id":"104102978678771","checks":{"cvc_check":"pass","address_line1_check":"pass"},"description":"caf\u00e9"}}`

// answered is the step after the first send has been answered.
func answered(t testing.TB) *sdk.Step {
	s := authorizeStep()
	r := Adapter.Step(s)
	require.NotNil(t, r.Send)
	s.Exchanges = []sdk.Exchange{{Now: s.Now, RequestHash: sdk.RequestHash(r.Send), Sent: true, Status: 200, Body: []byte(answer),
		Headers: []sdk.Header{sdk.H("Content-Type", "application/json"), sdk.H("Request-Id", "req_1")}}}
	s.Now += 321
	return s
}

func TestModuleAnswersAsTheAdapterDoesNatively(t *testing.T) {
	m := instantiate(t, goModule(t, "./guest"))
	ctx := context.Background()
	got, err := m.Manifest(ctx)
	require.NoError(t, err)
	require.Equal(t, Adapter.ManifestMessage(), got)

	webhook := authorizeStep()
	webhook.Operation = sdk.OpWebhook
	webhook.Request = sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Headers: []sdk.Header{sdk.H("x-signature", "ab")}, Body: []byte(`{"id":"1"}`)}}
	panicking := authorizeStep()
	panicking.Request.Reference = "panic"
	big := answered(t)
	big.Exchanges[0].Body = []byte(`{"status":"requires_capture","x":"` + strings.Repeat("x", 500_000) + `"}`)
	void := authorizeStep()
	void.Operation = sdk.OpVoid
	messages := [][]byte{sdk.EncodeStep(authorizeStep()), sdk.EncodeStep(answered(t)), sdk.EncodeStep(webhook), sdk.EncodeStep(panicking),
		sdk.EncodeStep(big), sdk.EncodeStep(void), []byte("nonsense"), nil}
	for range 3 {
		for i, message := range messages {
			got, err := m.Step(ctx, message)
			require.NoError(t, err)
			require.Equal(t, string(Adapter.Handle(message)), string(got), i)
		}
	}
	room, err := m.alloc.Call(ctx, sdk.MaxMessage+1)
	require.NoError(t, err)
	require.Zero(t, room[0], "no room for a message that is too large")
}

func TestModuleSize(t *testing.T) {
	require.Less(t, len(goModule(t, "./guest")), 2_850_000, "an empty Go module has 1.8 MB")
}

func BenchmarkWASMFirstStep(b *testing.B) { benchmarkModule(b, sdk.EncodeStep(authorizeStep())) }

func BenchmarkWASMSecondStep(b *testing.B) { benchmarkModule(b, sdk.EncodeStep(answered(b))) }

// benchmarkModule times one step of a warm instance, copying in and out included.
func benchmarkModule(b *testing.B, message []byte) {
	m := instantiate(b, goModule(b, "./guest"))
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		if _, err := m.Step(context.Background(), message); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNativeFirstStep(b *testing.B) { benchmarkNative(b, sdk.EncodeStep(authorizeStep())) }

func BenchmarkNativeSecondStep(b *testing.B) { benchmarkNative(b, sdk.EncodeStep(answered(b))) }

func benchmarkNative(b *testing.B, message []byte) {
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		_ = Adapter.Handle(message)
	}
}
