package plugins

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// For any body, either nothing leaves, or every reader of the request finds the card number in its declared field alone, and the
// rest unchanged.
func FuzzTemplates(f *testing.F) {
	s, d, m := blindSend()
	m.Placements = append(m.Placements, sdk.Placement{Secret: "card_number", In: "body", Field: "number"})
	to, err := newReach(&d.Account, m)
	require.NoError(f, err)
	places := placesOf(m)
	_, secrets := newStep(d, m, to.baseURL)
	const mark = "NUMBER" // in the corpus: the stand-in
	for _, body := range []string{`{"payment":{"card":{"number":"NUMBER"}}}`, `{"number":"NUMBER","a":[{"b":"NUMBER"}]}`, `{"number":"NUMBER","number":1}`,
		`{"payment.card.number":"NUMBER"}`, `{"n\u0075mber":"NUMBER"}`, `{"number":"\u004eUMBER"}`, `{"number":"NUMBER","Number":"x"}`, `["NUMBER"]`, `"NUMBER"`,
		`{"number":NUMBER}`, `{"number":"NUMBER"}}`, "{\"number\":\"NUMBER\xff\"}", `{"a":{"number":"NUMBER"}}`, `[{"payment":{"card":{"number":"NUMBER"}}}]`} {
		f.Add(body, true)
	}
	for _, body := range []string{"number=NUMBER", "number=NUMBER&number=1", "n%75mber=NUMBER&a=b", "number=NUMBER;a=b", "a=NUMBER", "NUMBER=1", "number=%4eUMBER", "number==NUMBER", "&number=NUMBER&&"} {
		f.Add(body, false)
	}
	f.Fuzz(func(t *testing.T, body string, isJSON bool) {
		if strings.Contains(body, "4111111111111111") {
			return
		}
		send := *s
		send.Body = []byte(strings.ReplaceAll(body, mark, secrets.secrets[0].standIn))
		send.Headers = append([]sdk.Header{{Name: "Content-Type", Value: "application/json"}}, s.Headers[1:]...)
		if !isJSON {
			send.Headers[0].Value = "application/x-www-form-urlencoded"
		}
		out, err := fill(&send, secrets, places, sdk.OpAuthorize, to, "op_1-0")
		if err != nil {
			require.ErrorAs(t, err, new(*Violation))
			return
		}
		if !strings.Contains(body, mark) {
			require.Equal(t, body, string(out.body))
			return
		}
		require.Equal(t, strings.ReplaceAll(body, mark, "4111111111111111"), string(out.body))
		if isJSON {
			var v any
			require.NoError(t, json.Unmarshal(out.body, &v))
			require.Empty(t, misplaced(v, ""))
			return
		}
		all, err := url.ParseQuery(string(out.body))
		require.NoError(t, err)
		for name, values := range all {
			for _, v := range values {
				require.True(t, !strings.Contains(v, "4111111111111111") || name == "number" && len(values) == 1, "%q %q", name, v)
			}
			require.NotContains(t, name, "4111111111111111")
		}
	})
}

// misplaced returns the path of a card number outside its declared field.
func misplaced(v any, at string) string {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "4111111111111111") && (v != "4111111111111111" || at != "\x00number" && at != "\x00payment\x00card\x00number") {
			return at + "="
		}
	case []any:
		for _, x := range v {
			if p := misplaced(x, at+"\x00[]"); p != "" {
				return p
			}
		}
	case map[string]any:
		for name, x := range v {
			if strings.Contains(name, "4111111111111111") {
				return at + "\x00" + name
			}
			if p := misplaced(x, at+"\x00"+name); p != "" {
				return p
			}
		}
	}
	return ""
}
