package stripe

import (
	"slices"
	"strings"

	"payswitch/sdk"
)

// capture captures all or a part. Stripe releases the rest after the final capture, and counts all captures together.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	f := sdk.NewForm().Int("amount_to_capture", amount(c.Request.Amount))
	if !c.Request.FinalCapture {
		f.Add("final_capture", "false") // docs.stripe.com/payments/multicapture
	}
	k, path := intentOf(c)
	o := k.read(c, post(c, path+"/capture", f))
	if before := c.Request.Known().Captured; o.Amount != nil && before > 0 {
		sdk.Expect(o.Amount.Minor > before, "the answer shows no further capture")
		o.Amount.Minor -= before
	}
	return o, nil
}

func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	k, path := intentOf(c)
	return k.read(c, post(c, path+"/increment_authorization", sdk.NewForm().Int("amount", amount(c.Request.Amount)))), nil
}

// void cancels an authorized or waiting intent. A SetupIntent does not take the reason "fraudulent".
func void(c *sdk.Call) (*sdk.Outcome, error) {
	k, path := intentOf(c)
	f, reason := sdk.NewForm(), c.Request.Reason
	known := slices.Contains([]string{"duplicate", "fraudulent", "requested_by_customer", "abandoned"}, reason)
	if known && (k == paymentIntent || reason != "fraudulent") {
		f.Add("cancellation_reason", reason)
	}
	return k.read(c, post(c, path+"/cancel", f)), nil
}

// intentOf returns the kind of the operation's intent, and its path.
func intentOf(c *sdk.Call) (k *intent, path string) {
	id := c.Request.TransactionID
	if strings.HasPrefix(id, "seti_") {
		return setupIntent, setups + "/" + sdk.PathEscape(id)
	}
	return paymentIntent, intents + "/" + sdk.PathEscape(id)
}

func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	// The second field of metadata explains the first to readers of Stripe's dashboard.
	return refundOutcome(c, post(c, refunds,
		sdk.NewForm().Int("amount", amount(r.Amount)).Add("payment_intent", r.TransactionID).
			Add("metadata[order_id]", r.Reference).Add("metadata[is_refund_id_as_reference]", "true"))), nil
}

// sync asks for the intent; complete does the same. It searches by our reference for a PaymentIntent whose id was lost.
// Stripe has no search for SetupIntents, so the search shows nothing of a lost verification.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	if c.Request.TransactionID != "" {
		k, path := intentOf(c)
		return k.read(c, get(c, path+"?expand[0]="+k.attempt)), nil
	}
	query := sdk.QueryEscape("metadata['order_id']:'" + c.Request.Reference + "'")
	all := get(c, intents+"/search?query="+query+"&expand[0]=data.latest_charge").Get("data")
	return paymentIntent.read(c, c.Find(all, c.Request.Resolves != sdk.OpVerify, func(sdk.JSON) bool { return true })), nil
}

// refundSync asks for the refund. It looks among the refunds of the payment for a refund whose id was lost.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if r.RefundID != "" {
		return refundOutcome(c, get(c, refunds+"/"+sdk.PathEscape(r.RefundID))), nil
	}
	list := get(c, refunds+"?limit=100&payment_intent="+sdk.QueryEscape(r.TransactionID))
	return refundOutcome(c, c.Find(list.Get("data"), list.Raw("has_more") == "false", func(x sdk.JSON) bool {
		return x.Str("metadata.order_id") == r.Reference
	})), nil
}
