package router

import (
	"payswitch/engine/card"
	"payswitch/sdk"
)

// Answers of the v1 API show a card and its checks differently at single connectors. Only what is shown differs: the engine and the adapters have the
// same facts for all.

// cardsShown are the facts of cards, by connector and first digits, by which integrators know them.
var cardsShown = map[string]map[string]card.Facts{
	"archipel": {"518557": {Network: sdk.Visa, Type: "DEBIT", Issuer: "MASTERCARD INTERNATIONAL", Country: "UNITEDSTATES"}},
}

func shownCard(connector string, f *card.Facts) *card.Facts {
	if shown, ok := cardsShown[connector][f.BIN]; ok {
		return &shown
	}
	return f
}

// writeChecks writes the checks of an approval; CyberSource's in the form of its own answer.
func writeChecks(w *writer, connector string, c *sdk.Checks) {
	switch {
	case c == nil:
		w.null("payment_checks")
	case connector == "cybersource":
		w.key("payment_checks").open()
		writeCode(w, "avs_response", "code", addressCode(c))
		writeCode(w, "card_verification", "resultCode", map[sdk.CheckResult]string{sdk.CheckPass: "M", sdk.CheckFail: "N", sdk.CheckUnavailable: "U",
			sdk.CheckUnchecked: "P"}[c.CVC])
		w.close()
	default:
		w.key("payment_checks").open().text("cvc_check", string(c.CVC)).text("address_line1_check", string(c.AddressLine1))
		w.text("address_postal_code_check", string(c.PostalCode)).close()
	}
}

func writeCode(w *writer, key, name, code string) {
	if code == "" {
		w.null(key)
		return
	}
	w.key(key).open().str(name, code).str(name+"Raw", code).close()
}

// addressCode is CyberSource's code for the results of the address checks, "" for none.
func addressCode(c *sdk.Checks) string {
	line, postal := c.AddressLine1 == sdk.CheckPass, c.PostalCode == sdk.CheckPass
	switch {
	case c.AddressLine1 == "" && c.PostalCode == "":
		return ""
	case line && postal:
		return "Y"
	case line:
		return "A"
	case postal:
		return "Z"
	case c.AddressLine1 == sdk.CheckFail || c.PostalCode == sdk.CheckFail:
		return "N"
	}
	return "U"
}
