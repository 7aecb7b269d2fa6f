package authorizedotnet

import (
	"errors"
	"strings"
	"time"

	"payswitch/sdk"
)

// A transaction can be asked for by the processor's id alone. Where the answer that held it was lost, it is found by its invoice number,
// our reference: first among the transactions that are not settled, then in the batches that have been settled since the payment
// began. In this order, as a transaction goes from the one to the other.

const (
	pageSize      = 200             // transactions in an answer
	unsettledMost = 3               // pages. With the query of the transaction itself all must stay within sdk.MaxSends
	batchesMost   = 3               // of one page each
	slack         = 2 * time.Minute // how far the processor's clock may be behind ours
)

var errTooMany = errors.New("too many transactions to look through")

// find is the id of the transaction with an invoice number, "" where it is proven that there is none since the time.
func find(c *sdk.Call, invoice string, since time.Time) string {
	since = since.Add(-slack)
	id, whole := findIn(c, "getUnsettledTransactionListRequest", "", invoice, since, unsettledMost)
	if id != "" {
		return id
	}
	list := post(c, "getSettledBatchListRequest", request(c).Str("firstSettlementDate", stamp(since)).Str("lastSettlementDate", stamp(c.Now())))
	code, _ := message(list) // I00004: no records found
	sdk.Require(!failed(list) && (list.Get("batchList").IsArray() || code == "I00004"), errAnswer)
	looked := 0
	for batch := range list.Get("batchList").All() {
		sdk.Require(looked < batchesMost, errTooMany)
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

// findIn looks for an invoice number in a list of transactions, the latest first. whole says that the list was read back to the time.
func findIn(c *sdk.Call, kind, batch, invoice string, since time.Time, pages int) (id string, whole bool) {
	for page := 1; page <= pages; page++ {
		text, ok := send(c, kind, request(c).OptStr("batchId", batch).
			Obj("sorting", sdk.NewObject().Str("orderBy", "submitTimeUTC").Bool("orderDescending", true)).
			Obj("paging", sdk.NewObject().Int("limit", pageSize).Int("offset", int64(page))))
		sdk.Require(ok, errAnswer)
		id, count, oldest := readPage(text, invoice)
		if id != "" {
			return id, false
		}
		if count < pageSize || oldest != "" && oldest < stamp(since) { // both are of one form, in UTC
			return "", true
		}
	}
	return "", false
}

// readPage is what a page tells of an invoice number: the transaction that has it, how many transactions there are, and since when. It is
// searched as text, in the form in which the API writes it: some 90 KB, which read as JSON take more than a step may compute, and 2.5
// million units of fuel so. The details of what is found are asked for afterwards; what is not found counts only where the answer has its
// end and its transactions are in that form.
func readPage(text, invoice string) (id string, count int, oldest string) {
	const row, submitted = `{"transId":"`, `"submitTimeUTC":"`
	number := `Number":"` + invoice + `"` // the invoice's, as the account's is masked; a search is fast when its first letter is rare
	end := strings.LastIndex(text, `"messages":{"resultCode":"Ok"`)
	sdk.Require(end >= 0 && strings.HasSuffix(strings.TrimRight(text, " \r\n"), "]}}"), errAnswer)
	_, list, _ := strings.Cut(text[:end], `"transactions":[`)
	before, list, more := strings.Cut(list, row)
	sdk.Require(more && before == "" || !more && !strings.HasPrefix(before, "{"), errAnswer)
	for more { // the id is the first name of a transaction
		var one string
		one, list, more = strings.Cut(list, row)
		count++
		if _, after, ok := strings.Cut(one, submitted); ok {
			oldest, _, _ = strings.Cut(after, `"`)
		}
		if strings.Contains(one, number) {
			sdk.Require(id == "", errors.New("several transactions with one invoice number"))
			id, _, _ = strings.Cut(one, `"`)
			sdk.Require(id != "", errAnswer)
		}
	}
	return id, count, oldest
}

// stamp is a time as the API writes it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
