package adyen

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"payswitch/sdk"
)

// The Disputes API has hosts of its own (docs.adyen.com/api-explorer/Disputes/30).
const (
	disputesTest = "ca-test.adyen.com"
	disputesLive = "ca-live.adyen.com"
	disputesPath = "/ca/services/DisputeService/v30"
)

// acceptDispute gives a chargeback up.
func acceptDispute(c *sdk.Call) (*sdk.Outcome, error) {
	aboutDispute(c, "/acceptDispute", sdk.NewObject(), false)
	return c.Disputed(sdk.DisputeAccepted, "Accepted"), nil
}

// aboutDispute sends one request about the dispute, which may be repeated if it reads. A refusal ends the operation.
func aboutDispute(c *sdk.Call, path string, body *sdk.Object, read bool) sdk.JSON {
	host := sdk.Choose(c.Account.Environment == "live", disputesLive, disputesTest)
	key := cmp.Or(c.Account.Credentials["review_key"], c.Account.Credentials["api_key"])
	body.Str("disputePspReference", c.Request.Dispute.ID).
		Str("merchantAccountCode", c.Account.Credentials["merchant_account"])
	s := sdk.JSONSend("POST", "https://"+host+disputesPath+path, body, sdk.H("X-API-Key", key))
	s.SafeToRepeat = read
	a := sdk.Must(c.Do(s))
	j := a.JSON()
	switch success := j.Raw("disputeServiceResult.success"); {
	case a.OK() && success == "true":
		return j
	case a.OK() && success == "false":
		refuse(c, "dispute", j.Str("disputeServiceResult.errorMessage"))
	case a.Refuses() && a.Status != 429 && j.Text("errorCode") != "":
		refuse(c, j.Text("errorCode"), j.Str("message"))
	}
	sdk.Check(a.Undecided("no result", "errorCode"))
	return j
}

// refuse ends the operation: nothing was done about the dispute.
func refuse(c *sdk.Call, code, message string) {
	c.End(sdk.Declined(sdk.NewDecline(code, message, sdk.DeclineNotPermitted)))
}

// reasons asks how the dispute can be defended: each has types of documents, which Adyen has, and whether they suffice.
func reasons(c *sdk.Call) sdk.JSON {
	return aboutDispute(c, "/retrieveApplicableDefenseReasons", sdk.NewObject(), true).Get("defenseReasons")
}

// anyDocument is Adyen's type of a document that fits no other type.
const anyDocument = "DefenseMaterial"

// documents are words in the names of Adyen's document types, by what a file shows. The types differ by card network
// and reason, and Adyen publishes no whole list: their names come with the reasons.
var documents = map[sdk.EvidenceType][]string{
	sdk.EvidenceReceipt:               {"invoice", "receipt"},
	sdk.EvidenceDistinctInvoice:       {"duplicate", "invoice"},
	sdk.EvidenceShippingDocumentation: {"deliver", "shipping"},
	sdk.EvidenceServiceDocumentation:  {"service", "described"},
	sdk.EvidenceCancellationPolicy:    {"cancel", "terms"},
	sdk.EvidenceRefundPolicy:          {"refund", "returned"},
	sdk.EvidenceCommunication:         {"correspondence", "communication", "contact"},
	sdk.EvidenceSignature:             {"sign", "identification"},
	sdk.EvidenceRecurringAgreement:    {"recurring"},
}

// documentType picks the first type of document with a word of the file's type in its name, else the one for any.
func documentType(offered []string, t sdk.EvidenceType) string {
	for _, word := range documents[t] {
		for _, code := range offered {
			if strings.Contains(strings.ToLower(code), word) {
				return code
			}
		}
	}
	return sdk.When(slices.Contains(offered, anyDocument), anyDocument)
}

// attachEvidence gives Adyen a file, as a document of a type that it takes for this dispute.
func attachEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	f := c.Request.Dispute.File
	var offered []string
	for reason := range reasons(c).All() {
		for document := range reason.Get("defenseDocumentTypes").All() {
			if code := document.Str("defenseDocumentTypeCode"); code != "" && !slices.Contains(offered, code) {
				offered = append(offered, code)
			}
		}
	}
	code := documentType(offered, f.Type)
	if code == "" {
		refuse(c, "document", "Adyen takes no "+strings.ReplaceAll(string(f.Type), "_", " ")+
			" for this dispute. It takes: "+cmp.Or(strings.Join(offered, ", "), "nothing"))
	}
	aboutDispute(c, "/supplyDefenseDocument", sdk.NewObject().Arr("defenseDocuments", sdk.NewArray().Obj(sdk.NewObject().
		Str("content", base64.StdEncoding.EncodeToString(f.Body)).Str("contentType", f.ContentType).
		Str("defenseDocumentTypeCode", code))), false)
	return &sdk.Outcome{Status: sdk.StatusAttached, EvidenceID: code}, nil
}

// submitEvidence defends the dispute with the first reason for which Adyen has all documents. Adyen takes no texts.
func submitEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	if texts := c.Request.Dispute.Texts(); len(texts) > 0 {
		return nil, sdk.Invalid(texts[0].Name, "Adyen takes files as evidence, and no texts: attach the text as a file")
	}
	var missing []string
	for reason := range reasons(c).All() {
		code := reason.Str("defenseReasonCode")
		if code != "" && reason.Bool("satisfied") {
			aboutDispute(c, "/defendDispute", sdk.NewObject().Str("defenseReasonCode", code), false)
			return c.Disputed(sdk.DisputeChallenged, "Defended with "+code), nil
		}
		var wants []string
		for document := range reason.Get("defenseDocumentTypes").All() {
			if document.Str("requirementLevel") != "Optional" && !document.Bool("available") {
				wants = append(wants, document.Str("defenseDocumentTypeCode"))
			}
		}
		missing = append(missing, code+" ("+strings.Join(wants, ", ")+")")
	}
	refuse(c, "defense", "Adyen has not enough documents for any reason of defense. Reasons, and what they need: "+
		cmp.Or(strings.Join(missing, "; "), "none"))
	return nil, nil
}
