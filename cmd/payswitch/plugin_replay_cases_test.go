package main

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"payswitch/engine/drive"
	"payswitch/engine/port"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// A recorded operation becomes a case and a sample that pass the adapter's tests, without its secrets and without people's data.
func TestReplayedOperationBecomesACase(t *testing.T) {
	a := &sdk.Adapter{
		Manifest: sdk.Manifest{Name: "shop", Kind: sdk.KindProcessor, Version: "1.0.0", Credentials: []sdk.Field{{Name: "key", Type: "secret"}},
			Placements: []sdk.Placement{{Secret: "card_number", In: "body", Field: "card"}}},
		Authorize: func(c *sdk.Call) (*sdk.Outcome, error) {
			r := c.Request
			who := sdk.Must(c.Do(sdk.JSONSend("POST", "/customers", sdk.NewObject().Str("email", r.Email()), c.Bearer("key"))))
			answer := sdk.Must(c.Do(sdk.JSONSend("POST", "/pay", sdk.NewObject().Int("amount", r.Amount.Minor).Str("card", r.Instrument.Card.Number).
				Str("who", who.JSON().Str("id")), c.BasicAuth("key", "none")).Keyed("Idempotency-Key")))
			if answer.JSON().Str("state") != "ok" || !answer.OK() || answer.JSON().Int("amount") != r.Amount.Minor {
				return sdk.Unknown("no state"), nil
			}
			return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: answer.JSON().Str("id"), Amount: &r.Amount}, nil
		},
	}
	step := wire.NewStep(&a.Manifest, sdk.OpAuthorize, sdk.Request{PaymentID: "pay_1", Reference: "ref1", Amount: sdk.Money{Minor: 700, Currency: "USD"},
		Capture: sdk.CaptureAutomatic, Billing: &sdk.Address{Email: "grace@navy.example", FirstName: "Grace"},
		Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "nStandIn4242424242", CVC: "cStandIn", ExpMonth: 3, ExpYear: 2030, Holder: "Grace Hopper", BIN: "424242", LastFour: "4242", Length: 16}}})
	step.Account.BaseURL, step.Account.Credentials["key"] = "https://api.shop.example", "kStandInOfTheKey"
	rec := &port.Recording{Step: step}
	for _, answer := range []sdk.Exchange{wire.Answer(200, `{"id":"c_1","email":"grace@navy.example"}`), wire.Answer(200, `{"id":"p_1","state":"ok","amount":700}`), {}} {
		result := a.Step(step)
		rec.Steps = append(rec.Steps, port.RecordedStep{Result: sdk.EncodeResult(&result)})
		if result.Send != nil {
			answer.RequestHash = sdk.RequestHash(result.Send)
			step.Exchanges = append(step.Exchanges, answer)
		}
	}
	made, err := caseOf(&drive.JournalRecord{OperationID: "op_00000abcdef", Kind: sdk.OpAuthorize}, rec)
	require.NoError(t, err)
	text, err := json.Marshal(made)
	require.NoError(t, err)
	for _, private := range []string{"grace", "Grace", "Hopper", "StandIn", "424242", "pay_1"} {
		require.NotContains(t, string(text), private)
	}
	requests, err := json.Marshal(object{"base_url": "https://api.shop.example", "credentials": object{"key": "test_key"}, "clock": "2026-01-15T10:20:30Z", "cases": []any{made.Case}})
	require.NoError(t, err)
	responses, err := json.Marshal(object{"samples": []any{made.Sample}})
	require.NoError(t, err)
	wire.Run(t, a, fstest.MapFS{"shop.json": {Data: requests}, "shop.responses.json": {Data: responses}}, wire.Options{})

	_, err = caseOf(&drive.JournalRecord{}, &port.Recording{Step: step, Resumed: 1})
	require.ErrorContains(t, err, "continues an earlier one")
}
