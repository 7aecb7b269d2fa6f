package wire

import (
	"fmt"
	"slices"
	"time"

	"payswitch/sdk"
)

// checkWebhook gives the adapter the signed message unchanged, with one letter changed and, if the manifest has a tolerance, a day later.
func (r *runner) checkWebhook(sample *WebhookSample) {
	r.run([]string{"webhook/signed"}, "webhook", func() []string {
		o, wrong := r.webhook(sample, false, 0)
		if o == nil {
			return []string{wrong}
		}
		return r.wrongEvent(sample, o)
	})
	r.run([]string{"webhook/forged"}, "webhook", func() []string {
		if o, _ := r.webhook(sample, true, 0); statesEvent(o) {
			return []string{"the adapter believes a changed message"}
		}
		return nil
	})
	if w := r.manifest.Webhook; w != nil && w.ToleranceSeconds > 0 {
		r.run([]string{"webhook/old"}, "webhook", func() []string {
			if o, _ := r.webhook(sample, false, 24*time.Hour); statesEvent(o) {
				return []string{"the adapter believes a message of yesterday"}
			}
			return nil
		})
	}
}

// webhook runs the message's operation. wrong describes the end without an outcome.
func (r *runner) webhook(sample *WebhookSample, forge bool, later time.Duration) (o *sdk.Outcome, wrong string) {
	_, result, err := play(r.take, r.webhookStep(sample, forge, later))
	if err != nil {
		return nil, err.Error()
	}
	return result.Outcome, ending(&result)
}

// webhookStep returns the step of the message's operation.
func (r *runner) webhookStep(sample *WebhookSample, forge bool, later time.Duration) *sdk.Step {
	body := (&Response{Body: sample.Body}).bytes()
	if forge {
		forgery(body)
	}
	s := (&Case{}).Step(sdk.OpAccessToken, r.account, r.requests.Clock.Add(later))
	s.Operation = sdk.OpWebhook
	s.Request.Webhook = &sdk.WebhookMessage{Method: "POST", Headers: headers(sample.Headers), Body: body}
	s.Account.Credentials[r.secretOfWebhooks()] = sample.Secret
	if r.options.Input != nil {
		r.options.Input(&Case{Name: "webhook", Flow: "webhook"}, s)
	}
	return s
}

// forgery changes the last letter or digit.
func forgery(body []byte) {
	for i := len(body) - 1; i >= 0; i-- {
		if c := body[i]; c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			body[i] ^= 1
			return
		}
	}
}

// statesEvent reports whether an outcome states an event, instead of asking for a query.
func statesEvent(o *sdk.Outcome) bool {
	return o != nil && slices.ContainsFunc(o.Events, func(e sdk.Event) bool { return !e.Sync })
}

func (r *runner) wrongEvent(sample *WebhookSample, o *sdk.Outcome) []string {
	if o.Status != sdk.StatusHandled || len(o.Events) == 0 {
		return []string{fmt.Sprintf("want an event, got status %s%s and %d events", o.Status, rawText(o), len(o.Events))}
	}
	e, want := o.Events[0], sample.Expected
	var all []difference
	if want.TransactionID != "" && e.TransactionID != want.TransactionID {
		all = append(all, difference{"transaction_id", want.TransactionID, e.TransactionID})
	}
	if want.RefundID != "" && e.RefundID != want.RefundID {
		all = append(all, difference{"refund_id", want.RefundID, e.RefundID})
	}
	switch flow := map[sdk.EventObject]string{sdk.EventPayment: "payment_sync", sdk.EventRefund: "refund_sync"}[e.Object]; {
	case e.Sync || want.Status == "":
	case e.Outcome == nil:
		all = append(all, difference{"status", want.Status, "neither outcome nor sync"})
	case !slices.Contains(allowedStatuses(want.Status, flow), e.Outcome.Status):
		all = append(all, difference{"status", want.Status, string(e.Outcome.Status)})
	}
	var wrong []string
	for _, d := range all {
		if !r.allow.allows([]string{"webhook/signed"}, d.path) {
			wrong = append(wrong, d.String())
		}
	}
	return wrong
}
