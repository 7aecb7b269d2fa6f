package plugins_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/simulator3ds"
	"payswitch/sdk"
)

// bank is a host with both simulators: the processor, and the 3DS server behind the vendor's adapter.
type bank struct {
	*testing.T
	host *plugins.Host
	sim  *simulator3ds.Simulator
}

func newBank(t *testing.T, simulate ...string) *bank {
	sim, err := simulator3ds.New(simulator3ds.Options{PublicURL: "https://switch.example"})
	require.NoError(t, err)
	dir := t.TempDir()
	put(t, dir, "simulator.wasm", simulatorModule(t))
	put(t, dir, "threedsecureio.wasm", module(t, "payswitch/plugins/threedsecureio/wasm"))
	return &bank{t, newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir(), Simulate: simulate, Simulator3DS: sim}), sim}
}

// drive performs one operation with a card.
func (b *bank) drive(connector string, op sdk.Operation, number string, amount int64, change func(d *port.Drive)) *port.DriveResult {
	b.Helper()
	d := &port.Drive{Connector: connector, Operation: op, OperationID: "op_" + rand.Text(), Started: time.Now(),
		Account: port.DriveAccount{ID: "mca_1", Environment: "live", Credentials: map[string]secret.Value{"api_key": secret.New("a key of theirs")}},
		Request: sdk.Request{Reference: rand.Text(), Amount: sdk.Money{Minor: amount, Currency: "EUR"},
			Instrument: &sdk.Instrument{Card: &sdk.Card{ExpMonth: 12, ExpYear: 2030, BIN: number[:6], LastFour: number[len(number)-4:], Length: len(number)}},
			Browser: &sdk.Browser{IP: "203.0.113.7", UserAgent: "Mozilla/5.0", AcceptHeader: "text/html", Language: "en-GB", ColorDepth: 24,
				ScreenHeight: 900, ScreenWidth: 1440, JavaScriptEnable: true},
			Billing: &sdk.Address{FirstName: "Ana", LastName: "Perez", Line1: "1 Main St", City: "Aarhus", Country: "DK"}},
		Secrets: card.Secrets{Number: secret.New(number), CVC: secret.New("737")}}
	rand.Read(d.Seed[:])
	if change != nil {
		change(d)
	}
	r, err := b.host.Drive(context.Background(), d)
	require.NoError(b, err)
	require.Nil(b, r.Reject, "%v", r.Reject)
	return r
}

// authenticate runs prepare and authenticate.
func (b *bank) authenticate(connector, number string, amount int64) (*sdk.AuthenticationOutcome, secret.Value) {
	b.Helper()
	first := b.drive(connector, sdk.OpPrepare, number, amount, func(d *port.Drive) {
		d.Request.Authentication = &sdk.AuthenticationRequest{AuthenticationID: "auth_1", DeviceChannel: sdk.ChannelBrowser}
	}).Outcome.Authentication
	require.NotEmpty(b, first.Ranges)
	r := b.drive(connector, sdk.OpAuthenticate, number, amount, func(d *port.Drive) {
		d.Request.Authentication = &sdk.AuthenticationRequest{AuthenticationID: "auth_1", DeviceChannel: sdk.ChannelBrowser, MessageVersion: "2.2.0",
			ServerTransID: first.ServerTransID, MethodCompletion: "U", NotificationURL: "https://switch.example/3ds/c/token",
			MethodNotificationURL: "https://switch.example/3ds/m/token", RequestorURL: "https://shop.example", ChallengeInds: []string{"01"}, Data: first.Data}
		if connector == "cardinal" { // the accounts of the others lack the acquirer, which is no hindrance here
			a := d.Request.Authentication
			a.AcquirerBIN, a.AcquirerMID, a.AcquirerCountry, a.MerchantName, a.MerchantCountry, a.MCC = "412345", "MID0000417", "DK", "Example Shop", "DK", "5411"
		}
	})
	a := r.Outcome.Authentication
	require.Nil(b, a.Error, "%+v", a.Error)
	return a, r.CAVV(a)
}

// pay authorizes with the result of an authentication.
func (b *bank) pay(number string, amount int64, a *sdk.AuthenticationOutcome, cavv secret.Value, change func(d *port.Drive)) string {
	b.Helper()
	o := b.drive("adyen", sdk.OpAuthorize, number, amount, func(d *port.Drive) {
		if a != nil {
			d.Request.ThreeDS = &sdk.ThreeDSResult{ECI: a.ECI, TransStatus: a.TransStatus, Version: a.MessageVersion, DSTransID: a.DSTransID}
			d.Secrets.CAVV = cavv
		}
		if change != nil {
			change(d)
		}
	}).Outcome
	if o.Decline != nil {
		return string(o.Status) + " " + o.Decline.Code
	}
	return string(o.Status)
}

// The vendor's adapter runs against the built-in 3DS server, and the simulated processor recognises results of that server, as in
// a payment. Only the host knows the authentication value.
func TestSimulated3DS(t *testing.T) {
	plugins.Sequential(t)
	b := newBank(t, "adyen", "netcetera", "cardinal")
	for _, c := range []struct {
		connector, number, status, eci string
	}{
		{"simulator3ds", simulator3ds.CardNumber(simulator3ds.Visa, "0100"), "Y", "05"},
		{"simulator3ds", simulator3ds.CardNumber(simulator3ds.Mastercard, "0100"), "Y", "02"},
		{"netcetera", simulator3ds.CardNumber(simulator3ds.Amex, "0100"), "Y", "05"},
		{"cardinal", simulator3ds.CardNumber(simulator3ds.Visa, "0120"), "A", "06"},
	} {
		a, cavv := b.authenticate(c.connector, c.number, 6540)
		require.Equal(t, c.status, a.TransStatus)
		require.Equal(t, c.eci, a.ECI)
		require.Len(t, cavv.Reveal(), 28)
		require.NotContains(t, a.CAVV, cavv.Reveal(), "the adapter knows a stand-in")

		require.Equal(t, "captured", b.pay(c.number, 6540, a, cavv, nil))
		require.Equal(t, "captured", b.pay(c.number, 6000, a, cavv, nil), "a lower amount is allowed")
		require.Equal(t, "declined authentication_amount_exceeded", b.pay(c.number, 6541, a, cavv, nil))
		require.Equal(t, "declined authentication_amount_exceeded", b.pay(c.number, 6540, a, cavv, func(d *port.Drive) { d.Request.Amount.Currency = "USD" }))
		require.Equal(t, "declined authentication_value_invalid", b.pay(c.number, 6540, a, secret.New("AAABBWcSNIdjeUZThmNHAAAAAAA="), nil))
		require.Equal(t, "declined authentication_eci_invalid", b.pay(c.number, 6540, a, cavv, func(d *port.Drive) { d.Request.ThreeDS.ECI = "07" }))
		other, _ := b.authenticate(c.connector, c.number, 6540)
		require.Equal(t, "declined authentication_value_invalid", b.pay(c.number, 6540, other, cavv, nil), "the cryptogram of another transaction")
		wrong := map[string]string{"Y": "A", "A": "Y"}[c.status]
		require.Equal(t, "declined authentication_value_invalid", b.pay(c.number, 6540, a, cavv, func(d *port.Drive) { d.Request.ThreeDS.TransStatus = wrong }))
		require.Equal(t, "captured", b.pay(c.number, 6540, a, secret.New("AAABBWcSNIdjeUZThmNHAAAAAAA="), func(d *port.Drive) {
			d.Request.ThreeDS.DSTransID = "c4e59ceb-a382-4d6a-bc87-385d591fa09d"
		}), "a result from elsewhere is taken by its form")
	}
	number := simulator3ds.CardNumber(simulator3ds.Visa, "0100")
	require.Equal(t, "declined authentication_required", b.pay(number, 6565, nil, secret.Value{}, nil), "a soft decline")
	a, cavv := b.authenticate("simulator3ds", number, 6565)
	require.Equal(t, "captured", b.pay(number, 6565, a, cavv, nil))
}

func TestSimulatedChallenge(t *testing.T) {
	plugins.Sequential(t)
	b := newBank(t, "adyen")
	number := simulator3ds.CardNumber(simulator3ds.Visa, "0170")
	a, _ := b.authenticate("simulator3ds", number, 6540)
	require.Equal(t, "C", a.TransStatus)
	require.Equal(t, "https://switch.example/sim/acs/challenge", a.ACSURL)
	result := func() *port.DriveResult {
		return b.drive("simulator3ds", sdk.OpResult, number, 6540, func(d *port.Drive) {
			d.Request.Authentication = &sdk.AuthenticationRequest{AuthenticationID: "auth_1", DeviceChannel: sdk.ChannelBrowser, MessageVersion: "2.2.0",
				ServerTransID: a.ServerTransID, ACSTransID: a.ACSTransID, DSTransID: a.DSTransID}
		})
	}
	require.True(t, result().Outcome.Authentication.Pending)

	body, _ := json.Marshal(map[string]string{"threeDSServerTransID": a.ServerTransID, "otp": "1234"})
	r := httptest.NewRequest(http.MethodPost, "/sim/3ds/complete", bytes.NewReader(body))
	r.Header.Set("APIKey", "a key of theirs")
	w := httptest.NewRecorder()
	b.sim.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code)

	end := result()
	require.Equal(t, "Y", end.Outcome.Authentication.TransStatus)
	require.Equal(t, "captured", b.pay(number, 6540, end.Outcome.Authentication, end.CAVV(end.Outcome.Authentication), nil))
}

// TestSimulatedNames: which adapter answers for which connector.
func TestSimulatedNames(t *testing.T) {
	b := newBank(t, "adyen", "netcetera")
	for connector, want := range map[string]string{"simulator3ds": "threedsecureio", "netcetera": "threedsecureio", "adyen": "simulator", "threedsecureio": "threedsecureio"} {
		info, ok := b.host.Adapter(connector)
		require.True(t, ok, connector)
		require.Equal(t, want, info.Name)
		require.Equal(t, connector != "threedsecureio", info.Simulated, connector)
	}
	var names []string
	for _, info := range b.host.Adapters() {
		names = append(names, info.Connector)
	}
	require.Equal(t, []string{"adyen", "netcetera", "simulator", "simulator3ds", "threedsecureio"}, names)

	dir := t.TempDir()
	put(t, dir, "simulator.wasm", simulatorModule(t))
	without := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir(), Simulate: []string{"netcetera"}})
	_, there := without.Adapter("simulator3ds")
	require.False(t, there, "without the server the connector does not exist")
}
