package authorizedotnet

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"payswitch/sdk"
)

// hidden stands for an expiry date that the processor knows.
const hidden = "XXXX"

const splitTenderID = "splitTenderId"

// refer adds the one id by which a capture or void names an authorization: after the approval of a part another one.
func refer(o *sdk.Object, r *sdk.Request) *sdk.Object {
	if id := r.KeptText(splitTenderID); id != "" {
		return o.Str(splitTenderID, id)
	}
	return o.Str("refTransId", r.TransactionID)
}

// capture captures all or a part of an authorization. An authorization has one capture, which releases the rest.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	transaction := refer(sdk.NewObject().Str("transactionType", "priorAuthCaptureTransaction").
		Number("amount", r.Amount.Major()), r)
	j, o := transact(c, request(c), transaction, sdk.StatusCaptured)
	if o.Status != sdk.StatusCaptured {
		return o, nil
	}
	// 311: the capture changed nothing. A query finds which request captured the payment, and its amount.
	sdk.Expect(j.Text("transactionResponse.messages.0.code") != "311", "the transaction has already been captured")
	o.CaptureID = o.TransactionID
	o.Released = r.Amount.Minor < r.Known().Authorized
	return o, nil
}

// void cancels an unsettled payment.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	transaction := refer(sdk.NewObject().Str("transactionType", "voidTransaction"), c.Request)
	_, o := transact(c, request(c).Str("refId", c.Request.Reference), transaction, sdk.StatusVoided)
	return o, nil
}

// refund refunds a settled payment. It is pending until it settles itself. The last four digits name the card.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	kept, _ := sdk.ParseJSON([]byte(r.Kept().Payment))
	number, expiry := kept.Str("creditCard.cardNumber"), cmp.Or(kept.Str("creditCard.expirationDate"), hidden)
	if last := r.Known().LastFour; number == "" && last != "" {
		number = "XXXX" + last
	}
	sdk.Require(number != "", sdk.Missing("payment_id", "a refund needs the last four digits of the card"))
	transaction := sdk.NewObject().Str("transactionType", "refundTransaction").Number("amount", r.Amount.Major()).
		Str("currencyCode", string(r.Amount.Currency)).
		At("payment.creditCard", sdk.NewObject().Str("cardNumber", number).Str("expirationDate", expiry)).
		Str("refTransId", r.TransactionID).Obj("order", sdk.NewObject().Str("invoiceNumber", r.Reference))
	_, o := transact(c, request(c), transaction, sdk.StatusPending)
	o.RefundID, o.TransactionID = o.TransactionID, r.TransactionID
	return o, nil
}

// lookUp asks for a transaction by the processor's id, or by our reference. Without one the operation ends.
func lookUp(c *sdk.Call, id string) sdk.JSON {
	r, lost := c.Request, id == ""
	if lost {
		sdk.Expect(r.Reference != "" && r.Known().CreatedAt != 0,
			"the request lacks the id of the transaction, and a reference with its time")
		id = find(c, r.Reference, time.UnixMilli(r.Payment.CreatedAt))
		c.EndIf(id == "", func() *sdk.Outcome {
			return &sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: r.TransactionID}
		})
	}
	j := post(c, "getTransactionDetailsRequest", request(c).Str("transId", id))
	code, _ := message(j)
	c.EndIf(failed(j) && code == "E00040" && !lost, c.OtherAccount)
	t := j.Get("transaction")
	ours := r.Reference != "" && t.Str("order.invoiceNumber") == r.Reference
	sdk.Require(!failed(j) && t.Text("transId") != "", sdk.ErrAnswer)
	sdk.Expect(ours || !lost && t.Text("transId") == id, "the answer holds another transaction")
	return t
}

// statuses of payments. Some do not show the state of the payment and decide nothing: couldNotVoid, those of refunds,
// communicationError (the processor may have acted) and settlementError (the batch can be reset and settle).
var statuses = sdk.Statuses{
	{sdk.StatusAuthorized, "authorizedPendingCapture"},
	{sdk.StatusCaptured, "capturedPendingSettlement settledSuccessfully returnedItem chargeback"},
	{sdk.StatusDeclined, "declined failedReview generalError"},
	{sdk.StatusVoided, "voided expired"},
	{sdk.StatusReview, "FDSPendingReview FDSAuthorizedPendingReview underReview"},
	{sdk.StatusPending, "approvedReview"},
}

func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	t := lookUp(c, r.TransactionID)
	c.About(t.Text("transId"))
	o := &sdk.Outcome{Status: statuses.Must(t.Str("transactionStatus")), TransactionID: t.Text("transId"),
		NetworkTransactionID: t.Text("networkTransId"),
		Checks:               checks.Read(t.Str("cardCodeResponse"), t.Str("AVSResponse")), Raw: t.Pick("transactionStatus")}
	held, taken := t.Stated("authAmount", "currency", r.Amount.Currency),
		t.Stated("settleAmount", "currency", r.Amount.Currency)
	switch {
	case o.Status == sdk.StatusDeclined:
		o.Decline = ended(t)
	case o.Status == sdk.StatusAuthorized && held != nil && held.Minor == 0: // a check of the card
		o.Status = sdk.StatusVerified
		return o, nil
	case o.Status == sdk.StatusAuthorized && held != nil:
		o.Amount, o.Totals = held, &sdk.Totals{Authorized: held.Minor, Refunded: r.Known().Refunded}
	case o.Status == sdk.StatusCaptured && held != nil && taken.Positive(): // perhaps less than authorized
		o.Amount, o.Totals = taken, &sdk.Totals{Authorized: max(held.Minor, taken.Minor), Captured: taken.Minor,
			Refunded: r.Known().Refunded}
	default:
		sdk.Require(!o.Status.Approves(), sdk.ErrNoAmount)
	}
	o.AuthCode = t.Text("authCode")
	return o, nil
}

// ended returns the reason of a failed transaction. An error that is unknown or in doubt is not an end.
func ended(t sdk.JSON) *sdk.Decline {
	code, status := t.Text("responseReasonCode"), t.Str("transactionStatus")
	sdk.Expect(status != "generalError" || declines.Of(code) != "",
		status+" with reason code "+code+": the processor may have acted")
	return declines.New(code, t.Str("responseReasonDescription"), "")
}

var refundStatuses = sdk.Statuses{{sdk.StatusRefunded, "refundSettledSuccessfully"},
	{sdk.StatusPending, "refundPendingSettlement"}, {sdk.StatusDeclined, "declined generalError voided"}}

// refundSync asks for the state of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	t := lookUp(c, c.Request.RefundID)
	o := &sdk.Outcome{Status: refundStatuses.Must(t.Str("transactionStatus")), TransactionID: c.Request.TransactionID,
		RefundID: t.Text("transId"), Raw: t.Pick("transactionStatus")}
	return o.With(func() *sdk.Money { return t.NeedMajor("settleAmount", "currency", c.Request.Amount.Currency) },
		func() *sdk.Decline { return ended(t) }), nil
}

// Authorize.net returns a transaction by its own id alone. If that was lost, the adapter looks for the invoice number:
// first among the unsettled transactions, then in the batches settled since the payment began, as transactions move.

const (
	pageSize  = 200             // transactions in an answer
	pagesMost = 3               // unsettled ones, and as many batches of one page: a query stays within sdk.MaxSends
	slack     = 2 * time.Minute // accepted lag of the processor's clock
)

var errTooMany = errors.New("the lists hold too many transactions to search")

// find looks through the transactions since a time, and returns the id of the one with our invoice number. It returns
// "" only if the lists prove that no such transaction exists.
func find(c *sdk.Call, invoice string, since time.Time) string {
	since = since.Add(-slack)
	id, whole := findIn(c, "getUnsettledTransactionListRequest", "", invoice, since, pagesMost)
	if id != "" {
		return id
	}
	list := post(c, "getSettledBatchListRequest",
		request(c).Str("firstSettlementDate", sdk.Stamp(since)).Str("lastSettlementDate", sdk.Stamp(c.Now())))
	code, _ := message(list) // I00004: no records found
	sdk.Require(!failed(list) && (list.Get("batchList").IsArray() || code == "I00004"), sdk.ErrAnswer)
	looked := 0
	for batch := range list.Get("batchList").All() {
		sdk.Require(looked < pagesMost, errTooMany)
		looked++
		id, all := findIn(c, "getTransactionListRequest", batch.Text("batchId"), invoice, since, 1)
		if id != "" {
			return id
		}
		whole = whole && all
	}
	sdk.Require(whole, errTooMany)
	return ""
}

// findIn looks for an invoice number in a list, newest first. whole reports that it read the list back to that time.
func findIn(c *sdk.Call, kind, batch, invoice string, since time.Time, pages int) (id string, whole bool) {
	for page := 1; page <= pages; page++ {
		text, ok := send(c, kind, request(c).OptStr("batchId", batch).
			Obj("sorting", sdk.NewObject().Str("orderBy", "submitTimeUTC").Bool("orderDescending", true)).
			Obj("paging", sdk.NewObject().Int("limit", pageSize).Int("offset", int64(page))))
		sdk.Require(ok, sdk.ErrAnswer)
		id, count, oldest := readPage(text, invoice)
		if id != "" {
			return id, false
		}
		if count < pageSize || oldest != "" && oldest < sdk.Stamp(since) { // both have one form, in UTC
			return "", true
		}
	}
	return "", false
}

// readPage reads one page for an invoice number: the id of its transaction, the number of transactions on the page, and
// the oldest time. It searches the text, as decoding 90 KB of JSON would exceed a step's fuel. The adapter asks for the
// details of a found transaction. A page without the number counts only if it is complete and in the API's own form.
func readPage(text, invoice string) (id string, count int, oldest string) {
	const row, submitted = `{"transId":"`, `"submitTimeUTC":"`
	// only the invoice's number, because the account's is masked; a rare first letter makes the search fast
	number := `Number":"` + invoice + `"`
	end := strings.LastIndex(text, `"messages":{"resultCode":"Ok"`)
	sdk.Require(end >= 0 && strings.HasSuffix(strings.TrimRight(text, " \r\n"), "]}}"), sdk.ErrAnswer)
	_, list, _ := strings.Cut(text[:end], `"transactions":[`)
	before, list, more := strings.Cut(list, row)
	sdk.Require(more && before == "" || !more && !strings.HasPrefix(before, "{"), sdk.ErrAnswer)
	for more { // the id is the first name of a transaction
		var one string
		one, list, more = strings.Cut(list, row)
		count++
		if _, after, ok := strings.Cut(one, submitted); ok {
			oldest, _, _ = strings.Cut(after, `"`)
		}
		if strings.Contains(one, number) {
			sdk.Expect(id == "", "the list holds several transactions with one invoice number")
			id, _, _ = strings.Cut(one, `"`)
			sdk.Require(id != "", sdk.ErrAnswer)
		}
	}
	return id, count, oldest
}
