package sdk_test

import (
	"fmt"

	"payswitch/sdk"
)

// adapter authorizes at a processor that takes JSON and answers JSON.
var adapter = sdk.Adapter{
	Manifest: sdk.Manifest{
		Name: "acme", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Acme", Description: "Card payments at Acme.",
		Environments: map[string]sdk.Environment{"test": {BaseURL: "https://api.acme.example/v1", Hosts: []string{"api.acme.example"}}},
		Credentials:  []sdk.Field{{Name: "api_key", Label: "API key", Type: "secret"}},
		Resolve:      sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 86400},
	},
	Authorize: func(c *sdk.Call) (*sdk.Outcome, error) {
		r := c.Request
		if r.Instrument == nil || r.Instrument.Card == nil {
			return nil, &sdk.Reject{Code: sdk.RejectUnsupported, Message: "cards only", Parameter: "payment_method"}
		}
		card := r.Instrument.Card
		body := sdk.NewObject().Str("reference", r.Reference).Number("amount", r.Amount.Major()).Str("currency", string(r.Amount.Currency)).
			Obj("card", sdk.NewObject().Str("number", card.Number).Int("month", int64(card.ExpMonth)).Int("year", int64(card.ExpYear)).OptStr("cvc", card.CVC))
		resp, err := c.Do(&sdk.Send{
			Method: "POST", URL: "/payments", Body: body.Bytes(), SafeToRepeat: true, IdempotencyHeader: "Idempotency-Key",
			Headers: []sdk.Header{sdk.H("Content-Type", "application/json"),
				sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic(c.Account.Credentials["api_key"], "")))},
		})
		if err != nil {
			return nil, err
		}
		j := resp.JSON()
		switch {
		case resp.OK() && j.Str("state") == "AUTHORISED":
			return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: j.Str("id"), Amount: j.Major("amount", r.Amount.Currency)}, nil
		case resp.Status == 402 && j.Has("error.code"):
			return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: j.Text("error.code"), Message: j.Str("error.text"),
				NetworkCode: j.Str("error.issuer"), Reason: sdk.DeclineByCode(j.Str("error.issuer"))}}, nil
		}
		return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"state": j.Str("state")}}, nil
	},
}

func Example() {
	step := sdk.Step{ABI: sdk.ABI, Operation: sdk.OpAuthorize, OperationID: "op_1", Now: 1_760_000_000_000, Seed: "5e", DerivePrefix: "d7Qx",
		Account: sdk.Account{BaseURL: "https://api.acme.example/v1", Credentials: map[string]string{"api_key": "kStandIn"}},
		Request: sdk.Request{Reference: "ref1", Amount: sdk.Money{Minor: 1050, Currency: "USD"},
			Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "nStandIn", ExpMonth: 3, ExpYear: 2030}}}}

	send := adapter.Step(&step).Send
	fmt.Println(send.Method, send.URL)
	fmt.Println(send.Headers[1].Value, send.Derive[0].Expr.Fn)
	fmt.Println(string(send.Body))

	step.Exchanges = []sdk.Exchange{{Now: step.Now, RequestHash: sdk.RequestHash(send), Sent: true, Status: 402,
		Body: []byte(`{"error":{"code":17,"text":"Refused","issuer":"51"}}`)}}
	outcome := adapter.Step(&step).Outcome
	fmt.Println(outcome.Status, outcome.Decline.Reason)
	// Output:
	// POST https://api.acme.example/v1/payments
	// Basic d7Qx0 basic
	// {"reference":"ref1","amount":10.50,"currency":"USD","card":{"number":"nStandIn","month":3,"year":2030}}
	// declined insufficient_funds
}

func ExampleMoney_Major() {
	for _, m := range []sdk.Money{{Minor: 1050, Currency: "USD"}, {Minor: 1050, Currency: "JPY"}, {Minor: 1050, Currency: "KWD"}} {
		fmt.Println(m.Major())
	}
	// Output:
	// 10.50
	// 1050
	// 1.050
}
