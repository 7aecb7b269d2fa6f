package plugins

import (
	"fmt"
	"strings"
	"testing"

	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// blindSend returns a request of about 2 KB with card, CVC and credential. The manifest declares as many placements as a real one.
func blindSend() (*sdk.Send, *port.Drive, *sdk.Manifest) {
	m := &sdk.Manifest{Name: "bench", Credentials: []sdk.Field{{Name: "secret_key", Key: "api_key", Type: "secret"}, {Name: "webhook_key", Key: "key1", Type: "secret"}},
		Authentication: []sdk.Placement{{Secret: "secret_key", In: "header", Field: "Authorization"}}}
	for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpVerify} {
		for secret, field := range map[string]string{"card_number": "number", "cvc": "cvc", "cavv": "cavv"} {
			m.Placements = append(m.Placements, sdk.Placement{Secret: secret, Operation: op, Method: "POST", Path: "/v1/payments", In: "body", Field: "payment.card." + field})
		}
	}
	d := &port.Drive{Operation: sdk.OpAuthorize, OperationID: "op_1",
		Account: port.DriveAccount{ID: "mca_1", Environment: "test", BaseURL: "https://api.bench.example",
			Credentials: map[string]secret.Value{"api_key": secret.New("sk_test_0123456789abcdef"), "key1": secret.New("whsec_0123456789abcdef")}},
		Request: sdk.Request{Instrument: &sdk.Instrument{Card: &sdk.Card{}}, ThreeDS: &sdk.ThreeDSResult{}},
		Secrets: card.Secrets{Number: secret.New("4111111111111111"), CVC: secret.New("737"), CAVV: secret.New("AAABBBCCCDDDEEEFFFGGGHHHIII=")}}
	step, _ := newStep(d, m, "https://api.bench.example")
	card := sdk.NewObject().Str("number", step.Request.Instrument.Card.Number).Str("cvc", step.Request.Instrument.Card.CVC).Str("cavv", step.Request.ThreeDS.CAVV)
	lines := sdk.NewArray()
	for i := range 8 {
		lines.Obj(sdk.NewObject().Str("name", fmt.Sprintf("Article number %d of the order", i)).Int("quantity", 1).Int("unit_price", 1999).
			Str("description", strings.Repeat("words about the article ", 5)))
	}
	body := sdk.NewObject().Obj("payment", sdk.NewObject().Str("type", "card").Obj("card", card)).Int("amount", 15992).Str("currency", "USD").
		Str("reference", "reference0123456789").Arr("lines", lines).Obj("billing", sdk.NewObject().Str("line1", "1 Market Street").Str("city", "San Francisco").Str("zip", "94105"))
	return &sdk.Send{Method: "POST", URL: "https://api.bench.example/v1/payments", IdempotencyHeader: "Idempotency-Key", Body: body.Bytes(),
		Headers: []sdk.Header{{Name: "Content-Type", Value: "application/json"}, {Name: "Accept", Value: "application/json"},
			{Name: "Authorization", Value: "Bearer " + step.Account.Credentials["secret_key"]}}}, d, m
}

// BenchmarkFill measures the cost of blindness for one exchange: filling in a request of 2 KB and scrubbing an answer of 4 KB.
func BenchmarkFill(b *testing.B) {
	s, d, m := blindSend()
	places := placesOf(m)
	to, err := newReach(&d.Account, m)
	if err != nil {
		b.Fatal(err)
	}
	_, secrets := newStep(d, m, to.baseURL)
	answer := "{" + strings.Repeat(`"created":1732190400,"created_ms":1732190400123,"status":"requires_capture","id":"pi_3MtwBwLkdIwHu7ix28a3tqPa","object":"payment_intent",`, 30) + `"x":1}`
	fills := func(b *testing.B) *outgoing {
		out, err := fill(s, secrets, places, sdk.OpAuthorize, to, "op_1-0")
		if err != nil || !out.filled.proven {
			b.Fatal(err)
		}
		return out
	}
	b.Run("fill", func(b *testing.B) {
		b.SetBytes(int64(len(s.Body)))
		b.ReportAllocs()
		for b.Loop() {
			fills(b)
		}
	})
	b.Run("scrub", func(b *testing.B) {
		b.SetBytes(int64(len(answer)))
		b.ReportAllocs()
		for b.Loop() {
			scrubber := newScrubber(factsOf(d), nil, secrets)
			addSent(&scrubber, fills(b).filled.put)
			if _, known := scrubber.Text(answer, s); known {
				b.Fatal("found what is not there")
			}
		}
	})
}
