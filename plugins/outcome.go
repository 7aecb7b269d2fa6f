package plugins

import (
	"net/url"

	"payswitch/sdk"
)

var statuses = map[sdk.OutcomeStatus]bool{
	sdk.StatusAuthorized: true, sdk.StatusCaptured: true, sdk.StatusPending: true, sdk.StatusCustomerAction: true, sdk.StatusReview: true,
	sdk.StatusDeclined: true, sdk.StatusVoided: true, sdk.StatusRefunded: true, sdk.StatusVerified: true, sdk.StatusNotFound: true,
	sdk.StatusUnknown: true, sdk.StatusHandled: true, sdk.StatusToken: true, sdk.StatusPrepared: true, sdk.StatusAuthenticated: true,
}

// checkOutcome refuses what is no outcome of any operation. Whether it fits this operation and its amounts is the engine's question.
func checkOutcome(out *sdk.Outcome) error {
	if !statuses[out.Status] {
		return violation(RuleOutcome, "status %.40q is none", out.Status)
	}
	if d := out.ConnectorData; d != nil && max(len(d.Payment), len(d.Method), len(d.Customer)) > sdk.MaxConnectorData {
		return violation(RuleOutcome, "connector data of more than %d bytes", sdk.MaxConnectorData)
	}
	if a := out.NextAction; a != nil && a.Type != "redirect" && a.Type != "form_post" && a.Type != "device_data" {
		return violation(RuleOutcome, "next action %.40q is none", a.Type)
	}
	if a := out.NextAction; a != nil && !isPage(a.URL) {
		return violation(RuleOutcome, "the next action's url is no address of a web page: http or https with a host, without user information, of at most %d bytes", maxURL)
	}
	for i := range out.Events { // of what a message says
		if o := out.Events[i].Outcome; o != nil && o.NextAction != nil && !isPage(o.NextAction.URL) {
			return violation(RuleOutcome, "the next action's url of an event is no address of a web page")
		}
	}
	return nil
}

// isPage says whether a payer's browser may be sent to a URL. Merchants' pages open it, too: a script there would be theirs.
func isPage(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && u.Opaque == "" && len(text) <= maxURL
}
