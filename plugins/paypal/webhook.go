package paypal

import (
	"strings"

	"payswitch/sdk"
)

// webhook reads a message without believing it: PayPal signs with a certificate that must be fetched first, and asking
// PayPal to verify a message would cost a request for every forged one. A message about a payment of ours causes a
// query; any other has no effect.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	j := c.Message()
	resource, kind := j.Get("resource"), j.Str("event_type")
	e := sdk.Event{Object: "payment", Sync: true, TransactionID: resource.Str("supplementary_data.related_ids.order_id")}
	switch {
	case kind == "PAYMENT.CAPTURE.REFUNDED", kind == "PAYMENT.CAPTURE.REVERSED",
		strings.HasPrefix(kind, "PAYMENT.REFUND."):
		e.Object, e.RefundID, e.Reference = "refund", resource.Str("id"), resource.Str("custom_id")
	case strings.HasPrefix(kind, "PAYMENT.CAPTURE."), strings.HasPrefix(kind, "PAYMENT.AUTHORIZATION."):
		e.Reference = resource.Str("invoice_id")
	case strings.HasPrefix(kind, "CHECKOUT.ORDER."):
		e.TransactionID, e.Reference = resource.Str("id"), resource.Str("purchase_units.0.reference_id")
	case strings.HasPrefix(kind, "CUSTOMER.DISPUTE."):
		e.Object, e.Reference = "dispute", resource.Str("disputed_transactions.0.invoice_number")
	default:
		return sdk.Handled(), nil
	}
	return sdk.Handled(e), nil
}
