package router

import (
	"cmp"
	"net/http"
	"strings"

	"payswitch/engine/fault"
)

// remedy is the field at fault and the way out.
type remedy struct{ param, hint string }

// remedies complete the errors whose code has one field and one way out, wherever the error arises. Code that refuses a request with any other error
// code names field and hint itself: TestRefusalsNameFieldAndRemedy reads the source for that.
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

// lastParam returns the name of the last parameter in the path, "" for none.
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

// keyHints say which key opens a route.
var keyHints = map[access]string{
	secretField:      "Send a valid secret key of the merchant.",
	either:           "Send a valid secret key, or the publishable key with the client_secret.",
	publishable:      "Send the publishable key of the merchant.",
	customersOwn:     "Send a valid secret key, or an ephemeral key of this customer.",
	customersDevice:  "Send the publishable key with the client_secret, or a valid ephemeral key.",
	customersSession: "Send the ephemeral key of this session.",
	admin:            "Send the installation's admin key.",
	ownMerchant:      "Send a valid secret key of the merchant in the URL.",
	adminOrOwn:       "Send the admin key, or a valid secret key of the merchant in the URL.",
}

// keyHint returns the hint for a caller whose key does not open the route of the call.
func (c *call) keyHint() string {
	if c.route == nil {
		return ""
	}
	return keyHints[c.route.who]
}

// keyHeader returns the header that the caller sent the key in.
func keyHeader(h http.Header) string {
	if h.Get("api-key") == "" && h.Get("Authorization") != "" {
		return "Authorization"
	}
	return "api-key"
}
