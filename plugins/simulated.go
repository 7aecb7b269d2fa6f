package plugins

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/sdk"
	"payswitch/sdk/threeds"
)

// Simulator3DSName is the connector of the built-in 3DS server for development. It exists where Options.Simulator3DS is set.
const Simulator3DSName = "simulator3ds"

// simulatedAuthenticator is the adapter that speaks to the built-in 3DS server.
const simulatedAuthenticator = "threedsecureio"

// The adapter sends requests of a simulated account to simulatorHost. No such name can exist (RFC 6761), and no connection is
// made: after all usual checks the host hands the request to Options.Simulator3DS.
const (
	simulatorHost = "simulator3ds.invalid"
	simulatorPath = "/sim/3ds" // comes before the vendor's paths
)

// authenticators are connectors that count as authenticators even without an adapter of their name. So a list of simulated
// connectors can keep the real names.
var authenticators = []string{simulatedAuthenticator, "netcetera", "gpayments", "juspaythreedsserver", "cardinal", "ctp_mastercard", "ctp_visa",
	"unified_authentication_service"}

// adapterName returns the adapter that answers for a connector.
func (h *Host) adapterName(connector string) string {
	switch {
	case h.simulates3DS(connector):
		return simulatedAuthenticator
	case h.simulate[connector]:
		return SimulatorName
	}
	return connector
}

// simulates3DS reports whether the built-in 3DS server answers for a connector. The caller holds mu.
func (h *Host) simulates3DS(connector string) bool {
	if h.opts.Simulator3DS == nil {
		return false
	}
	if connector == Simulator3DSName || !h.simulate[connector] {
		return connector == Simulator3DSName
	}
	b := h.current[connector]
	return b != nil && b.manifest.Kind == sdk.KindAuthenticator || slices.Contains(authenticators, connector)
}

// simulatedMerchant gives the built-in 3DS server the facts about acquirer and merchant that the account lacks. The server asks
// for them as strictly as real servers do, and most tests are about something else.
var simulatedMerchant = map[string]string{threeds.ConfigAcquirerBIN: "412345", threeds.ConfigAcquirerMID: "TEST0000417", threeds.ConfigAcquirerCountry: "DK",
	threeds.ConfigMCC: "5999", threeds.ConfigMerchantName: "Test merchant", threeds.ConfigMerchantCountry: "DK"}

// The simulator does everything under its own name. Under other names it does less: installmentsAs make payments in installments, cardOnlyAs charge a
// card alone without the payer. voidsCapturedAs void captured payments, overcapturesAs capture more than is held. capturesOnceAs take one capture of a
// payment, and all other names take several.
var (
	installmentsAs  = []string{"adyen"}
	cardOnlyAs      = []string{"peachpayments"}
	voidsCapturedAs = []string{"authorizedotnet", "globalpay", "nmi", "worldpayvantiv"}
	overcapturesAs  = []string{"adyen", "stripe"}
	capturesOnceAs  = []string{"authorizedotnet", "bluesnap", "braintree", "globalpay", "mollie", "nmi"}
)

// manifestAs returns the simulator's manifest under a connector's name: without the features that real processors of other names do not have. It
// returns the manifest of any other adapter as it is.
func manifestAs(connector string, m *sdk.Manifest) *sdk.Manifest {
	if m.Name != SimulatorName || connector == SimulatorName {
		return m
	}
	as := *m
	if !slices.Contains(installmentsAs, connector) {
		as.Features.Installments = nil
	}
	as.Features.CardOnlyMIT, as.Features.VoidCaptured = slices.Contains(cardOnlyAs, connector), slices.Contains(voidsCapturedAs, connector)
	as.Features.OverCapture = m.Features.OverCapture && slices.Contains(overcapturesAs, connector)
	as.Features.MultipleCapture = m.Features.MultipleCapture && !slices.Contains(capturesOnceAs, connector)
	return &as
}

// simulated returns the drive with its account turned to the built-in 3DS server. It makes up missing credentials, because the server accepts any,
// and missing facts about the merchant.
func simulated(d *port.Drive, m *sdk.Manifest) *port.Drive {
	local := *d
	local.Account.BaseURL, local.Account.Hosts = "https://"+simulatorHost, nil
	local.Account.Credentials = maps.Clone(d.Account.Credentials)
	for i := range m.Credentials {
		if f := &m.Credentials[i]; !f.Optional && local.Account.Credentials[key(f)].IsZero() {
			if local.Account.Credentials == nil {
				local.Account.Credentials = map[string]secret.Value{}
			}
			local.Account.Credentials[key(f)] = secret.New("simulated " + d.Account.ID)
		}
	}
	local.Account.Config = maps.Clone(simulatedMerchant)
	for name, value := range d.Account.Config {
		if value != "" {
			local.Account.Config[name] = value
		}
	}
	return &local
}

// simulate hands a request to the built-in 3DS server.
func (e *egress) simulate(ctx context.Context, o *outgoing) answer {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	r := &http.Request{Method: o.method, URL: &url.URL{Path: simulatorPath + o.url.Path, RawQuery: o.url.RawQuery}, Host: o.url.Host, Header: o.header,
		Body: io.NopCloser(bytes.NewReader(o.body)), ContentLength: int64(len(o.body)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	w := &inMemory{header: http.Header{}, status: http.StatusOK}
	e.opts.Simulator3DS.ServeHTTP(w, r.WithContext(ctx))
	switch {
	case ctx.Err() != nil:
		return answer{sent: true, failure: failTimeout, err: ctx.Err()}
	case w.body.Len() > o.maxResponse:
		return answer{sent: true, failure: failTooLarge, err: errors.New("the answer of the built-in 3DS server is too large")}
	}
	return answer{sent: true, status: w.status, headers: answerHeaders(w.header), body: w.body.Bytes()}
}

// inMemory is an http.ResponseWriter that keeps the answer.
type inMemory struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *inMemory) Header() http.Header         { return w.header }
func (w *inMemory) WriteHeader(status int)      { w.status = status }
func (w *inMemory) Write(b []byte) (int, error) { return w.body.Write(b) }
