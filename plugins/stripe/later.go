package stripe

import (
	"slices"
	"strings"

	"payswitch/sdk"
)

// capture takes what is held, or part of it: Stripe releases the rest.
func capture(c *sdk.Call) (*sdk.Outcome, error) { return change(c, "/capture", "amount_to_capture") }

// incrementalAuthorize raises what is held to a new total.
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	return change(c, "/increment_authorization", "amount")
}

// void cancels a PaymentIntent that is held or waits for the customer.
func void(c *sdk.Call) (*sdk.Outcome, error) { return change(c, "/cancel", "") }

// change does something to a PaymentIntent, with an amount where field names one.
func change(c *sdk.Call, action, field string) (*sdk.Outcome, error) {
	f := sdk.NewForm()
	if field != "" {
		minor, err := amount(c.Request.Amount)
		if err != nil {
			return nil, err
		}
		f.Int(field, minor)
	} else if slices.Contains(cancellations, c.Request.Reason) {
		f.Add("cancellation_reason", c.Request.Reason)
	}
	answer, err := post(c, intents+"/"+sdk.PathEscape(c.Request.TransactionID)+action, f)
	if err != nil {
		return nil, err
	}
	return intentOutcome(c, answer), nil
}

// cancellations are the reasons that Stripe knows.
var cancellations = []string{"duplicate", "fraudulent", "requested_by_customer", "abandoned"}

func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	minor, err := amount(r.Amount)
	if err != nil {
		return nil, err
	}
	// The second field says what the first one is, to those who read them in Stripe's dashboard.
	f := sdk.NewForm().Int("amount", minor).Add("payment_intent", r.TransactionID).Add("metadata[order_id]", r.Reference).
		Add("metadata[is_refund_id_as_reference]", "true")
	answer, err := post(c, refunds, f)
	if err != nil {
		return nil, err
	}
	if !answer.OK() {
		return refusal(answer), nil
	}
	return refundOutcome(answer.JSON()), nil
}

// sync asks for the intent, and is what is done when the customer comes back. An intent whose id was lost is searched for by our
// reference; SetupIntents cannot be.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if r.TransactionID == "" {
		return search(c)
	}
	path, outcome := intents+"/"+sdk.PathEscape(r.TransactionID)+"?expand[0]=latest_charge", intentOutcome
	if strings.HasPrefix(r.TransactionID, setupPrefix) {
		path, outcome = setups+"/"+sdk.PathEscape(r.TransactionID)+"?expand[0]=latest_attempt", setupOutcome
	}
	answer, err := get(c, path)
	if err != nil {
		return nil, err
	}
	if missing(answer) {
		return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
	}
	return outcome(c, answer), nil
}

func search(c *sdk.Call) (*sdk.Outcome, error) {
	query := "metadata['order_id']:'" + c.Request.Reference + "'"
	answer, err := get(c, intents+"/search?query="+sdk.QueryEscape(query)+"&expand[0]=data.latest_charge")
	if err != nil {
		return nil, err
	}
	j := answer.JSON()
	found := j.Get("data")
	switch {
	case !answer.OK() || !found.IsArray():
		return unknown(answer), nil
	case found.Len() == 0 && c.Request.Resolves != sdk.OpVerify:
		return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
	case found.Len() != 1:
		return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"error": "not exactly one PaymentIntent has our reference"}}, nil
	}
	return intent(c, found.Get("0")), nil
}

// refundSync asks for the refund. One whose id was lost is looked for among the refunds of its payment.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if r.RefundID != "" {
		answer, err := get(c, refunds+"/"+sdk.PathEscape(r.RefundID))
		switch {
		case err != nil:
			return nil, err
		case missing(answer):
			return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
		case !answer.OK():
			return unknown(answer), nil
		}
		return refundOutcome(answer.JSON()), nil
	}
	answer, err := get(c, refunds+"?limit=100&payment_intent="+sdk.QueryEscape(r.TransactionID))
	if err != nil {
		return nil, err
	}
	j := answer.JSON()
	if !answer.OK() || !j.Get("data").IsArray() {
		return unknown(answer), nil
	}
	for each := range j.Get("data").All() {
		if each.Str("metadata.order_id") == r.Reference {
			return refundOutcome(each), nil
		}
	}
	if j.Raw("has_more") != "false" {
		return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"error": "more than 100 refunds"}}, nil
	}
	return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
}
