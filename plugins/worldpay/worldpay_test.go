package worldpay_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/worldpay"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

func TestSuite(t *testing.T) {
	o := sdktest.Options{Answer: func(op sdk.Operation, _ int, _ *sdk.Send) sdk.Exchange {
		switch op {
		case sdk.OpCapture:
			return answer(202, result("sentForSettlement", "lnk2", ""))
		case sdk.OpVoid:
			return answer(202, result("sentForCancellation", "lnk2", ""))
		case sdk.OpRefund:
			return answer(202, result("sentForRefund", "lnk2", ""))
		case sdk.OpSync, sdk.OpRefundSync:
			return answer(200, `{"lastEvent":"authorized"}`)
		}
		return answer(201, result("authorized", "lnk1", ""))
	}, Request: func(op sdk.Operation, r *sdk.Request) {
		if op == sdk.OpComplete {
			r.ConnectorData = &sdk.ConnectorData{Version: 1, Payment: "3dsChallenges/lnk0"}
		}
	}}
	if err := sdktest.Check(t.Context(), sdktest.Native(worldpay.Adapter()), o); err != nil {
		t.Error(err)
	}
}

// TestAmounts sends minor units of every currency.
func TestAmounts(t *testing.T) {
	for _, m := range []sdk.Money{{Minor: 1050, Currency: "EUR"}, {Minor: 1050, Currency: "JPY"}, {Minor: 1050, Currency: "KWD"}, {Minor: 9007199254740993, Currency: "USD"}} {
		sends, _ := drive(t, sdk.OpAuthorize, purchase(m.Minor, m.Currency), answer(201, "{}"))
		j, err := sdk.ParseJSON(sends[0].Body)
		require.NoError(t, err)
		require.Equal(t, m, *j.Money("instruction.value.amount", sdk.Currency(j.Str("instruction.value.currency"))))
	}
}

// TestAuthentication computes basic authentication from user name and password, and never sends a payment twice.
func TestAuthentication(t *testing.T) {
	sends, _ := drive(t, sdk.OpAuthorize, purchase(1000, "GBP"), answer(201, "{}"))
	require.Equal(t, "Basic "+base64.StdEncoding.EncodeToString([]byte("test_username:test_password")), sdk.HeaderValue(sends[0].Headers, "Authorization"))
	require.False(t, sends[0].SafeToRepeat)
}

// TestChecks reads risk factors, and the reason of a reversed authorization.
func TestChecks(t *testing.T) {
	risks := `,"riskFactors":[{"type":"cvc","risk":"notMatched"},{"type":"avs","detail":"address","risk":"matched"},{"type":"avs","detail":"postcode","risk":"notChecked"}]`
	o := outcome(t, sdk.OpAuthorize, purchase(1000, "GBP"), answer(201, result("sentForCancellation", "lnk1", risks)))
	require.Equal(t, sdk.StatusDeclined, o.Status)
	require.Equal(t, sdk.DeclineIncorrectCVC, o.Decline.Reason)
	require.Equal(t, sdk.Checks{CVC: "fail", AddressLine1: "pass", PostalCode: "unchecked"}, *o.Checks)
}

func TestDeclines(t *testing.T) {
	for code, want := range map[string]sdk.DeclineReason{"5": sdk.DeclineDoNotHonor, "51": sdk.DeclineInsufficientFunds, "65": sdk.DeclineLimitExceeded,
		"1A": sdk.DeclineAuthenticationNeeded, "99": sdk.DeclineGeneric} {
		o := outcome(t, sdk.OpAuthorize, purchase(1000, "GBP"), answer(201, `{"outcome":"refused","refusalCode":"`+code+`","refusalDescription":"NO","advice":{"code":"01"}}`))
		require.Equal(t, sdk.StatusDeclined, o.Status)
		require.Equal(t, code, o.Decline.Code)
		require.Equal(t, "01", o.Decline.AdviceCode)
		require.Equal(t, want, o.Decline.Reason, code)
		require.Len(t, o.Decline.NetworkCode, 2)
	}
	mistake := `{"errorName":"bodyDoesNotMatchSchema","message":"Wrong","validationErrors":[{"errorName":"fieldHasInvalidValue","message":"Card number is invalid","jsonPath":"$.instruction.paymentInstrument.cardNumber"}]}`
	for status, want := range map[int]sdk.OutcomeStatus{400: sdk.StatusDeclined, 401: sdk.StatusDeclined, 409: sdk.StatusUnknown, 500: sdk.StatusUnknown} {
		require.Equal(t, want, outcome(t, sdk.OpAuthorize, purchase(1000, "GBP"), answer(status, mistake)).Status, status)
	}
	for code, want := range map[string]sdk.DeclineReason{"65": sdk.DeclineAuthenticationNeeded, "82": sdk.DeclineDoNotHonor, "51": sdk.DeclineInsufficientFunds} {
		o := outcome(t, sdk.OpAuthorize, purchase(1000, "GBP"), answer(201, `{"outcome":"refused","refusalCode":"`+code+`","paymentInstrument":{"cardBrand":"mastercard"}}`))
		require.Equal(t, want, o.Decline.Reason, code)
	}
	// Worldpay's words for 6 are "Try another card" (developer.worldpay.com/products/reference/refusal-response).
	for _, code := range []string{"6", "36", "41"} {
		o := outcome(t, sdk.OpAuthorize, purchase(1000, "GBP"), answer(201, `{"outcome":"refused","refusalCode":"`+code+`"}`))
		require.False(t, o.Decline.RetryElsewhere, code)
	}
	several := strings.Replace(mistake, `"validationErrors":[`, `"validationErrors":[{"message":"Quantity is missing","jsonPath":"$.order.quantity"},`, 1)
	o := outcome(t, sdk.OpAuthorize, purchase(1000, "GBP"), answer(400, several))
	require.Equal(t, sdk.Decline{Code: "bodyDoesNotMatchSchema", Message: "Wrong: Quantity is missing: Card number is invalid", Reason: sdk.DeclineIncorrectNumber}, *o.Decline)
	o = outcome(t, sdk.OpAuthorize, purchase(1000, "GBP"), answer(400, mistake))
	require.Equal(t, sdk.Decline{Code: "bodyDoesNotMatchSchema", Message: "Wrong: Card number is invalid", Reason: sdk.DeclineIncorrectNumber}, *o.Decline)
}

// TestStoredCredential stores a card, charges its token, and charges a card with a network transaction id.
func TestStoredCredential(t *testing.T) {
	body := func(r sdk.Request) (sdk.JSON, *sdk.Outcome) {
		sends, end := drive(t, sdk.OpAuthorize, r, answer(201, result("authorized", "lnk1", `,"token":{"href":"https://try.access.worldpay.com/tokens/eyJ","schemeReference":"SR1"}`)))
		j, err := sdk.ParseJSON(sends[0].Body)
		require.NoError(t, err)
		return j.Get("instruction"), end.Outcome
	}
	r := purchase(1000, "GBP")
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	j, o := body(r)
	require.Equal(t, `{"type":"worldpay"}`, j.Raw("tokenCreation"))
	require.Equal(t, `{"type":"subscription","storedCardUsage":"first"}`, j.Raw("customerAgreement"))
	require.Equal(t, "https://try.access.worldpay.com/tokens/eyJ", o.StoredCredential.ID)
	require.Equal(t, "SR1", o.NetworkTransactionID)

	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Category: "unscheduled"}
	r.Instrument = &sdk.Instrument{Card: r.Instrument.Card, NetworkTransactionID: "SR1"}
	j, _ = body(r)
	require.Equal(t, `{"type":"unscheduled","schemeReference":"SR1"}`, j.Raw("customerAgreement"))
	require.Equal(t, card, j.Str("paymentInstrument.cardNumber"))

	r.StoredCredential.Category = "installment"
	j, _ = body(r)
	require.Equal(t, `{"type":"installment","storedCardUsage":"subsequent","installmentType":"merchant","schemeReference":"SR1"}`, j.Raw("customerAgreement"))

	r.StoredCredential, r.Instrument = nil, &sdk.Instrument{StoredCredentialID: o.StoredCredential.ID}
	j, _ = body(r)
	require.Equal(t, `{"type":"token","href":"https://try.access.worldpay.com/tokens/eyJ"}`, j.Raw("paymentInstrument"))
	require.Equal(t, `{"type":"cardOnFile","storedCardUsage":"subsequent"}`, j.Raw("customerAgreement"))
}

// Fields that Worldpay's schema requires or restricts to a list.
func TestInstrument(t *testing.T) {
	r := purchase(1000, "GBP")
	r.Request3DS = true
	r.Instrument.Card.Holder, r.Instrument.Card.Network = "", sdk.CartesBancaires
	r.Billing = &sdk.Address{FirstName: "Ada", LastName: "King", Line1: "1 Quay", City: "Cork", Country: "IE"}
	for depth, want := range map[int]string{0: "", 24: "24", 30: "24", 48: "48", 64: "48"} {
		r.Browser.ColorDepth = depth
		sends, _ := drive(t, sdk.OpAuthorize, r, answer(201, `{"outcome":"3dsUnavailable"}`))
		j := wire.JSONBody(t, sends[0]).Get("instruction")
		require.Equal(t, want, j.Str("threeDS.deviceData.browserColorDepth"))
		require.Equal(t, "Ada King", j.Str("paymentInstrument.cardHolderName"))
		require.Equal(t, `{"address1":"1 Quay","city":"Cork","countryCode":"IE"}`, j.Raw("paymentInstrument.billingAddress"))
		require.Equal(t, `{"preferredCardBrand":"cartesBancaires"}`, j.Raw("paymentInstrument.routing"))
	}
	r.DescriptorName, r.DescriptorSuffix = "THE MERCHANT WITH THE LONGEST NAME", "AND A SUFFIX THAT IS NOT SHORT"
	r.Billing.Country, r.Instrument.Card.Network = "FR", sdk.Visa
	sends, _ := drive(t, sdk.OpAuthorize, r, answer(201, `{"outcome":"3dsUnavailable"}`))
	require.False(t, wire.JSONBody(t, sends[0]).Has("instruction.paymentInstrument.billingAddress"), "a part of one")
	require.False(t, wire.JSONBody(t, sends[0]).Has("instruction.paymentInstrument.routing"))
	require.Equal(t, `{"line1":"THE MERCHANT WITH THE LO","line2":"AND A SUFFIX THAT IS NOT"}`, wire.JSONBody(t, sends[0]).Raw("instruction.narrative"))
}

// An undecided answer still gives the payment's id.
func TestUndecidedHasItsID(t *testing.T) {
	for _, x := range []sdk.Exchange{answer(201, result("brandNew", "lnk1", "")), answer(500, result("authorized", "lnk1", ""))} {
		o := outcome(t, sdk.OpAuthorize, purchase(1000, "GBP"), x)
		require.Equal(t, []any{sdk.StatusUnknown, "lnk1"}, []any{o.Status, o.TransactionID})
	}
	o := outcome(t, sdk.OpAuthorize, purchase(1000, "GBP"), answer(201, result("authorized", "lnk1", `,"schemeReference":"SR2"`)))
	require.Equal(t, "SR2", o.NetworkTransactionID)
}

func TestVerify(t *testing.T) {
	sends, end := drive(t, sdk.OpVerify, purchase(0, "GBP"), answer(201, result("authorized", "lnk1", `,"token":{"href":"https://try.access.worldpay.com/tokens/eyJ"}`)))
	require.Contains(t, string(sends[0].Body), `"value":{"amount":0,"currency":"GBP"}`)
	require.Contains(t, string(sends[0].Body), `"settlement":{"auto":false}`)
	require.Equal(t, sdk.StatusVerified, end.Outcome.Status)
	require.NotNil(t, end.Outcome.StoredCredential)
}

// TestThreeDS runs device data collection, challenge and authorization.
func TestThreeDS(t *testing.T) {
	r := purchase(1000, "GBP")
	r.Request3DS = true
	o := outcome(t, sdk.OpAuthorize, r, answer(201, `{"outcome":"3dsDeviceDataRequired","deviceDataCollection":{"jwt":"J1","url":"https://c.example/Collect","bin":"411111"},
		"_actions":{"supply3dsDeviceData":{"href":"`+origin+`/api/payments/lnkA/3dsDeviceData"}}}`))
	for use, want := range map[sdk.StoredCredentialUse]string{{Initiator: "cit"}: "", {Initiator: "cit", First: true, Usage: "on_session"}: "",
		{Initiator: "cit", First: true, Usage: "off_session"}: "challengeMandated"} {
		stores := r
		stores.StoredCredential = &use
		sends, _ := drive(t, sdk.OpAuthorize, stores, answer(201, `{"outcome":"3dsUnavailable"}`))
		require.Equal(t, want, wire.JSONBody(t, sends[0]).Str("instruction.threeDS.challenge.preference"))
	}
	require.Equal(t, sdk.StatusCustomerAction, o.Status)
	require.Equal(t, &sdk.NextAction{Type: "device_data", URL: "https://c.example/Collect", Fields: []sdk.Header{sdk.H("JWT", "J1"), sdk.H("Bin", "411111")}}, o.NextAction)

	r.TransactionID, r.ConnectorData, r.Payment = o.TransactionID, o.ConnectorData, &sdk.PaymentState{Currency: "GBP", Requested: 1000}
	r.Return = &sdk.Return{Method: "POST", Form: []sdk.Header{sdk.H("SessionId", "S1")}}
	sends, end := drive(t, sdk.OpComplete, r, answer(201, `{"outcome":"3dsChallenged","challenge":{"jwt":"J2","url":"https://c.example/StepUp"},
		"_actions":{"complete3dsChallenge":{"href":"`+origin+`/api/payments/lnkB/3dsChallenges"}}}`))
	require.Equal(t, origin+"/api/payments/lnkA/3dsDeviceData", sends[0].URL)
	require.Equal(t, `{"collectionReference":"S1"}`, string(sends[0].Body))
	require.Equal(t, &sdk.NextAction{Type: "form_post", URL: "https://c.example/StepUp", Fields: []sdk.Header{sdk.H("JWT", "J2")}}, end.Outcome.NextAction)

	r.ConnectorData = end.Outcome.ConnectorData
	sends, end = drive(t, sdk.OpComplete, r, answer(201, result("authorized", "lnk1", "")))
	require.Equal(t, origin+"/api/payments/lnkB/3dsChallenges", sends[0].URL)
	require.Empty(t, sends[0].Body)
	require.Equal(t, sdk.StatusAuthorized, end.Outcome.Status)
	require.Equal(t, "lnk1", end.Outcome.TransactionID)

	o = outcome(t, sdk.OpComplete, r, answer(201, `{"outcome":"3dsAuthenticationFailed"}`))
	require.Equal(t, sdk.DeclineAuthenticationFailed, o.Decline.Reason)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpComplete, r, answer(404, `{"errorName":"resourceNotFound"}`)).Status)
	r.Request3DS, r.Browser, r.Return = true, nil, nil
	_, end = drive(t, sdk.OpAuthorize, r)
	require.Equal(t, "browser_info.accept_header", end.Reject.Parameter)
}

// TestExternalThreeDS sends the result of an outside authentication.
func TestExternalThreeDS(t *testing.T) {
	r := purchase(1000, "GBP")
	r.ThreeDS = &sdk.ThreeDSResult{CAVV: cavv, ECI: "05", Version: "2.2.0", DSTransID: "c272b04f-6e7b-43a2-bb78-90f4fb94aa25", TransStatus: "Y"}
	sends, _ := drive(t, sdk.OpAuthorize, r, answer(201, "{}"))
	require.Contains(t, string(sends[0].Body), `"threeDS":{"type":"external","version":"2.2.0","eci":"05","authenticationValue":"`+cavv+`","dsTransactionId":"c272b04f-6e7b-43a2-bb78-90f4fb94aa25"}`)
}

// TestLater follows the newest link and gives each part its own reference.
func TestLater(t *testing.T) {
	r := later(400, 0)
	r.CaptureReference = "pay11_1"
	sends, end := drive(t, sdk.OpCapture, r, answer(202, result("sentForSettlement", "lnk2%3D", "")))
	require.Equal(t, `{"value":{"amount":400,"currency":"GBP"},"reference":"pay11-1"}`, string(sends[0].Body))
	require.Equal(t, sdk.StatusCaptured, end.Outcome.Status)
	r = later(300, 400)
	r.TransactionID, r.CaptureReference = end.Outcome.TransactionID, "pay11_2"
	sends, _ = drive(t, sdk.OpCapture, r, answer(202, result("sentForSettlement", "lnk3", "")))
	require.Equal(t, origin+"/api/payments/lnk2%3D/partialSettlements", sends[0].URL)
	require.Contains(t, string(sends[0].Body), `"reference":"pay11-2"`)

	require.Equal(t, sdk.StatusPending, outcome(t, sdk.OpVoid, later(0, 0), answer(202, result("sentForCancellation", "lnk2", ""))).Status)
	o := outcome(t, sdk.OpRefund, later(400, 1000), answer(202, result("sentForPartialRefund", "lnk2", "")))
	require.Equal(t, sdk.StatusRefunded, o.Status)
	require.Equal(t, "pay11", o.RefundID)
	o = outcome(t, sdk.OpCapture, later(400, 0), answer(404, `{"errorName":"resourceNotFound","message":"Gone"}`))
	require.Equal(t, sdk.StatusDeclined, o.Status)
	require.False(t, o.Decline.RetryElsewhere)
	r.TransactionID = r.Reference // still waits for 3-D Secure
	_, end = drive(t, sdk.OpCapture, r)
	require.Equal(t, sdk.RejectMissing, end.Reject.Code)
}

// TestSync never guesses the settled amount.
func TestSync(t *testing.T) {
	event := func(name string) sdk.Exchange { return answer(200, `{"lastEvent":"`+name+`"}`) }
	resolving := func(op sdk.Operation, captured int64) sdk.Request {
		r := later(400, captured)
		r.Resolves = op
		return r
	}
	o := outcome(t, sdk.OpSync, resolving(sdk.OpCapture, 0), event("sentForSettlement"))
	require.Equal(t, sdk.StatusCaptured, o.Status)
	require.Equal(t, int64(400), o.Amount.Minor)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, resolving(sdk.OpCapture, 300), event("sentForSettlement")).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, resolving("", 0), event("settled")).Status)
	o = outcome(t, sdk.OpSync, resolving("", 300), event("settled"))
	require.Equal(t, sdk.Totals{Authorized: 1000, Captured: 300}, *o.Totals)
	require.Equal(t, sdk.StatusVoided, outcome(t, sdk.OpSync, resolving(sdk.OpVoid, 0), event("cancelled")).Status)
	require.Equal(t, sdk.StatusVoided, outcome(t, sdk.OpSync, later(1000, 0), event("expired")).Status)
	require.Equal(t, sdk.AlarmOtherAccount, outcome(t, sdk.OpSync, later(1000, 0), answer(404, `{"errorName":"resourceNotFound","message":"Gone"}`)).Raw["alarm"])
	for _, e := range []sdk.Exchange{answer(404, "{}"), answer(401, `{"errorName":"accessDenied","message":"No"}`), event("unheardOf")} {
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, later(1000, 0), e).Status, string(e.Body))
	}

	r := purchase(1000, "GBP") // the answer to authorize was lost
	r.Instrument, r.Resolves, r.Payment = nil, sdk.OpAuthorize, &sdk.PaymentState{Currency: "GBP", Requested: 1000, Capture: sdk.CaptureManual}
	sends, end := drive(t, sdk.OpSync, r, answer(200, `{"lastEvent":"Authorized","_links":{"curies":[{"href":"https://x/rels/payments/{rel}"}],
		"cardPayments:cancel":{"href":"https://try.access.worldpay.com/payments/authorizations/cancellations/lnk9"}}}`))
	require.Equal(t, origin+"/payments/events?transactionRef=pay11&entity=test_entity_id", sends[0].URL)
	require.Equal(t, sdk.StatusAuthorized, end.Outcome.Status)
	require.Equal(t, "lnk9", end.Outcome.TransactionID)

	// the issuer may have approved a part, and no query shows how much
	r.Hold = &sdk.HoldWish{Partial: true}
	for _, event := range []string{"authorized", "sentForSettlement", "settled"} {
		r.Payment.Capture = sdk.Choose(event == "authorized", sdk.CaptureManual, sdk.CaptureAutomatic)
		r.Payment.Authorized = 0
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, r, answer(200, `{"lastEvent":"`+event+`"}`)).Status, event)
		r.Payment.Authorized = 700 // known from the answer
		require.NotEqual(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, r, answer(200, `{"lastEvent":"`+event+`"}`)).Status, event)
	}
	r.Payment.Authorized = 0
	require.Equal(t, sdk.StatusDeclined, outcome(t, sdk.OpSync, r, answer(200, `{"lastEvent":"refused"}`)).Status)
	r.Payment.Requested, r.Amount.Minor = 0, 0
	require.Equal(t, sdk.StatusVerified, outcome(t, sdk.OpSync, r, answer(200, `{"lastEvent":"authorized"}`)).Status, "a check of the card has no parts")
}

func TestRefundSync(t *testing.T) {
	says := func(r sdk.Request, event string) sdk.OutcomeStatus {
		return outcome(t, sdk.OpRefundSync, r, answer(200, `{"lastEvent":"`+event+`"}`)).Status
	}
	part, whole := later(400, 1000), later(1000, 1000)
	part.RefundID, whole.RefundID = "ref1", "ref1"
	require.Equal(t, sdk.StatusRefunded, says(part, "refunded"))
	require.Equal(t, sdk.StatusRefunded, says(later(400, 1000), "sentForRefund"), "the answer to the refund was lost")
	require.Equal(t, sdk.StatusDeclined, says(whole, "refundFailed"))
	require.Equal(t, sdk.StatusUnknown, says(part, "refundFailed"), "another refund may have failed, which the payment does not count")
	require.Equal(t, sdk.StatusUnknown, says(later(1000, 1000), "refundFailed"), "an earlier one may have failed, and this one never arrived, or not yet")
	gone := answer(404, `{"errorName":"resourceNotFound","message":"Gone"}`)
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefundSync, part, gone).Status, "the payment has been taken: its link may be an old one")
	for _, other := range []int64{400, 100, 600} { // the payment has another refund: the event may be the other's
		for _, id := range []string{"ref1", ""} {
			for _, event := range []string{"sentForRefund", "refunded", "refundFailed"} {
				r := later(400, 1000)
				r.RefundID, r.Payment.Refunded = id, other
				require.Equal(t, sdk.StatusUnknown, says(r, event), "%d %s %s", other, id, event)
			}
		}
	}
}

func TestWebhook(t *testing.T) {
	body := `{"eventTimestamp":"2026-01-15T10:20:29.000Z","eventDetails":{"classification":"payment","transactionReference":"pay11","type":"sentForSettlement","reference":"x"}}`
	events := func(r sdk.Request) []sdk.Event {
		o := outcome(t, sdk.OpWebhook, r)
		require.Equal(t, sdk.StatusHandled, o.Status)
		return o.Events
	}
	require.Equal(t, []sdk.Event{{Object: "payment", Reference: "pay11", Sync: true, Time: now - 1000}}, events(message(body, secret)))
	refund := strings.NewReplacer("sentForSettlement", "refunded", `"x"`, `"ref1"`, ".000Z", "").Replace(body)
	named := events(message(refund, secret)) // decides itself: a query would not tell several refunds apart
	require.NotNil(t, named[0].Outcome)
	require.Equal(t, sdk.StatusRefunded, named[0].Outcome.Status)
	require.Equal(t, "ref1", named[0].Outcome.RefundID)
	named[0].Outcome = nil
	require.Equal(t, []sdk.Event{{Object: "refund", Reference: "ref1", RefundID: "ref1", Time: now - 1000}}, named)
	failed := events(message(strings.Replace(refund, `"refunded"`, `"refundFailed"`, 1), secret))
	require.Equal(t, []any{sdk.StatusDeclined, false}, []any{failed[0].Outcome.Status, failed[0].Sync})
	require.NotNil(t, failed[0].Outcome.Decline)
	nameless := events(message(strings.Replace(refund, `"ref1"`, `""`, 1), secret))
	require.Equal(t, []sdk.Event{{Object: "payment", Reference: "pay11", Sync: true, Time: now - 1000}}, nameless)
	require.Empty(t, events(message(body, "another")))
	forged := message(body, secret)
	forged.Webhook.Body = []byte(strings.Replace(body, "pay11", "pay12", 1))
	require.Empty(t, events(forged))
	require.Empty(t, events(message(strings.Replace(body, "2026-01-15", "2026-01-06", 1), secret)), "nine days old")
	require.Empty(t, events(message(strings.Replace(body, "2026-01-15T10:20:29.000Z", "soon", 1), secret)))
	a := worldpay.Adapter() // an account without a secret
	step := wire.NewStep(&a.Manifest, sdk.OpWebhook, message(refund, secret))
	delete(step.Account.Credentials, "webhook_secret")
	require.Equal(t, []sdk.Event{{Object: "refund", Reference: "ref1", RefundID: "ref1", Sync: true, Time: now - 1000}}, wire.End(t, a, step).Outcome.Events)
	unsigned := message(body, secret)
	unsigned.Webhook.Headers = nil
	require.Empty(t, events(unsigned))
}
