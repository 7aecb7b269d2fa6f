package plugins

import (
	"net/url"

	"payswitch/sdk"
)

var statuses = map[sdk.OutcomeStatus]bool{
	sdk.StatusAuthorized: true, sdk.StatusCaptured: true, sdk.StatusPending: true, sdk.StatusCustomerAction: true, sdk.StatusReview: true,
	sdk.StatusDeclined: true, sdk.StatusVoided: true, sdk.StatusRefunded: true, sdk.StatusVerified: true, sdk.StatusNotFound: true,
	sdk.StatusUnknown: true, sdk.StatusDisputed: true, sdk.StatusAttached: true, sdk.StatusHandled: true, sdk.StatusToken: true, sdk.StatusPrepared: true, sdk.StatusAuthenticated: true,
}

// checkOutcome refuses an outcome that no operation can have. The engine checks whether it fits this operation and its amounts.
func checkOutcome(out *sdk.Outcome) error {
	if !statuses[out.Status] {
		return violation(RuleOutcome, "status: %.40q is not a status of an outcome", out.Status)
	}
	if d := out.ConnectorData; d != nil && max(len(d.Payment), len(d.Method), len(d.Customer)) > sdk.MaxConnectorData {
		return violation(RuleOutcome, "connector_data: a value is longer than %d bytes", sdk.MaxConnectorData)
	}
	if a := out.NextAction; a != nil && a.Type != "redirect" && a.Type != "form_post" && a.Type != "device_data" {
		return violation(RuleOutcome, "next_action.type: %.40q is not redirect, form_post or device_data", a.Type)
	}
	if a := out.NextAction; a != nil && !isPage(a.URL) {
		return violation(RuleOutcome, "next_action.url: not the address of a web page: give an http or https URL with a host, without user information, of at most %d bytes", maxURL)
	}
	for i := range out.Events {
		if o := out.Events[i].Outcome; o != nil && o.NextAction != nil && !isPage(o.NextAction.URL) {
			return violation(RuleOutcome, "next_action.url of an event: not the address of a web page")
		}
	}
	return nil
}

// isPage reports whether a payer's browser may be sent to a URL. Merchants' pages open the URL too, so a javascript: URL would run
// in the merchant's page.
func isPage(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && u.Opaque == "" && len(text) <= maxURL
}
