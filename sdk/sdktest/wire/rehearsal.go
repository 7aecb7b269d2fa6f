package wire

import (
	"maps"
	"slices"
	"strings"

	"payswitch/sdk"
)

// A Rehearsal is an operation of a case, ready to be driven by the host: with the real card, cryptogram and credentials, and with the
// processor's answers.
type Rehearsal struct {
	Where   string // the case's file, line and name
	Step    *sdk.Step
	Answers []sdk.Exchange
}

// Rehearsals lists every operation that the two files of an adapter tell of: each request with the answers that go before it, each sample of
// an answer, each value of a status table in the answer that it stands in, and the signed message of a webhook as it is and changed. responses
// may be nil. Flows that are no operation of the manifest are left out.
func Rehearsals(m *sdk.Manifest, requests *Requests, responses *Responses) (all []Rehearsal) {
	r := &runner{adapter: &sdk.Adapter{Manifest: *m}, requests: requests, account: Account(m, requests)}
	add := func(where string, c *Case) {
		op := c.Operation()
		if op == "" || !slices.Contains(m.Operations, op) {
			return
		}
		x := Rehearsal{Where: where, Step: c.Step(op, r.account, requests.Clock)}
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

// secretOfWebhooks is the credential that signs messages.
func (r *runner) secretOfWebhooks() string {
	if r.options.WebhookSecret != "" {
		return r.options.WebhookSecret
	}
	for _, f := range r.adapter.Manifest.Credentials {
		if strings.Contains(f.Name, "webhook") {
			return f.Name
		}
	}
	return ""
}
