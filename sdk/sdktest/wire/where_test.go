package wire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

func TestCasesKnowTheirLines(t *testing.T) {
	text := []byte("{\n \"base_url\": \"x\",\n \"cases\": [\n  {\"name\": \"a\"},\n  {\n   \"name\": \"b\"}\n , {\"name\": \"c\"}],\n \"other\": {\"cases\": [1]}\n}")
	require.Equal(t, []int{4, 5, 7}, linesOf(text, "cases"))
	require.Equal(t, []int{8}, linesOf(text, "other"))
	require.Empty(t, linesOf(text, "samples"))

	q, p, err := Load(testdata(t), "tiny")
	require.NoError(t, err)
	require.Regexp(t, `^tiny\.json:\d+ \(case `+q.Cases[0].Name+`\)$`, q.Cases[0].Where())
	require.Regexp(t, `^tiny\.responses\.json:\d+ \(case `+p.Samples[0].Name+`\)$`, p.Samples[0].Where())
	require.Equal(t, "case made", (&Case{Name: "made"}).Where())
}

// An impossible outcome is an error that names the line, even if the case expects the outcome.
func TestImpossibleOutcomesAreErrors(t *testing.T) {
	voids := tiny()
	authorize := voids.Authorize
	voids.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		o, err := authorize(c)
		if o != nil && o.Status == sdk.StatusCaptured {
			o.Status = sdk.StatusVoided
		}
		return o, err
	}
	wrong := wrongsOf(t, voids, Options{}, `"status": "charged"`, `"status": "voided"`)
	require.Regexp(t, `tiny\.responses\.json:\d+ \(case \w+\): authorize cannot end with the outcome voided: use authorized`, wrong)
	require.Regexp(t, `tiny\.responses\.json:\d+ \(status \w+\): authorize cannot end with the outcome voided`, wrong)

	takesMore := tiny()
	takesMore.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		o, err := authorize(c)
		if o != nil && o.Status == sdk.StatusCaptured {
			o.Amount = &sdk.Money{Minor: c.Request.Amount.Minor * 10, Currency: c.Request.Amount.Currency}
		}
		return o, err
	}
	require.Contains(t, wrongsOf(t, takesMore, Options{}), "249.90 USD is more than the requested 24.99 USD")
}

// Every case becomes an operation with its real secrets and its answers.
func TestRehearsals(t *testing.T) {
	q, p, err := Load(testdata(t), "tiny")
	require.NoError(t, err)
	m := tiny().Manifest
	m.Operations = []sdk.Operation{sdk.OpAuthorize, sdk.OpWebhook}
	all := Rehearsals(&m, q, p)
	places := map[string]int{}
	for _, x := range all {
		places[x.Where]++
		if x.Step.Operation == sdk.OpAuthorize {
			require.NotContains(t, x.Step.Request.Instrument.Card.Number, "sI")
		} else {
			require.Equal(t, sdk.OpWebhook, x.Step.Operation)
		}
	}
	require.Equal(t, 1, places[q.Cases[0].Where()])
	require.Equal(t, 1, places[p.Samples[0].Where()])
	require.Equal(t, 2, places[where("tiny.responses.json", p.Webhooks.Sample.line, "webhook", "sample")], "the message as it is and changed")
	m.Operations = []sdk.Operation{sdk.OpCapture}
	for _, x := range Rehearsals(&m, q, p) {
		require.Equal(t, sdk.OpCapture, x.Step.Operation)
	}
}
