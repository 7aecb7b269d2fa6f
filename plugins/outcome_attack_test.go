package plugins_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/sdk"
)

// The payer's browser is sent to web pages alone. The merchant's own page opens the URL of a hidden frame.
func TestNextActionLeadsToPages(t *testing.T) {
	var next sdk.NextAction
	a := scripted(func(*sdk.Call) (*sdk.Outcome, error) {
		return &sdk.Outcome{Status: sdk.StatusCustomerAction, TransactionID: "t_1", NextAction: &next}, nil
	})
	n, err := plugins.NewNative(map[string]*sdk.Adapter{"scripted": a}, plugins.Options{})
	require.NoError(t, err)
	drive := func(typ sdk.NextActionType, url string) error {
		next = sdk.NextAction{Type: typ, URL: url}
		_, err := n.Drive(t.Context(), authorize("scripted", "https://processor.example"))
		return err
	}
	for _, typ := range []sdk.NextActionType{"redirect", "form_post", "device_data"} {
		for _, url := range []string{"javascript:alert(document.domain)", "JavaScript://x/%0aalert(1)", "data:text/html,<script>alert(1)</script>", "blob:https://x/1", "//evil.example", "/payments",
			"https:evil.example", "https:///x", "https://bank.example@evil.example/", "https://u:p@evil.example/", "file:///etc/passwd", "intent://x#Intent;end", "https://a.example/\r\nSet-Cookie: a=b", " https://a.example", "",
			"https://a.example/" + strings.Repeat("x", 9000)} {
			v, is := errors.AsType[*plugins.Violation](drive(typ, url))
			require.True(t, is, "%s %s", typ, url)
			require.Equal(t, plugins.RuleOutcome, v.Rule)
		}
		for _, url := range []string{"https://bank.example/acs?x=1&y=%20#top", "http://127.0.0.1:8080/sim/redirect?a=b", "https://bücher.example/ä", "https://[::1]:8443/x"} {
			require.NoError(t, drive(typ, url), url)
		}
	}
}
