package plugins_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
)

// newer replays a recording with the next version of an adapter.
func newer(t testing.TB, a *sdk.Adapter, rec *port.Recording) *plugins.Replayed {
	t.Helper()
	a.Manifest.Version = "1.0.1"
	n, err := plugins.NewNative(map[string]*sdk.Adapter{rec.Step.Account.Connector: a}, plugins.Options{AllowLoopbackHTTP: true})
	require.NoError(t, err)
	r, err := n.Replay(t.Context(), rec)
	require.NoError(t, err)
	require.NotEqual(t, rec.Hash, r.Hash)
	require.Equal(t, r.Same(), len(r.Differences()) == 0)
	return r
}

// requireHeld replays a recording with the next version of blind. refused is a part of the host's objection to its first request,
// "" for none.
func requireHeld(t testing.TB, f sdk.Func, rec *port.Recording, refused string) {
	t.Helper()
	r := newer(t, blind(f), rec)
	if refused == "" {
		require.True(t, r.Same(), "%+v", r.Differences())
		return
	}
	require.Len(t, r.Steps, 1, "the replay ends there")
	require.False(t, r.Steps[0].Answered)
	all := r.Differences()
	require.Equal(t, "step 1 is refused by the host", all[len(all)-1].Where)
	require.Contains(t, all[len(all)-1].Replayed, refused)
}

// benign returns the recording of a request without fault.
func benign(t testing.TB, p *recorder) *port.Recording {
	t.Helper()
	d := authorize("scripted", p.URL)
	d.Record = true
	res, err := driveBlind(t, plugins.Options{}, sending(func(c *sdk.Call) *sdk.Send { return post("/", bytesOf("{}"), bearer(c)) }), d)
	require.NoError(t, err)
	p.take()
	return res.Recordings[0]
}

// A build that declares less makes the same request.
func TestReplayHoldsTheSameRequestToAnotherManifest(t *testing.T) {
	pays := sending(func(c *sdk.Call) *sdk.Send {
		return post("/json-key", bytesOf(`{"card":{"card_number":"`, testCard(c).Number, `","cvc":"`, testCard(c).CVC, `"}}`), mime("application/json"), bearer(c))
	})
	p := newRecorder(t)
	d := authorize("scripted", p.URL)
	d.Record = true
	res, err := driveBlind(t, plugins.Options{}, pays, d)
	require.NoError(t, err)
	rec := res.Recordings[0]
	require.True(t, newer(t, blind(pays), rec).Same())
	for refused, change := range map[string]func(m *sdk.Manifest){
		`adapter scripted broke rule "secret": the stand-in of cvc in the body's field card.cvc, where the manifest does not declare it`: func(m *sdk.Manifest) {
			for i := range m.Placements {
				if m.Placements[i].Secret == "cvc" {
					m.Placements[i].Path = "/elsewhere"
				}
			}
		},
		`adapter scripted broke rule "secret": the stand-in of secret_key in the header Authorization, where the manifest does not declare it`: func(m *sdk.Manifest) {
			m.Authentication[0].Secret = "body"
		},
		`adapter scripted broke rule "secret": the stand-in of card_number in the body's field card.card_number, where the manifest does not declare it`: func(m *sdk.Manifest) {
			m.Environments = map[string]sdk.Environment{"test": {BaseURL: "https://a.example", Hosts: []string{"a.example", "b.example"}}}
			for i := range m.Placements {
				m.Placements[i].Host = "b.example"
			}
		},
	} {
		a := blind(pays)
		change(&a.Manifest)
		r := newer(t, a, rec)
		require.Equal(t, []plugins.Difference{{Where: "step 1 is refused by the host", Replayed: refused}}, r.Differences())
		require.False(t, r.Steps[0].Answered, "the replay ends there")
		require.Len(t, r.Steps, 1)
	}
}

// Allowed hosts are those of the build, of the account's base URL, and of recorded requests.
func TestReplayHoldsToHosts(t *testing.T) {
	at := func(url string) sdk.Func {
		return sending(func(*sdk.Call) *sdk.Send { return &sdk.Send{Method: "GET", URL: url} })
	}
	p := newRecorder(t)
	d := authorize("scripted", p.URL+"/base")
	d.Record = true
	res, err := driveBlind(t, plugins.Options{}, at("/payments"), d)
	require.NoError(t, err)
	rec := res.Recordings[0]
	requireHeld(t, at("/payments"), rec, "")
	requireHeld(t, at("https://elsewhere.example/payments"), rec, `adapter scripted broke rule "host": host "elsewhere.example" is not approved for this account`)
	a := blind(at("https://elsewhere.example/payments"))
	a.Manifest.Environments = map[string]sdk.Environment{"test": {BaseURL: "https://elsewhere.example", Hosts: []string{"elsewhere.example"}}}
	r := newer(t, a, rec)
	require.Len(t, r.Differences(), 1)
	require.Equal(t, "request 1 url", r.Differences()[0].Where)
}

// A replay knows the values captured from an answer. The host refuses a captured value that a build uses without declaring it.
func TestReplayHoldsCapturedValues(t *testing.T) {
	p := newRecorder(t)
	p.answer = func(w http.ResponseWriter, _ recorded) { fmt.Fprint(w, `{"session":"a session that is worth money"}`) }
	f := func(header string) sdk.Func {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			s := post("/open", nil, bearer(c))
			s.Capture = []sdk.Capture{{Path: "session", Name: "session"}}
			r, err := c.Do(s)
			if err == nil {
				_, err = c.Do(post("/use", nil, sdk.H(header, "Bearer "+r.JSON().Str("session"))))
			}
			return authorized, err
		}
	}
	d := authorize("scripted", p.URL)
	d.Record = true
	res, err := driveBlind(t, plugins.Options{}, f("Authorization"), d)
	require.NoError(t, err)
	rec := res.Recordings[0]
	require.NotContains(t, string(rec.Step.Exchanges[0].Body), "worth money")
	requireHeld(t, f("Authorization"), rec, "")
	all := newer(t, blind(f("X-Session")), rec).Differences()
	require.Equal(t, plugins.Difference{Where: "step 2 is refused by the host",
		Replayed: `adapter scripted broke rule "secret": the stand-in of session in the header X-Session, where the manifest does not declare it`}, all[len(all)-1])
}

// The host has no objection to recorded requests with an access token, a client certificate, and a webhook whose message is
// captured from.
func TestReplayHoldsNothingAgainstWhatWasLetGo(t *testing.T) {
	p := newRecorder(t)
	p.answer = func(w http.ResponseWriter, r recorded) {
		fmt.Fprint(w, `{"access_token":"token_number_1","expires_in":600}`)
	}
	n, err := plugins.NewNative(map[string]*sdk.Adapter{"oauth": oauth("access_token")}, plugins.Options{AllowLoopbackHTTP: true})
	require.NoError(t, err)
	d := authorize("oauth", p.URL)
	d.Record = true
	res, err := n.Drive(t.Context(), d)
	require.NoError(t, err)
	require.Len(t, res.Recordings, 2)
	for _, rec := range res.Recordings {
		r := newer(t, oauth("access_token"), rec)
		require.True(t, r.Same(), "%+v", r.Differences())
	}

	told := func(c *sdk.Call) (*sdk.Outcome, error) {
		if _, err := c.Verify(fn(sdk.FnHMACSHA256, fn(sdk.FnUnhex, text(testSecret(c))), sdk.Body()), "00"); err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusHandled}, nil
	}
	d = authorize("scripted", "https://a.example")
	d.Operation, d.Request.Instrument, d.Secrets, d.Record = sdk.OpWebhook, nil, card.Secrets{}, true
	d.Account.Credentials["api_key"] = secret.New("00112233445566778899aabbccddeeff")
	d.Request.Webhook = &sdk.WebhookMessage{Method: "POST", Body: []byte(`{"authenticationValue":"` + cavv + `"}`)}
	res, err = driveAuthenticator(t, told, d, plugins.Options{})
	require.NoError(t, err)
	r := newer(t, authenticator(told), res.Recordings[0])
	require.True(t, r.Same(), "%+v", r.Differences())
	r = newer(t, authenticator(func(c *sdk.Call) (*sdk.Outcome, error) {
		_, err := c.Verify(fn("md5", text(testSecret(c))), "00")
		return nil, err
	}), res.Recordings[0])
	all := r.Differences()
	require.Equal(t, "step 1 is refused by the host", all[len(all)-1].Where)
	require.Contains(t, all[len(all)-1].Replayed, `broke rule "verify"`)
}
