package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// The damage finds adapters that draw conclusions from a missing value or from an HTTP status alone. It finds those that accept another amount, too.
func TestDamageIsFound(t *testing.T) {
	found := func(allow map[string]string, read func(a *sdk.Response, j sdk.JSON) *sdk.Outcome) string {
		a := tiny()
		a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
			answer := sdk.Must(c.Do(sdk.JSONSend("POST", "/v1/pay", sdk.NewObject())))
			return read(answer, answer.JSON()), nil
		}
		q, p, err := Load(testdata(t, `"state": "ok"`, `"state": "ok", "paid": "24.99", "in": {"currency": "USD"}`), "tiny")
		require.NoError(t, err)
		r := &runner{manifest: &a.Manifest, take: a.Step, requests: q, account: Account(&a.Manifest, q), allow: ledger{allow, map[string]bool{}}}
		var wrong []string
		for i := range p.Samples {
			wrong = append(wrong, r.checkDamaged(r.complete(&p.Samples[i]))...)
		}
		return strings.Join(wrong, "\n")
	}
	status := func(s sdk.OutcomeStatus) *sdk.Outcome { return &sdk.Outcome{Status: s, Decline: &sdk.Decline{}} }
	careful := func(a *sdk.Response, j sdk.JSON) *sdk.Outcome {
		paid := j.Major("paid", "USD")
		switch {
		case a.OK() && j.Str("state") == "ok" && paid != nil && j.Str("in.currency") == "USD":
			return &sdk.Outcome{Status: sdk.StatusCaptured, Amount: paid}
		case a.Refuses() && j.Str("state") == "no":
			return status(sdk.StatusDeclined)
		}
		return status(sdk.StatusUnknown)
	}
	require.Empty(t, found(nil, careful))
	for want, read := range map[string]func(a *sdk.Response, j sdk.JSON) *sdk.Outcome{
		"no state: captured became declined": func(a *sdk.Response, j sdk.JSON) *sdk.Outcome {
			if a.OK() && j.Str("state") != "ok" {
				return status(sdk.StatusDeclined)
			}
			return careful(a, j)
		},
		"null in: captured became voided": func(a *sdk.Response, j sdk.JSON) *sdk.Outcome {
			if j.Get("in").IsNull() {
				return status(sdk.StatusVoided)
			}
			return careful(a, j)
		},
		"HTTP 500: captured became captured": func(_ *sdk.Response, j sdk.JSON) *sdk.Outcome { return careful(&sdk.Response{Status: 200}, j) },
		"HTTP 409: declined became declined": func(a *sdk.Response, j sdk.JSON) *sdk.Outcome {
			if a.Status == 409 {
				return status(sdk.StatusDeclined)
			}
			return careful(a, j)
		},
		"another amount paid: captured with the requested amount": func(a *sdk.Response, j sdk.JSON) *sdk.Outcome {
			o := careful(a, j)
			o.Amount = nil
			return o
		},
		"another currency in.currency: captured with the requested amount": func(a *sdk.Response, j sdk.JSON) *sdk.Outcome {
			if o := careful(a, j); o.Status != sdk.StatusUnknown || !a.OK() || j.Str("in.currency") != "ZAR" {
				return o
			}
			return status(sdk.StatusCaptured)
		},
	} {
		require.Contains(t, found(nil, read), want)
		what, _, _ := strings.Cut(want, ": ")
		require.NotContains(t, found(map[string]string{"damaged/charged " + what: "meant", "damaged/declined " + what: "meant"}, read), want)
	}
}

// An adapter that takes an unreadable amount for the requested one is found once for each field, with the values in JSON.
func TestUnreadableAmounts(t *testing.T) {
	a := tiny()
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		sdk.Must(c.Do(sdk.JSONSend("POST", "/v1/pay", sdk.NewObject())))
		return &sdk.Outcome{Status: sdk.StatusCaptured}, nil
	}
	q, p, err := Load(testdata(t, `"state": "ok"`, `"state": "ok", "paid": "24.99"`), "tiny")
	require.NoError(t, err)
	r := &runner{manifest: &a.Manifest, take: a.Step, requests: q, account: Account(&a.Manifest, q)}
	wrong := r.checkUnreadable(r.complete(&p.Samples[0]), sdk.Money{Minor: 2499, Currency: "USD"})
	require.Equal(t, []string{`unreadable paid ("sixty", "", {}, [], true, 1e400): captured, as if it were what was asked for` +
		` [if that is intended, allow: "damaged/charged unreadable paid"]`}, wrong)
}

// Every place of a body is damaged in turn. The body itself stays unchanged.
func TestDamages(t *testing.T) {
	var body any
	d := json.NewDecoder(strings.NewReader(`{"a":[{"b":1}],"c":"x"}`))
	d.UseNumber()
	require.NoError(t, d.Decode(&body))
	all := map[string]string{}
	damaged(body, "", func(what string, body any) {
		text, err := json.Marshal(body)
		require.NoError(t, err)
		all[what] = string(text)
	})
	require.Equal(t, map[string]string{
		"no a": `{"c":"x"}`, "null a": `{"a":null,"c":"x"}`, "other kind of a": `{"a":"x","c":"x"}`,
		"no a[0]": `{"a":[],"c":"x"}`, "no a[0].b": `{"a":[{}],"c":"x"}`, "null a[0].b": `{"a":[{"b":null}],"c":"x"}`,
		"other kind of a[0].b": `{"a":[{"b":{}}],"c":"x"}`, "no c": `{"a":[{"b":1}]}`, "null c": `{"a":[{"b":1}],"c":null}`,
		"other kind of c": `{"a":[{"b":1}],"c":{}}`,
	}, all)
	var forms []string
	damaged("a=1&b=2", "", func(what string, body any) { forms = append(forms, what+": "+body.(string)) })
	require.Equal(t, []string{"no a: b=2", "empty a: a=&b=2", "no b: a=1", "empty b: a=1&b="}, forms)
}
