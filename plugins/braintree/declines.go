package braintree

import (
	"cmp"
	_ "embed"

	"payswitch/sdk"
)

// declineOf is why a transaction or refund failed: what the event of its status says.
func declineOf(t sdk.JSON) *sdk.Decline {
	return declineFrom(eventOf(t, t.Str("status")), t.Str("status"))
}

// declineFrom reads an event, or a verification, of a status that means a refusal.
func declineFrom(e sdk.JSON, status string) *sdk.Decline {
	network, code, rejection := e.Str("networkResponse.code"), e.Str("processorResponse.legacyCode"), e.Str("gatewayRejectionReason")
	d := declines.New(cmp.Or(code, status), cmp.Or(e.Str("processorResponse.message"), status), sdk.DeclineByCode(network))
	if status == "FAILED" && d.Reason == sdk.DeclineGeneric {
		d = sdk.NewDecline(d.Code, d.Message, sdk.DeclineProcessingError)
	}
	if status == "GATEWAY_REJECTED" && rejection != "" { // the processor may have approved: the gateway's rules did not
		d = declines.New(rejection, "Gateway rejected: "+rejection, sdk.DeclineBlocked)
	}
	d.NetworkCode, d.AdviceCode = network, e.Str("merchantAdviceCodeResponse.code")
	return d
}

// declines are decline codes and what they mean.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
