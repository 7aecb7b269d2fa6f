package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/plugins"
	"payswitch/sdk/sdktest/wire"
)

// callCase is a case in the format of package wire, with the account. Errors name the field and never show its value, which may be a card or
// a key.
type callCase struct {
	Connector string
	wire.Case               // Flow and Input
	settings  wire.Requests // the account's credentials
	BaseURL   string        // "": the manifest's
	Clock     time.Time
	answers   []plugins.Answer
	exchanges int // number of answers before the response
}

// readCallCase reads a case. It ignores fields that do not change the request, so that a case may come unchanged from a file of cases.
func readCallCase(text []byte) (*callCase, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("the case is not a JSON object: %w", err)
	}
	k := &callCase{Clock: time.Now()}
	if all["operation"] != nil {
		if err := k.readOwn(all); err != nil {
			return nil, err
		}
	} else if err := caseField(all, "flow", "a text", &k.Flow); err != nil {
		return nil, err
	}
	if err := errors.Join(
		caseField(all, "connector", "a text", &k.Connector),
		caseField(all, "base_url", "a URL", &k.BaseURL),
		caseField(all, "clock", "a time, as 2026-01-15T10:20:30Z", &k.Clock),
		caseField(all, "input", "an object", &k.Input),
	); err != nil {
		return nil, err
	}
	if err := k.readCredentials(all["credentials"]); err != nil {
		return nil, err
	}
	if k.Op == "" {
		if err := checkInput(k.Input); err != nil {
			return nil, err
		}
	}
	return k, k.readAnswers(all)
}

// readOwn reads a case in the SDK's vocabulary: its operation, the input and the message of a webhook.
func (k *callCase) readOwn(all map[string]json.RawMessage) error {
	if all["flow"] != nil {
		return errors.New("flow: the case names its operation already: leave flow out")
	}
	own := map[string]json.RawMessage{}
	for _, name := range []string{"operation", "input", "message"} {
		if all[name] != nil {
			own[name] = all[name]
		}
	}
	text, err := json.Marshal(own)
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, &k.Case)
	if text, ok := strings.CutPrefix(fmt.Sprint(err), "case : "); ok {
		return errors.New(text)
	}
	return err
}

// caseField reads one field of an object. If the field is absent or null, into keeps its value.
func caseField(all map[string]json.RawMessage, name, what string, into any) error {
	raw, ok := all[name]
	if !ok {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(into) != nil {
		return fmt.Errorf("%s: must be %s", name, what)
	}
	return nil
}

// readCredentials reads an object of settings. The settings may also stand in its values, with their descriptions in fields.
func (k *callCase) readCredentials(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	names, values, err := caseMembers("credentials", raw)
	if err != nil {
		return err
	}
	if nested := values["values"]; bytes.HasPrefix(nested, []byte("{")) {
		if names, values, err = caseMembers("credentials.values", nested); err != nil {
			return err
		}
	}
	c := &k.settings.Credentials
	c.Values = make(map[string]string, len(names))
	c.Fields = slices.Grow(c.Fields, len(names))[:len(names)]
	for i, name := range names { // if the names do not identify the settings, their order identifies them
		c.Fields[i].Name = name
		text, ok := caseText(values[name])
		if !ok {
			return fmt.Errorf("credentials.%s: must be a text", name)
		}
		c.Values[name] = text
	}
	return nil
}

// caseMembers returns an object's fields, and their names in order.
func caseMembers(name string, raw json.RawMessage) (names []string, values map[string]json.RawMessage, err error) {
	if json.Unmarshal(raw, &values) != nil || values == nil {
		return nil, nil, fmt.Errorf("%s: must be an object", name)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	_, err = d.Token()
	for err == nil && d.More() {
		var key json.Token
		var value json.RawMessage
		if key, err = d.Token(); err == nil {
			err = d.Decode(&value)
		}
		if text, ok := key.(string); ok && !slices.Contains(names, text) {
			names = append(names, text)
		}
	}
	return names, values, err
}

// caseText returns a text, number or boolean as text; null is "".
func caseText(raw json.RawMessage) (string, bool) {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return "", false
	}
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// readAnswers reads the exchanges and then the response. An exchange is an answer, or an object with an answer in response.
func (k *callCase) readAnswers(all map[string]json.RawMessage) error {
	var exchanges []json.RawMessage
	if err := caseField(all, "exchanges", "a list", &exchanges); err != nil {
		return err
	}
	for i, raw := range exchanges {
		name := fmt.Sprintf("exchanges[%d]", i)
		var x map[string]json.RawMessage
		if json.Unmarshal(raw, &x) == nil && x["response"] != nil {
			name, raw = name+".response", x["response"]
		}
		if err := k.readAnswer(name, raw); err != nil {
			return err
		}
	}
	k.exchanges = len(k.answers)
	if raw := all["response"]; raw != nil && string(raw) != "null" {
		return k.readAnswer("response", raw)
	}
	return nil
}

func (k *callCase) readAnswer(name string, raw json.RawMessage) error {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil || all == nil {
		return fmt.Errorf("%s: must be an object of status, headers and body", name)
	}
	a := plugins.Answer{Header: http.Header{}, Body: all["body"]}
	if json.Unmarshal(all["status"], &a.Status) != nil || a.Status < 100 || a.Status > 599 {
		return fmt.Errorf("%s.status: must be an HTTP status, 100 to 599", name)
	}
	var headers map[string]json.RawMessage
	if err := caseField(all, "headers", "an object", &headers); err != nil {
		return fmt.Errorf("%s.%w", name, err)
	}
	for _, header := range slices.Sorted(maps.Keys(headers)) {
		lines := []json.RawMessage{headers[header]}
		_ = json.Unmarshal(headers[header], &lines) // otherwise the header has one line
		for _, line := range lines {
			text, ok := caseText(line)
			if !ok {
				return fmt.Errorf("%s.headers.%s: must be a text or a list of texts", name, header)
			}
			a.Header.Add(header, text)
		}
	}
	if text := ""; json.Unmarshal(a.Body, &text) == nil { // a null body is empty too
		a.Body = []byte(text)
	}
	k.answers = append(k.answers, a)
	return nil
}
