package netcetera

import (
	"errors"

	"payswitch/sdk"
	"payswitch/sdk/threeds"
)

// prepare asks for the card's ranges. Netcetera only looks them up, so the request may be repeated.
func prepare(c *sdk.Call) (*sdk.Outcome, error) {
	if c.Request.Instrument == nil || c.Request.Instrument.Card == nil {
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Parameter: "payment_method_data.card",
			Message: "3-D Secure needs a card"}
	}
	card, chosen := c.Request.Instrument.Card, ""
	if in := c.Request.Authentication; in != nil {
		chosen = schemeID(in.Network)
	}
	j, status, e, err := post(c, versioningPath,
		sdk.NewObject().Str("cardholderAccountNumber", card.Number).OptStr("schemeId", chosen), true)
	switch {
	case err != nil:
		return nil, err
	case e != nil && status == 404 || e == nil && j.Raw("isCardFoundIn2xRanges") == "false":
		o := &sdk.Outcome{Status: sdk.StatusPrepared, Authentication: &sdk.AuthenticationOutcome{NotEnrolled: true}}
		if e != nil {
			o.Raw = map[string]string{"error_code": e.Code, "error_description": e.Description}
		}
		return o, nil
	case e != nil:
		return failed(sdk.StatusPrepared, j, e), nil
	}
	a := &sdk.AuthenticationOutcome{ServerTransID: j.Str("threeDSServerTransID")}
	for r := range j.Get("cardRanges").All() {
		a.Ranges = append(a.Ranges, sdk.CardRange{Network: networkOf(r.Str("schemeId"), card.Network),
			DirectoryServerID: r.Str("directoryServerId"), Versions: versions(r)})
	}
	if a.ServerTransID == "" || len(a.Ranges) == 0 {
		return nil, errors.New("the answer holds neither card ranges nor an error")
	}
	return &sdk.Outcome{Status: sdk.StatusPrepared, Authentication: a}, nil
}

// versions returns those of the range's ACS, up to the highest version that Netcetera and the directory server support.
func versions(r sdk.JSON) []sdk.ProtocolVersion {
	highest := r.Str("highestCommonSupportedVersion")
	all := threeds.Versions(r.Get("acsProtocolVersions"))
	if len(all) == 0 && highest != "" {
		all = []sdk.ProtocolVersion{{Version: highest, MethodURL: r.Str("threeDSMethodURL")}}
	}
	common := make([]sdk.ProtocolVersion, 0, len(all))
	for _, p := range all {
		if highest == "" || threeds.FromVersion(highest, p.Version) {
			common = append(common, p)
		}
	}
	return common
}
