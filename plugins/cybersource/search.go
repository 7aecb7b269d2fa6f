package cybersource

import (
	"cmp"

	"payswitch/sdk"
)

// Transaction Search returns a transaction by its id, and finds the id by our reference and the transaction's service.

const searchesPath = "/tss/v2/searches"

// find asks for the result of a change, by its id if that is known.
func (k *change) find(c *sdk.Call, id string) *sdk.Outcome {
	a := transaction(c, id, k.service)
	return k.read(c.Request, a, statusOf(a, k.accepted))
}

// transaction fetches the details of a transaction by its id, or by our reference and its service. If Cybersource knows
// no transaction with our reference, the operation ends with that; an id of its own that Cybersource does not know
// belongs to another account.
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
	sdk.Require(response.OK() && (a.Str("id") == id || a.Has("id") &&
		a.Str("clientReferenceInformation.code") == named(c.Request, service)), sdk.ErrAnswer)
	return a
}

// search returns the id of the transaction with our reference that performed a service; "" for none.
func search(c *sdk.Call, service string) string {
	reference := named(c.Request, service)
	sdk.Require(reference != "", sdk.Missing("connector_transaction_id", "the request lacks both an id and a reference"))
	response := send(c, "POST", searchesPath, sdk.NewObject().Bool("save", false).
		Str("query", "clientReferenceInformation.code:"+reference).
		Int("offset", 0).Int("limit", 100).Str("sort", "submitTimeUtc:desc"))
	a := response.JSON()
	sdk.Require(response.OK() && a.Number("totalCount") != "", sdk.ErrAnswer)
	all := a.Get("_embedded.transactionSummaries")
	found := all.Only(func(t sdk.JSON) bool {
		performed := t.Get("applicationInformation.applications")
		performed.Need("0.name") // a transaction without a service could be the wanted one
		return t.Need("clientReferenceInformation.code") == reference && performed.Where("name", service).Exists()
	})
	id := found.Str("id")
	sdk.Expect(id != "" || !found.Exists() && int64(all.Len()) == a.Int("totalCount"),
		"the search did not return every transaction with this reference")
	return id
}

// named returns our reference of the transaction that performed a service.
func named(r *sdk.Request, service string) string {
	if service == captures.service {
		return cmp.Or(r.CaptureReference, r.Reference)
	}
	return r.Reference
}

// statusOf returns the status of a transaction's details. If they hold only a reason code, 100 means accepted. With
// 200 and 230 the issuer approved, and a check of Cybersource's failed: the funds are held (support.cybersource.com,
// article 000002478).
func statusOf(a sdk.JSON, accepted string) string {
	code := a.Text("applicationInformation.reasonCode")
	known := sdk.Names{{accepted, "100"}, {"PARTIAL_AUTHORIZED", "110"}, {"PENDING_REVIEW", "480"},
		{"AUTHORIZED_PENDING_REVIEW", "200 230"}}.Of(code)
	if known == "" && declines.Of(code) != "" {
		known = "DECLINED"
	}
	return cmp.Or(a.Str("applicationInformation.status"), known)
}
