package authorizedotnet_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/authorizedotnet"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
)

// TestSuite runs the suite of all adapters with realistic answers of Authorize.net.
func TestSuite(t *testing.T) {
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(authorizedotnet.Adapter()), sdktest.Options{Answer: happy}))
}

func happy(op sdk.Operation, _ int, s *sdk.Send) sdk.Exchange {
	status := map[sdk.Operation]string{sdk.OpSync: "authorizedPendingCapture", sdk.OpRefundSync: "refundSettledSuccessfully"}[op]
	if status != "" {
		return answer(200, details("60198495566", status, "65.40", "65.40"))
	}
	return answer(200, result("1", ""))
}

func TestAmounts(t *testing.T) {
	for _, v := range []struct {
		amount sdk.Money
		want   string
	}{{usd(2499), "24.99"}, {usd(5), "0.05"}, {usd(1<<53 + 1), "90071992547409.93"}, {sdk.Money{Minor: 5000, Currency: "JPY"}, "5000"}, {sdk.Money{Minor: 1050, Currency: "KWD"}, "1.050"}} {
		r := purchase()
		r.Amount, r.TransactionID, r.Payment = v.amount, "1", &sdk.PaymentState{LastFour: "1111"}
		for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpCapture, sdk.OpRefund} {
			p := play(t, op, r, answer(200, result("1", "")))
			require.Equal(t, v.want, body(t, p.Sends[0], create).Number("transactionRequest.amount"))
		}
	}
}

func TestAuthorize(t *testing.T) {
	r := purchase()
	for capture, want := range map[sdk.CaptureMethod]sdk.OutcomeStatus{sdk.CaptureAutomatic: sdk.StatusCaptured, sdk.CaptureManual: sdk.StatusAuthorized} {
		r.Capture = capture
		p := play(t, sdk.OpAuthorize, r, answer(200, result("1", `,"avsResultCode":"A","cvvResultCode":"M"`)))
		require.Equal(t, want, p.Status)
		require.Equal(t, []string{"60198495566", "2WXB0S", "016"}, []string{p.TransactionID, p.AuthCode, p.NetworkTransactionID})
		require.Equal(t, &sdk.Checks{CVC: "pass", AddressLine1: "pass", PostalCode: "fail"}, p.Checks)
		require.False(t, p.Sends[0].SafeToRepeat, "a second request would not be answered like the first")
		b := body(t, p.Sends[0], create)
		require.Equal(t, []string{"ref-1", "ref-1", "2030-03"}, []string{b.Str("refId"), b.Str("transactionRequest.order.invoiceNumber"), b.Str("transactionRequest.payment.creditCard.expirationDate")})
	}
	require.Equal(t, sdk.StatusReview, play(t, sdk.OpAuthorize, r, answer(200, result("4", ""))).Status)
	require.Equal(t, sdk.StatusPending, play(t, sdk.OpAuthorize, r, answer(200, result("5", ""))).Status)
	r.Request3DS = true
	require.Equal(t, sdk.RejectUnsupported, play(t, sdk.OpAuthorize, r).Reject.Code)
	r.Request3DS, r.Instrument = false, nil
	require.Equal(t, sdk.RejectMissing, play(t, sdk.OpAuthorize, r).Reject.Code)
}

// The elements of a request must stand in the order of the schema.
func TestOrderOfElements(t *testing.T) {
	r := purchase()
	r.Metadata = map[string]string{"b": "2", "a": "1"}
	r.Instrument.NetworkTransactionID, r.ThreeDS = "016", &sdk.ThreeDSResult{ECI: "05", CAVV: "STANDINcavv"}
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Category: "resubmission"}
	p := play(t, sdk.OpAuthorize, r, answer(200, result("1", "")))
	var names []string
	for name := range body(t, p.Sends[0], create).Get("transactionRequest").Members() {
		names = append(names, name)
	}
	require.Equal(t, "transactionType amount currencyCode payment order customer billTo cardholderAuthentication userFields processingOptions subsequentAuthInformation", strings.Join(names, " "))
	require.Equal(t, `[{"name":"a","value":"1"},{"name":"b","value":"2"}]`, body(t, p.Sends[0], create).Raw("transactionRequest.userFields.userField"))
	require.Equal(t, `{"authenticationIndicator":"5","cardholderAuthenticationValue":"STANDINcavv"}`, body(t, p.Sends[0], create).Raw("transactionRequest.cardholderAuthentication"))
	require.Equal(t, `{"originalNetworkTransId":"016","reason":"resubmission"}`, body(t, p.Sends[0], create).Raw("transactionRequest.subsequentAuthInformation"))
}

func TestLongValuesAreCut(t *testing.T) {
	r := purchase()
	r.Billing = &sdk.Address{FirstName: strings.Repeat("é", 60), Zip: "94105", Line1: strings.Repeat("x", 59), Line2: "yz"}
	r.Customer.ID = strings.Repeat("c", 21)
	b := body(t, play(t, sdk.OpAuthorize, r, answer(200, result("1", ""))).Sends[0], create).Get("transactionRequest")
	require.Equal(t, strings.Repeat("é", 50), b.Str("billTo.firstName"))
	require.Equal(t, strings.Repeat("x", 59)+" ", b.Str("billTo.address"))
	require.Equal(t, "94105", b.Str("billTo.zip"))
	require.Equal(t, `{"email":"a@example.com"}`, b.Raw("customer"), "a cut id would be another customer's")
}

func TestStoredCredentials(t *testing.T) {
	r := purchase()
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	profile := strings.Replace(result("1", ""), `},"messages"`, `},"profileResponse":{"customerProfileId":"928383","customerPaymentProfileIdList":["1928384"]},"messages"`, 1)
	p := play(t, sdk.OpAuthorize, r, answer(200, profile))
	require.Equal(t, &sdk.StoredCredential{ID: "928383-1928384", CustomerID: "928383"}, p.StoredCredential)
	require.Equal(t, "928383", p.ConnectorData.Customer)
	b := body(t, p.Sends[0], create).Get("transactionRequest")
	require.Equal(t, `{"createProfile":true}`, b.Raw("profile"))
	require.Equal(t, `{"isFirstSubsequentAuth":true}`, b.Raw("processingOptions"))
	require.True(t, b.Has("customer"), "the profile is made of it")

	r.ConnectorData = p.ConnectorData // the customer returns with another card
	b = body(t, play(t, sdk.OpAuthorize, r, answer(200, profile)).Sends[0], create).Get("transactionRequest")
	require.Equal(t, `{"createProfile":true,"customerProfileId":"928383"}`, b.Raw("profile"))
	require.False(t, b.Has("customer"))
	require.Nil(t, play(t, sdk.OpAuthorize, r, answer(200, result("1", ""))).StoredCredential, "approved, but nothing was stored")

	r.Instrument, r.StoredCredential = &sdk.Instrument{StoredCredentialID: "928383-1928384"}, &sdk.StoredCredentialUse{Initiator: "mit"}
	b = body(t, play(t, sdk.OpAuthorize, r, answer(200, result("1", ""))).Sends[0], create).Get("transactionRequest")
	require.Equal(t, `{"customerProfileId":"928383","paymentProfile":{"paymentProfileId":"1928384"}}`, b.Raw("profile"))
	require.Equal(t, `{"isSubsequentAuth":true}`, b.Raw("processingOptions"))
	require.False(t, b.Has("payment") || b.Has("billTo"))
	r.StoredCredential.Initiator, r.ThreeDS = "cit", &sdk.ThreeDSResult{ECI: "02", CAVV: "cavv"} // chosen and authenticated by the customer
	b = body(t, play(t, sdk.OpAuthorize, r, answer(200, result("1", ""))).Sends[0], create).Get("transactionRequest")
	require.Equal(t, `{"isStoredCredentials":true}`, b.Raw("processingOptions"))
	require.Equal(t, `{"authenticationIndicator":"2","cardholderAuthenticationValue":"cavv"}`, b.Raw("cardholderAuthentication"))
	r.Instrument.StoredCredentialID = "928383"
	require.Equal(t, sdk.RejectInvalid, play(t, sdk.OpAuthorize, r).Reject.Code)
}

func TestVerify(t *testing.T) {
	r := purchase()
	r.Amount = usd(0)
	p := play(t, sdk.OpVerify, r, answer(200, result("1", "")))
	require.Equal(t, sdk.StatusVerified, p.Status)
	require.Equal(t, "0.00", body(t, p.Sends[0], create).Number("transactionRequest.amount"))

	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	const made, kept = `{"customerProfileId":"928383",` + ok + `}`, `{"customerProfileId":"928383","customerPaymentProfileId":"1928384","validationDirectResponse":"1,1,1,approved",` + ok + `}`
	for environment, mode := range map[string]string{"test": "testMode", "live": "liveMode"} {
		p = playIn(t, environment, sdk.OpVerify, r, answer(200, made), answer(200, kept))
		require.Equal(t, sdk.StatusVerified, p.Status)
		require.Equal(t, "928383-1928384", p.StoredCredential.ID)
		require.Equal(t, `{"merchantCustomerId":"cust_100","email":"a@example.com"}`, body(t, p.Sends[0], "createCustomerProfileRequest").Raw("profile"))
		b := body(t, p.Sends[1], "createCustomerPaymentProfileRequest")
		require.Equal(t, []string{mode, "4111111111111111"}, []string{b.Str("validationMode"), b.Str("paymentProfile.payment.creditCard.cardNumber")}, "only live mode asks the issuer")
	}
	exists := strings.Replace(failure("E00039"), "text of E00039", "A duplicate record with ID 39598611 already exists.", 1)
	p = play(t, sdk.OpVerify, r, answer(200, exists), answer(200, strings.Replace(kept, "928383", "39598611", 1)))
	require.Equal(t, "39598611-1928384", p.StoredCredential.ID, "the customer has a profile already")
	require.Equal(t, "39598611", body(t, p.Sends[1], "createCustomerPaymentProfileRequest").Str("customerProfileId"))

	r.ConnectorData = &sdk.ConnectorData{Customer: "928383"}
	require.Len(t, play(t, sdk.OpVerify, r, answer(200, kept)).Sends, 1)
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpVerify, r, answer(200, failure("E00027"))).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpVerify, r, answer(200, strings.Replace(kept, `"1,1,1`, `"2,1,2`, 1))).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpVerify, r, answer(200, made)).Status)

	r.ConnectorData, r.Customer = nil, nil
	r.Reference = "ref-9"
	p = play(t, sdk.OpVerify, r, answer(200, made), answer(200, kept))
	require.Equal(t, `{"description":"ref-9"}`, body(t, p.Sends[0], "createCustomerProfileRequest").Raw("profile"), "nothing is known of the customer")
	r.Reference = ""
	require.Equal(t, sdk.RejectMissing, play(t, sdk.OpVerify, r).Reject.Code)
	r.Amount = usd(1)
	require.Equal(t, sdk.RejectInvalid, play(t, sdk.OpVerify, r).Reject.Code)
}

func TestDetails(t *testing.T) {
	r := purchase()
	r.Browser, r.Shipping = &sdk.Browser{IP: "203.0.113.10"}, &sdk.Address{FirstName: "Jane", Line1: "2 Pine St", Line2: "4", Zip: "94105", Country: "US"}
	r.Customer, r.Billing = nil, &sdk.Address{Zip: "94105", Email: "bill@example.com"}
	sent := func() sdk.JSON {
		return body(t, play(t, sdk.OpAuthorize, r, answer(200, result("1", ""))).Sends[0], create).Get("transactionRequest")
	}
	b := sent()
	require.JSONEq(t, `{"firstName":"Jane","address":"2 Pine St 4","zip":"94105","country":"US"}`, b.Raw("shipTo"))
	require.Equal(t, []string{"203.0.113.10", "bill@example.com"}, []string{b.Str("customerIP"), b.Str("customer.email")})
	text := b.Raw("")
	require.Less(t, strings.Index(text, `"billTo"`), strings.Index(text, `"shipTo"`), "the order of the schema")
	require.Less(t, strings.Index(text, `"shipTo"`), strings.Index(text, `"customerIP"`))

	r.Browser.IP = "2001:db8::1"
	require.False(t, sent().Has("customerIP"), "there is room for 15 characters")
	r.Browser.IP, r.StoredCredential = "203.0.113.10", &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session"}
	require.False(t, sent().Has("customerIP"), "the customer is not there")
	r.Instrument = &sdk.Instrument{StoredCredentialID: "928383-1928384"}
	require.False(t, sent().Has("shipTo"), "a profile has its own")
}

// TestProfileOfAPayment: the outcome names the profile that the processor made, however it was requested.
func TestProfileOfAPayment(t *testing.T) {
	made := strings.Replace(result("1", ""), `"messages":{`, `"profileResponse":{"customerProfileId":"928383","customerPaymentProfileIdList":["1928384"]},"messages":{`, 1)
	p := play(t, sdk.OpAuthorize, purchase(), answer(200, made))
	require.Equal(t, &sdk.StoredCredential{ID: "928383-1928384", CustomerID: "928383"}, p.StoredCredential)
}

func TestAnswersWithoutEvidence(t *testing.T) {
	whole := result("1", "")
	for name, x := range map[string]sdk.Exchange{
		"no id":                   answer(200, strings.Replace(whole, "60198495566", "0", 1)),
		"approved in an error":    answer(200, strings.Replace(whole, `"Ok"`, `"Error"`, 1)),
		"approved with a 400":     answer(400, whole),
		"declined with a 500":     answer(500, result("2", errors)),
		"another code":            answer(200, result("9", "")),
		"Ok and nothing else":     answer(200, "{"+ok+"}"),
		"their own error":         answer(200, failure("E00001")),
		"an error without a code": answer(200, failure("")),
		"seen before":             answer(200, strings.Replace(result("3", errors), `"errorCode":"2"`, `"errorCode":"11"`, 1)),
		"time-out":                {Sent: true, Failure: "timeout"},
	} {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, purchase(), x).Status, name)
	}
	require.Equal(t, "60198495566", play(t, sdk.OpAuthorize, purchase(), answer(200, result("9", ""))).TransactionID, "what became of it can be asked")
	seen := strings.Replace(result("3", errors), `"errorCode":"2"`, `"errorCode":"11"`, 1)
	require.Empty(t, play(t, sdk.OpAuthorize, purchase(), answer(200, seen)).TransactionID, "a refused duplicate proves nothing about the first")
	for n := range len(whole) {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, purchase(), answer(200, whole[:n])).Status, "cut after %d bytes", n)
	}
	require.Equal(t, sdk.StatusCaptured, play(t, sdk.OpAuthorize, purchase(), sdk.Exchange{Sent: true, Status: 200, Body: []byte(whole)}).Status, "without the mark")
}

func TestDeclines(t *testing.T) {
	for code, reason := range map[string]sdk.DeclineReason{"2": sdk.DeclineGeneric, "4": sdk.DeclinePickUpCard, "8": sdk.DeclineExpiredCard, "317": sdk.DeclineExpiredCard, "27": sdk.DeclineIncorrectAddress,
		"39": sdk.DeclineCurrency, "44": sdk.DeclineIncorrectCVC, "54": sdk.DeclineNotPermitted, "9999": sdk.DeclineGeneric, "3": sdk.DeclineGeneric} {
		p := play(t, sdk.OpAuthorize, purchase(), answer(200, strings.Replace(result("2", errors), `"errorCode":"2"`, `"errorCode":"`+code+`"`, 1)))
		require.Equal(t, sdk.StatusDeclined, p.Status)
		facts, _ := reason.Facts()
		require.Equal(t, &sdk.Decline{Code: code, Message: "This transaction has been declined.", Reason: reason, RetryElsewhere: facts.RetryElsewhere}, p.Decline)
	}
	p := play(t, sdk.OpAuthorize, purchase(), answer(200, result("2", "")))
	require.Equal(t, &sdk.Decline{Code: "2", Reason: sdk.DeclineGeneric, RetryElsewhere: true}, p.Decline, "the verdict is the response code's")
	for code, reason := range map[string]sdk.DeclineReason{"E00007": sdk.DeclineInvalidMerchant, "E00053": sdk.DeclineTryLater, "E00003": sdk.DeclineProcessingError, "E00027": sdk.DeclineGeneric} {
		for _, status := range []int{200, 400} {
			p := play(t, sdk.OpAuthorize, purchase(), answer(status, failure(code)))
			require.Equal(t, sdk.StatusDeclined, p.Status)
			require.Equal(t, []string{code, string(reason)}, []string{p.Decline.Code, string(p.Decline.Reason)})
		}
	}
}

func TestLater(t *testing.T) {
	state := &sdk.PaymentState{Currency: "USD", Requested: 2499, Authorized: 2499, LastFour: "4242"}
	p := play(t, sdk.OpCapture, sdk.Request{TransactionID: "60198495566", Amount: usd(1000), Payment: state}, answer(200, result("1", "")))
	require.Equal(t, sdk.StatusCaptured, p.Status)
	require.True(t, p.Released, "there is one capture for an authorization")
	already := `,"messages":[{"code":"311","description":"This transaction has already been captured."}]`
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpCapture, sdk.Request{TransactionID: "1", Amount: usd(1000), Payment: state}, answer(200, result("1", already))).Status)
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpCapture, sdk.Request{TransactionID: "1", Amount: usd(1000), Payment: state}, answer(200, result("3", errors))).Status)
	require.Equal(t, sdk.StatusVoided, play(t, sdk.OpVoid, sdk.Request{TransactionID: "60198495566"}, answer(200, result("1", ""))).Status)

	r := sdk.Request{TransactionID: "60198495566", Reference: "ref-2", Amount: usd(700), Payment: state}
	p = play(t, sdk.OpRefund, r, answer(200, strings.Replace(result("1", ""), "60198495566", "60198495580", 1)))
	require.Equal(t, sdk.StatusPending, p.Status, "until it is settled")
	require.Equal(t, []string{"60198495580", "60198495566"}, []string{p.RefundID, p.TransactionID})
	require.Equal(t, `{"cardNumber":"XXXX4242","expirationDate":"XXXX"}`, body(t, p.Sends[0], create).Raw("transactionRequest.payment.creditCard"))
	r.Payment = &sdk.PaymentState{}
	require.Equal(t, sdk.RejectMissing, play(t, sdk.OpRefund, r).Reject.Code)
	r.ConnectorData = play(t, sdk.OpAuthorize, purchase(), answer(200, result("1", ""))).ConnectorData
	p = play(t, sdk.OpRefund, r, answer(200, result("1", "")))
	require.Equal(t, `{"cardNumber":"XXXX1111","expirationDate":"XXXX"}`, body(t, p.Sends[0], create).Raw("transactionRequest.payment.creditCard"), "the answer to a charge of a stored credential shows the card")
}
