package router

import (
	"cmp"
	"net/http"
	"strings"

	"payswitch/engine/fault"
)

// remedy is the field at fault and the way out.
type remedy struct{ param, hint string }

// remedies complete the errors whose code has one field and one way out, wherever the error arises. What refuses a request with another code names
// both itself: TestRefusalsNameFieldAndRemedy reads the source for that.
var remedies = map[string]remedy{
	"CE_08": {"dispute_id", "Read in reason what the processor refused, and answer again."},
	"HE_00": {"", "Send the same request again in a second."},
	"IR_01": {"api-key", "Send a valid API key of the kind that the route takes."},
	"IR_02": {"", "GET /openapi.yaml lists the URLs."},
	"IR_03": {"", "Use a method that the header Allow lists."},
	"IR_15": {"api-key", "Create an ephemeral key for this customer."},
	"IR_20": {"connector", "GET /feature_matrix lists what each connector can do."},
	"IR_39": {"routing", "Change what reason names, or add a connector account that takes the payment."},
	"WE_01": {"merchant_connector_id", "Compare the URL and the webhook secret with the connector account's."},
	"WE_02": {"merchant_connector_id", "Send the message as the processor writes it."},
}

// complete returns the error with a field and a hint, if it is an answer with a status of 400 to 499.
func complete(e *fault.Error) *fault.Error {
	if status := statusOf(e); status < 400 || status > 499 || e.Param != "" && e.Hint != "" {
		return e
	}
	r, whole := remedies[e.Code], *e
	if e.Kind == fault.KindLimited {
		r = remedy{"api-key", "Wait for the seconds that the header Retry-After names."}
	}
	whole.Param, whole.Hint = cmp.Or(e.Param, r.param), cmp.Or(e.Hint, r.hint)
	return &whole
}

// nameOf maps how the message about a missing thing begins to the field that names the thing. The longer of two beginnings comes first.
var nameOf = []struct{ begins, field string }{
	{"Payment Link ", "payment_link_id"}, {"payment method collect link ", "collect_id"}, {"Payment method ", "payment_method_id"}, {"Payment attempt ", "attempt_id"},
	{"Payment ", "payment_id"}, {"Customer ", "customer_id"}, {"Refund ", "refund_id"}, {"Mandate ", "mandate_id"}, {"Merchant connector account ", "merchant_connector_id"},
	{"Merchant account ", "merchant_id"}, {"Business profile ", "profile_id"}, {"Profile acquirer ", "profile_acquirer_id"}, {"Resource ID ", "routing_id"},
	{"API Key ", "key_id"}, {"Ephemeral Key ", "key_id"}, {"Webhook endpoint ", "endpoint_id"}, {"Webhook resource ", "merchant_connector_id"}, {"Event ", "event_id"},
	{"Operation ", "operation_id"}, {"Bundle ", "bundle_sha256"}, {"Poll ", "poll_id"}, {"Batch blocklist job ", "job_id"}, {"Card issuer ", "issuer_id"},
	{"Config key ", "config_key"}, {"relay ", "relay_id"}, {"Dispute ", "dispute_id"}, {"Session ", "session_id"}, {"GSM ", "code"}, {"could not find a blocklist entry ", "data"},
	{"no blocklist record ", "data"},
}

// missing returns the error about a missing thing with the field that names the thing. A thing that the table does not know is named by the last
// part of the path.
func (c *call) missing(e *fault.Error) *fault.Error {
	named := *e
	for _, of := range nameOf {
		if named.Param == "" && strings.HasPrefix(e.Message, of.begins) {
			named.Param = of.field
		}
	}
	named.Param, named.Hint = cmp.Or(named.Param, c.lastParam()), cmp.Or(e.Hint, "Check the id, and that it belongs to this merchant.")
	return &named
}

// lastParam is the name of the last parameter in the path, "" for none.
func (c *call) lastParam() (name string) {
	if c.route != nil {
		for _, segment := range c.route.segments {
			if segment[0] == '{' {
				name = strings.Trim(segment, "{}")
			}
		}
	}
	return name
}

// keyHeader is the header that the caller sent the key in.
func keyHeader(h http.Header) string {
	if h.Get("api-key") == "" && h.Get("Authorization") != "" {
		return "Authorization"
	}
	return "api-key"
}
