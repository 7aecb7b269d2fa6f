// Package wasmtest holds a realistic adapter. Its tests run the adapter and the SDK inside WASM.
package wasmtest

import "payswitch/sdk"

// Adapter is the adapter of a processor that takes forms and answers JSON.
var Adapter = sdk.Adapter{
	Manifest: sdk.Manifest{
		Name: "guest", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Guest", Description: "An adapter for tests.",
		Environments: map[string]sdk.Environment{"test": {BaseURL: "https://api.guest.example", Hosts: []string{"api.guest.example"}}},
		Credentials: []sdk.Field{{Name: "api_key", Label: "API key", Type: "secret"},
			{Name: "secret", Label: "Secret of webhooks", Type: "secret", Optional: true}},
		Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByWebhook}},
	},
	Authorize: authorize,
	Webhook:   webhook,
}

func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if r.Reference == "panic" {
		panic("asked to")
	}
	if r.Instrument == nil || r.Instrument.Card == nil {
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Message: "a card is needed", Parameter: "payment_method_data.card"}
	}
	card := r.Instrument.Card
	f := sdk.NewForm().Int("amount", r.Amount.Minor).Add("currency", string(r.Amount.Currency)).
		Add("payment_method_data[card][number]", card.Number).
		Add("payment_method_data[card][exp_month]", sdk.Decimal(int64(card.ExpMonth), 0)).
		Add("payment_method_data[card][exp_year]", sdk.Decimal(int64(card.ExpYear), 0)).
		Opt("payment_method_data[card][cvc]", card.CVC).
		Add("metadata[reference]", r.Reference).Add("metadata[order]", c.ID("ord_"))
	if b := r.Billing; b != nil {
		f.Opt("billing[city]", b.City).Opt("billing[line1]", b.Line1).Opt("billing[zip]", b.Zip)
	}
	basic := c.Derive(sdk.Basic(c.Account.Credentials["api_key"], ""))
	resp, err := c.Do(&sdk.Send{
		Method: "POST", URL: "/v1/payment_intents", Body: f.Bytes(), SafeToRepeat: true, IdempotencyHeader: "Idempotency-Key",
		Headers: []sdk.Header{sdk.H("Content-Type", "application/x-www-form-urlencoded"), sdk.H("Authorization", "Basic "+basic)},
	})
	if err != nil {
		return nil, err
	}
	j := resp.JSON()
	if !resp.OK() || j.Str("id") == "" {
		return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
	}
	switch j.Str("status") {
	case "succeeded", "requires_capture":
		return &sdk.Outcome{
			Status: sdk.StatusAuthorized, TransactionID: j.Str("id"), AuthCode: j.Str("charge.authorization_code"),
			Amount: j.Money("amount", r.Amount.Currency), NetworkTransactionID: j.Str("charge.network_transaction_id"),
			Checks: &sdk.Checks{CVC: sdk.CheckResult(j.Str("charge.checks.cvc_check"))}, Raw: map[string]string{"status": j.Str("status"), "at": c.Now().Format("2006-01-02")},
		}, nil
	}
	return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
}

func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	w := c.Request.Webhook
	ok, err := c.Verify(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(c.Account.Credentials["secret"]), sdk.Body())), sdk.HeaderValue(w.Headers, "X-Signature"))
	if err != nil || !ok {
		return &sdk.Outcome{Status: sdk.StatusUnknown, Reply: &sdk.Reply{Status: 401}}, err
	}
	j, _ := sdk.ParseJSON(w.Body)
	return &sdk.Outcome{Status: sdk.StatusHandled, Reply: &sdk.Reply{Status: 200},
		Events: []sdk.Event{{Object: "payment", TransactionID: j.Str("id"), Sync: true}}}, nil
}
