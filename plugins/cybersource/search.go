package cybersource

import (
	"cmp"
	"errors"

	"payswitch/sdk"
)

// Transaction Search has every transaction by its id, and finds the id by our reference and the service that the transaction performed.

const searchesPath = "/tss/v2/searches"

var errAmbiguous = errors.New("more than one transaction has this reference")

// find asks what has become of a change, by its id where that is known.
func (k *change) find(c *sdk.Call, id string) *sdk.Outcome {
	a := transaction(c, id, k.service)
	return k.read(c.Request, a, statusOf(a, k.accepted))
}

// transaction fetches the details of a transaction by its id, or of the one that performed a service under our reference. Where Cybersource
// has not heard of one, the operation ends with that.
func transaction(c *sdk.Call, id, service string) sdk.JSON {
	missing := &sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: c.Request.TransactionID}
	if id == "" {
		id = search(c, service)
	}
	if id == "" {
		c.End(missing)
	}
	response := send(c, "GET", "/tss/v2/transactions/"+sdk.PathEscape(id), nil)
	a := response.JSON()
	if response.Status == 404 && (a.Str("status") == "NOT_FOUND" || a.Str("reason") == "NOT_FOUND") {
		c.End(missing)
	}
	sdk.Require(response.OK() && (a.Str("id") == id || a.Has("id") && a.Str("clientReferenceInformation.code") == c.Request.Reference), errAnswer)
	return a
}

// search is the id of the transaction that performed a service under our reference, "" where there is none.
func search(c *sdk.Call, service string) (found string) {
	reference := c.Request.Reference
	sdk.Require(reference != "", sdk.Missing("connector_transaction_id", "an id or a reference is needed"))
	response := send(c, "POST", searchesPath, sdk.NewObject().Bool("save", false).Str("query", "clientReferenceInformation.code:"+reference).
		Int("offset", 0).Int("limit", 100).Str("sort", "submitTimeUtc:desc"))
	a := response.JSON()
	sdk.Require(response.OK() && a.Number("totalCount") != "", errAnswer)
	for t := range a.Get("_embedded.transactionSummaries").All() {
		performed := t.Get("applicationInformation.applications").Where("name", service)
		if t.Str("clientReferenceInformation.code") != reference || !performed.Exists() {
			continue
		}
		sdk.Require(found == "" && t.Str("id") != "", errAmbiguous)
		found = t.Str("id")
	}
	sdk.Require(found != "" || a.Int("totalCount") <= 100, errAmbiguous)
	return found
}

// statusOf is the status of a transaction's details. Where they hold a reason code alone, 100 means what is given for it.
func statusOf(a sdk.JSON, accepted string) string {
	code := a.Text("applicationInformation.reasonCode")
	known := sdk.Names{{accepted, "100"}, {"PARTIAL_AUTHORIZED", "110"}, {"PENDING_REVIEW", "480"}}.Of(code)
	if known == "" && declines.Of(code) != "" {
		known = "DECLINED"
	}
	return cmp.Or(a.Str("applicationInformation.status"), known)
}
