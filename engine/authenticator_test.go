package engine_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/contact"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/threeds/flow"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// authenticator is a 3DS server as a Go function. It returns the answers that a test sets, and records the requests.
type authenticator struct {
	mu      sync.Mutex
	asked   []sdk.Operation
	reqs    []sdk.Request
	secrets []card.Secrets
	seq     int

	prepare      func(r *sdk.Request) *sdk.AuthenticationOutcome
	authenticate func(r *sdk.Request) *sdk.AuthenticationOutcome
	result       func(r *sdk.Request) *sdk.AuthenticationOutcome
	reject       *sdk.Reject
	before       func(op sdk.Operation) // called before the answer is returned
	manifest     *sdk.Manifest
}

const (
	methodURL = "https://acs.test/method"
	acsURL    = "https://acs.test/challenge"
	cavv      = "xXubnbFm7MteMx64hzNAtNRC2Nw="
)

func newAuthenticator() *authenticator {
	a := &authenticator{manifest: &sdk.Manifest{ABI: sdk.ABI, Name: "threedsecureio", Kind: sdk.KindAuthenticator, Version: "1.0.0", DisplayName: "3DS", Description: "A test authenticator.",
		Operations:   []sdk.Operation{sdk.OpPrepare, sdk.OpAuthenticate, sdk.OpResult, sdk.OpCancelChallenge},
		Environments: map[string]sdk.Environment{"test": {BaseURL: "https://3ds.test", Hosts: []string{"3ds.test"}}},
		Authenticator: &sdk.AuthenticatorRule{Channels: []sdk.DeviceChannel{sdk.ChannelBrowser, sdk.ChannelApp, sdk.Channel3RI}, MessageVersions: []string{"2.1.0", "2.2.0", "2.3.1"},
			SessionTTL: 80, Result: "pull", ResultTTL: 300}}}
	a.prepare = func(*sdk.Request) *sdk.AuthenticationOutcome { return enrolled(methodURL) }
	a.authenticate = func(*sdk.Request) *sdk.AuthenticationOutcome { return status("Y") }
	a.result = func(*sdk.Request) *sdk.AuthenticationOutcome { return &sdk.AuthenticationOutcome{Pending: true} }
	return a
}

func enrolled(method string) *sdk.AuthenticationOutcome {
	return &sdk.AuthenticationOutcome{Ranges: []sdk.CardRange{{Network: sdk.Visa, DirectoryServerID: "A000000003",
		Versions: []sdk.ProtocolVersion{{Version: "2.1.0", MethodURL: method}, {Version: "2.2.0", MethodURL: method}}}}}
}

// status returns an answer with a transStatus; Y and A come with proof.
func status(s string, change ...func(o *sdk.AuthenticationOutcome)) *sdk.AuthenticationOutcome {
	o := &sdk.AuthenticationOutcome{TransStatus: s}
	switch s {
	case "Y":
		o.ECI, o.CAVV = "05", cavv
	case "A":
		o.ECI, o.CAVV = "06", cavv
	case "C":
		o.ACSURL = acsURL
	}
	for _, f := range change {
		f(o)
	}
	return o
}

func challenged(*sdk.Request) *sdk.AuthenticationOutcome { return status("C") }

func failing(class sdk.ErrorClass, code string) func(*sdk.Request) *sdk.AuthenticationOutcome {
	return func(*sdk.Request) *sdk.AuthenticationOutcome {
		return &sdk.AuthenticationOutcome{Error: &sdk.AuthenticationError{Class: class, Code: code, Component: "D", Detail: "told so"}}
	}
}

// always answers every request with one status.
func always(s string, change ...func(o *sdk.AuthenticationOutcome)) func(*sdk.Request) *sdk.AuthenticationOutcome {
	return func(*sdk.Request) *sdk.AuthenticationOutcome { return status(s, change...) }
}

// noAnswer stands for a call without an answer.
func noAnswer(*sdk.Request) *sdk.AuthenticationOutcome { return nil }

func (a *authenticator) drive(ctx context.Context, d *port.Drive) (*port.DriveResult, error) {
	if a.reject != nil {
		return &port.DriveResult{AdapterHash: "h", Reject: a.reject}, nil
	}
	if err := d.BeforeSend(ctx, port.SendIntent{Index: 0, Now: time.Now(), RequestHash: "hash", Method: "POST", URL: "https://3ds.test/"}); err != nil {
		return &port.DriveResult{}, err
	}
	a.mu.Lock()
	a.seq++
	n := a.seq
	a.asked = append(a.asked, d.Operation)
	a.reqs = append(a.reqs, d.Request)
	a.secrets = append(a.secrets, d.Secrets)
	before := a.before
	f := map[sdk.Operation]func(*sdk.Request) *sdk.AuthenticationOutcome{sdk.OpPrepare: a.prepare, sdk.OpAuthenticate: a.authenticate, sdk.OpResult: a.result,
		sdk.OpCancelChallenge: func(*sdk.Request) *sdk.AuthenticationOutcome { return &sdk.AuthenticationOutcome{} }}[d.Operation]
	a.mu.Unlock()
	if before != nil {
		before(d.Operation)
	}
	o := f(&d.Request)
	r := &port.DriveResult{AdapterHash: "h", MayHaveLeft: true, Exchanges: []sdk.Exchange{{Sent: true, Status: 200}}, AnsweredLast: o != nil, HTTPStatus: 200}
	if o == nil {
		r.Exchanges[0] = sdk.Exchange{Sent: true, Failure: "timeout"}
		return r, errors.New("no answer in time")
	}
	c := *o
	ids(d.Operation, n, &d.Request, &c)
	if c.CAVV != "" {
		r.Cryptograms = map[string]secret.Value{"stand-in": secret.New(c.CAVV)}
		c.CAVV = "stand-in"
	}
	st := sdk.StatusAuthenticated
	if d.Operation == sdk.OpPrepare {
		st = sdk.StatusPrepared
	}
	r.Outcome = &sdk.Outcome{Status: st, Authentication: &c}
	return r, nil
}

// ids returns the ids of the transaction, or those that a test has set ("-" for none).
func ids(op sdk.Operation, n int, r *sdk.Request, o *sdk.AuthenticationOutcome) {
	def := func(to *string, v string) {
		switch *to {
		case "":
			*to = v
		case "-":
			*to = ""
		}
	}
	switch {
	case o.Error != nil || o.NotEnrolled || o.Pending || o.Gone:
	case op == sdk.OpPrepare:
		def(&o.ServerTransID, "server-"+strings.Repeat("x", n))
	case o.TransStatus != "":
		def(&o.ServerTransID, r.Authentication.ServerTransID)
		def(&o.ACSTransID, "acs-1")
		def(&o.DSTransID, "ds-1")
		def(&o.MessageVersion, r.Authentication.MessageVersion)
	}
}

func (a *authenticator) count(op sdk.Operation) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, k := range a.asked {
		if k == op {
			n++
		}
	}
	return n
}

// last returns the latest request of an operation.
func (a *authenticator) last(t testing.TB, op sdk.Operation) sdk.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := len(a.asked) - 1; i >= 0; i-- {
		if a.asked[i] == op {
			return a.reqs[i]
		}
	}
	require.Fail(t, "never asked", string(op))
	return sdk.Request{}
}

// withAuthenticators adds authenticators to the adapters that run in the process.
type withAuthenticators struct {
	port.Connectors
	byName map[string]*authenticator
}

func (c withAuthenticators) Adapter(name string) (port.AdapterInfo, bool) {
	if a, ok := c.byName[name]; ok {
		return port.AdapterInfo{Connector: name, Name: name, Hash: "h", Manifest: a.manifest, BuiltIn: true}, true
	}
	return c.Connectors.Adapter(name)
}

func (c withAuthenticators) Drive(ctx context.Context, d *port.Drive) (*port.DriveResult, error) {
	if a, ok := c.byName[d.Connector]; ok && d.Operation != sdk.OpWebhook { // pushing, in the real host, reads messages
		return a.drive(ctx, d)
	}
	return c.Connectors.Drive(ctx, d)
}

// bank is a processor that accepts outside 3-D Secure results and records them.
type bank struct {
	mu       sync.Mutex
	requests []sdk.Request
	answer   func(r *sdk.Request) *sdk.Outcome
	external bool
	rule     sdk.ResolveRule
	// exemptions that the bank accepts in an authorization.
	exemptions []sdk.Exemption
}

func (b *bank) adapter() *sdk.Adapter {
	a := &sdk.Adapter{Manifest: sdk.Manifest{ABI: sdk.ABI, Name: "bank", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Bank", Description: "A test processor.",
		Features: sdk.Features{Processor3DS: true, External3DS: b.external, StoredCredential: true, Exemptions: b.exemptions}, Resolve: b.rule}}
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		b.mu.Lock()
		b.requests = append(b.requests, *c.Request)
		answer := b.answer
		b.mu.Unlock()
		if answer != nil {
			return answer(c.Request), nil
		}
		st := sdk.StatusCaptured
		if c.Request.Capture == sdk.CaptureManual {
			st = sdk.StatusAuthorized
		}
		return &sdk.Outcome{Status: st, TransactionID: "tx_" + c.Request.Reference}, nil
	}
	a.Void = func(c *sdk.Call) (*sdk.Outcome, error) { return &sdk.Outcome{Status: sdk.StatusVoided}, nil }
	a.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, r := range b.requests {
			if r.Reference == c.Request.Reference {
				return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx_" + r.Reference}, nil
			}
		}
		return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
	}
	return a
}

func (b *bank) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.requests)
}

func (b *bank) last(t testing.TB) sdk.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	require.NotEmpty(t, b.requests)
	return b.requests[len(b.requests)-1]
}

// secureWorld is a world whose profile authenticates with a.
type secureWorld struct {
	*world
	a    *authenticator
	bank *bank
}

func newSecureWorld(t *testing.T, o engine.Options) *secureWorld {
	a, b := newAuthenticator(), &bank{external: true, rule: byReference, exemptions: []sdk.Exemption{sdk.ExemptionLowValue, sdk.ExemptionRiskAnalysis}}
	return openSecureWorld(t, o, a, b, filepath.Join(t.TempDir(), "p.db"))
}

func openSecureWorld(t *testing.T, o engine.Options, a *authenticator, b *bank, file string) *secureWorld {
	if o.PublicURL == "" {
		o.PublicURL = "https://switch.test"
	}
	native := plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter(), "bank": b.adapter(), "threedsecureio": pushing()})
	w := &secureWorld{world: newWorldWith(t, o, withAuthenticators{native, map[string]*authenticator{"threedsecureio": a}}, file), a: a, bank: b}
	accounts, err := w.Accounts(t.Context(), w.auth)
	require.NoError(t, err)
	if len(accounts) > 0 {
		return w
	}
	w.account("bank", `{"acquirer_details":{"acquirer_bin":"412345","acquirer_merchant_id":"MID1","acquirer_country_code":"DK"}}`)
	_, err = w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "authentication_processor", Connector: "threedsecureio", Label: "3ds"})
	require.NoError(t, err)
	w.setProfile(`{"authentication_connector_details":{"authentication_connectors":["threedsecureio"],"three_ds_requestor_url":"https://shop.test"}}`)
	return w
}

// setProfile changes fields of the profile.
func (w *world) setProfile(fields string) {
	w.t.Helper()
	var f account.Fields
	require.NoError(w.t, json.Unmarshal([]byte(fields), &f))
	_, err := w.UpdateProfile(w.t.Context(), w.auth, w.profile.ID, account.ProfileInput{Fields: f})
	require.NoError(w.t, err)
}

// external asks for authentication by payswitch.
func external(in *request.Input) {
	in.External3DS, in.AuthenticationType = ptr(true), "three_ds"
	in.Billing = &contact.Contact{Address: &contact.Address{Line1: "1 Main St", City: "Aarhus", Zip: "8000", Country: "DK", FirstName: "Ana", LastName: "Perez"}}
	in.Browser = &contact.Browser{Browser: sdk.Browser{UserAgent: "Mozilla/5.0", Language: "en-GB", JavaScriptEnable: true}}
}

// begun returns a payment that waits for its authentication.
func (w *secureWorld) begun(change ...func(*request.Input)) *change.View {
	w.t.Helper()
	v := w.pay(sale(6540, visa, append([]func(*request.Input){external}, change...)...))
	require.Equal(w.t, payment.RequiresCustomerAction, v.Payment.Status)
	require.NotNil(w.t, v.Attempt.Private.Invoke)
	return v
}

// authenticated sends the AReq.
func (w *secureWorld) authenticated(v *change.View) *flow.AuthenticationView {
	w.t.Helper()
	out, err := w.AuthenticatePayment(w.t.Context(), w.auth, v.Payment.ID, browserInput(v))
	require.NoError(w.t, err)
	return out
}

func browserInput(v *change.View) flow.AuthenticationInput {
	return flow.AuthenticationInput{ClientSecret: v.Payment.Private.ClientSecret, Channel: sdk.ChannelBrowser, Completion: "N"}
}

// record returns the payment's latest authentication.
func (w *world) record(paymentID string) *authentication.Record {
	w.t.Helper()
	var list []*authentication.Record
	require.NoError(w.t, w.db.View(w.t.Context(), func(r engine.Reader) (err error) { list, err = r.Authentications("m1", paymentID); return err }))
	require.NotEmpty(w.t, list)
	return list[len(list)-1]
}

// token returns the token of one of our URLs, as the authenticator received it.
func token(url string) string { return url[strings.LastIndexByte(url, '/')+1:] }

func cres(server, status string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(`{"messageType":"CRes","messageVersion":"2.2.0","threeDSServerTransID":"` + server +
		`","acsTransID":"acs-1","challengeCompletionInd":"Y","transStatus":"` + status + `"}`))
}

// done waits until a payment has left processing.
func (w *world) done(id string) *change.View {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		s := w.get(id, request.RetrieveInput{}).Payment.Status
		return s != payment.Processing && s != payment.RequiresCustomerAction
	}, 20*time.Second, 5*time.Millisecond)
	return w.get(id, request.RetrieveInput{})
}

// erro returns an error of the ACS that the browser brings instead of a CRes.
func erro(server string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(`{"messageType":"Erro","messageVersion":"2.2.0","threeDSServerTransID":"` + server +
		`","errorCode":"203","errorComponent":"A"}`))
}
