package nmi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/nmi"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

// TestSuite runs the suite of all adapters with realistic answers of NMI.
func TestSuite(t *testing.T) {
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(nmi.Adapter()), sdktest.Options{Answer: happy}))
}

func happy(op sdk.Operation, _ int, s *sdk.Send) sdk.Exchange {
	pairs, _ := sdk.ParseForm(string(s.Body))
	switch op {
	case sdk.OpSync:
		return transaction("<condition>pending</condition>" + action("auth", "65.40", "1"))
	case sdk.OpRefundSync:
		return transaction("<condition>complete</condition>" + action("refund", "65.40", "1"))
	}
	return answer(200, approved+sdk.HeaderValue(pairs, "type")+"&response_code=100")
}

func TestAmounts(t *testing.T) {
	for _, v := range []struct {
		amount sdk.Money
		want   string
	}{{usd(2499), "24.99"}, {usd(5), "0.05"}, {usd(1000), "10.00"}, {sdk.Money{Minor: 5000, Currency: "JPY"}, "5000"}, {usd(1<<53 + 1), "90071992547409.93"}} {
		p := play(t, sdk.OpAuthorize, sdk.Request{Reference: "ref-1", Amount: v.amount, Instrument: card()}, answer(200, approved+"sale&response_code=100"))
		require.Equal(t, sdk.StatusCaptured, p.Status)
		require.Equal(t, v.want, wire.FormBody(t, p.Sends[0])["amount"])
	}
	for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpCapture, sdk.OpRefund} {
		p := play(t, op, sdk.Request{Reference: "ref-1", TransactionID: "1", Amount: sdk.Money{Minor: 1050, Currency: "KWD"}, Instrument: card()})
		require.Equal(t, sdk.RejectUnsupported, p.Reject.Code, op)
	}
	require.NotContains(t, nmi.Adapter().Manifest.Currencies, sdk.Currency("KWD"))
	require.Contains(t, nmi.Adapter().Manifest.Currencies, sdk.Currency("JPY"))
}

func TestStoredCredentials(t *testing.T) {
	r := sdk.Request{Reference: "ref-1", Amount: usd(2499), Instrument: card(), StoredCredential: &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}}
	p := play(t, sdk.OpAuthorize, r, answer(200, approved+"sale&customer_vault_id=1481931224&response_code=100"))
	require.Equal(t, &sdk.StoredCredential{ID: "1481931224"}, p.StoredCredential)
	require.Equal(t, "9876543210", p.ConnectorData.Method)
	f := wire.FormBody(t, p.Sends[0])
	require.Equal(t, []string{"add_customer", "customer", "stored"}, []string{f["customer_vault"], f["initiated_by"], f["stored_credential_indicator"]})

	r = sdk.Request{Reference: "ref-2", Amount: usd(1999), Instrument: &sdk.Instrument{StoredCredentialID: p.StoredCredential.ID}, ConnectorData: p.ConnectorData,
		StoredCredential: &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session", Category: "recurring"}}
	p = play(t, sdk.OpAuthorize, r, answer(200, approved+"sale&customer_vault_id=1481931224&response_code=100"))
	require.Equal(t, sdk.StatusCaptured, p.Status)
	require.Equal(t, &sdk.StoredCredential{ID: "1481931224"}, p.StoredCredential, "what was charged")
	require.Nil(t, p.ConnectorData, "the first transaction stays the first")
	f = wire.FormBody(t, p.Sends[0])
	require.Equal(t, []string{"1481931224", "merchant", "used", "recurring", "9876543210", ""},
		[]string{f["customer_vault_id"], f["initiated_by"], f["stored_credential_indicator"], f["billing_method"], f["initial_transaction_id"], f["customer_vault"]})
	require.NotContains(t, f, "ccnumber")

	r.Instrument = card()
	r.Instrument.NetworkTransactionID = "016153570198200"
	require.Equal(t, sdk.RejectUnsupported, play(t, sdk.OpAuthorize, r).Reject.Code)
	r.Instrument = nil
	require.Equal(t, sdk.RejectMissing, play(t, sdk.OpAuthorize, r).Reject.Code)

	// A card that is charged without being stored gets no stored credential, whatever the answer holds.
	r.Instrument, r.StoredCredential = card(), nil
	require.Nil(t, play(t, sdk.OpAuthorize, r, answer(200, approved+"sale&customer_vault_id=1&response_code=100")).StoredCredential)
}

func TestThreeDS(t *testing.T) {
	r := sdk.Request{Reference: "ref-1", Amount: usd(2499), Instrument: card(), ThreeDS: &sdk.ThreeDSResult{CAVV: "STANDINcavv", ECI: "05", TransStatus: "Y", Version: "2.2.0", DSTransID: "ds-1"}}
	for status, want := range map[string]string{"Y": "verified", "A": "attempted", "I": "", "U": ""} {
		r.ThreeDS.TransStatus = status
		f := wire.FormBody(t, play(t, sdk.OpAuthorize, r, answer(200, approved+"sale&response_code=100")).Sends[0])
		require.Equal(t, want, f["cardholder_auth"], status)
		require.Equal(t, []string{"STANDINcavv", "05", "2.2.0", "ds-1"}, []string{f["cavv"], f["eci"], f["three_ds_version"], f["directory_server_id"]})
	}
	r.ThreeDS, r.Request3DS = nil, true
	require.Equal(t, sdk.RejectUnsupported, play(t, sdk.OpAuthorize, r).Reject.Code, "NMI's own 3-D Secure lives in the browser")
}

func TestDetails(t *testing.T) {
	r := sdk.Request{Reference: "ref-1", Amount: usd(2499), Instrument: card(), Description: "Two widgets", DescriptorName: "ACME", DescriptorSuffix: "77", ShippingCost: 300, TaxAmount: 25,
		Browser: &sdk.Browser{IP: "203.0.113.10"}}
	sent := func() map[string]string {
		return wire.FormBody(t, play(t, sdk.OpAuthorize, r, answer(200, approved+"sale&response_code=100")).Sends[0])
	}
	f := sent()
	require.Equal(t, []string{"Two widgets", "ACME 77", "3.00", "0.25", "203.0.113.10"},
		[]string{f["order_description"], f["descriptor"], f["shipping"], f["tax"], f["ipaddress"]})
	r.Browser.IP = "2001:db8::1"
	require.NotContains(t, sent(), "ipaddress")
	r.Browser.IP, r.StoredCredential = "203.0.113.10", &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session"}
	require.NotContains(t, sent(), "ipaddress", "the customer is not there")
}

func TestAnswersWithoutEvidence(t *testing.T) {
	r := sdk.Request{Reference: "ref-1", Amount: usd(2499), Instrument: card()}
	whole := approved + "sale&response_code=100"
	for name, x := range map[string]sdk.Exchange{
		"another type":        answer(200, strings.Replace(whole, "sale", "auth", 1)),
		"no transaction":      answer(200, "response=1&responsetext=SUCCESS&response_code=100"),
		"approved, code 200":  answer(200, strings.Replace(whole, "100", "200", 1)),
		"declined, no code":   answer(200, "response=2&responsetext=DECLINE&transactionid=1"),
		"unknown response":    answer(200, strings.Replace(whole, "response=1", "response=4", 1)),
		"approved with a 400": answer(400, whole),
		"declined with a 502": answer(502, strings.Replace(strings.Replace(whole, "100", "200", 1), "response=1", "response=2", 1)),
		"broken escape":       answer(200, whole+"&x=%zz"),
		"time-out":            {Sent: true, Failure: "timeout"},
	} {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, r, x).Status, name)
	}
	for n := range len(whole) {
		p := play(t, sdk.OpAuthorize, r, answer(200, whole[:n]))
		require.Equal(t, sdk.StatusUnknown, p.Status, "cut after %d bytes", n)
		require.Contains(t, []string{"", "9876543210"}, p.TransactionID, "not half of it")
	}
	require.Equal(t, "9876543210", play(t, sdk.OpAuthorize, r, answer(200, strings.Replace(whole, "100", "200", 1))).TransactionID)
	require.Empty(t, play(t, sdk.OpRefund, r, answer(200, strings.Replace(whole, "100", "200", 1))).TransactionID, "that would be the refund's")
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpAuthorize, r, answer(429, "response=3&responsetext=Rate+limit+exceeded&response_code=301")).Status)
}

func TestDeclines(t *testing.T) {
	for _, v := range []struct {
		body   string
		reason sdk.DeclineReason
	}{
		{"response=2&responsetext=DECLINE&response_code=202", sdk.DeclineInsufficientFunds},
		{"response=2&responsetext=DECLINE&response_code=299", sdk.DeclineGeneric},
		{"response=2&responsetext=DECLINE&response_code=100", sdk.DeclineGeneric}, // response is the verdict
		{"response=3&responsetext=Duplicate+transaction+REFID%3A315&response_code=300", sdk.DeclineDuplicate},
		{"response=3&responsetext=Invalid+Credit+Card+Number&response_code=300", sdk.DeclineProcessingError},
		{"response=3&responsetext=Unsupported+card+type&response_code=461", sdk.DeclineCardNotSupported},
	} {
		p := play(t, sdk.OpAuthorize, sdk.Request{Reference: "ref-1", Amount: usd(2499), Instrument: card()}, answer(200, v.body))
		require.Equal(t, sdk.StatusDeclined, p.Status)
		require.Equal(t, v.reason, p.Decline.Reason, v.body)
		facts, known := p.Decline.Reason.Facts()
		require.True(t, known)
		require.Equal(t, facts.RetryElsewhere, p.Decline.RetryElsewhere)
		require.NotEmpty(t, p.Decline.Message)
	}
}

func TestLater(t *testing.T) {
	state := &sdk.PaymentState{Currency: "USD", Requested: 2499, Authorized: 2499}
	p := play(t, sdk.OpCapture, sdk.Request{TransactionID: "9876543210", Amount: usd(1000), Payment: state}, answer(200, approved+"capture&response_code=100"))
	require.Equal(t, sdk.StatusCaptured, p.Status)
	require.True(t, p.Released, "there is one capture for an auth")
	p = play(t, sdk.OpCapture, sdk.Request{TransactionID: "9876543210", Amount: usd(2499), Payment: state}, answer(200, approved+"capture&response_code=100"))
	require.False(t, p.Released)
	p = play(t, sdk.OpVoid, sdk.Request{TransactionID: "9876543210"}, answer(200, "response=3&responsetext=Transaction+is+not+pending+settlement&type=void&response_code=300"))
	require.Equal(t, sdk.StatusDeclined, p.Status)
	p = play(t, sdk.OpRefund, sdk.Request{TransactionID: "9876543210", Reference: "ref-2", Amount: usd(700)},
		answer(200, "response=1&responsetext=SUCCESS&transactionid=9876543299&orderid=ref-2&type=refund&response_code=100"))
	require.Equal(t, []string{"ref-2", "9876543210", "9876543299"}, []string{p.RefundID, p.TransactionID, p.Reference})
	require.Equal(t, sdk.StatusRefunded, p.Status)
}

func TestSync(t *testing.T) {
	r := sdk.Request{Reference: "ref-1", TransactionID: "9876543210", Amount: usd(2499), Payment: &sdk.PaymentState{Refunded: 700}}
	for _, v := range []struct {
		name, inner string
		status      sdk.OutcomeStatus
		totals      *sdk.Totals
	}{
		{"authorized", "<condition>pending</condition>" + action("auth", "24.99", "1"), sdk.StatusAuthorized, &sdk.Totals{Authorized: 2499, Refunded: 700}},
		{"held by a sale", "<condition>pending</condition>" + action("sale", "24.99", "1"), sdk.StatusAuthorized, &sdk.Totals{Authorized: 2499, Refunded: 700}},
		{"sold", "<condition>pendingsettlement</condition>" + action("sale", "24.99", "1"), sdk.StatusCaptured, &sdk.Totals{Authorized: 2499, Captured: 2499, Refunded: 700}},
		{"settled in part", "<condition>complete</condition>" + action("auth", "24.99", "1") + action("capture", "99.00", "0") + action("capture", "10.00", "1") + action("settle", "10.00", "1"),
			sdk.StatusCaptured, &sdk.Totals{Authorized: 2499, Captured: 1000, Refunded: 700}},
		{"voided", "<condition>canceled</condition>" + action("auth", "24.99", "1") + action("void", "24.99", "1"), sdk.StatusVoided, nil},
		{"verified", "<condition>complete</condition>" + action("validate", "0.00", "1"), sdk.StatusVerified, nil},
		{"being worked on", "<condition>in_progress</condition>", sdk.StatusPending, nil},
		{"failed", "<condition>failed</condition>" + action("sale", "24.99", "0"), sdk.StatusDeclined, nil},
		{"complete without anything taken", "<condition>complete</condition>" + action("sale", "24.99", "0"), sdk.StatusUnknown, nil},
		{"pending without anything held", "<condition>pending</condition>", sdk.StatusUnknown, nil},
		{"unknown", "<condition>unknown</condition>", sdk.StatusUnknown, nil},
		{"another currency", "<condition>pending</condition><currency>EUR</currency>" + action("auth", "24.99", "1"), sdk.StatusUnknown, nil},
		{"no amount", "<condition>pending</condition>" + action("auth", "24.999", "1"), sdk.StatusUnknown, nil},
	} {
		p := play(t, sdk.OpSync, r, transaction(v.inner))
		require.Equal(t, v.status, p.Status, v.name)
		require.Equal(t, v.totals, p.Totals, v.name)
		require.True(t, p.Sends[0].SafeToRepeat)
		require.Equal(t, map[string]string{"security_key": "test_api_key", "order_id": "ref-1"}, wire.FormBody(t, p.Sends[0]))
	}
	lost := sdk.Request{Reference: "ref-1", Amount: usd(2499)}
	require.Equal(t, sdk.StatusNotFound, play(t, sdk.OpSync, lost, answer(200, "<nm_response></nm_response>")).Status)
	require.Equal(t, sdk.StatusNotFound, play(t, sdk.OpSync, lost, answer(200, "<?xml version=\"1.0\"?>\n<nm_response/>")).Status)
	require.Equal(t, sdk.AlarmOtherAccount, play(t, sdk.OpSync, r, answer(200, "<nm_response></nm_response>")).Raw["alarm"], "NMI gave the payment an id")
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, answer(200, "<nm_response><error_response>Invalid key</error_response></nm_response>")).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, answer(500, "<nm_response></nm_response>")).Status)
	failed := strings.Replace(action("sale", "24.99", "0"), "</action>", "<response_text>DECLINE</response_text><response_code>202</response_code></action>", 1)
	require.Equal(t, &sdk.Decline{Code: "202", Message: "DECLINE", Reason: sdk.DeclineInsufficientFunds}, play(t, sdk.OpSync, r, transaction("<condition>failed</condition>"+failed)).Decline)

	// Of two transactions with one order id, only a known id identifies the right one.
	two := func(first string) sdk.Exchange {
		x := "<condition>pending</condition>" + action("auth", "24.99", "1")
		return answer(200, "<nm_response><transaction><transaction_id>1</transaction_id><condition>failed</condition></transaction><transaction><transaction_id>"+first+"</transaction_id>"+x+"</transaction></nm_response>")
	}
	require.Equal(t, sdk.StatusAuthorized, play(t, sdk.OpSync, r, two("9876543210")).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, two("2")).Status)
}

func TestRefundSync(t *testing.T) {
	r := sdk.Request{Reference: "ref-2", TransactionID: "9876543210", Amount: usd(700)}
	for condition, status := range map[string]sdk.OutcomeStatus{"complete": sdk.StatusRefunded, "pendingsettlement": sdk.StatusRefunded, "pending": sdk.StatusPending,
		"in_progress": sdk.StatusPending, "failed": sdk.StatusDeclined, "canceled": sdk.StatusDeclined, "abandoned": sdk.StatusDeclined, "new": sdk.StatusUnknown} {
		p := play(t, sdk.OpRefundSync, r, transaction("<condition>"+condition+"</condition>"+action("refund", "7.00", "1")))
		require.Equal(t, status, p.Status, condition)
		require.Equal(t, "ref-2", wire.FormBody(t, p.Sends[0])["order_id"])
	}
	require.Equal(t, sdk.StatusNotFound, play(t, sdk.OpRefundSync, r, answer(200, "<nm_response></nm_response>")).Status)
	require.Equal(t, "connector_refund_id", play(t, sdk.OpRefundSync, sdk.Request{TransactionID: "1"}).Reject.Parameter, "an empty order would ask for all")
}

func TestXML(t *testing.T) {
	r := sdk.Request{Reference: "ref-1", Amount: usd(2499)}
	odd := "<!-- c --><nm_response a='1'><transaction><transaction_id>1</transaction_id ><condition><![CDATA[pend]]>i&#110;&#x67;</condition><empty/><other x=\"1\"/>" +
		action("auth", " 24.99 ", "1") + "</transaction></nm_response>"
	require.Equal(t, sdk.StatusAuthorized, play(t, sdk.OpSync, r, answer(200, odd)).Status)
	for n := range len(odd) {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, answer(200, odd[:n])).Status, "cut after %d bytes", n)
	}
	for _, bad := range []string{"<nm_response></nm_respons>", "<nm_response></nm_response><x/>", "<nm_response></nm_response>x", "<nm_response>&x;</nm_response>", "<nm_response>&</nm_response>",
		"</nm_response>", "<>", strings.Repeat("<a>", 1000), "<nm_response><a></nm_response>", "<html></html>"} {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, answer(200, bad)).Status, bad)
	}
}

func FuzzXML(f *testing.F) {
	f.Add("<nm_response><transaction><condition>pending</condition></transaction></nm_response>")
	f.Add("<?xml?><nm_response>&amp;<![CDATA[x]]></nm_response>")
	f.Fuzz(func(t *testing.T, s string) {
		p := play(t, sdk.OpSync, sdk.Request{Reference: "ref-1", Amount: usd(2499)}, answer(200, s))
		if p.Status != sdk.StatusUnknown {
			require.Contains(t, s, "nm_response")
		}
	})
}

func TestWebhook(t *testing.T) {
	const sale = `{"event_type":"transaction.sale.success","event_body":{"transaction_id":"9876543210","order_id":"ref-1"}}`
	p := deliver(t, true, signature(sale), sale)
	require.Equal(t, sdk.StatusHandled, p.Status)
	require.Len(t, p.Events, 1)
	require.Equal(t, sdk.StatusCaptured, p.Events[0].Outcome.Status)
	require.True(t, p.Events[0].Sync, "the signature holds no time: an old message must not be believed")

	for _, header := range []string{signature(sale + " "), strings.Replace(signature(sale), "n0nce", "n1nce", 1), "s=AB", "t=n0nce", ""} {
		p = deliver(t, true, header, sale)
		require.Empty(t, p.Events, header)
		require.Equal(t, 401, p.Reply.Status, header)
	}
	unsigned := deliver(t, false, "", sale)
	require.True(t, unsigned.Events[0].Sync)
	require.Nil(t, unsigned.Events[0].Outcome, "an unsigned message says nothing")

	p = deliver(t, false, "", `{"event_type":"transaction.refund.success","event_body":{"transaction_id":"9876543299","order_id":"ref-2"}}`)
	require.Equal(t, sdk.Event{Object: "refund", RefundID: "ref-2", Reference: "ref-2", Sync: true}, p.Events[0])
	const lost = `{"event_type":"transaction.auth.failure","event_body":{"transaction_id":"1","action":{"response_code":"251"}}}`
	require.Equal(t, sdk.DeclineLostCard, deliver(t, true, signature(lost), lost).Events[0].Outcome.Decline.Reason)
	require.Empty(t, deliver(t, false, "", `{"event_type":"recurring.subscription.add"}`).Events)
	require.Equal(t, 400, deliver(t, false, "", `{"event_type":"transaction.sale.success"}`).Reply.Status)
}

// A telephone number goes out in E.164, with its country code.
func TestTelephoneNumber(t *testing.T) {
	r := sdk.Request{Amount: usd(1000), Instrument: card(), Capture: sdk.CaptureAutomatic, Billing: &sdk.Address{Phone: "079 123 45 67", PhoneCountry: "41"}}
	require.Equal(t, "+41791234567", wire.FormBody(t, play(t, sdk.OpAuthorize, r, answer(200, approved+"sale")).Sends[0])["phone"])
}
