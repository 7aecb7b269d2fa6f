package bluesnap_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/bluesnap"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

// now is the time of all tests: 2026-01-15T10:20:30Z, in milliseconds.
const now = 1_768_472_430_000

// play runs an operation to its end; its sends are answered in order.
func play(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) wire.Played {
	t.Helper()
	a := bluesnap.Adapter()
	s := wire.NewStep(&a.Manifest, op, r)
	s.Now, s.Account.Config["merchant_id"] = now, "500605"
	return wire.End(t, a, s, answers...)
}

// answer is an answer of BlueSnap's.
var answer = wire.Answer

func usd(minor int64) sdk.Money { return sdk.Money{Minor: minor, Currency: "USD"} }

func payment() sdk.Request {
	return sdk.Request{Reference: "ref-1", Amount: usd(2499), Capture: sdk.CaptureManual,
		Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "4111111111111111", CVC: "737", ExpMonth: 3, ExpYear: 2030, BIN: "411111", LastFour: "1111", Length: 16}}}
}

// later returns a request about an authorized payment of 24.99.
func later(minor int64) sdk.Request {
	return sdk.Request{Reference: "ref-1", Amount: usd(minor), TransactionID: "7001", Capture: sdk.CaptureManual,
		Payment: &sdk.PaymentState{Currency: "USD", Requested: 2499, Authorized: 2499, Capture: sdk.CaptureManual}}
}

// done returns an answer with a successful transaction.
func done(kind, more string) sdk.Exchange {
	return answer(200, `{"cardTransactionType":"`+kind+`","transactionId":"7001","currency":"USD","processingInfo":{"processingStatus":"success"}`+more+`}`)
}

func TestSuite(t *testing.T) {
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(bluesnap.Adapter()), sdktest.Options{}))
}

func TestAmounts(t *testing.T) {
	for _, x := range []struct {
		money sdk.Money
		want  string
	}{{sdk.Money{Minor: 5000, Currency: "JPY"}, "5000"}, {sdk.Money{Minor: 10500, Currency: "KWD"}, "10.500"}, {usd(9007199254740993), "90071992547409.93"}} {
		r := payment()
		r.Amount = x.money
		held := done("AUTH_ONLY", "")
		held.Body = bytes.Replace(held.Body, []byte("USD"), []byte(x.money.Currency), 1)
		p := play(t, sdk.OpAuthorize, r, held)
		require.Equal(t, x.want, wire.JSONBody(t, p.Sends[0]).Str("amount"))
		require.Equal(t, sdk.StatusAuthorized, p.Status)
		require.True(t, p.Sends[0].SafeToRepeat, "under its idempotency key")
	}
}

// TestEvidence: an answer without proof decides nothing.
func TestEvidence(t *testing.T) {
	for name, x := range map[string]sdk.Exchange{
		"server error":      answer(500, `{"message":[{"code":"14002","errorName":"DO_NOT_HONOR"}]}`),
		"page":              answer(200, `<html>`),
		"forbidden page":    answer(403, `<html>Unauthorized</html>`),
		"no transaction id": answer(200, `{"cardTransactionType":"AUTH_ONLY","processingInfo":{"processingStatus":"success"}}`),
		"another type":      done("VOODOO", ""),
		"new status":        answer(200, `{"cardTransactionType":"AUTH_ONLY","transactionId":"7001","processingInfo":{"processingStatus":"parked"}}`),
		"approval with 400": answer(400, `{"cardTransactionType":"AUTH_ONLY","transactionId":"7001","processingInfo":{"processingStatus":"success"}}`),
		"another currency":  answer(200, `{"cardTransactionType":"AUTH_ONLY","transactionId":"7001","amount":24.99,"currency":"EUR","processingInfo":{"processingStatus":"success"}}`),
		"conflict":          answer(409, `{"message":[{"code":"14002","errorName":"DO_NOT_HONOR"}]}`),
		"exists, told late": answer(400, `{"message":[{"code":"14002","errorName":"X"},{"code":"15011","errorName":"TRANSACTION_ALREADY_EXISTS"}]}`),
		"request timeout":   answer(408, `{"message":[{"code":"14002","errorName":"DO_NOT_HONOR"}]}`),
		"time-out":          {Sent: true, Failure: "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, payment(), x).Status)
			require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpCapture, later(1000), x).Status)
			require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpVoid, later(0), x).Status)
			require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefund, later(1000), x).Status)
		})
	}
	// An answer with the transaction's id allows a later query by the id.
	require.Equal(t, "7001", play(t, sdk.OpAuthorize, payment(), done("VOODOO", "")).TransactionID)
	require.Empty(t, play(t, sdk.OpRefundSync, sdk.Request{RefundID: "9", Amount: usd(2499)}, answer(200, `{"cardTransactionType":"REFUND","transactionId":"9","processingInfo":{"processingStatus":"parked"}}`)).TransactionID)
	// A capture that is answered with an authorization is not a capture.
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpCapture, later(1000), done("AUTH_ONLY", "")).Status)
}

func TestDeclines(t *testing.T) {
	p := play(t, sdk.OpAuthorize, payment(), answer(400, `{"message":[{"errorName":"NO_AVAILABLE_PROCESSORS","code":"14002","description":"None."}]}`))
	require.Equal(t, sdk.Decline{Code: "14002", Message: "None.", Reason: sdk.DeclineProcessingError, RetryElsewhere: true}, *p.Decline)
	p = play(t, sdk.OpCapture, later(1000), answer(400, `{"message":[{"errorName":"TRANSACTION_ALREADY_CAPTURED","code":20010,"description":"Captured."}]}`))
	require.Equal(t, sdk.StatusDeclined, p.Status)
	require.Equal(t, "20010", p.Decline.Code)
	p = play(t, sdk.OpRefund, later(1000), answer(200, `{"refundStatus":"FAILED"}`))
	require.Equal(t, sdk.StatusDeclined, p.Status)
	require.Equal(t, "ref-1", wire.JSONBody(t, p.Sends[0]).Str("transactionMetaData.metaData.0.metaValue"))
}

func TestChecks(t *testing.T) {
	p := play(t, sdk.OpAuthorize, payment(), answer(200, `{"cardTransactionType":"AUTH_ONLY","transactionId":"7001","processingInfo":{"processingStatus":"success",
		"cvvResponseCode":"NM","avsResponseCodeZip":"M","avsResponseCodeAddress":"N","networkTransactionId":16029749259621,"authorizationCode":"OK1"}}`))
	require.Equal(t, sdk.Checks{CVC: "fail", AddressLine1: "fail", PostalCode: "pass"}, *p.Checks)
	require.Equal(t, "16029749259621", p.NetworkTransactionID)
	require.Equal(t, "OK1", p.AuthCode)
}

func TestExternal3DS(t *testing.T) {
	r := payment()
	r.Request3DS = true
	require.Equal(t, sdk.RejectUnsupported, play(t, sdk.OpAuthorize, r).Reject.Code)
	r.ThreeDS = &sdk.ThreeDSResult{CAVV: "AAABBEg0VhI0VniQEjRWAAAAAAA=", ECI: "05", TransStatus: "Y", Version: "2.2.0", DSTransID: "ds"}
	b := wire.JSONBody(t, play(t, sdk.OpAuthorize, r, done("AUTH_ONLY", "")).Sends[0])
	require.Equal(t, `{"eci":"05","cavv":"AAABBEg0VhI0VniQEjRWAAAAAAA=","dsTransactionId":"ds","threeDSecureVersion":"2.2.0"}`, b.Raw("threeDSecure"))
}

func TestStoredCredentials(t *testing.T) {
	r := payment()
	require.Nil(t, play(t, sdk.OpAuthorize, r, done("AUTH_ONLY", `,"vaultedShopperId":20769005`)).StoredCredential)
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	p := play(t, sdk.OpAuthorize, r, done("AUTH_ONLY", `,"vaultedShopperId":20769005`))
	require.Equal(t, sdk.StoredCredential{ID: "20769005"}, *p.StoredCredential)

	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit"}
	r.Instrument = &sdk.Instrument{StoredCredentialID: "20769005"}
	b := wire.JSONBody(t, play(t, sdk.OpAuthorize, r, done("AUTH_ONLY", "")).Sends[0])
	require.Equal(t, int64(20769005), b.Int("vaultedShopperId"))
	require.Equal(t, "MERCHANT", b.Str("transactionInitiator"))
	require.False(t, b.Has("creditCard"))

	r.Instrument = payment().Instrument
	r.Instrument.NetworkTransactionID = "016153570198200"
	b = wire.JSONBody(t, play(t, sdk.OpAuthorize, r, done("AUTH_ONLY", "")).Sends[0])
	require.Equal(t, "016153570198200", b.Str("networkTransactionInfo.originalNetworkTransactionId"))
	require.True(t, b.Has("creditCard"))

	r.Instrument = &sdk.Instrument{StoredCredentialID: "not a number"}
	require.Equal(t, sdk.RejectInvalid, play(t, sdk.OpAuthorize, r).Reject.Code)
	r.Instrument = nil
	require.Equal(t, sdk.RejectMissing, play(t, sdk.OpAuthorize, r).Reject.Code)
}

func TestCapture(t *testing.T) {
	p := play(t, sdk.OpCapture, later(1000), done("CAPTURE", `,"amount":10`))
	require.Equal(t, "PUT", p.Sends[0].Method)
	require.Equal(t, sdk.StatusCaptured, p.Status)
	require.Equal(t, usd(1000), *p.Amount)
	p = play(t, sdk.OpSync, later(2499), done("CAPTURE", `,"amount":10.00`))
	require.Equal(t, usd(1000), *p.Amount)
	p = play(t, sdk.OpCapture, later(1000), done("CAPTURE", `,"amount":20.00`))
	require.Equal(t, usd(2000), *p.Amount, "the outcome has more than the requested amount, and the host refuses it")

	r := later(1000)
	r.Resolves = sdk.OpCapture
	require.Equal(t, sdk.StatusNotFound, play(t, sdk.OpSync, r, done("AUTH_ONLY", `,"openToCapture":24.99`)).Status)
	require.Equal(t, sdk.StatusCaptured, play(t, sdk.OpSync, r, done("AUTH_ONLY", `,"openToCapture":14.99`)).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, done("AUTH_ONLY", `,"openToCapture":0`)).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, done("AUTH_ONLY", "")).Status)
}

// TestSync: after a lost answer the adapter looks for our reference.
func TestSync(t *testing.T) {
	missing := answer(400, `{"message":[{"errorName":"TRANSACTION_NOT_FOUND","code":"20003","description":"None."}]}`)
	r := later(2499)
	r.TransactionID = ""
	p := play(t, sdk.OpSync, r, done("AUTH_ONLY", ""))
	require.Equal(t, "https://sandbox.bluesnap.com/services/2/transactions/ref-1,500605", p.Sends[0].URL)
	require.True(t, p.Sends[0].SafeToRepeat)
	require.Equal(t, sdk.StatusAuthorized, p.Status)
	require.Equal(t, sdk.StatusNotFound, play(t, sdk.OpSync, r, missing).Status)
	many := answer(400, `{"message":[{"errorName":"MULTIPLE_TRANSACTIONS_FOUND","code":"20002","description":"Many."}]}`)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, many).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, answer(404, "not found")).Status)

	r = later(700)
	r.RefundID = "9001"
	require.Equal(t, sdk.StatusRefunded, play(t, sdk.OpRefundSync, r, done("REFUND", "")).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefundSync, r, done("AUTH_CAPTURE", "")).Status)
	require.Equal(t, sdk.AlarmOtherAccount, play(t, sdk.OpRefundSync, r, missing).Raw["alarm"], "an id that BlueSnap gave")
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefundSync, later(700)).Status)
}

// message returns a signed message with that time.
func message(at, body string) sdk.Request {
	h := hmac.New(sha256.New, []byte("test_webhook_secret"))
	h.Write([]byte(at + body))
	return sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(body),
		Headers: []sdk.Header{sdk.H("bls-ipn-timestamp", at), sdk.H("bls-signature", hex.EncodeToString(h.Sum(nil)))}}}
}

func TestWebhook(t *testing.T) {
	seconds := strconv.Itoa(now / 1000)
	charge := "transactionType=CHARGE&referenceNumber=7001&merchantTransactionId=ref-1"
	p := play(t, sdk.OpWebhook, message(seconds, charge))
	require.Equal(t, []sdk.Event{{Object: "payment", TransactionID: "7001", Reference: "ref-1", Sync: true, Time: now}}, p.Events)
	p = play(t, sdk.OpWebhook, message("2026-01-15 02:20:30.878", "transactionType=REFUND&referenceNumber=7001&reversalRefNum=9001"))
	require.Equal(t, []sdk.Event{{Object: "refund", TransactionID: "7001", RefundID: "9001", Sync: true}}, p.Events)
	// The message about an authorization without a capture: it alone settles one whose answer was lost, if the account has no merchant id.
	for _, kind := range []string{"AUTH_ONLY_SINGLE_CHARGE", "AUTH_ONLY", "FRAUD_DECLINE"} {
		held := play(t, sdk.OpWebhook, message(seconds, strings.Replace(charge, "CHARGE", kind, 1)))
		require.Len(t, held.Events, 1, kind)
		require.Equal(t, []any{sdk.EventPayment, "7001", "ref-1", true}, []any{held.Events[0].Object, held.Events[0].TransactionID, held.Events[0].Reference, held.Events[0].Sync})
	}
	for _, kind := range []string{"CHARGEBACK", "RDR"} {
		p = play(t, sdk.OpWebhook, message(seconds, "transactionType="+kind+"&referenceNumber=7001"))
		require.Equal(t, []sdk.Event{{Object: "dispute", TransactionID: "7001", Time: now}}, p.Events, kind)
	}
	p = play(t, sdk.OpWebhook, message(seconds, "transactionType=SUBSCRIPTION_REMINDER"))
	require.Equal(t, sdk.StatusHandled, p.Status)
	require.Empty(t, p.Events)

	forged := message(seconds, charge)
	forged.Webhook.Body = []byte(strings.Replace(charge, "7001", "7002", 1))
	for name, r := range map[string]sdk.Request{"forged": forged, "old": message(strconv.Itoa(now/1000-301), charge), "old date": message("2026-01-14 10:20:30.878", charge),
		"no time": message("yesterday", charge)} {
		t.Run(name, func(t *testing.T) {
			p := play(t, sdk.OpWebhook, r)
			require.Equal(t, 401, p.Reply.Status)
			require.Empty(t, p.Events)
		})
	}
}
