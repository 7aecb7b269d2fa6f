package plugins_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/sdk"
)

// differ returns the differences of two requests of one operation.
func differ(a, b *sdk.Send) []plugins.Difference {
	return (&plugins.Replayed{Steps: []plugins.ReplayedStep{{Recorded: &sdk.Result{Send: a}, Replayed: &sdk.Result{Send: b}}}}).Differences()
}

func TestDifferencesOfBodies(t *testing.T) {
	for name, c := range map[string]struct {
		recorded, replayed string
		want               []plugins.Difference
	}{
		"form": {"amount=100&card%5Bnumber%5D=x&a=1&a=2", "amount=1.00&card%5Bnumber%5D=x&a=1&a=3&new=y", []plugins.Difference{
			{Where: "request 1 body amount", Recorded: "100", Replayed: "1.00"}, {Where: "request 1 body a[2]", Recorded: "2", Replayed: "3"},
			{Where: "request 1 body new", Replayed: "y"}}},
		"json": {`{"amount":{"value":100},"items":[{"n":1},{"n":2}],"gone":true}`, `{"items":[{"n":1},{"n":12345678901234567890}],"amount":{"value":100}}`, []plugins.Difference{
			{Where: "request 1 body gone", Recorded: "true"}, {Where: "request 1 body items.1.n", Recorded: "2", Replayed: "12345678901234567890"}}},
		"json in another order": {`{"a":1,"b":2}`, `{"b":2,"a":1}`, []plugins.Difference{{Where: "request 1 body", Recorded: `{"a":1,"b":2}`, Replayed: `{"b":2,"a":1}`}}},
		"xml": {`<r v="1"><amount>100</amount><i>a</i><i>b</i></r>`, `<r v="2"><amount>100</amount><i>a</i><i>c</i></r>`, []plugins.Difference{
			{Where: "request 1 body r@v", Recorded: "1", Replayed: "2"}, {Where: "request 1 body r.i[2]", Recorded: "b", Replayed: "c"}}},
		"text": {"some words of which one is here and the rest goes on for long", "some words of which one is there and the rest goes on for long", []plugins.Difference{
			{Where: "request 1 body", Recorded: "…e words of which one is here and the rest goes o…", Replayed: "…e words of which one is there and the rest goes o…"}}},
		"another format": {`{"a":1}`, `a=1`, []plugins.Difference{{Where: "request 1 body", Recorded: `{"a":1}`, Replayed: `a=1`}}},
		"none":           {`{"a":1}`, ``, []plugins.Difference{{Where: "request 1 body", Recorded: `{"a":1}`}}},
	} {
		a, b := &sdk.Send{Method: "POST", Body: []byte(c.recorded)}, &sdk.Send{Method: "POST", Body: []byte(c.replayed)}
		require.Equal(t, c.want, differ(a, b), name)
	}
}

func TestDifferencesOfWhatIsEmpty(t *testing.T) {
	got := differ(&sdk.Send{Method: "GET", Headers: []sdk.Header{{Name: "X"}}}, &sdk.Send{Method: "GET"})
	require.Len(t, got, 1, "an empty header differs from a missing one")
	require.Equal(t, "step 1", got[0].Where)
}

// Differences never reports two different bodies as equal.
func FuzzDifferences(f *testing.F) {
	f.Add(`{"a":{"b":[1,"x"]}}`, `{"a":{"b":[1,"y"]}}`)
	f.Add(`<a b="c">d</a>`, `<a b="c">e</a>`)
	f.Add("a=1&b=2", "a=1&b=3")
	f.Add("", "\xff")
	f.Add("\xfe", "\xff")
	f.Add(strings.Repeat("a", 1000), strings.Repeat("a", 1001))
	f.Fuzz(func(t *testing.T, a, b string) {
		got := differ(&sdk.Send{Method: "POST", Body: []byte(a)}, &sdk.Send{Method: "POST", Body: []byte(b)})
		if a != b {
			require.NotEmpty(t, got)
		}
	})
}
