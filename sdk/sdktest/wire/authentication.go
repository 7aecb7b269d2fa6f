package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"payswitch/sdk"
)

// authentications are the operations of an authenticator for one authentication.
var authentications = []sdk.Operation{sdk.OpPrepare, sdk.OpAuthenticate, sdk.OpResult, sdk.OpCancelChallenge}

// authentication makes the request of an authenticator's operation. input.authentication is sdk.AuthenticationRequest in its own JSON. The
// rest of the input is as for payments.
func (c *Case) authentication(in input) sdk.Request {
	r := sdk.Request{PaymentID: "pay_wire", AttemptID: "pay_wire_1", Amount: sdk.Money{Minor: in.int("amount"), Currency: sdk.Currency(in.str("currency"))},
		Instrument: instrument(in), Customer: customer(in.obj("customer")), Billing: address(in.obj("billing")), Shipping: address(in.obj("shipping")),
		Browser: browser(in.obj("browser")), Authentication: &sdk.AuthenticationRequest{AuthenticationID: "auth_wire"}}
	text, err := json.Marshal(in["authentication"])
	if err == nil {
		err = json.Unmarshal(text, r.Authentication)
	}
	if err != nil {
		panic(fmt.Sprintf("wire: case %s: input.authentication: %v", c.Name, err))
	}
	return r
}

// captured replaces a captured value in an answer.
const captured = "captured:"

// conceal replaces the captured fields of an answer by stand-ins, as the host does.
func (r *Response) conceal(all []sdk.Capture) *Response {
	c := Response{Status: r.Status, Headers: r.Headers, Body: deepCopy(r.Body)}
	for _, k := range all {
		if body, ok := c.Body.(map[string]any); ok {
			if value := textAt(body, k.Path); value != "" {
				SetField(&c, k.Path, captured+value)
			}
		}
	}
	return &c
}

// textAt returns the text at a path of names in a body, "" without a text.
func textAt(body map[string]any, path string) string {
	v, err := json.Marshal(body)
	if err != nil {
		return ""
	}
	j, err := sdk.ParseJSON(v)
	if err != nil {
		return ""
	}
	return j.Str(path)
}

// wrongAuthentication compares the authentication that a sample expects, with all its fields, and the outcome's. A cavv must be a captured value.
func wrongAuthentication(want map[string]any, o *sdk.Outcome) []difference {
	if want == nil {
		return nil
	}
	want = maps.Clone(want)
	if cavv, ok := want["cavv"].(string); ok {
		want["cavv"] = captured + cavv
	}
	text, err := json.Marshal(o.Authentication)
	got := map[string]any{}
	if err == nil {
		err = json.Unmarshal(text, &got)
	}
	if err != nil {
		return []difference{{"authentication", "", err.Error()}}
	}
	plain, _ := json.Marshal(want) // gives all numbers the same type
	expected := map[string]any{}
	_ = json.Unmarshal(plain, &expected)
	var all []difference
	names := []string{}
	for name := range got {
		names = append(names, name)
	}
	for name := range expected {
		if _, ok := got[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if !reflect.DeepEqual(whole(got[name]), whole(expected[name])) {
			all = append(all, difference{"authentication." + name, compact(expected[name]), compact(got[name])})
		}
	}
	return all
}

func compact(v any) string {
	if v == nil {
		return ""
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// whole returns a value in which an empty list is null: the protocol does not tell them apart.
func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, x := range v {
			out[name] = whole(x)
		}
		return out
	case []any:
		if len(v) == 0 {
			return nil
		}
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = whole(x)
		}
		return out
	}
	return v
}
