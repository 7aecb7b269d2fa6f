package plugins_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/sdk"
)

// Answers of processors, and what the adapter, the journal and the log get of them.
func TestScrubbing(t *testing.T) {
	p := newRecorder(t)
	basic := base64.StdEncoding.EncodeToString([]byte("m_1:" + secretKey))
	for name, c := range map[string]struct {
		answer, seen string // seen "" is the answer as it is
		alarm        bool
	}{
		"nothing":               {`{"id":"pay_1","amount":737,"card":{"last4":"1111","bin":"411111"}}`, "", false},
		"the number":            {`{"number":"4111111111111111"}`, `{"number":"411111******1111"}`, true},
		"as a JSON number":      {`{"number":4111111111111111,"a":1}`, `{"number":4111110000001111,"a":1}`, true},
		"in groups":             {`no such card: 4111 1111 1111 1111.`, `no such card: 4111 11** **** 1111.`, true},
		"with dashes":           {`4111-1111-1111-1111`, `4111-11**-****-1111`, true},
		"within other digits":   {`{"x":"14111111111111111999"}`, `{"x":"********************"}`, true},
		"within a word":         {`x4111111111111111y`, `x411111******1111y`, true},
		"another card":          {`{"number":"5555555555554444"}`, `{"number":"555555******4444"}`, false},
		"another card, grouped": {`3782 822463 10005`, `3782 82**** *0005`, false},
		"not by check digit":    {`{"id":"5555555555554445"}`, "", false},
		"no network's":          {`{"id":"8835511210681327"}`, "", false},
		"a Visa transaction id": {`{"network_transaction_id":"481109309990189"}`, "", false},
		"within an id":          {`{"id":"tr_5555555555554444"}`, "", false},
		"a UUID":                {`{"id":"513d5000-a958-8f49-ab41-111112345678"}`, "", false},
		"no UUID":               {`{"id":"ab41-111112345678"}`, `{"id":"ab41-1111********"}`, true},
		"22 digits":             {`{"id":"5555555555554444000000"}`, "", false},
		"what the request held": {`{"reference":"4000000000000002"}`, "", false},
		"CVC under its name":    {`{"card":{"cvc":"737","amount":737}}`, `{"card":{"cvc":"","amount":737}}`, true},
		"CVC as a number":       {`{"cvc": 737}`, `{"cvc": 0}`, true},
		"CVC in a form":         {`a=737&card%5Bcvc%5D=737&b=1`, `a=737&card%5Bcvc%5D=&b=1`, true},
		"CVC in XML":            {`<a>737</a><CVC>737</CVC><b cvc="737"/>`, `<a>737</a><CVC></CVC><b cvc=""/>`, true},
		"CVC in a longer name":  {`{"my_cvc":"737"}`, "", false},
		"another CVC":           {`{"cvc":"7370"}`, `{"cvc":""}`, true},
		"CVC in a longer value": {`{"cvc":"73701"}`, "", false},
		"the credential":        {`{"error":"invalid key sk_live_a_very_secret_key"}`, `{"error":"invalid key [redacted]"}`, true},
		"the derived":           {`{"error":"cannot read Basic ` + basic + `"}`, `{"error":"cannot read Basic [redacted]"}`, true},
		"not JSON":              {"<html>\xff4111111111111111", "<html>\xff411111******1111", true},
		"an escaped form of it": {`{"error":"` + "AB\\/cd+ef\\/gh==" + `"}`, `{"error":"[redacted]"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.seen == "" {
				c.seen = c.answer
			}
			p.answer = func(w http.ResponseWriter, r recorded) {
				_, _ = io.WriteString(w, c.answer)
			}
			counted := &observer{}
			var log logged
			var seen []byte
			res, err := driveBlind(t, plugins.Options{Observer: counted, Logger: log.logger()}, func(c *sdk.Call) (*sdk.Outcome, error) {
				r, err := c.Do(post("/", bytesOf(`{"ref":"4000000000000002","card":{"card_number":"`, testCard(c).Number, `","cvc":"`, testCard(c).CVC, `","cavv":"`, c.Request.ThreeDS.CAVV, `"}}`),
					mime("application/json"), sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic("m_1", testSecret(c))))))
				if err != nil {
					return nil, err
				}
				seen = r.Body
				return authorized, nil
			}, withCAVV(authorize("scripted", p.URL), "AB/cd+ef/gh=="))
			require.NoError(t, err)
			require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status, "an answer stays an answer")
			require.Equal(t, c.seen, string(seen))
			require.Equal(t, c.seen, string(res.Exchanges[0].Body))
			require.Equal(t, len(c.seen), res.Exchanges[0].BodyLength)
			if c.alarm {
				require.Equal(t, []string{"violated answer"}, counted.of("violated"))
				require.Contains(t, log.String(), "a processor's answer held a secret")
			} else {
				require.Empty(t, counted.of("violated"))
			}
			for _, s := range []string{cardNumber, secretKey, basic} {
				require.NotContains(t, log.String(), s)
			}
		})
	}
}

// A card number is found at any place, with separators of any length, and with any text around it.
func TestScrubbingAtAnyPlace(t *testing.T) {
	const first, grouped, shortest = "4111111111111111", "5555 5555-5555 4444", "4222222222222"
	var text, want strings.Builder
	for n := range 40 {
		for _, filling := range []string{"x", "1-", "12 ", "{}", "123456789012,"} {
			for _, number := range [][2]string{{first, "411111******1111"}, {grouped, "5555 55**-**** 4444"}, {shortest, "422222***2222"}} {
				text.WriteString(strings.Repeat(filling, n) + ",and," + number[0] + ",and,") // a letter ends what may be one number
				want.WriteString(strings.Repeat(filling, n) + ",and," + number[1] + ",and,")
			}
		}
	}
	p := newRecorder(t)
	p.answer = func(w http.ResponseWriter, _ recorded) { _, _ = io.WriteString(w, text.String()) }
	res, err := driveBlind(t, plugins.Options{}, sending(func(c *sdk.Call) *sdk.Send { return post("/", nil, bearer(c)) }), authorize("scripted", p.URL))
	require.NoError(t, err)
	require.Equal(t, want.String(), string(res.Exchanges[0].Body))
}

func TestScrubbingOfHeaders(t *testing.T) {
	p := newRecorder(t)
	p.answer = func(w http.ResponseWriter, r recorded) { w.Header().Set("X-Echo", r.header.Get("Authorization")) }
	res, err := driveBlind(t, plugins.Options{}, sending(func(c *sdk.Call) *sdk.Send { return post("/", nil, bearer(c)) }), authorize("scripted", p.URL))
	require.NoError(t, err)
	require.Equal(t, "Bearer [redacted]", sdk.HeaderValue(res.Exchanges[0].Headers, "X-Echo"))
}
