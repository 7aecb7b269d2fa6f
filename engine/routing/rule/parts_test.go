package rule

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// written writes a random JSON value in one of the many ways to write it.
func written(r *rand.Rand, depth int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	blank := func() string { return pick("", "", " ", "\n\t", " \r\n") }
	kind := r.IntN(6)
	if depth == 0 {
		kind %= 4
	}
	parts := make([]string, r.IntN(4))
	switch kind {
	case 0:
		return blank() + pick("0", "-1.5e+3", "17", "1E400") + blank()
	case 1:
		return blank() + pick("null", "true", "false") + blank()
	case 2, 3:
		return blank() + pick(`""`, `"a,b"`, `"}]"`, `"\"{"`, `"\\"`, `"\u00e9\ud83d\ude00"`, `"é"`, "\"\xff\"", `"\ud800"`, `" : "`) + blank()
	case 4:
		for i := range parts {
			parts[i] = written(r, depth-1)
		}
		return blank() + "[" + strings.Join(parts, ",") + blank() + "]" + blank()
	}
	for i := range parts {
		parts[i] = blank() + fmt.Sprintf(pick(`"k%d"`, `"\u006b%d"`, `":{%d"`), i) + blank() + ":" + written(r, depth-1)
	}
	return blank() + "{" + strings.Join(parts, ",") + blank() + "}" + blank()
}

// samePart compares what the functions find in a valid text with what encoding/json finds.
func samePart(t *testing.T, raw json.RawMessage) {
	var members map[string]json.RawMessage
	var items []json.RawMessage
	var word string
	switch first(raw) {
	case '{':
		require.NoError(t, json.Unmarshal(raw, &members))
		o, err := object(raw, "")
		require.NoError(t, err, "%q", raw)
		require.Len(t, o, len(members), "%q", raw)
		for name, value := range members {
			require.Equal(t, string(value), string(o.of(name)), "%q", raw)
			samePart(t, o.of(name))
		}
	case '[':
		require.NoError(t, json.Unmarshal(raw, &items))
		list, err := array(raw, "")
		require.NoError(t, err, "%q", raw)
		require.Len(t, list, len(items), "%q", raw)
		for i, value := range items {
			require.Equal(t, string(value), string(list[i]), "%q", raw)
			samePart(t, list[i])
		}
	case '"':
		require.NoError(t, json.Unmarshal(raw, &word))
		s, err := text(raw, "")
		require.NoError(t, err, "%q", raw)
		require.Equal(t, word, s)
	}
	_, notObject := object(raw, "")
	_, notArray := array(raw, "")
	_, notText := text(raw, "")
	require.Equal(t, []bool{first(raw) != '{', first(raw) != '[', first(raw) != '"'}, []bool{notObject != nil, notArray != nil, notText != nil}, "%q", raw)
}

// TestParts: a program's parts are those that encoding/json finds.
func TestParts(t *testing.T) {
	t.Parallel()
	r := random(1)
	for range 3000 {
		raw := checked(json.RawMessage(written(r, 4)))
		require.NotNil(t, raw)
		samePart(t, raw)
	}
	for _, bad := range []string{"", " ", "{", `{"a":1}}`, `{"a":1,}`, `["a" "b"]`, `"`, "nul"} {
		_, err := Parse(json.RawMessage(bad), routingForm)
		require.ErrorContains(t, err, "expected an object", "%q", bad)
		_, err = ParseAlgorithm(json.RawMessage(bad), nil)
		require.ErrorContains(t, err, "expected an object", "%q", bad)
	}
	for _, n := range []int{2, 200} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":%d,`, i, i)
		}
		_, err := object(json.RawMessage("{"+strings.TrimSuffix(b.String(), ",")+"}"), "")
		require.NoError(t, err)
		for _, twice := range []string{"k0", fmt.Sprint("k", n-1), `\u006b1`} {
			_, err = object(json.RawMessage("{"+b.String()+`"`+twice+`":1}`), "")
			require.ErrorContains(t, err, "a member twice")
		}
	}
}
