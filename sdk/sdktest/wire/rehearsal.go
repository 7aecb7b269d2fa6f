package wire

import (
	"maps"
	"slices"
	"strings"

	"payswitch/sdk"
)

// A Rehearsal is an operation of a case for the host to drive, with the real card, cryptogram and credentials and the processor's answers.
type Rehearsal struct {
	Where   string // the case's file, line and name
	Step    *sdk.Step
	Answers []sdk.Exchange
}

// Rehearsals lists every operation in the two files of an adapter: each request with the earlier answers, and each sample of an answer. It
// lists each value of a status table within an answer, and the signed webhook message, genuine and changed. responses may be nil. Rehearsals leaves out
// flows without an operation in the manifest.
func Rehearsals(m *sdk.Manifest, requests *Requests, responses *Responses) (all []Rehearsal) {
	r := &runner{manifest: m, requests: requests, account: Account(m, requests)}
	add := func(where string, c *Case) {
		op := c.Operation()
		if op == "" || !slices.Contains(m.Operations, op) {
			return
		}
		x := Rehearsal{Where: where, Step: c.Step(op, r.account, requests.Clock)}
		if c.Op == sdk.OpWebhook {
			forged := Rehearsal{Where: where, Step: c.Step(op, r.account, requests.Clock)}
			forgery(forged.Step.Request.Webhook.Body)
			all = append(all, x, forged)
			return
		}
		for i := range c.Exchanges {
			x.Answers = append(x.Answers, c.Exchanges[i].exchange(0, ""))
		}
		if c.Response != nil {
			x.Answers = append(x.Answers, c.Response.exchange(0, ""))
		}
		all = append(all, x)
	}
	for i := range requests.Cases {
		add(requests.Cases[i].Where(), &requests.Cases[i])
	}
	if responses == nil {
		return all
	}
	for i := range responses.Samples {
		add(responses.Samples[i].Where(), r.complete(&responses.Samples[i]))
	}
	for i := range responses.StatusTables {
		table := &responses.StatusTables[i]
		for _, value := range slices.Sorted(maps.Keys(table.Map)) {
			c := r.base(responses.Samples, table, table.Map[value])
			if c != nil && r.set(c, table.Field, value) {
				add(where(table.file, table.line, "status", value), c)
			}
		}
	}
	if sample := responses.Webhooks.Sample; sample != nil && slices.Contains(m.Operations, sdk.OpWebhook) {
		for _, forge := range []bool{false, true} {
			all = append(all, Rehearsal{Where: where(sample.file, sample.line, "webhook", "sample"), Step: r.webhookStep(sample, forge, 0)})
		}
	}
	return all
}

// secretOfWebhooks returns the name of the credential that signs messages.
func (r *runner) secretOfWebhooks() string {
	if r.options.WebhookSecret != "" {
		return r.options.WebhookSecret
	}
	for _, f := range r.manifest.Credentials {
		if strings.Contains(f.Name, "webhook") {
			return f.Name
		}
	}
	return ""
}
