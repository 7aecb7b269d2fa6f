package wire

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"payswitch/sdk"
)

func (r *runner) checkResponses(f *Responses) {
	for i := range f.Samples {
		c := r.complete(&f.Samples[i])
		r.cover.operation(r.operation(c))
		r.at(r.operation(c), c.Where())
		if c.Op == sdk.OpWebhook {
			r.checkMessage(c)
			continue
		}
		r.run([]string{"response/" + c.Name}, c.Flow, func() []string { return r.checkSample(c) })
		if c.Response != nil {
			r.run([]string{"damaged/" + c.Name, "response/" + c.Name}, c.Flow, func() []string { return r.checkDamaged(c) })
		}
	}
	for i := range f.StatusTables {
		table := &f.StatusTables[i]
		name := "status/" + table.Flow
		if table.Capture != "" {
			name += "/" + table.Capture
		}
		for _, value := range slices.Sorted(maps.Keys(table.Map)) {
			r.at(tableOperation(table), where(table.file, table.line, "status", value))
			r.run([]string{name + "/" + value}, table.Flow, func() []string {
				return r.checkStatus(f.Samples, table, name+"/"+value, value, table.Map[value])
			})
		}
		r.at(tableOperation(table), where(table.file, table.line, "status", "unheardof"))
		r.run([]string{name + "/(unheard of)"}, table.Flow, func() []string {
			return r.checkStatus(f.Samples, table, name+"/(unheard of)", "unheardof", "")
		})
	}
	for _, code := range slices.Sorted(maps.Keys(f.Declines.Codes)) {
		r.at(sdk.OpAuthorize, where(f.Declines.file, f.Declines.line, "decline", code))
		r.run([]string{"decline/" + code}, "", func() []string { return r.checkDecline(f, code) })
	}
	if s := f.Webhooks.Sample; s != nil {
		r.at(sdk.OpWebhook, where(s.file, s.line, "webhook", "sample"))
		r.checkWebhook(f.Webhooks.Sample)
	}
}

func tableOperation(t *StatusTable) sdk.Operation {
	if t.Op != "" {
		return t.Op
	}
	return Operation(t.Flow)
}

// complete returns a copy of a sample with the missing input from the first case of its flow. A sample that asks for 3-D Secure prefers a case
// that does so too.
func (r *runner) complete(sample *Case) *Case {
	c := sample.clone()
	var first *Case
	for i := range r.requests.Cases {
		base := &r.requests.Cases[i]
		if base.Flow != c.Flow || base.own() != c.own() {
			continue
		}
		alike := c.Input["request_3ds"] == nil || base.Input["request_3ds"] != nil
		if first == nil || alike {
			first = base
		}
		if alike {
			break
		}
	}
	if first == nil {
		return c
	}
	for k, v := range first.Input {
		if _, ok := c.Input[k]; !ok {
			c.Input[k] = v
		}
	}
	return c
}

// kind returns the kind of an answer. In the SDK's vocabulary the expected status decides.
func (c *Case) kind() string {
	switch {
	case !c.own() || c.Kind != "":
		return c.Kind
	case c.Expected.Status == string(sdk.StatusDeclined):
		return "decline"
	case c.Expected.Status == string(sdk.StatusUnknown), c.Expected.Status == string(sdk.StatusNotFound):
		return "error"
	}
	return "success"
}

// answer runs the operation of a sample with the sample's answer. It returns the last step and its result.
func (r *runner) answer(c *Case) (*sdk.Step, *sdk.Result, error) {
	if c.Response == nil {
		return nil, nil, fmt.Errorf("the sample has no response")
	}
	s, err := r.step(c)
	if err != nil {
		return nil, nil, err
	}
	send, err := r.send(c, s)
	if err != nil {
		return nil, nil, err
	}
	response := c.Response
	if slices.Contains(authentications, s.Operation) {
		response = response.conceal(send.Capture)
	}
	s.Exchanges = append(s.Exchanges, response.exchange(s.Now, sdk.RequestHash(send)))
	for {
		result := r.take(s)
		if result.Send == nil || r.options.Answer == nil {
			return s, &result, nil
		}
		next := r.options.Answer(c, len(s.Exchanges), result.Send)
		if next == nil {
			return s, &result, nil
		}
		s.Exchanges = append(s.Exchanges, next.exchange(s.Now, sdk.RequestHash(result.Send)))
	}
}

func (r *runner) checkSample(c *Case) []string {
	s, result, err := r.answer(c)
	if err != nil {
		return []string{err.Error()}
	}
	if token := c.Expected.PaymentMethodToken; token != "" && result.Send != nil {
		if !strings.Contains(result.Send.URL+string(result.Send.Body), token) {
			return []string{"the next request does not hold the token " + token}
		}
		return nil
	}
	if result.Outcome == nil {
		return []string{"no outcome: " + ending(result)}
	}
	wrong := impossible(c.Where(), s, result.Outcome)
	if c.own() {
		want := maps.Clone(c.want)
		authentication, _ := want["authentication"].(map[string]any)
		delete(want, "authentication") // it is compared as a whole
		all := append(wrongOutcome(want, result.Outcome), wrongAuthentication(authentication, result.Outcome)...)
		return append(wrong, r.texts("response/"+c.Name, all)...)
	}
	for _, d := range wrongs(c, s, result.Outcome) {
		if !r.allow.allows([]string{"response/" + c.Name}, d.path) {
			wrong = append(wrong, d.String())
		}
	}
	return wrong
}

// impossible returns the reason why the operation cannot end with the outcome, with the place of the case; nil if it can.
func impossible(where string, s *sdk.Step, o *sdk.Outcome) []string {
	if problem := o.Impossible(s.Operation, s.Request.Amount); problem != "" {
		return []string{where + ": " + problem}
	}
	return nil
}

// checkStatus puts a value into the field that decides. A status of "" stands for an unknown value, which must decide nothing.
func (r *runner) checkStatus(samples []Case, table *StatusTable, name, value, status string) []string {
	c := r.base(samples, table, status)
	if c == nil {
		return []string{fmt.Sprintf("no sample of %s holds the field %s: add a sample with it, set it in Options.Set, or name this check in skip", table.Flow, table.Field)}
	}
	if !r.set(c, table.Field, value) {
		return []string{fmt.Sprintf("sample %s: the field %s cannot be set: set it in Options.Set", c.Name, table.Field)}
	}
	s, result, err := r.answer(c)
	switch {
	case err != nil:
		return []string{err.Error()}
	case result.Outcome == nil:
		return []string{"no outcome: " + ending(result)}
	}
	if wrong := impossible(where(table.file, table.line, "status", value), s, result.Outcome); wrong != nil {
		return wrong
	}
	allowed := []sdk.OutcomeStatus{sdk.StatusUnknown, sdk.StatusPending}
	switch {
	case status != "" && table.Op != "":
		allowed = []sdk.OutcomeStatus{sdk.OutcomeStatus(status)}
	case status != "":
		allowed = allowedStatuses(status, table.Flow)
	}
	if (status == "authentication_pending" || status == string(sdk.StatusCustomerAction)) && c.Expected.Status != status {
		allowed = append(slices.Clone(allowed), sdk.StatusUnknown) // the sample lacks the URL of the authentication
	}
	if got := result.Outcome.Status; !slices.Contains(allowed, got) && !r.allow.allows([]string{name}, "status") {
		return []string{fmt.Sprintf("%s: want %s = %v, got %s%s (in sample %s)", value, status, allowed, got, rawText(result.Outcome), c.Name)}
	}
	return nil
}

// base returns a copy of the best sample for a value of a status table: one with the same status, else a success, else any of the flow.
func (r *runner) base(samples []Case, table *StatusTable, status string) *Case {
	best, points := (*Case)(nil), -1
	for i := range samples {
		c := r.complete(&samples[i])
		if c.Flow != table.Flow || c.own() != (table.Op != "") || c.Response == nil {
			continue
		}
		if !r.set(c.clone(), table.Field, "x") {
			continue
		}
		p := 0
		if c.Expected.Status == status {
			p += 4
		}
		if table.Capture != "" && input(c.Input).str("capture") == table.Capture {
			p += 2
		}
		if c.kind() == "success" {
			p++
		}
		if p > points {
			best, points = c, p
		}
	}
	if best != nil && table.Capture != "" {
		best.Input["capture"] = table.Capture
	}
	return best
}

// set puts a value into the answer of a sample. It changes the sample.
func (r *runner) set(c *Case, field, value string) bool {
	if r.options.Set != nil && r.options.Set(c, field, value) {
		return true
	}
	path, _, _ := strings.Cut(field, " ")
	return SetField(c.Response, path, value)
}

// checkDecline puts a decline code into the sample of a decline and compares the reason.
func (r *runner) checkDecline(f *Responses, code string) []string {
	for i := range f.Samples {
		c := r.complete(&f.Samples[i])
		if c.kind() != "decline" || c.Response == nil || !r.set(c, f.Declines.Field, code) {
			continue
		}
		_, result, err := r.answer(c)
		switch {
		case err != nil:
			return []string{err.Error()}
		case result.Outcome == nil:
			return []string{"no outcome: " + ending(result)}
		case result.Outcome.Decline == nil:
			return []string{"no decline: " + ending(result)}
		}
		want, got := reasons[f.Declines.Codes[code]], result.Outcome.Decline.Reason
		if c.own() {
			want = []sdk.DeclineReason{sdk.DeclineReason(f.Declines.Codes[code])}
		}
		if !slices.Contains(want, got) && !r.allow.allows([]string{"decline/" + code}, "reason") {
			return []string{fmt.Sprintf("%s: want %s = %v, got %s", code, f.Declines.Codes[code], want, got)}
		}
		return nil
	}
	return []string{fmt.Sprintf("no sample of a decline holds the field %s: add a sample with it, set it in Options.Set, or name this check in skip", f.Declines.Field)}
}
