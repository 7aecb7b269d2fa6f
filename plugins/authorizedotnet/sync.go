package authorizedotnet

import (
	"errors"
	"strings"
	"time"

	"payswitch/sdk"
)

// lookUp asks for a transaction by the processor's id, or by our reference if that is unknown. If no transaction has
// our reference, the operation ends with that; an id of the processor's own that it does not know belongs to another
// account.
func lookUp(c *sdk.Call, id string) sdk.JSON {
	r, lost := c.Request, id == ""
	if lost {
		sdk.Expect(r.Reference != "" && r.Payment != nil && r.Payment.CreatedAt != 0,
			"the request lacks the id of the transaction, and a reference with its time")
		if id = find(c, r.Reference, time.UnixMilli(r.Payment.CreatedAt)); id == "" {
			c.End(&sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: r.TransactionID})
		}
	}
	j := post(c, "getTransactionDetailsRequest", request(c).Str("transId", id))
	if code, _ := message(j); failed(j) && code == "E00040" && !lost {
		c.End(c.OtherAccount())
	}
	t := j.Get("transaction")
	ours := r.Reference != "" && t.Str("order.invoiceNumber") == r.Reference
	sdk.Require(!failed(j) && t.Text("transId") != "", sdk.ErrAnswer)
	sdk.Expect(ours || !lost && t.Text("transId") == id, "the answer holds another transaction")
	return t
}

// statuses of payments. An expired authorization counts as voided. Some statuses do not show the state of the payment
// and decide nothing: couldNotVoid, those of refunds, communicationError (the processor may have acted) and
// settlementError (the batch can be reset and settle).
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
	// may be lower than the authorized amount
	case o.Status == sdk.StatusCaptured && held != nil && taken != nil && taken.Minor > 0:
		o.Amount, o.Totals = taken, &sdk.Totals{Authorized: max(held.Minor, taken.Minor), Captured: taken.Minor,
			Refunded: r.Known().Refunded}
	default:
		sdk.Expect(o.Status != sdk.StatusAuthorized && o.Status != sdk.StatusCaptured,
			"the answer holds a transaction without its amounts")
	}
	o.AuthCode = t.Text("authCode")
	return o, nil
}

// ended returns the reason of a failed transaction. An unknown error, or one after which the processor may have acted,
// is not an end.
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
	switch o.Status {
	case sdk.StatusDeclined:
		o.Decline = ended(t)
	case sdk.StatusRefunded:
		o.Amount = t.NeedMajor("settleAmount", "currency", c.Request.Amount.Currency)
	}
	return o, nil
}

// Authorize.net returns a transaction by its own id alone. If the answer with the id was lost, the adapter looks for
// the invoice number, our reference: first among the unsettled transactions, then in the batches settled since the
// payment began. A transaction moves in this direction, so the order matters.

const (
	pageSize  = 200             // transactions in an answer
	pagesMost = 3               // unsettled ones, and as many batches of one page: a query stays within sdk.MaxSends
	slack     = 2 * time.Minute // accepted lag of the processor's clock
)

var errTooMany = errors.New("the lists hold too many transactions to search")

// find returns the id of the transaction with an invoice number, or "" with proof that there is no such transaction
// since that time.
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

// findIn looks for an invoice number in a list of transactions, newest first. whole reports that it read the list back
// to that time.
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
// the oldest time. It searches the text in the API's own form. A page has some 90 KB; decoding it as JSON would exceed
// a step's fuel, and the search takes 2.5 million units. The adapter asks for the details of a found transaction. A
// page without the number counts only if it is complete and in that form.
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
