package gpayments

import (
	"encoding/hex"
	"errors"

	"payswitch/sdk"
)

// prepare asks whether the card is enrolled, and in which versions. For a browser it also begins the authentication,
// whose pages run the 3DS method. The request holds the browser's data, so ActiveServer need not collect it.
func prepare(c *sdk.Call) (*sdk.Outcome, error) {
	in := c.Request.Authentication
	if c.Request.Instrument == nil || c.Request.Instrument.Card == nil || in == nil {
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Parameter: "payment_method_data.card",
			Message: "3-D Secure needs a card"}
	}
	card := c.Request.Instrument.Card
	j, e, err := post(c, production(c, enrolPath),
		sdk.NewObject().Str("acctNumber", card.Number).Str("merchantId", c.Account.Config[merchantID]), true)
	switch {
	case err != nil:
		return nil, err
	case e != nil:
		return refused(j, e)
	case j.Str("enrolmentStatus") == "00":
		return &sdk.Outcome{Status: sdk.StatusPrepared, Authentication: &sdk.AuthenticationOutcome{NotEnrolled: true}}, nil
	case j.Str("enrolmentStatus") != "01":
		return nil, errors.New("the answer is not an enrolment")
	}
	var versions []sdk.ProtocolVersion
	for v := range j.Get("supportedMessageVersions").All() {
		if v.Str("") != "" {
			versions = append(versions, sdk.ProtocolVersion{Version: v.Str("")})
		}
	}
	if len(versions) == 0 {
		return nil, errors.New("the enrolment has no versions")
	}
	a := &sdk.AuthenticationOutcome{Ranges: []sdk.CardRange{{Network: networkOf(schemeOf(in.Network), card.Network),
		Versions: versions}}}
	if in.DeviceChannel == sdk.Channel3RI {
		return &sdk.Outcome{Status: sdk.StatusPrepared, Authentication: a}, nil
	}
	return begin(c, a)
}

// begin initialises a browser's authentication.
func begin(c *sdk.Call, a *sdk.AuthenticationOutcome) (*sdk.Outcome, error) {
	in, card := c.Request.Authentication, c.Request.Instrument.Card
	id := uuid(c)
	body := sdk.NewObject().Str("acctNumber", card.Number).Str("merchantId", c.Account.Config[merchantID]).
		Str("eventCallbackUrl", in.EventURL).
		Str("threeDSRequestorTransID", id).OptStr("challengeWindowSize", in.ChallengeWindow)
	if in.Network != "" {
		body.OptStr("cardScheme", schemeOf(in.Network))
	}
	body.Bool("skipAutoBrowserInfoCollect", true)
	j, e, err := post(c, production(c, initPath), body, false)
	switch {
	case err != nil:
		return nil, err
	case e != nil:
		return refused(j, e)
	case j.Str("threeDSServerTransID") == "" || j.Str("authUrl") == "":
		return nil, errors.New("the answer is not an initialisation")
	case !ours(c, j.Str("authUrl")):
		return nil, errors.New("authUrl does not lead to the account's base URL")
	}
	a.ServerTransID = j.Str("threeDSServerTransID")
	a.Ranges[0].Network = networkOf(j.Str("resolvedCardScheme"), a.Ranges[0].Network)
	for _, page := range []string{j.Str("threeDSServerCallbackUrl"), j.Str("monUrl")} {
		if page != "" {
			a.Frames = append(a.Frames, page)
		}
	}
	return keep(a, state{requestor: id, authURL: j.Str("authUrl")})
}

// refused reads an error of prepare. "No directory server has the card" and "not enrolled" are successful answers.
func refused(j sdk.JSON, e *sdk.AuthenticationError) (*sdk.Outcome, error) {
	if e.Code != noDirectoryServer && e.Code != notParticipating {
		return failed(sdk.StatusPrepared, j, e)
	}
	return &sdk.Outcome{Status: sdk.StatusPrepared, Authentication: &sdk.AuthenticationOutcome{NotEnrolled: true},
		Raw: map[string]string{"error_code": e.Code, "error_description": e.Description}}, nil
}

// state is what later operations of an authentication need.
type state struct{ requestor, authURL, monitor string }

// keep puts the state into the outcome.
func keep(a *sdk.AuthenticationOutcome, s state) (*sdk.Outcome, error) {
	a.Data = sdk.NewObject().OptStr("requestor", s.requestor).OptStr("auth_url", s.authURL).OptStr("monitor", s.monitor).
		String()
	if len(a.Data) > sdk.MaxConnectorData {
		return nil, errors.New("the URLs are too long to be stored")
	}
	status := sdk.StatusAuthenticated
	if len(a.Ranges) > 0 {
		status = sdk.StatusPrepared
	}
	return &sdk.Outcome{Status: status, Authentication: a}, nil
}

func kept(in *sdk.AuthenticationRequest) state {
	j, _ := sdk.ParseJSON([]byte(in.Data)) // absent before prepare
	return state{requestor: j.Str("requestor"), authURL: j.Str("auth_url"), monitor: j.Str("monitor")}
}

// uuid returns a random UUID (RFC 9562, version 4).
func uuid(c *sdk.Call) string {
	b := c.Random(16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	s := hex.EncodeToString(b)
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
