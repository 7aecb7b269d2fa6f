package cybersource_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/cybersource"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

func TestSuite(t *testing.T) {
	options := sdktest.Options{Request: func(op sdk.Operation, r *sdk.Request) {
		switch op {
		case sdk.OpIncrementalAuthorize:
			r.Payment.Authorized = 1000
		case sdk.OpComplete:
			r.ConnectorData = &sdk.ConnectorData{Version: 1, Payment: `{"challenge":"1"}`}
		}
	}}
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(cybersource.Adapter()), options))
}

// TestSignature computes the signatures again from the documented rule.
func TestSignature(t *testing.T) {
	key, err := base64.StdEncoding.DecodeString(secret)
	require.NoError(t, err)
	signature := func(names string, lines ...string) string {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(strings.Join(lines, "\n")))
		return `keyid="test_api_key", algorithm="HmacSHA256", headers="` + names + `", signature="` + base64.StdEncoding.EncodeToString(h.Sum(nil)) + `"`
	}
	host, date, merchant := "host: apitest.cybersource.com", "date: Thu, 15 Jan 2026 10:20:30 GMT", "v-c-merchant-id: test_merchant_account"

	s := play(t, sdk.OpAuthorize, payment(), answer(201, approved)).Sends[0]
	sum := sha256.Sum256(s.Body)
	digest := "SHA-256=" + base64.StdEncoding.EncodeToString(sum[:])
	require.Contains(t, string(s.Body), "4111111111111111")
	require.Equal(t, digest, sdk.HeaderValue(s.Headers, "Digest"))
	require.Equal(t, signature("host date (request-target) digest v-c-merchant-id", host, date, "(request-target): post /pts/v2/payments/", "digest: "+digest, merchant),
		sdk.HeaderValue(s.Headers, "Signature"))
	require.False(t, s.SafeToRepeat)

	s = play(t, sdk.OpSync, later(2499), answer(200, `{"id":"7001","applicationInformation":{"status":"AUTHORIZED"}}`)).Sends[0]
	require.Empty(t, sdk.HeaderValue(s.Headers, "Digest"))
	require.Equal(t, signature("host date (request-target) v-c-merchant-id", host, date, "(request-target): get /tss/v2/transactions/7001", merchant),
		sdk.HeaderValue(s.Headers, "Signature"))
	require.True(t, s.SafeToRepeat)
}

func TestAmounts(t *testing.T) {
	for _, x := range []struct {
		money sdk.Money
		want  string
	}{{sdk.Money{Minor: 5000, Currency: "JPY"}, "5000"}, {sdk.Money{Minor: 10500, Currency: "KWD"}, "10.500"}, {usd(9007199254740993), "90071992547409.93"}} {
		r := payment()
		r.Amount = x.money
		p := play(t, sdk.OpAuthorize, r, answer(201, approved))
		require.Equal(t, x.want, wire.JSONBody(t, p.Sends[0]).Str("orderInformation.amountDetails.totalAmount"))
	}
	p := play(t, sdk.OpAuthorize, payment(), answer(201,
		`{"id":"7001","status":"PARTIAL_AUTHORIZED","orderInformation":{"amountDetails":{"authorizedAmount":"10.00","currency":"USD"}}}`))
	require.Equal(t, sdk.StatusAuthorized, p.Status)
	require.Equal(t, usd(1000), *p.Amount)
	p = play(t, sdk.OpAuthorize, payment(), answer(201, `{"id":"7001","status":"PARTIAL_AUTHORIZED"}`))
	require.Equal(t, sdk.StatusUnknown, p.Status, "a part of an unknown amount")
}

// TestEvidence: an answer without proof decides nothing.
func TestEvidence(t *testing.T) {
	for name, x := range map[string]sdk.Exchange{
		"server error":      answer(502, `{"status":"DECLINED","errorInformation":{"reason":"EXPIRED_CARD"}}`),
		"server timeout":    answer(201, `{"id":"7001","status":"SERVER_ERROR"}`),
		"page":              answer(200, `<html>`),
		"cut":               answer(201, approved[:60]),
		"no id":             answer(201, `{"status":"AUTHORIZED"}`),
		"new status":        answer(201, `{"id":"7001","status":"PARKED"}`),
		"approval with 400": answer(400, approved),
		"nothing with 400":  answer(400, `{}`),
		"request timeout":   answer(408, `{"status":"INVALID_REQUEST"}`),
		"time-out":          {Sent: true, Failure: "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, payment(), x).Status)
			require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpCapture, later(1000), x).Status)
			require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpVoid, later(0), x).Status)
			require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefund, later(1000), x).Status)
		})
	}
}

func TestDeclines(t *testing.T) {
	p := play(t, sdk.OpAuthorize, payment(), answer(201, `{"id":"7001","status":"DECLINED","errorInformation":{"reason":"PROCESSOR_UNAVAILABLE","message":"No."}}`))
	require.Equal(t, sdk.StatusDeclined, p.Status)
	require.Equal(t, "7001", p.TransactionID)
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpAuthorize, payment(), answer(201, `{"id":"7001","status":"VOIDED"}`)).Status)
	require.Equal(t, sdk.Decline{Code: "PROCESSOR_UNAVAILABLE", Message: "No.", Reason: sdk.DeclineIssuerUnavailable, RetryElsewhere: true}, *p.Decline)

	p = play(t, sdk.OpAuthorize, payment(), answer(400,
		`{"status":"INVALID_REQUEST","reason":"MISSING_FIELD","message":"Missing.","details":[{"field":"orderInformation.billTo.email","reason":"MISSING_FIELD"}]}`))
	require.Equal(t, "Missing. (orderInformation.billTo.email: MISSING_FIELD)", p.Decline.Message)

	p = play(t, sdk.OpCapture, later(1000), answer(401, `{"response":{"rmsg":"Authentication Failed"}}`))
	require.Equal(t, sdk.StatusDeclined, p.Status)
	require.Equal(t, sdk.DeclineInvalidMerchant, p.Decline.Reason)

	// Transaction Search may return a reason code alone.
	p = play(t, sdk.OpSync, later(2499), answer(200, `{"id":"7001","applicationInformation":{"reasonCode":"204"}}`))
	require.Equal(t, sdk.StatusDeclined, p.Status)
	require.Equal(t, sdk.DeclineInsufficientFunds, p.Decline.Reason)
	p = play(t, sdk.OpSync, later(2499), answer(200, `{"id":"7001","applicationInformation":{"reasonCode":"150"}}`))
	require.Equal(t, sdk.StatusUnknown, p.Status)
}

// The issuer has approved a payment that waits for the merchant: the funds are held, and nothing is captured (support.cybersource.com, article 000002478,
// "soft decline"; developer.cybersource.com, "Handling Decision Manager Reviews"). A check of a card has no such state.
func TestReview(t *testing.T) {
	for _, status := range []string{"AUTHORIZED_PENDING_REVIEW", "PENDING_REVIEW"} {
		for _, capture := range []sdk.CaptureMethod{sdk.CaptureAutomatic, sdk.CaptureManual} {
			r := payment()
			r.Capture = capture
			o := play(t, sdk.OpAuthorize, r, answer(201, `{"id":"7001","status":"`+status+`","errorInformation":{"reason":"AVS_FAILED"},
				"orderInformation":{"amountDetails":{"authorizedAmount":"24.99","currency":"USD"}},"processorInformation":{"responseCode":"00","avs":{"code":"N"}}}`))
			require.Equal(t, sdk.StatusReview, o.Status, status)
			require.Equal(t, sdk.CheckFail, o.Checks.AddressLine1)
			require.Equal(t, map[string]string{"status": status, "reason": "AVS_FAILED", "response_code": "00", "avs": "N"}, o.Raw)
			require.Nil(t, o.Decline)
		}
		r := payment()
		r.Amount.Minor = 0
		require.Equal(t, sdk.StatusPending, play(t, sdk.OpVerify, r, answer(201, `{"id":"7001","status":"`+status+`"}`)).Status, status)
	}
	// Transaction Search may return a reason code alone: 200 the address, 230 the security code, 480 Decision Manager.
	for code, want := range map[string]sdk.OutcomeStatus{"200": sdk.StatusReview, "230": sdk.StatusReview, "480": sdk.StatusReview, "209": sdk.StatusDeclined,
		"211": sdk.StatusDeclined, "481": sdk.StatusDeclined} {
		require.Equal(t, want, play(t, sdk.OpSync, later(2499), answer(200, `{"id":"7001","applicationInformation":{"reasonCode":"`+code+`"}}`)).Status, code)
	}
}

// The raw advice of Barclays has one digit and meanings of its own (4: do not try again), as has 7903 of Visa Platform Connect. Cybersource's own code then
// has the network's meaning (developer.cybersource.com, API fields, ccAuthReply_merchantAdviceCode and -Raw).
func TestAdviceCode(t *testing.T) {
	for advice, want := range map[string]string{`"code":"01","codeRaw":"02"`: "02", `"code":"03","codeRaw":"4"`: "03", `"code":"01","codeRaw":"1"`: "01",
		`"code":"03","codeRaw":"7903"`: "03", `"code":"1"`: "1", `"codeRaw":"4"`: "4", "": ""} {
		o := play(t, sdk.OpAuthorize, payment(), answer(201, `{"id":"7001","status":"DECLINED","errorInformation":{"reason":"PROCESSOR_DECLINED"},`+
			`"processorInformation":{"responseCode":"05","merchantAdvice":{`+advice+`}}}`))
		require.Equal(t, want, o.Decline.AdviceCode, advice)
	}
}

func TestChecks(t *testing.T) {
	p := play(t, sdk.OpAuthorize, payment(), answer(201, approved))
	require.Equal(t, sdk.Checks{CVC: "fail", AddressLine1: "fail", PostalCode: "pass"}, *p.Checks)
	require.Equal(t, "831000", p.AuthCode)
}

// TestCapture: Cybersource first accepts a capture; later operations use the capture's own id.
func TestCapture(t *testing.T) {
	p := play(t, sdk.OpCapture, later(1000), answer(201, `{"id":"8001","status":"PENDING"}`))
	require.Equal(t, sdk.StatusPending, p.Status)
	require.Equal(t, "8001", p.CaptureID)
	require.Equal(t, "7001", p.TransactionID)
	kept := p.ConnectorData

	r := later(1000)
	r.ConnectorData, r.Resolves = kept, sdk.OpCapture
	p = play(t, sdk.OpSync, r, answer(200, `{"id":"8001","applicationInformation":{"status":"TRANSMITTED"}}`))
	require.Equal(t, "https://apitest.cybersource.com/tss/v2/transactions/8001", p.Sends[0].URL)
	require.Equal(t, sdk.StatusCaptured, p.Status)

	r = later(2499)
	r.ConnectorData = kept
	p = play(t, sdk.OpSync, r, answer(200,
		`{"id":"8001","applicationInformation":{"status":"TRANSMITTED"},"orderInformation":{"amountDetails":{"totalAmount":"10.00","currency":"USD"}}}`))
	require.Equal(t, usd(1000), *p.Amount)

	p = play(t, sdk.OpRefund, r, answer(201, `{"id":"9001","status":"PENDING"}`))
	require.Equal(t, "https://apitest.cybersource.com/pts/v2/captures/8001/refunds", p.Sends[0].URL)
	require.Equal(t, "9001", p.RefundID)
	require.Equal(t, sdk.StatusPending, p.Status)
}

func TestDescriptorAndDelivery(t *testing.T) {
	r := payment()
	b := wire.JSONBody(t, play(t, sdk.OpAuthorize, r, answer(201, approved)).Sends[0])
	require.False(t, b.Has("merchantInformation") || b.Has("orderInformation.shipTo"))
	r.DescriptorName, r.Shipping = "ACME WIDGETS AND MUCH MORE", &sdk.Address{FirstName: "Jane", Line1: "500 Oak Ave", City: "Portland", Country: "US"}
	b = wire.JSONBody(t, play(t, sdk.OpAuthorize, r, answer(201, approved)).Sends[0])
	require.Equal(t, "ACME WIDGETS AND MUCH M", b.Str("merchantInformation.merchantDescriptor.name"))
	require.JSONEq(t, `{"firstName":"Jane","address1":"500 Oak Ave","locality":"Portland","country":"US"}`, b.Raw("orderInformation.shipTo"))
}

// The card's holder counts if the billing address has no name.
func TestHolder(t *testing.T) {
	r := payment()
	r.Instrument.Card.Holder = "Ann B. Doe"
	b := wire.JSONBody(t, play(t, sdk.OpAuthorize, r, answer(201, approved)).Sends[0])
	require.JSONEq(t, `{"firstName":"Ann B.","lastName":"Doe"}`, b.Raw("orderInformation.billTo"))
	r.Billing = &sdk.Address{FirstName: "Jane", Country: "US"}
	b = wire.JSONBody(t, play(t, sdk.OpAuthorize, r, answer(201, approved)).Sends[0])
	require.JSONEq(t, `{"firstName":"Jane","country":"US"}`, b.Raw("orderInformation.billTo"))
}

func TestVoid(t *testing.T) {
	r := later(0)
	o := play(t, sdk.OpVoid, r, answer(201, `{"id":"7002","status":"REVERSED"}`))
	require.Equal(t, "24.99", wire.JSONBody(t, o.Sends[0]).Str("reversalInformation.amountDetails.totalAmount"))
	require.Equal(t, []string{"7001", "7002"}, []string{o.TransactionID, o.Reference})
	r.Payment = &sdk.PaymentState{Currency: "USD"}
	require.Equal(t, "amount", play(t, sdk.OpVoid, r).Reject.Parameter, "nothing is known to be held")
}

func TestIncrement(t *testing.T) {
	p := play(t, sdk.OpIncrementalAuthorize, later(3499), answer(201, `{"id":"7002","status":"AUTHORIZED"}`))
	require.Equal(t, "10.00", wire.JSONBody(t, p.Sends[0]).Str("orderInformation.amountDetails.additionalAmount"))
	require.Equal(t, sdk.StatusAuthorized, p.Status)
	require.Equal(t, sdk.RejectInvalid, play(t, sdk.OpIncrementalAuthorize, later(2499)).Reject.Code)

	r := later(3499)
	r.Resolves = sdk.OpIncrementalAuthorize
	held := func(amount string) sdk.Exchange {
		return answer(200, `{"id":"7001","applicationInformation":{"status":"AUTHORIZED"},"orderInformation":{"amountDetails":{"authorizedAmount":"`+amount+`"}}}`)
	}
	require.Equal(t, sdk.StatusAuthorized, play(t, sdk.OpSync, r, held("34.99")).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, held("24.99")).Status)
}

// TestSearch: after a lost answer the adapter searches by our reference and the transaction's service.
func TestSearch(t *testing.T) {
	summary := func(id, service string) string {
		return `{"id":"` + id + `","clientReferenceInformation":{"code":"ref-1"},"applicationInformation":{"applications":[{"name":"` + service + `"}]}}`
	}
	found := func(all ...string) sdk.Exchange {
		return answer(201, `{"totalCount":`+strconv.Itoa(len(all))+`,"_embedded":{"transactionSummaries":[`+strings.Join(all, ",")+`]}}`)
	}
	none := answer(201, `{"totalCount":0}`)
	r := later(2499)
	r.TransactionID = ""

	p := play(t, sdk.OpSync, r, found(summary("7000", "ics_pa_setup"), summary("7001", "ics_auth")),
		answer(200, `{"id":"7001","applicationInformation":{"status":"AUTHORIZED"}}`))
	require.Equal(t, sdk.StatusAuthorized, p.Status)
	require.Equal(t, "7001", p.TransactionID)
	require.Equal(t, "clientReferenceInformation.code:ref-1", wire.JSONBody(t, p.Sends[0]).Str("query"))
	require.Equal(t, sdk.StatusNotFound, play(t, sdk.OpSync, r, none).Status)
	require.Equal(t, sdk.StatusNotFound, play(t, sdk.OpSync, r, found(summary("7000", "ics_pa_enroll"))).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, found(summary("7001", "ics_auth"), summary("7002", "ics_auth"))).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, answer(500, `{"totalCount":0}`)).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, answer(201, `{}`)).Status)

	r = later(0)
	r.Resolves = sdk.OpVoid
	p = play(t, sdk.OpSync, r, found(summary("7001", "ics_auth"), summary("8002", "ics_auth_reversal")),
		answer(200, `{"id":"8002","applicationInformation":{"reasonCode":"100"}}`))
	require.Equal(t, sdk.StatusVoided, p.Status)
	require.Equal(t, "7001", p.TransactionID)

	p = play(t, sdk.OpRefundSync, later(500), found(summary("9001", "ics_credit")), answer(200, `{"id":"9001","applicationInformation":{"status":"TRANSMITTED"}}`))
	require.Equal(t, sdk.StatusRefunded, p.Status)
	require.Equal(t, "9001", p.RefundID)

	p = play(t, sdk.OpSync, later(2499), answer(404, `{"status":"NOT_FOUND"}`))
	require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{p.Status, p.Raw["alarm"]}, "an id that Cybersource gave")
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, later(2499), answer(404, `not found`)).Status)
}

// TestOtherAnswers: an answer about another payment decides nothing; another amount is reported.
func TestOtherAnswers(t *testing.T) {
	amounts := func(status, amount, currency string) sdk.Exchange {
		return answer(201, `{"id":"7001","status":"`+status+`","orderInformation":{"amountDetails":{"authorizedAmount":"`+amount+`","totalAmount":"`+amount+
			`","currency":"`+currency+`"}},"refundAmountDetails":{"refundAmount":"`+amount+`","currency":"`+currency+`"}}`)
	}
	require.Equal(t, usd(2499), *play(t, sdk.OpAuthorize, payment(), amounts("AUTHORIZED", "24.99", "USD")).Amount)
	require.Equal(t, usd(24990), *play(t, sdk.OpAuthorize, payment(), amounts("AUTHORIZED", "249.90", "USD")).Amount, "for the host to refuse")
	for name, x := range map[string]sdk.Exchange{"currency": amounts("AUTHORIZED", "24.99", "EUR"), "nothing": amounts("AUTHORIZED", "0.00", "USD"),
		"no number": amounts("AUTHORIZED", "x", "USD"), "more decimals": amounts("AUTHORIZED", "24.991", "USD")} {
		o := play(t, sdk.OpAuthorize, payment(), x)
		require.Equal(t, []string{"unknown", "7001"}, []string{string(o.Status), o.TransactionID}, name)
	}
	require.Equal(t, usd(2000), *play(t, sdk.OpCapture, later(1000), amounts("TRANSMITTED", "20.00", "USD")).Amount)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpCapture, later(1000), amounts("TRANSMITTED", "10.00", "EUR")).Status)
	require.Equal(t, usd(2000), *play(t, sdk.OpRefund, later(1000), amounts("TRANSMITTED", "20.00", "USD")).Amount)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefund, later(1000), amounts("TRANSMITTED", "10.00", "EUR")).Status)

	found := func(id, reference string) sdk.OutcomeStatus {
		return play(t, sdk.OpSync, later(2499), answer(200, `{"id":"`+id+`","clientReferenceInformation":{"code":"`+reference+
			`"},"applicationInformation":{"status":"TRANSMITTED"}}`)).Status
	}
	require.Equal(t, sdk.StatusCaptured, found("7001", ""))
	require.Equal(t, sdk.StatusCaptured, found("7002", "ref-1"))
	require.Equal(t, sdk.StatusUnknown, found("7002", "ref-2"))

	duplicate := answer(400, `{"status":"INVALID_REQUEST","reason":"DUPLICATE_REQUEST","message":"Seen."}`)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, payment(), duplicate).Status, "the first one may have gone through")
}

// TestSeveralCaptures: captures of one authorization are numbered, the last one with the total count. A sync finds each by our reference.
func TestSeveralCaptures(t *testing.T) {
	numbered := func(number, total int) string {
		return fmt.Sprintf(`"captureOptions":{"captureSequenceNumber":%d,"totalCaptureCount":%d}`, number, total)
	}
	pending := func(id string) sdk.Exchange {
		return answer(201, `{"id":"`+id+`","status":"PENDING","orderInformation":{"amountDetails":{"totalAmount":"5.00","currency":"USD"}}}`)
	}
	r := later(500)
	for i, final := range []bool{false, false, true} {
		r.FinalCapture, r.CaptureReference = final, fmt.Sprint("ref-1_", i+1)
		p := play(t, sdk.OpCapture, r, pending(fmt.Sprint("80", i+1)))
		total := i + 2
		if final {
			total--
		}
		require.Contains(t, string(p.Sends[0].Body), numbered(i+1, total))
		require.Contains(t, string(p.Sends[0].Body), `"clientReferenceInformation":{"code":"`+r.CaptureReference+`"}`)
		r.ConnectorData = p.ConnectorData
	}
	require.JSONEq(t, `{"capture":"803","captures":{"ref-1_1":"801","ref-1_2":"802","ref-1_3":"803"}}`, r.ConnectorData.Payment)

	details := func(id string) sdk.Exchange {
		return answer(200, `{"id":"`+id+`","clientReferenceInformation":{"code":"ref-1"},"applicationInformation":{"status":"TRANSMITTED"},"orderInformation":{"amountDetails":{"totalAmount":"5.00","currency":"USD"}}}`)
	}
	r.Resolves, r.CaptureReference, r.Payment.Captured = sdk.OpCapture, "ref-1_2", 1000
	p := play(t, sdk.OpSync, r, details("802"))
	require.Contains(t, p.Sends[0].URL, "/transactions/802")
	require.Equal(t, []any{sdk.StatusCaptured, "802", usd(500)}, []any{p.Status, p.CaptureID, *p.Amount})
	r.CaptureReference = "ref-1_4" // its answer was lost: its reference finds it alone
	summary := func(id, reference string) string {
		return `{"id":"` + id + `","clientReferenceInformation":{"code":"` + reference + `"},"applicationInformation":{"applications":[{"name":"ics_bill"}]}}`
	}
	p = play(t, sdk.OpSync, r, answer(201, `{"totalCount":2,"_embedded":{"transactionSummaries":[`+summary("804", "ref-1_4")+`,`+summary("802", "ref-1_2")+`]}}`), details("804"))
	require.Contains(t, string(p.Sends[0].Body), `"query":"clientReferenceInformation.code:ref-1_4"`)
	require.Equal(t, []any{sdk.StatusCaptured, "804"}, []any{p.Status, p.CaptureID})
	p = play(t, sdk.OpSync, r, answer(201, `{"totalCount":1,"_embedded":{"transactionSummaries":[`+summary("802", "ref-1_2")+`]}}`))
	require.Equal(t, sdk.StatusNotFound, p.Status)

	r.Resolves, r.CaptureReference = "", ""
	p = play(t, sdk.OpSync, r, details("803"))
	require.Equal(t, []any{sdk.StatusCaptured, "", usd(1000)}, []any{p.Status, p.CaptureID, *p.Amount}, "the sum, and none of them")
}

// TestPartialApprovalWhereTheMerchantCaptures: Cybersource does not capture a part by itself, so a payment that it captures allows none.
func TestPartialApprovalWhereTheMerchantCaptures(t *testing.T) {
	for capture, asks := range map[sdk.CaptureMethod]bool{sdk.CaptureManual: true, sdk.CaptureAutomatic: false} {
		r := payment()
		r.Capture, r.Hold = capture, &sdk.HoldWish{Partial: true}
		require.Equal(t, asks, strings.Contains(string(play(t, sdk.OpAuthorize, r, answer(201, approved)).Sends[0].Body), `"partialAuthIndicator":true`), capture)
	}
}
