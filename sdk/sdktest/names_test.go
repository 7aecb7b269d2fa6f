package sdktest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// The suite finds an undeclared name by the adapter's behaviour, in the first request or in a later one.
func TestUndeclaredNames(t *testing.T) {
	costly(t)
	reads := func(name string, config bool) func(c *sdk.Call) string {
		return func(c *sdk.Call) string {
			if config {
				return c.Account.Config[name]
			}
			return c.Account.Credentials[name]
		}
	}
	for name, tc := range map[string]struct {
		read func(c *sdk.Call) string
		want string // "" for nothing
	}{
		"as declared":              {reads("api_key", false), ""},
		"exchanged letters":        {reads("api_kye", false), `the credential "api_kye", which the manifest does not declare: did you mean "api_key"?`},
		"a letter too few":         {reads("ap_key", false), `"ap_key", which the manifest does not declare: did you mean "api_key"?`},
		"a letter too many":        {reads("apii_key", false), `did you mean "api_key"?`},
		"another case":             {reads("apiKey", false), `the credential "apiKey"`},
		"the merchants' name":      {reads("key9", false), `merchants send "webhook_secret" under that key; read it by its name "webhook_secret"`},
		"config among credentials": {reads("account_no", false), `the field stands in the other list; read it there by its name "account_no"`},
		"config":                   {reads("acount_no", true), `the config field "acount_no", which the manifest does not declare: did you mean "account_no"?`},
		"a usual name":             {reads("client_secret", false), `the credential "client_secret", which the manifest does not declare`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, later := range []bool{false, true} {
				a := good()
				a.Manifest.Credentials = append(a.Manifest.Credentials, sdk.Field{Name: "webhook_secret", Key: "key9", Label: "Secret", Type: "secret", Optional: true})
				a.Manifest.Config = append(a.Manifest.Config, sdk.Field{Name: "account_no", Label: "Account", Type: "text"})
				sync := a.Sync
				a.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
					if later {
						if _, err := c.Get("/status", headers(c)...); err != nil {
							return nil, err
						}
					}
					if _, err := c.Get("/who?is="+sdk.QueryEscape(tc.read(c)), headers(c)...); err != nil {
						return nil, err
					}
					return sync(c)
				}
				got := rules(Check(t.Context(), Native(a), Options{Answer: answers}))["fields sync"]
				if tc.want == "" {
					require.Empty(t, got)
					continue
				}
				require.Contains(t, got, tc.want)
				require.Equal(t, 1, strings.Count(got, "\n"), got)
			}
		})
	}
}

// There is a sample for each feature that the manifest offers.
func TestSamplesAskForWhatIsOffered(t *testing.T) {
	m := good().Manifest
	m.Operations = []sdk.Operation{sdk.OpAuthorize, sdk.OpCapture, sdk.OpSync}
	m.Features = sdk.Features{External3DS: true, Processor3DS: true, StoredCredential: true, NetworkMIT: true, PartialCapture: true,
		Exemptions: []sdk.Exemption{sdk.ExemptionLowValue}}
	m.Credentials = append(m.Credentials, sdk.Field{Name: "second", Label: "Second", Type: "secret", Optional: true})
	m.Config = append(m.Config, sdk.Field{Name: "mode", Label: "Mode", Type: "enum", Values: []string{"a", "b"}})
	names := map[string]*sdk.Step{}
	for _, s := range Samples(&m, Options{}) {
		names[s.Name] = s.Step
	}
	require.Equal(t, "05", names["authorize with a 3DS result"].Request.ThreeDS.ECI)
	require.True(t, names["authorize with the processor's 3-D Secure"].Request.Request3DS)
	require.Equal(t, "stored_1", names["authorize with a stored card"].Request.Instrument.StoredCredentialID)
	require.NotEmpty(t, names["authorize with a network transaction id"].Request.Instrument.NetworkTransactionID)
	require.True(t, names["authorize that stores the card"].Request.StoredCredential.First)
	require.Equal(t, sdk.ExemptionLowValue, names["authorize with the exemption low_value"].Request.Exemption)
	require.Empty(t, names["authorize without a CVC"].Request.Instrument.Card.CVC)
	require.NotEmpty(t, names["authorize"].Request.Instrument.Card.CVC)
	require.NotContains(t, names["capture without the credential second"].Account.Credentials, "second")
	require.Contains(t, names["capture"].Account.Credentials, "second")
	require.Equal(t, "b", names["capture with mode b"].Account.Config["mode"])
	require.False(t, names["capture of a part"].Request.FinalCapture)
	require.Empty(t, names["sync by reference"].Request.TransactionID)

	m.Features = sdk.Features{}
	for _, s := range Samples(&m, Options{}) {
		require.Nil(t, s.Step.Request.ThreeDS)
		require.Empty(t, s.Step.Request.Exemption)
	}
}
