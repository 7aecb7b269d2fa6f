package sdktest

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// good returns a small adapter that breaks no rule.
func good() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "good", Kind: sdk.KindProcessor, Version: "1.2.3", DisplayName: "Good", Description: "Breaks no rule.",
			Environments: map[string]sdk.Environment{"test": {BaseURL: "https://{shop}.good.example/v1", Hosts: []string{"{shop}.good.example"}}},
			Credentials:  []sdk.Field{{Name: "api_key", Label: "API key", Type: "secret"}},
			Config:       []sdk.Field{{Name: "shop", Label: "Shop", Type: "text"}},
			Placements:   []sdk.Placement{{Secret: "card_number", Operation: sdk.OpAuthorize, In: "body", Field: "card.number"}},
			Resolve:      sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID}},
		},
		Authorize: func(c *sdk.Call) (*sdk.Outcome, error) {
			card := c.Request.Instrument.Card
			r, err := c.Do(&sdk.Send{Method: "POST", URL: "/payments", IdempotencyHeader: "Idempotency-Key", SafeToRepeat: true, Headers: headers(c),
				Body: sdk.NewObject().Int("amount", c.Request.Amount.Minor).Str("currency", string(c.Request.Amount.Currency)).
					Str("reference", c.Request.Reference).Str("at", c.Now().Format("15:04:05.000")).
					Obj("card", sdk.NewObject().Str("number", card.Number).Str("cvc", card.CVC)).Bytes()})
			if err != nil {
				return nil, err
			}
			return payment(r, map[string]sdk.OutcomeStatus{"authorized": sdk.StatusAuthorized}), nil
		},
		Capture: func(c *sdk.Call) (*sdk.Outcome, error) {
			return change(c, "capture", map[string]sdk.OutcomeStatus{"captured": sdk.StatusCaptured})
		},
		Refund: func(c *sdk.Call) (*sdk.Outcome, error) {
			return change(c, "refund", map[string]sdk.OutcomeStatus{"refunded": sdk.StatusRefunded})
		},
		Sync: func(c *sdk.Call) (*sdk.Outcome, error) {
			r, err := c.Get("/payments/"+sdk.PathEscape(c.Request.TransactionID), headers(c)...)
			if err != nil {
				return nil, err
			}
			if r.Status == 404 && r.JSON().Has("message") {
				return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
			}
			return payment(r, map[string]sdk.OutcomeStatus{"authorized": sdk.StatusAuthorized, "captured": sdk.StatusCaptured}), nil
		},
		RefundSync: func(c *sdk.Call) (*sdk.Outcome, error) {
			r, err := c.Get("/refunds/"+sdk.PathEscape(c.Request.RefundID), headers(c)...)
			if err != nil {
				return nil, err
			}
			return payment(r, map[string]sdk.OutcomeStatus{"refunded": sdk.StatusRefunded}), nil
		},
		Webhook: func(c *sdk.Call) (*sdk.Outcome, error) {
			w := c.Request.Webhook
			yes, err := c.Verify(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(c.Account.Credentials["api_key"]), sdk.Body())), sdk.HeaderValue(w.Headers, "Signature"))
			if err != nil || !yes {
				return &sdk.Outcome{Status: sdk.StatusUnknown, Reply: &sdk.Reply{Status: 401}}, err
			}
			return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{{Object: "payment", Outcome: &sdk.Outcome{Status: sdk.StatusCaptured}}}}, nil
		},
	}
}

func headers(c *sdk.Call) []sdk.Header {
	return []sdk.Header{sdk.H("Content-Type", "application/json"), sdk.H("Authorization", "Bearer "+c.Account.Credentials["api_key"])}
}

func change(c *sdk.Call, what string, statuses map[string]sdk.OutcomeStatus) (*sdk.Outcome, error) {
	r, err := c.Do(&sdk.Send{Method: "POST", URL: "/payments/" + c.Request.TransactionID + "/" + what, IdempotencyHeader: "Idempotency-Key", SafeToRepeat: true,
		Headers: headers(c), Body: sdk.NewObject().Number("amount", c.Request.Amount.Major()).Str("reference", c.Request.Reference).Bytes()})
	if err != nil {
		return nil, err
	}
	return payment(r, statuses), nil
}

// payment reads an answer: only a 2xx with a known status, or a 402 with a code, proves anything.
func payment(r *sdk.Response, statuses map[string]sdk.OutcomeStatus) *sdk.Outcome {
	j := r.JSON()
	switch {
	case r.OK() && statuses[j.Str("status")] != "" && j.Str("id") != "":
		return &sdk.Outcome{Status: statuses[j.Str("status")], TransactionID: j.Str("id")}
	case r.Status == 422 && j.Str("code") != "":
		return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: j.Str("code"), Reason: sdk.DeclineGeneric}}
	}
	return &sdk.Outcome{Status: sdk.StatusUnknown}
}

func answers(op sdk.Operation, _ int, _ *sdk.Send) sdk.Exchange {
	status := map[sdk.Operation]string{sdk.OpAuthorize: "authorized", sdk.OpCapture: "captured", sdk.OpRefund: "refunded", sdk.OpSync: "authorized", sdk.OpRefundSync: "refunded"}[op]
	return sdk.Exchange{Status: 200, Body: []byte(`{"id":"tx_1","status":"` + status + `"}`)}
}

func TestGoodAdapterPasses(t *testing.T) {
	require.NoError(t, Check(t.Context(), Native(good()), Options{}))
	require.NoError(t, Check(t.Context(), Native(good()), Options{Answer: answers}))
}

// A finding that several payments show stands in the report once.
func TestFindingsStandOnce(t *testing.T) {
	a := good()
	capture := a.Capture
	a.Capture = func(c *sdk.Call) (*sdk.Outcome, error) {
		c.Get("https://elsewhere.example/")
		return capture(c)
	}
	err := Check(t.Context(), Native(a), Options{})
	require.Equal(t, 1, strings.Count(rules(err)["send capture"], `host "elsewhere.example" is not declared`), err)
}

// rules returns the broken rules, as "rule operation".
func rules(err error) map[string]string {
	all := map[string]string{}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			var r *RuleError
			if errors.As(e, &r) {
				all[strings.TrimSpace(r.Rule+" "+string(r.Operation))] += r.Detail + "\n"
			}
		}
	}
	return all
}

// TestBadAdapters shows for each rule that it can fail: one change to the good adapter breaks it.
func TestBadAdapters(t *testing.T) {
	costly(t)
	type call = *sdk.Call
	type outcome = *sdk.Outcome
	calls := 0
	for name, c := range map[string]struct {
		rule   string
		detail string
		change func(a *sdk.Adapter)
	}{
		"no version": {"manifest", "version", func(a *sdk.Adapter) { a.Manifest.Version = "1" }},
		"name":       {"manifest", "name", func(a *sdk.Adapter) { a.Manifest.Name = "Bad Name" }},
		"no resolve": {"manifest", "resolve.by", func(a *sdk.Adapter) { a.Manifest.Resolve.By = nil }},
		"no sync":    {"manifest", "needs the operation sync", func(a *sdk.Adapter) { a.Sync = nil }},
		"no window":  {"manifest", "idempotency_window", func(a *sdk.Adapter) { a.Manifest.Resolve.By = []sdk.ResolveBy{sdk.ResolveByIdempotentResend} }},
		"no safe resend": {"send authorize", "is not safe to repeat, but resolve.by has idempotent_resend", func(a *sdk.Adapter) {
			a.Manifest.Resolve = sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 60}
			a.Authorize = func(c call) (outcome, error) {
				c.Do(&sdk.Send{Method: "POST", URL: "/v1/payments", Body: []byte(c.Request.Reference)})
				return sdk.Unknown("nothing"), nil
			}
		}},
		"kind":              {"manifest", "kind", func(a *sdk.Adapter) { a.Manifest.Kind = "bank" }},
		"wrong kind":        {"manifest", "an adapter of kind authenticator cannot offer", func(a *sdk.Adapter) { a.Manifest.Kind = sdk.KindAuthenticator }},
		"host":              {"manifest", "exact host", func(a *sdk.Adapter) { e := a.Manifest.Environments["test"]; e.Hosts[0] = "*.good.example" }},
		"field":             {"manifest", "type", func(a *sdk.Adapter) { a.Manifest.Credentials[0].Type = "password" }},
		"placement":         {"manifest", "placement", func(a *sdk.Adapter) { a.Manifest.Placements[0].Secret = "pan" }},
		"currency":          {"manifest", "currency", func(a *sdk.Adapter) { a.Manifest.Currencies = []sdk.Currency{"USD", "usd"} }},
		"unknown exemption": {"manifest", "not known", func(a *sdk.Adapter) { a.Manifest.Features.Exemptions = []sdk.Exemption{"low"} }},
		"exemption twice": {"manifest", "twice", func(a *sdk.Adapter) {
			a.Manifest.Features.Exemptions = []sdk.Exemption{sdk.ExemptionLowValue, sdk.ExemptionLowValue}
		}},
		"exemption not told": {"exemption authorize", "the same without", func(a *sdk.Adapter) {
			a.Manifest.Features.Exemptions = []sdk.Exemption{sdk.ExemptionLowValue}
		}},
		"exemptions told alike": {"exemption authorize", "send the same request", func(a *sdk.Adapter) {
			a.Manifest.Features.Exemptions = []sdk.Exemption{sdk.ExemptionLowValue, sdk.ExemptionRiskAnalysis}
			plain := a.Authorize
			a.Authorize = func(c call) (outcome, error) {
				if c.Request.Exemption != "" {
					c.Request.Reference += "e"
				}
				return plain(c)
			}
		}},
		"not performed": {"operations void", "declares", func(a *sdk.Adapter) {
			a.Void = func(call) (outcome, error) { return nil, &sdk.Reject{Code: sdk.RejectUnsupported} }
		}},
		"a made-up currency": {"operations authorize", "the suite gave config1 to the config field shop, currency: if", func(a *sdk.Adapter) {
			a.Manifest.Config = append(a.Manifest.Config, sdk.Field{Name: "currency", Label: "Currency", Type: "text"})
			a.Authorize = func(c call) (outcome, error) {
				return nil, sdk.Unsupported("currency", "this account takes "+c.Account.Config["currency"])
			}
		}},
		"counter": {"determinism authorize", "different answers", func(a *sdk.Adapter) {
			a.Authorize = func(call) (outcome, error) { calls++; return nil, errors.New(strings.Repeat("x", calls%100)) }
		}},
		"global counter": {"determinism sync", "different answers", func(a *sdk.Adapter) {
			a.Sync = func(c call) (outcome, error) {
				calls++
				_, err := c.Get("/" + strings.Repeat("x", calls))
				return nil, err
			}
		}},
		"clock": {"replay sync", "does not repeat", func(a *sdk.Adapter) {
			a.Sync = func(c call) (outcome, error) {
				_, err := c.Get("/", sdk.H("Date", sdk.Decimal(wallClock, 0)))
				return nil, err
			}
		}},
		"coarse clock": {"replay sync", "later step", func(a *sdk.Adapter) {
			a.Sync = func(c call) (outcome, error) {
				if _, err := c.Get("/", sdk.H("Date", sdk.Decimal(wallClock/1_000_000, 0))); err != nil {
					return nil, err
				}
				_, err := c.Get("/more")
				return nil, err
			}
		}},
		"same key": {"identity authorize", "Idempotency-Key", func(a *sdk.Adapter) {
			a.Authorize = func(c call) (outcome, error) {
				_, err := c.Post("/", "text/plain", []byte(sdk.Decimal(c.Request.Amount.Minor, 0)), sdk.H("Idempotency-Key", "1"))
				return nil, err
			}
		}},
		"same request": {"identity authorize", "two payments send the same request", func(a *sdk.Adapter) {
			a.Authorize = func(c call) (outcome, error) {
				_, err := c.Post("/", "text/plain", []byte(sdk.Decimal(c.Request.Amount.Minor, 0)))
				return nil, err
			}
		}},
		"other host": {"send sync", "host", func(a *sdk.Adapter) {
			a.Sync = func(c call) (outcome, error) { _, err := c.Get("https://evil.example/"); return nil, err }
		}},
		"plain HTTP": {"send sync", "host", func(a *sdk.Adapter) {
			a.Sync = func(c call) (outcome, error) { _, err := c.Get("http://config1.good.example/"); return nil, err }
		}},
		"header": {"send sync", "header", func(a *sdk.Adapter) {
			a.Sync = func(c call) (outcome, error) { _, err := c.Get("/", sdk.H("X", "a\r\nY: b")); return nil, err }
		}},
		"unsafe GET": {"send sync", "safe_to_repeat", func(a *sdk.Adapter) {
			a.Sync = func(c call) (outcome, error) { _, err := c.Do(&sdk.Send{Method: "GET", URL: "/"}); return nil, err }
		}},
		"two decimals of yen": {"money capture", "JPY", func(a *sdk.Adapter) {
			a.Capture = func(c call) (outcome, error) {
				_, err := c.Post("/", "text/plain", []byte(sdk.Decimal(c.Request.Amount.Minor, 2)))
				return nil, err
			}
		}},
		"floats": {"money refund", "9007199254740993", func(a *sdk.Adapter) {
			a.Refund = func(c call) (outcome, error) {
				_, err := c.Post("/", "text/plain", []byte(sdk.Decimal(int64(float64(c.Request.Amount.Minor)), 0)))
				return nil, err
			}
		}},
		"time-out is a decline": {"evidence authorize", "time-out after sending became declined", func(a *sdk.Adapter) {
			f := a.Authorize
			a.Authorize = func(c call) (outcome, error) {
				o, err := f(c)
				if err != nil {
					return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Reason: sdk.DeclineGeneric}}, nil
				}
				return o, nil
			}
		}},
		"5xx is a decline": {"evidence capture", "503 HTML became declined", func(a *sdk.Adapter) {
			f := a.Capture
			a.Capture = func(c call) (outcome, error) {
				o, err := f(c)
				if o != nil && o.Status == sdk.StatusUnknown {
					return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Reason: sdk.DeclineGeneric}}, nil
				}
				return o, err
			}
		}},
		"2xx is success": {"evidence refund", "200 {} became refunded", func(a *sdk.Adapter) {
			a.Refund = func(c call) (outcome, error) {
				r, err := c.Post("/", "text/plain", []byte(c.Request.Amount.Major()+c.Request.Reference))
				if err != nil || !r.OK() {
					return nil, err
				}
				return &sdk.Outcome{Status: sdk.StatusRefunded}, nil
			}
		}},
		"body counts, not status": {"evidence authorize", "the right answer with status 500 became authorized", func(a *sdk.Adapter) {
			a.Authorize = func(c call) (outcome, error) {
				r, err := c.Post("/", "text/plain", []byte(c.Request.Amount.Major()+c.Request.Reference))
				if err != nil || r.JSON().Str("status") != "authorized" {
					return nil, err
				}
				return &sdk.Outcome{Status: sdk.StatusAuthorized}, nil
			}
		}},
		"error page is not_found": {"evidence sync", "404 HTML became not_found", func(a *sdk.Adapter) {
			a.Sync = func(c call) (outcome, error) {
				r, err := c.Get("/")
				if err != nil || r.Status != 404 {
					return nil, err
				}
				return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
			}
		}},
		"reject after sending": {"evidence sync", "rejects after something was sent", nil},
		"unsigned webhook": {"evidence webhook", "without verifying its signature", func(a *sdk.Adapter) {
			a.Webhook = func(call) (outcome, error) {
				return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{{Object: "payment", Outcome: &sdk.Outcome{Status: sdk.StatusCaptured}}}}, nil
			}
		}},
		"wrong signature": {"evidence webhook", "with a wrong signature", func(a *sdk.Adapter) {
			a.Webhook = func(c call) (outcome, error) {
				_, _ = c.Verify(sdk.Body(), "x")
				return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{{Object: "payment", Outcome: &sdk.Outcome{Status: sdk.StatusCaptured}}}}, nil
			}
		}},
		"wrong status": {"outcome sync", "sync cannot end with the outcome", func(a *sdk.Adapter) {
			a.Sync = func(call) (outcome, error) { return &sdk.Outcome{Status: sdk.StatusToken}, nil }
		}},
		"bare decline": {"outcome sync", "declined needs decline", func(a *sdk.Adapter) {
			a.Sync = func(call) (outcome, error) { return &sdk.Outcome{Status: sdk.StatusDeclined}, nil }
		}},
		"wrong amount": {"outcome sync", "not in the request's currency", func(a *sdk.Adapter) {
			a.Sync = func(call) (outcome, error) {
				return &sdk.Outcome{Status: sdk.StatusAuthorized, Amount: &sdk.Money{Minor: 1, Currency: "EUR"}}, nil
			}
		}},
		"big data": {"outcome sync", "connector_data", func(a *sdk.Adapter) {
			a.Sync = func(call) (outcome, error) {
				return &sdk.Outcome{Status: sdk.StatusPending, ConnectorData: &sdk.ConnectorData{Payment: strings.Repeat("x", 5000)}}, nil
			}
		}},
		"unknown code":  {"outcome sync", "reject code", func(a *sdk.Adapter) { a.Sync = func(call) (outcome, error) { return nil, &sdk.Reject{Code: "no"} } }},
		"trap":          {"message sync", "trap", nil},
		"garbage":       {"message sync", "cannot be decoded", nil},
		"answers all":   {"operations void", "does not declare", nil},
		"endless sends": {"message sync", "does not end", nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := good()
			if c.change != nil {
				c.change(a)
			}
			err := Check(t.Context(), bent{Native(a), name}, Options{Answer: answers})
			require.Error(t, err)
			got := rules(err)
			require.Contains(t, got[c.rule], c.detail, "%v", err)
		})
	}
}

// wallClock is the result of time.Now inside a guest: the time of the current step.
var wallClock int64

// bent is a Stepper that breaks rules which the SDK does not let an adapter break.
type bent struct {
	Stepper
	how string
}

func (b bent) Step(ctx context.Context, message []byte) ([]byte, error) {
	in, err := sdk.DecodeStep(message)
	if err != nil {
		return nil, err
	}
	wallClock = in.Now
	switch {
	case b.how == "trap" && in.Operation == sdk.OpSync:
		return nil, errors.New("unreachable")
	case b.how == "garbage" && in.Operation == sdk.OpSync:
		return []byte("garbage"), nil
	case b.how == "answers all" && in.Operation == sdk.OpVoid:
		return sdk.EncodeResult(&sdk.Result{Outcome: &sdk.Outcome{Status: sdk.StatusVoided}}), nil
	case b.how == "endless sends" && in.Operation == sdk.OpSync:
		return sdk.EncodeResult(&sdk.Result{Send: &sdk.Send{Method: "GET", URL: in.Account.BaseURL, SafeToRepeat: true}}), nil
	case b.how == "reject after sending" && in.Operation == sdk.OpSync && len(in.Exchanges) > 0:
		return sdk.EncodeResult(&sdk.Result{Reject: &sdk.Reject{Code: sdk.RejectInvalid}}), nil
	}
	return b.Stepper.Step(ctx, message)
}

func TestNotEvenAManifest(t *testing.T) {
	for _, s := range []Stepper{noManifest{nil, errors.New("trap")}, noManifest{[]byte("x"), nil}, noManifest{sdk.EncodeManifest(&sdk.Manifest{}), nil}} {
		require.Error(t, Check(t.Context(), s, Options{}))
	}
}

type noManifest struct {
	message []byte
	err     error
}

func (n noManifest) Step(context.Context, []byte) ([]byte, error) { return nil, n.err }
func (n noManifest) Manifest(context.Context) ([]byte, error)     { return n.message, n.err }

// Without good answers the suite also checks an amount, if a request depends on it.
func TestMoneyWithoutAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		body   func(m sdk.Money) string
		broken bool
	}{
		"rounded":      {func(m sdk.Money) string { return sdk.Decimal(m.Minor/10*10, 0) + " " + string(m.Currency) }, true},
		"exact":        {func(m sdk.Money) string { return sdk.Decimal(m.Minor, 0) + " " + string(m.Currency) }, false},
		"none, so far": {func(sdk.Money) string { return "1" }, false},
		"no currency":  {func(m sdk.Money) string { return sdk.Decimal(m.Minor, 0) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := good()
			a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
				_, err := c.Do(&sdk.Send{Method: "POST", URL: "/", Body: []byte(tc.body(c.Request.Amount))})
				return &sdk.Outcome{Status: sdk.StatusUnknown}, err
			}
			_, broken := rules(Check(t.Context(), Native(a), Options{}))["money authorize"]
			require.Equal(t, tc.broken, broken)
		})
	}
}

// A request must name its currency, unless the adapter takes one currency alone: by its manifest, or by a field of the account.
func TestMoneyNeedsItsCurrency(t *testing.T) {
	minor := func(m sdk.Money) string { return sdk.Decimal(m.Minor, 0) }
	for name, tc := range map[string]struct {
		currencies []sdk.Currency
		amount     func(m sdk.Money) string
		own        bool // the adapter takes the account's currency alone
		broken     string
	}{
		"minor units of any currency":    {nil, minor, false, "6500 USD and for 6500 EUR"},
		"major units of any currency":    {nil, sdk.Money.Major, false, "6500 USD and for 6500 EUR"},
		"decimals alone differ":          {[]sdk.Currency{"JPY", "USD"}, sdk.Money.Major, false, "6500 USD and for 6500 JPY"},
		"one currency":                   {[]sdk.Currency{"USD"}, minor, false, ""},
		"the account's currency alone":   {[]sdk.Currency{"EUR", "USD", "JPY"}, minor, true, ""},
		"the currency beside the amount": {nil, func(m sdk.Money) string { return minor(m) + " " + string(m.Currency) }, false, ""},
		"the currency by the processor's own": {nil, func(m sdk.Money) string {
			return minor(m) + map[sdk.Currency]string{"USD": "/840", "EUR": "/978"}[m.Currency]
		}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := good()
			a.Manifest.Currencies = tc.currencies
			a.Manifest.Config = append(a.Manifest.Config, sdk.Field{Name: "currency", Label: "Currency", Type: "enum", Values: []string{"USD", "EUR"}})
			a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
				m := c.Request.Amount
				sdk.Require(!tc.own || string(m.Currency) == c.Account.Config["currency"], sdk.Unsupported("currency", "another currency"))
				r, err := c.Do(&sdk.Send{Method: "POST", URL: "/payments", IdempotencyHeader: "Idempotency-Key", SafeToRepeat: true, Headers: headers(c),
					Body: sdk.NewObject().Str("amount", tc.amount(m)).Str("reference", c.Request.Reference).Bytes()})
				if err != nil {
					return nil, err
				}
				return payment(r, map[string]sdk.OutcomeStatus{"authorized": sdk.StatusAuthorized}), nil
			}
			for _, o := range []Options{{}, {Answer: answers}} {
				c := &checker{ctx: t.Context(), stepper: Native(a), options: o, counts: map[string]int{}}
				require.True(t, c.checkManifest())
				c.checkMoney()
				found := rules(errors.Join(c.broken...))["money authorize"]
				if tc.broken == "" {
					require.Empty(t, found)
				} else {
					require.Contains(t, found, tc.broken)
				}
			}
		})
	}
}

// lax is an adapter that offers everything, under the manifest of an adapter that offers nothing.
type lax struct {
	Stepper
	manifest []byte
}

func (l lax) Manifest(context.Context) ([]byte, error) { return l.manifest, nil }

// An adapter must reject what it does not offer. The Go SDK does that for the adapter.
func TestOffers(t *testing.T) {
	all := good()
	manifest := all.ManifestMessage()
	all.Manifest.Features = sdk.Features{Processor3DS: true, External3DS: true, NetworkMIT: true}
	broken := rules(Check(t.Context(), lax{Native(all), manifest}, Options{Answer: answers}))["offer authorize"]
	for _, name := range []string{"request_3ds", "three_ds without", "network_transaction_id"} {
		require.Contains(t, broken, name)
	}
}

// An adapter that offers a feature and leaves the feature out of its requests is not certified.
func TestOffersAreKept(t *testing.T) {
	all := good()
	all.Manifest.Features = sdk.Features{Processor3DS: true, External3DS: true, NetworkMIT: true}
	broken := rules(Check(t.Context(), Native(all), Options{Answer: answers}))["offer authorize"]
	for _, name := range []string{"features.external_3ds", "features.network_mit"} {
		require.Contains(t, broken, name)
	}
}

// costly skips a test that costs many seconds of a processor, unless TEST_ALL is set. make test sets it, so that go test alone ends in two minutes.
func costly(t *testing.T) {
	t.Helper()
	if os.Getenv("TEST_ALL") == "" {
		t.Skip("TEST_ALL=1 runs this test too")
	}
}
