package cybersource

import (
	"cmp"
	"errors"

	"payswitch/sdk"
)

// Transaction Search has every transaction by its id, and finds the id by our reference and the service that the transaction performed.

const searchesPath = "/tss/v2/searches"

var errSearch = errors.New("not all that has this reference was found")

// find asks what has become of a change, by its id where that is known.
func (k *change) find(c *sdk.Call, id string) *sdk.Outcome {
	a := transaction(c, id, k.service)
	return k.read(c.Request, a, statusOf(a, k.accepted))
}

// transaction fetches the details of a transaction by its id, or of the one that performed a service under our reference. Where Cybersource
// has not heard of one under our reference, the operation ends with that; an id that it gave and does not know is another account's.
func transaction(c *sdk.Call, id, service string) sdk.JSON {
	given := id != ""
	if !given {
		id = search(c, service)
	}
	if id == "" {
		c.End(&sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: c.Request.TransactionID})
	}
	response := send(c, "GET", "/tss/v2/transactions/"+sdk.PathEscape(id), nil)
	a := response.JSON()
	if given && response.Status == 404 && (a.Str("status") == "NOT_FOUND" || a.Str("reason") == "NOT_FOUND") {
		c.End(c.OtherAccount())
	}
	sdk.Require(response.OK() && (a.Str("id") == id || a.Has("id") && a.Str("clientReferenceInformation.code") == c.Request.Reference), errAnswer)
	return a
}

// search is the id of the transaction that performed a service under our reference, "" where there is none.
func search(c *sdk.Call, service string) string {
	reference := c.Request.Reference
	sdk.Require(reference != "", sdk.Missing("connector_transaction_id", "an id or a reference is needed"))
	response := send(c, "POST", searchesPath, sdk.NewObject().Bool("save", false).Str("query", "clientReferenceInformation.code:"+reference).
		Int("offset", 0).Int("limit", 100).Str("sort", "submitTimeUtc:desc"))
	a := response.JSON()
	sdk.Require(response.OK() && a.Number("totalCount") != "", errAnswer)
	all := a.Get("_embedded.transactionSummaries")
	found := all.Only(func(t sdk.JSON) bool {
		performed := t.Get("applicationInformation.applications")
		performed.Need("0.name") // one that does not tell what it is may be the one
		return t.Need("clientReferenceInformation.code") == reference && performed.Where("name", service).Exists()
	})
	id := found.Str("id")
	sdk.Require(id != "" || !found.Exists() && int64(all.Len()) == a.Int("totalCount"), errSearch)
	return id
}

// statusOf is the status of a transaction's details. Where they hold a reason code alone, 100 means what is given for it.
func statusOf(a sdk.JSON, accepted string) string {
	code := a.Text("applicationInformation.reasonCode")
	known := sdk.Names{{accepted, "100"}, {"PARTIAL_AUTHORIZED", "110"}, {"PENDING_REVIEW", "480"}}.Of(code)
	if known == "" && declines.Of(code) != "" && inDoubt.Of(code) == "" {
		known = "DECLINED"
	}
	return cmp.Or(a.Str("applicationInformation.status"), known)
}
