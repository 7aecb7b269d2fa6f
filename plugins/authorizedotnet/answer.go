package authorizedotnet

import (
	"cmp"
	_ "embed"

	"payswitch/sdk"
)

// transact adds a transaction to the body, sends it and reads the answer. An error leaves the result unknown.
func transact(c *sdk.Call, body, transaction *sdk.Object, approved sdk.OutcomeStatus) (sdk.JSON, *sdk.Outcome) {
	j := post(c, createTransaction, body.Obj("transactionRequest", transaction))
	t := j.Get("transactionResponse")
	if !t.Has("responseCode") {
		return j, sdk.Declined(refused(j))
	}
	o := &sdk.Outcome{TransactionID: t.Text("transId"),
		Raw:    t.Pick("responseCode", "avsResultCode", "cvvResultCode", "cavvResultCode"),
		Checks: checks.Read(t.Str("cvvResultCode"), t.Str("avsResultCode"))}
	if o.TransactionID == "0" { // 0: no transaction was made
		o.TransactionID = ""
	}
	verdict, partly := t.Text("responseCode"), t.Text("messages.0.code") == "295"
	// the id of a refund or of a refused transaction is not the payment's
	if c.Operation() != sdk.OpRefund && verdict != "2" && verdict != "3" {
		c.About(o.TransactionID)
	}
	switch verdict {
	case "1":
		o.Status = approved
	case "4": // held for review, or a part is authorized and waits for the rest from another card; a refund is pending
		o.Status = sdk.Choose(partly, sdk.StatusAuthorized, sdk.StatusReview)
		if approved == sdk.StatusPending {
			o.Status = approved
		}
	case "5":
		o.Status = sdk.StatusPending
	case "2", "3":
		o.Status, o.Decline = sdk.StatusDeclined, declined(j)
		return j, o
	default:
		sdk.Check(sdk.ErrAnswer)
	}
	sdk.Expect(!failed(j) && o.TransactionID != "", "the answer approves without a transaction")
	if c.Request.Amount.Minor > 0 && (o.Status == sdk.StatusAuthorized || o.Status == sdk.StatusCaptured) {
		// may be lower than requested
		o.Amount = t.Stated("prePaidCard.approvedAmount", "prePaidCard.currency", c.Request.Amount.Currency)
		sdk.Require(o.Amount.Positive() || o.Amount == nil && !partly && !t.Has("prePaidCard"), sdk.ErrNoAmount)
	}
	o.AuthCode, o.NetworkTransactionID = t.Text("authCode"), t.Text("networkTransId")
	return j, o
}

// failed reports whether the request as a whole was refused.
func failed(j sdk.JSON) bool { return j.Str("messages.resultCode") != "Ok" }

// message returns the first message about the request as a whole.
func message(j sdk.JSON) (code, text string) {
	return j.Str("messages.message.0.code"), j.Str("messages.message.0.text")
}

// refused returns the reason of a request's refusal as a whole. E00001 is a fault of Authorize.net's own.
func refused(j sdk.JSON) *sdk.Decline {
	code, text := message(j)
	sdk.Require(failed(j) && code != "" && code != "E00001", sdk.ErrAnswer)
	return declines.New(code, text, sdk.DeclineProcessingError)
}

// declined returns the reason of a declined transaction.
func declined(j sdk.JSON) *sdk.Decline {
	code, text := j.Text("transactionResponse.errors.0.errorCode"), j.Str("transactionResponse.errors.0.errorText")
	// 11 is a duplicate. Our invoice numbers differ, so this is a repetition: a query finds the result of the first
	sdk.Expect(code != "11", "the processor has received this transaction before")
	if code == "" && failed(j) {
		return refused(j)
	}
	// the verdict, without an error that explains it
	return declines.New(cmp.Or(code, j.Text("transactionResponse.responseCode")), text, "")
}

// checks are the results of the card code check and of the address check (AVS).
var checks = sdk.CheckCodes{
	CVC: sdk.Results{{sdk.CheckPass, "M"}, {sdk.CheckFail, "N"}, {sdk.CheckUnchecked, "P S"},
		{sdk.CheckUnavailable, "U"}},
	Line1: sdk.Results{{sdk.CheckPass, "X Y A"}, {sdk.CheckFail, "W Z N"}, {sdk.CheckUnavailable, "E G R S U"},
		{sdk.CheckUnchecked, "B P"}},
	PostalCode: sdk.Results{{sdk.CheckPass, "X Y W Z"}, {sdk.CheckFail, "A N"}, {sdk.CheckUnavailable, "E G R S U"},
		{sdk.CheckUnchecked, "B P"}},
}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
