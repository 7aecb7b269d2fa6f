package threedsecureio

import (
	"errors"

	"payswitch/sdk"
	"payswitch/sdk/threeds"
)

// Error codes with another meaning than in EMV's own messages.
const (
	unknownID  = "203" // of /postauth: the transaction is unknown, or its result has expired
	notInRange = "305" // of /preauth: no directory server has the card; of /postauth: no result yet
)

// prepare is /preauth. It only looks ranges up and costs nothing, so the request may be repeated.
func prepare(c *sdk.Call) (*sdk.Outcome, error) {
	if c.Request.Instrument == nil || c.Request.Instrument.Card == nil {
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Parameter: "payment_method_data.card",
			Message: "3-D Secure needs a card"}
	}
	card, in := c.Request.Instrument.Card, c.Request.Authentication
	if in == nil {
		in = &sdk.AuthenticationRequest{}
	}
	j, e, err := post(c, "/preauth", sdk.NewObject().Str("acctNumber", card.Number).OptStr("ds", directoryServer(in)),
		true, false)
	switch {
	case err != nil:
		return nil, err
	case e != nil && e.Code == notInRange && j.Str("messageType") == "Erro":
		return &sdk.Outcome{Status: sdk.StatusPrepared, Authentication: &sdk.AuthenticationOutcome{NotEnrolled: true},
			Raw: map[string]string{"error_description": e.Description}}, nil
	case e != nil:
		return failed(sdk.StatusPrepared, j, e)
	case j.Str("messageType") != "CRD" || j.Str("threeDSServerTransID") == "":
		return nil, errors.New("the answer is not a card range message")
	}
	return &sdk.Outcome{Status: sdk.StatusPrepared,
		Authentication: &sdk.AuthenticationOutcome{ServerTransID: j.Str("threeDSServerTransID"),
			Ranges: []sdk.CardRange{{Network: networkOf(j.Str("scheme"), card.Network), Versions: versions(j)}}}}, nil
}

// networkOf returns the network of a scheme's name at 3dsecure.io. Discover and Diners Club share ProtectBuy: the
// card's network decides.
func networkOf(scheme string, card sdk.CardNetwork) (n sdk.CardNetwork) {
	for _, d := range directoryServers {
		if d.name == scheme && (n == "" || d.network == card) {
			n = d.network
		}
	}
	return n
}

var known = [...]string{"2.1.0", "2.2.0", "2.3.0", "2.3.1"}

// versions returns those of the card's ACS that its directory server supports too. Without a list the flat fields give
// the first and the last.
func versions(j sdk.JSON) []sdk.ProtocolVersion {
	all := threeds.Versions(j.Get("acsProtocolVersions"))
	if len(all) == 0 {
		p := sdk.ProtocolVersion{MethodURL: j.Str("threeDSMethodURL")}
		for info := range j.Get("acsInfoInd").All() {
			p.ACSInfo = append(p.ACSInfo, info.Text(""))
		}
		first, last := j.Str("acsStartProtocolVersion"), j.Str("acsEndProtocolVersion")
		for _, v := range known {
			if within(v, first, last) {
				p.Version = v
				all = append(all, p)
			}
		}
	}
	common := make([]sdk.ProtocolVersion, 0, len(all))
	for _, p := range all {
		if spoken(j, p.Version) {
			common = append(common, p)
		}
	}
	return common
}

func within(v, first, last string) bool {
	return first != "" && threeds.FromVersion(v, first) && (last == "" || threeds.FromVersion(last, v))
}

// spoken reports whether the directory server supports a version, as far as the answer shows.
func spoken(j sdk.JSON, v string) bool {
	list := j.Get("dsProtocolVersions")
	for have := range list.All() {
		if have.Str("") == v {
			return true
		}
	}
	if list.Len() > 0 {
		return false
	}
	first := j.Str("dsStartProtocolVersion")
	return first == "" || within(v, first, j.Str("dsEndProtocolVersion"))
}
