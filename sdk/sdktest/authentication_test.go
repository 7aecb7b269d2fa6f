package sdktest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// goodAuthenticator returns a small authenticator that breaks no rule.
func goodAuthenticator() *sdk.Adapter {
	ask := func(kind string, read func(j sdk.JSON) *sdk.AuthenticationOutcome) sdk.Func {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			r, err := c.Do(&sdk.Send{Method: "POST", URL: "/" + kind, SafeToRepeat: kind != "auth", Body: []byte(`{"id":"` + c.Request.Authentication.AuthenticationID + `"}`),
				Headers: []sdk.Header{sdk.H("Content-Type", "application/json")}, Capture: []sdk.Capture{{Path: "authenticationValue", Name: "value"}}})
			if err != nil {
				return nil, err
			}
			if !r.OK() || r.JSON().Str("transStatus") == "" {
				return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
			}
			return &sdk.Outcome{Status: sdk.StatusAuthenticated, Authentication: read(r.JSON())}, nil
		}
	}
	read := func(j sdk.JSON) *sdk.AuthenticationOutcome {
		switch j.Str("transStatus") {
		case "Y", "A", "N", "R", "U", "I", "C", "D", "S":
			return &sdk.AuthenticationOutcome{TransStatus: j.Str("transStatus"), ECI: j.Str("eci"), CAVV: j.Str("authenticationValue")}
		}
		return &sdk.AuthenticationOutcome{Error: &sdk.AuthenticationError{Class: sdk.ErrorProtocol, Code: "trans_status"}}
	}
	return &sdk.Adapter{Authenticate: ask("auth", read), Result: ask("result", read), Manifest: sdk.Manifest{Name: "good3ds", Kind: sdk.KindAuthenticator, Version: "1.0.0",
		DisplayName: "Good", Description: "Breaks no rule.", Environments: map[string]sdk.Environment{"test": {BaseURL: "https://3ds.example", Hosts: []string{"3ds.example"}}},
		Authenticator: &sdk.AuthenticatorRule{Channels: []sdk.DeviceChannel{sdk.ChannelBrowser}, MessageVersions: []string{"2.2.0"}, Result: "pull"}}}
}

func TestAuthenticator(t *testing.T) {
	require.NoError(t, Check(t.Context(), Native(goodAuthenticator()), Options{}))
	after := func(a *sdk.Adapter, change func(c *sdk.Call, o *sdk.AuthenticationOutcome)) {
		f := a.Authenticate
		a.Authenticate = func(c *sdk.Call) (*sdk.Outcome, error) {
			o, err := f(c)
			if o != nil && o.Authentication != nil {
				change(c, o.Authentication)
			}
			return o, err
		}
	}
	for name, k := range map[string]struct {
		rule, detail string
		change       func(a *sdk.Adapter)
	}{
		"refusal believed to be a success": {RuleAuthentication, `transStatus "N" became "Y"`, func(a *sdk.Adapter) {
			after(a, func(_ *sdk.Call, o *sdk.AuthenticationOutcome) {
				if o.TransStatus == "N" {
					o.TransStatus = "Y"
				}
			})
		}},
		"status handed through": {RuleAuthentication, "which EMV 3-D Secure does not define", func(a *sdk.Adapter) {
			after(a, func(_ *sdk.Call, o *sdk.AuthenticationOutcome) {
				if o.Error != nil {
					o.Error, o.TransStatus = nil, "Q"
				}
			})
		}},
		"ECI made up": {RuleAuthentication, "the answer has neither", func(a *sdk.Adapter) {
			after(a, func(_ *sdk.Call, o *sdk.AuthenticationOutcome) { o.ECI = "05" })
		}},
		"cryptogram seen": {RuleAuthentication, "not a captured value", func(a *sdk.Adapter) {
			after(a, func(_ *sdk.Call, o *sdk.AuthenticationOutcome) {
				if o.CAVV != "" {
					o.CAVV = "vVD5sEUyriSo5+1pngYHMEhi/fg="
				}
			})
		}},
		"error and status": {RuleAuthentication, "an error must not have a trans_status", func(a *sdk.Adapter) {
			after(a, func(_ *sdk.Call, o *sdk.AuthenticationOutcome) {
				o.Error = &sdk.AuthenticationError{Class: sdk.ErrorTechnical}
			})
		}},
		"silence taken for an authentication": {RuleEvidence, "became authenticated", func(a *sdk.Adapter) {
			f := a.Authenticate
			a.Authenticate = func(c *sdk.Call) (*sdk.Outcome, error) {
				o, err := f(c)
				if err != nil || o.Status == sdk.StatusUnknown {
					return &sdk.Outcome{Status: sdk.StatusAuthenticated, Authentication: &sdk.AuthenticationOutcome{TransStatus: "A"}}, nil
				}
				return o, nil
			}
		}},
		"time-out taken for not enrolled": {RuleEvidence, "became prepared", func(a *sdk.Adapter) {
			a.Prepare = func(c *sdk.Call) (*sdk.Outcome, error) {
				if _, err := c.Do(&sdk.Send{Method: "POST", URL: "/prepare", SafeToRepeat: true}); err != nil {
					return &sdk.Outcome{Status: sdk.StatusPrepared, Authentication: &sdk.AuthenticationOutcome{NotEnrolled: true}}, nil
				}
				return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
			}
		}},
		"no rule": {RuleManifest, "authenticator is missing", func(a *sdk.Adapter) { a.Manifest.Authenticator = nil }},
	} {
		t.Run(name, func(t *testing.T) {
			a := goodAuthenticator()
			k.change(a)
			err := Check(t.Context(), Native(a), Options{})
			require.ErrorContains(t, err, "rule "+k.rule)
			require.ErrorContains(t, err, k.detail)
		})
	}
}
