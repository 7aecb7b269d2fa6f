package sdktest

import (
	"strings"

	"payswitch/sdk"
)

// standIn returns a text like the host's stand-ins, always the same for a name.
func standIn(name string) string {
	const pad = "Zq7Xw3Kd9Tn5Lb1Vc8Rm4Hs6Jf"
	s := strings.Map(func(r rune) rune {
		if r == '_' {
			return 'U'
		}
		return r
	}, name)
	return (s + pad)[:26]
}

// account makes an account from the manifest.
func (c *checker) account() sdk.Account {
	if c.options.Account != nil {
		return *c.options.Account
	}
	m := c.manifest
	a := sdk.Account{ID: "mca_sdktest00000000000", Connector: m.Name, Environment: "test", Credentials: map[string]string{}, Config: map[string]string{}}
	if _, ok := m.Environments["test"]; !ok {
		for name := range m.Environments {
			if a.Environment == "test" || name < a.Environment {
				a.Environment = name
			}
		}
	}
	for _, f := range m.Credentials {
		a.Credentials[f.Name] = standIn(f.Name)
	}
	for _, f := range m.Config {
		v := f.Default
		if v == "" && len(f.Values) > 0 {
			v = f.Values[0]
		}
		if v == "" {
			v = madeUpValue
		}
		a.Config[f.Name] = v
	}
	a.BaseURL = fillConfig(m.Environments[a.Environment].BaseURL, a.Config)
	return a
}

// madeUp names the config fields for which the suite had no value but its own.
func (c *checker) madeUp() string {
	var names []string
	for _, f := range c.manifest.Config {
		if c.options.Account == nil && f.Default == "" && len(f.Values) == 0 {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (the suite gave " + madeUpValue + " to the config field " + strings.Join(names, ", ") + ": if the adapter takes certain values alone, declare an enum; its first value is used)"
}

// madeUpValue is the value of a config field that has neither a default nor a list of values.
const madeUpValue = "config1"

// fillConfig puts config values in the place of {names}.
func fillConfig(s string, config map[string]string) string {
	for k, v := range config {
		s = strings.ReplaceAll(s, "{"+k+"}", v)
	}
	return s
}

// sample returns a plain step of an operation.
func (c *checker) sample(op sdk.Operation) *sdk.Step {
	amount := sdk.Money{Minor: 6540, Currency: c.currency()}
	state := &sdk.PaymentState{Currency: amount.Currency, Requested: amount.Minor, Authorized: amount.Minor, CreatedAt: 1_760_000_000_000,
		Capture: sdk.CaptureManual, BIN: "424242", LastFour: "4242"}
	s := &sdk.Step{ABI: sdk.ABI, Operation: op, OperationID: "op_0000000000000000000000000001", Now: 1_760_000_100_123,
		Seed: strings.Repeat("0f1e2d3c", 8), DerivePrefix: "dX4kP9wQ2mZ7sB5nR8tY3vC6hJ", Account: c.account()}
	r := &s.Request
	*r = sdk.Request{PaymentID: "pay_1", AttemptID: "pay_1_1", Reference: c.reference(), Amount: amount}
	switch op {
	case sdk.OpAuthorize, sdk.OpVerify, sdk.OpComplete:
		fillPurchase(r)
		if op == sdk.OpVerify {
			r.Amount.Minor = 0
		}
		if op == sdk.OpComplete {
			r.TransactionID, r.Payment = "tx_1", state
			r.Return = &sdk.Return{Method: "GET", Query: []sdk.Header{sdk.H("status", "ok")}}
		}
	case sdk.OpCapture, sdk.OpIncrementalAuthorize, sdk.OpExtendAuthorization:
		r.TransactionID, r.Payment, r.FinalCapture = "tx_1", state, op == sdk.OpCapture
	case sdk.OpVoid:
		r.TransactionID, r.Payment, r.Reason = "tx_1", state, "requested_by_customer"
	case sdk.OpUnreferencedRefund:
		card := sampleCard()
		card.CVC = ""
		r.Instrument, r.Customer = &sdk.Instrument{Card: card}, &sdk.Customer{ID: "customer_1"}
		r.Payment = &sdk.PaymentState{Currency: amount.Currency, CreatedAt: state.CreatedAt, BIN: card.BIN, LastFour: card.LastFour}
	case sdk.OpRefund, sdk.OpRefundSync:
		state.Captured = state.Authorized
		r.TransactionID, r.Payment, r.Reason = "tx_1", state, "requested_by_customer"
		if op == sdk.OpRefundSync {
			r.RefundID, r.Resolves = "rf_1", sdk.OpRefund
		}
	case sdk.OpAcceptDispute, sdk.OpAttachEvidence, sdk.OpSubmitEvidence, sdk.OpDisputeSync:
		state.Captured = state.Authorized
		r.TransactionID, r.Payment = "tx_1", state
		r.Dispute = &sdk.DisputeRequest{ID: "dispute_1", Status: sdk.DisputeOpened, Stage: sdk.StageDispute, Amount: amount, Reason: "fraudulent", ReasonCode: "10.4",
			RespondBy: 1_761_000_000_000}
		switch op {
		case sdk.OpAttachEvidence:
			r.Dispute.File = &sdk.EvidenceFile{Type: sdk.EvidenceReceipt, Name: "receipt.pdf", ContentType: "application/pdf", Body: []byte("%PDF-1.4\n%%EOF\n")}
		case sdk.OpSubmitEvidence:
			r.Dispute.Evidence = map[string]string{"customer_name": "Jane Doe", "uncategorized_text": "The customer has the goods."}
			r.Dispute.Files = []sdk.AttachedFile{{Type: sdk.EvidenceReceipt, ID: "file_1"}}
		}
	case sdk.OpSync:
		r.TransactionID, r.Payment, r.Resolves = "tx_1", state, sdk.OpAuthorize
	case sdk.OpWebhook:
		*r = sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Headers: []sdk.Header{sdk.H("Content-Type", "application/json")}, Body: []byte("{}")}}
	case sdk.OpAccessToken:
		*r = sdk.Request{}
	case sdk.OpPrepare, sdk.OpAuthenticate, sdk.OpResult, sdk.OpCancelChallenge:
		fillPurchase(r)
		r.Authentication = &sdk.AuthenticationRequest{AuthenticationID: "auth_1", DeviceChannel: sdk.ChannelBrowser, MessageVersion: "2.2.0",
			ServerTransID: "8a880dc0-d2d2-4067-bcb1-b08d1690b26e", ACSTransID: "d7c1ee99-9478-44a6-b1f2-391e29c6b340",
			DSTransID: "f25084f0-5b16-4c0a-ae5d-b24808a95e4b", MethodCompletion: "Y", NotificationURL: "https://switch.example/3ds/c/t1",
			MethodNotificationURL: "https://switch.example/3ds/m/t2", ResultURL: "https://switch.example/3ds/r/t3",
			EventURL: "https://switch.example/3ds/e/t4", RequestorURL: "https://shop.example", AcquirerBIN: "400000", AcquirerMID: "mid_1",
			AcquirerCountry: "US", MerchantName: "Shop", MerchantCountry: "US", MCC: "5411", ChallengeWindow: "03", CancelReason: "left"}
	}
	if c.options.Request != nil {
		c.options.Request(op, r)
	}
	return s
}

// currency returns USD or the first accepted currency with two decimals, else the first accepted currency.
func (c *checker) currency() sdk.Currency {
	if c.takes("USD") {
		return "USD"
	}
	for _, cur := range c.manifest.Currencies {
		if e, _ := cur.Exponent(); e == 2 {
			return cur
		}
	}
	return c.manifest.Currencies[0]
}

func (c *checker) takes(cur sdk.Currency) bool {
	for _, have := range c.manifest.Currencies {
		if have == cur {
			return true
		}
	}
	return len(c.manifest.Currencies) == 0
}

// reference returns a reference with the manifest's length and characters.
func (c *checker) reference() string {
	n := c.manifest.Reference.MaxLength
	if n <= 0 || n > 36 {
		n = 36
	}
	s := "reference1reference1reference1refere"
	if c.manifest.Reference.Characters == "digits" {
		s = "123456789012345678901234567890123456"
	}
	return s[:n]
}

func sampleCard() *sdk.Card {
	return &sdk.Card{Number: standIn("card_number"), CVC: standIn("cvc"), ExpMonth: 3, ExpYear: 2030, Holder: "Joseph Doe",
		BIN: "424242", LastFour: "4242", Length: 16, Network: sdk.Visa, Funding: "credit", Country: "US"}
}

func fillPurchase(r *sdk.Request) {
	r.Capture = sdk.CaptureManual
	r.Instrument = &sdk.Instrument{Card: sampleCard()}
	r.Customer = &sdk.Customer{ID: "cus_1", Name: "Joseph Doe", Email: "joseph@example.com", Phone: "5550100", PhoneCountry: "+1"}
	a := sdk.Address{FirstName: "Joseph", LastName: "Doe", Line1: "1467 Harrison Street", City: "San Fransico", State: "CA", Zip: "94122", Country: "US",
		Email: "joseph@example.com"}
	b := a
	r.Billing, r.Shipping = &a, &b
	r.Browser = &sdk.Browser{IP: "203.0.113.7", UserAgent: "Mozilla/5.0", AcceptHeader: "text/html", Language: "en-GB", ColorDepth: 24, ScreenHeight: 1080,
		ScreenWidth: 1920, TimeZone: -60, JavaScriptEnable: true}
	r.Description, r.OrderReference = "A coat", "order-1"
	r.ReturnURL, r.WebhookURL = "https://switch.example/return/1", "https://switch.example/in/1"
}
