package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"payswitch/engine/drive"
	"payswitch/engine/port"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// recordedCase is a journalled operation in the form of sdk/CASES.md: a case for NAME.json and a sample for NAME.responses.json. A field is absent
// if the operation did not get so far.
type recordedCase struct {
	Case   map[string]any `json:"case,omitempty"`
	Sample map[string]any `json:"sample,omitempty"`
}

// Values in the place of secrets.
const (
	caseCard = "4111111111111111"
	caseCVC  = "737"
	caseCAVV = "AAABBEg0VhI0VniQEjRWAAAAAAA="
)

// printCases prints the last recording of an operation as a case and a sample.
func (r *replayer) printCases(ctx context.Context, id string, p *program) error {
	records, err := r.journal.Operation(ctx, id)
	if err != nil {
		return err
	}
	if len(records) == 0 {
		return fmt.Errorf("the journal has no recording of operation %s: operations begin with op_ and are in the log under operation_id", id)
	}
	return r.printCase(records[len(records)-1], p)
}

func (r *replayer) printCase(record *drive.JournalRecord, p *program) error {
	rec, err := r.journal.Open(record)
	if err != nil {
		return err
	}
	made, err := caseOf(record, rec)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stderr, "note: check the texts of the processor for personal data before you keep this case")
	return p.printJSON(made)
}

// caseOf makes the case. Stand-ins become test values; names, addresses and devices of people become invented ones.
func caseOf(record *drive.JournalRecord, rec *port.Recording) (*recordedCase, error) {
	if rec.Resumed > 0 {
		return nil, errors.New("the recording continues an earlier one, so it does not hold the operation's first request")
	}
	if rec.Step.Request.Webhook != nil {
		return nil, errors.New("the operation is a webhook: take the message from the processor's documentation, because the journal's is masked")
	}
	input, change, err := caseInput(rec.Step)
	if err != nil {
		return nil, err
	}
	made, name := &recordedCase{}, string(record.Kind)+"_"+record.OperationID[max(0, len(record.OperationID)-6):]
	var answers []wire.Response
	for i, s := range rec.Steps {
		result, err := sdk.DecodeResult(s.Result)
		if err != nil {
			return nil, fmt.Errorf("step %d failed: %s", i+1, s.Fault)
		}
		var answer *wire.Response
		if i < len(rec.Step.Exchanges) && rec.Step.Exchanges[i].Status != 0 {
			answer = caseAnswer(&rec.Step.Exchanges[i], change)
		}
		if result.Send != nil {
			request, err := caseRequest(rec.Step, result.Send, change)
			if err != nil {
				return nil, err
			}
			made.Case = map[string]any{"name": name, "operation": record.Kind, "input": input, "request": request}
			if len(answers) > 0 {
				made.Case["exchanges"] = slices.Clone(answers)
			}
		}
		if result.Outcome != nil && len(answers) > 0 {
			expected, err := caseOutcome(result.Outcome, change)
			if err != nil {
				return nil, err
			}
			made.Sample = map[string]any{"name": name, "operation": record.Kind, "input": input, "response": answers[len(answers)-1], "expected": expected}
			if len(answers) > 1 {
				made.Sample["exchanges"] = slices.Clone(answers[:len(answers)-1])
			}
		}
		if answer != nil {
			answers = append(answers, *answer)
		}
	}
	return made, nil
}

// caseInput returns the request without people's data, and the replacement of everything that must not leave.
func caseInput(s *sdk.Step) (map[string]any, *strings.Replacer, error) {
	var pairs []string
	replace := func(old, by string) {
		if len(old) >= 3 {
			pairs = append(pairs, old, by)
		}
	}
	request := s.Request
	for _, name := range slices.Sorted(maps.Keys(s.Account.Credentials)) {
		replace(s.Account.Credentials[name], "test_"+name)
	}
	if i := request.Instrument; i != nil && i.Card != nil {
		replace(i.Card.Number, caseCard)
		replace(i.Card.CVC, caseCVC)
		replace(i.Card.Holder, "Ada Lovelace")
		card := *i.Card
		card.Number, card.BIN, card.LastFour, card.Length = caseCard, "", "", 0
		if card.CVC != "" {
			card.CVC = caseCVC
		}
		if card.Holder != "" {
			card.Holder = "Ada Lovelace"
		}
		instrument := *i
		instrument.Card = &card
		request.Instrument = &instrument
	}
	if t := request.ThreeDS; t != nil && t.CAVV != "" {
		replace(t.CAVV, caseCAVV)
		result := *t
		result.CAVV = caseCAVV
		request.ThreeDS = &result
	}
	people := func(v any) (map[string]any, error) {
		all, err := membersOf(v)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if text, ok := all[name].(string); ok && name != "country" && name != "id" {
				by := invented(name)
				replace(text, by)
				all[name] = by
			}
		}
		return all, err
	}
	input, err := membersOf(request)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{"customer", "billing", "shipping", "browser"} {
		if input[name] == nil {
			continue
		}
		if input[name], err = people(input[name]); err != nil {
			return nil, nil, err
		}
	}
	if instrument, ok := input["instrument"].(map[string]any); ok {
		if card, ok := instrument["card"].(map[string]any); ok {
			for _, name := range []string{"bin", "last_four", "length"} {
				delete(card, name)
			}
		}
	}
	for _, name := range []string{"payment_id", "attempt_id", "metadata"} {
		delete(input, name)
	}
	return input, strings.NewReplacer(pairs...), nil
}

// invented returns a value in the place of people's data.
func invented(name string) string {
	switch name {
	case "email":
		return "ada@example.com"
	case "ip":
		return "192.0.2.1"
	case "phone":
		return "5550100"
	case "zip":
		return "12345"
	case "state":
		return "CA"
	}
	return "Test " + strings.ReplaceAll(name, "_", " ")
}

func membersOf(v any) (all map[string]any, err error) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	return all, err
}

func caseAnswer(x *sdk.Exchange, change *strings.Replacer) *wire.Response {
	a := &wire.Response{Status: x.Status}
	text := change.Replace(string(x.Body))
	var body any
	if json.Unmarshal([]byte(text), &body) == nil {
		a.Body = body
	} else if text != "" {
		a.Body = text
	}
	return a
}

// caseRequest returns a request as it leaves, with test values in the place of secrets. Derivations are computed over them.
func caseRequest(step *sdk.Step, asked *sdk.Send, change *strings.Replacer) (map[string]any, error) {
	values := map[string]string{}
	for name, standIn := range step.Account.Credentials {
		values[standIn] = "test_" + name
	}
	if i := step.Request.Instrument; i != nil && i.Card != nil {
		values[i.Card.Number], values[i.Card.CVC] = caseCard, caseCVC
	}
	if step.Request.ThreeDS != nil {
		values[step.Request.ThreeDS.CAVV] = caseCAVV
	}
	delete(values, "")
	s, err := wire.Substitute(asked, values)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	headers := map[string]string{}
	for _, h := range s.Headers {
		headers[strings.ToLower(h.Name)] = change.Replace(h.Value)
	}
	text := change.Replace(string(s.Body))
	r := map[string]any{"method": s.Method, "url": change.Replace(s.URL), "headers": headers, "body_kind": "none"}
	var body any
	switch form, err := url.ParseQuery(text); {
	case text == "":
	case json.Unmarshal([]byte(text), &body) == nil:
		r["body_kind"], r["body"] = "json", body
	case strings.HasPrefix(text, "<"):
		r["body_kind"], r["raw"] = "xml", text
	case err == nil && strings.Contains(headers["content-type"], "form-urlencoded"):
		fields := map[string]string{}
		for name := range form {
			fields[name] = form.Get(name)
		}
		r["body_kind"], r["body"], r["raw"] = "form", fields, text
	default:
		r["body_kind"], r["raw"] = "text", text
	}
	return r, nil
}

func caseOutcome(o *sdk.Outcome, change *strings.Replacer) (map[string]any, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	err = json.Unmarshal([]byte(change.Replace(string(text))), &all)
	return all, err
}
