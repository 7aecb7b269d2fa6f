package authorizedotnet

import (
	"errors"
	"time"

	"payswitch/sdk"
)

// A transaction can be asked for by the processor's id alone. Where the answer that held it was lost, it is found by its invoice number,
// our reference: first among the transactions that are not settled, then in the batches that have been settled since the payment
// began. In this order, as a transaction goes from the one to the other.

// Bounds of a lookup: with the query of the transaction itself it must stay within sdk.MaxSends.
const (
	pageSize      = 200 // transactions in an answer
	unsettledMost = 3   // pages
	batchesMost   = 3   // of one page each
)

// slack is how far the processor's clock may be behind ours.
const slack = 2 * time.Minute

var errTooMany = errors.New("too many transactions to look through")

// find is the id of the transaction with an invoice number, "" where it is proven that there is none since the time.
func find(c *sdk.Call, invoice string, since time.Time) (string, error) {
	since = since.Add(-slack)
	id, whole, err := findIn(c, getUnsettled, "", invoice, since, unsettledMost)
	if err != nil || id != "" {
		return id, err
	}
	batches, err := post(c, getBatches, request(c).Str("firstSettlementDate", stamp(since)).Str("lastSettlementDate", stamp(c.Now())), true)
	if err != nil {
		return "", err
	}
	if failed(batches) {
		return "", errAnswer
	}
	for i, n := 0, batches.Get("batchList").Len(); i < n; i++ {
		if i == batchesMost {
			return "", errTooMany
		}
		batch := batches.Get("batchList." + sdk.Decimal(int64(i), 0)).Text("batchId")
		id, all, err := findIn(c, getBatchTransactions, batch, invoice, since, 1)
		if err != nil || id != "" {
			return id, err
		}
		whole = whole && all
	}
	if !whole {
		return "", errTooMany
	}
	return "", nil
}

// findIn looks for an invoice number in a list of transactions, the latest first. whole says that the list was read back to the time.
func findIn(c *sdk.Call, kind, batch, invoice string, since time.Time, pages int) (id string, whole bool, err error) {
	for page := 1; page <= pages; page++ {
		body := request(c).OptStr("batchId", batch).
			Obj("sorting", sdk.NewObject().Str("orderBy", "submitTimeUTC").Bool("orderDescending", true)).
			Obj("paging", sdk.NewObject().Int("limit", pageSize).Int("offset", int64(page)))
		j, err := post(c, kind, body, true)
		if err != nil {
			return "", false, err
		}
		if failed(j) {
			return "", false, errAnswer
		}
		count, oldest := 0, ""
		for t := range j.Get("transactions").All() {
			count, oldest = count+1, t.Str("submitTimeUTC")
			if t.Str("invoiceNumber") != invoice {
				continue
			}
			if found := t.Text("transId"); found != "" && (id == "" || id == found) {
				id = found
				continue
			}
			return "", false, errors.New("several transactions with one invoice number")
		}
		if id != "" {
			return id, false, nil
		}
		if count < pageSize || oldest != "" && oldest < stamp(since) { // both are of one form, in UTC
			return "", true, nil
		}
	}
	return "", false, nil
}

// stamp is a time as the API writes it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
