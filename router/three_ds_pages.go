package router

import (
	"net/http"
	"strconv"
	"strings"

	"payswitch/engine"
)

// The pages that a payer's browser passes by in 3-D Secure. They hold no secret and decide nothing: they tell those who wait that something has
// happened, who then ask the API.

// maxChallengeMessage bounds a CRes as a form: its extensions alone may have 81,920 bytes.
const maxChallengeMessage = 256 << 10

// form reads the fields of a posted form; those of the query where nothing was posted.
func (c *call) form() (map[string]string, error) {
	encoded := c.r.URL.RawQuery
	if strings.HasPrefix(c.r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		encoded = string(c.body)
	}
	list, err := pairs(encoded)
	if err != nil {
		return nil, err
	}
	fields := make(map[string]string, len(list))
	for _, f := range list {
		fields[f.Name] = f.Value
	}
	return fields, nil
}

// threeDSMethodEnded is where the ACS posts that the 3DS method has ended, in a hidden frame.
func (s *Server) threeDSMethodEnded(c *call) (answer, error) {
	fields, err := c.form()
	if err != nil {
		return answer{}, err
	}
	v, err := s.Payments.MethodNotified(c.ctx(), c.param("token"), fields["threeDSMethodData"])
	if err != nil {
		return answer{}, err
	}
	return methodNotice(v)
}

// methodNotice tells that the 3DS method is over.
func methodNotice(v *engine.CallbackView) (answer, error) {
	return noticePage(v.Origins, v.Framers, []map[string]any{{"type": "3ds_method_done", "payment_id": v.PaymentID}}, "", v.Known)
}

// threeDSChallengeEnded is where the ACS posts the end of a challenge. GET shows the same page and changes nothing.
func (s *Server) threeDSChallengeEnded(c *call) (answer, error) {
	if c.r.Method != http.MethodPost {
		v, err := s.Payments.ChallengeShown(c.ctx(), c.param("token"))
		if err != nil {
			return answer{}, err
		}
		return challengeNotice(v)
	}
	fields, err := c.form()
	if err != nil {
		return answer{}, err
	}
	message := fields["cres"]
	for _, name := range []string{"erro", "error"} {
		if message == "" {
			message = fields[name]
		}
	}
	v, err := s.Payments.ChallengeNotified(c.ctx(), c.param("token"), message, fields["threeDSSessionData"])
	if err != nil {
		return answer{}, err
	}
	return challengeNotice(v)
}

// challengeNotice tells that a challenge is over.
func challengeNotice(v *engine.CallbackView) (answer, error) {
	messages := []map[string]any{{"type": "3ds_challenge_done", "payment_id": v.PaymentID}}
	if v.ReturnURL != "" {
		messages = append(messages, map[string]any{"openurl_if_required": v.ReturnURL})
	}
	return noticePage(v.Origins, v.Framers, messages, v.AuthorizeURL, v.Known)
}

// noticePage tells the pages around it, of exact origins, what it is given; next is where it goes when there is none around it. Framers may
// have it in a frame: it has nothing to press.
func noticePage(origins, framers []string, messages []map[string]any, next string, known bool) (answer, error) {
	if !known {
		origins, messages, next = nil, nil, ""
	}
	if origins == nil {
		origins = []string{}
	}
	if messages == nil {
		messages = []map[string]any{}
	}
	return page("three_ds.html", map[string]any{"Origins": jsonOf(origins), "Messages": jsonOf(messages), "Next": next}, framers...)
}

// authorizePage is three_ds_authorize_url: it waits for the result and sends the payer back to the shop, or tells the page around it.
func (s *Server) authorizePage(c *call) (answer, error) {
	in := engine.AuthorizeInput{PaymentID: c.param("payment_id"), MerchantID: c.param("merchant_id"), Connector: c.param("connector"), Token: c.param("token")}
	v, err := s.Payments.AuthorizeReturn(c.ctx(), in)
	if err != nil {
		return answer{}, err
	}
	dest := c.r.Header.Get("Sec-Fetch-Dest")
	ended := map[string]any{"type": "3ds_challenge_done", "payment_id": in.PaymentID}
	switch {
	case v.Return.URL == "" && (dest == "iframe" || dest == "frame"):
		return noticePage(v.Origins, v.Framers, []map[string]any{ended}, "", true)
	case v.Return.URL == "":
		return s.resultPage(v.Return.View)
	case v.Return.Fields != nil && dest != "iframe" && dest != "frame":
		return formPage(v.Return.URL, v.Return.Fields, v.Framers...) // a browser that does not say where it shows the page may have it in a frame
	case dest == "document": // the page itself, not a frame in it
		a := found(v.Return.URL)
		a.status = http.StatusSeeOther
		return a, nil
	}
	bare := bareReturnURL(v.Return)
	message := map[string]any{"openurl_if_required": bare}
	if v.Poll != "" {
		message = map[string]any{"poll_status": map[string]string{"poll_id": v.Poll, "frequency": strconv.Itoa(pollFrequency),
			"delay_in_secs": strconv.Itoa(pollDelay), "return_url_with_query_params": bare}}
	}
	return noticePage(v.Origins, v.Framers, []map[string]any{message, ended}, v.Return.URL, true)
}

// bareReturnURL is the shop's return URL without what we add to it.
func bareReturnURL(v *engine.ReturnView) string {
	if to := v.View.Payment.Details.ReturnURL; to != "" {
		return to
	}
	return v.View.Profile.Settings.ReturnURL
}

// authenticatorCalled hands over what an authenticator sends about one authentication.
func (s *Server) authenticatorCalled(c *call) (answer, error) {
	m, err := message(c)
	if err != nil {
		return answer{}, err
	}
	reply, err := s.Payments.AuthenticatorCalled(c.ctx(), c.param("token"), m)
	if err != nil {
		return answer{}, err
	}
	return replyAnswer(reply), nil
}

// authenticatorEvent hands over what a page of the authenticator's has the browser post, and tells the pages around it how far it is.
func (s *Server) authenticatorEvent(c *call) (answer, error) {
	m, err := message(c)
	if err != nil {
		return answer{}, err
	}
	v, err := s.Payments.AuthenticatorEvent(c.ctx(), c.param("token"), m)
	if err != nil {
		return answer{}, err
	}
	switch v.Done {
	case engine.DoneMethod:
		return methodNotice(v)
	case engine.DoneChallenge:
		return challengeNotice(v)
	}
	return noticePage(v.Origins, v.Framers, nil, "", false)
}

// methodFrames is a page of ours that holds the authenticator's, which run the 3DS method. Shops post to it, in a hidden frame, what others
// want posted.
func (s *Server) methodFrames(c *call) (answer, error) {
	frames, v, err := s.Payments.MethodFrames(c.ctx(), c.param("token"))
	if err != nil {
		return answer{}, err
	}
	return rendered("three_ds_frames.html", map[string]any{"Frames": frames},
		"default-src 'none'; frame-src "+s.webScheme()+"; form-action 'none'; base-uri 'none'", v.Framers)
}

// openChallenge sends the browser on to the authenticator's page, with GET, whatever it came with. When there is nothing to challenge any more the
// pages around it are told.
func (s *Server) openChallenge(c *call) (answer, error) {
	to, v, err := s.Payments.ChallengePage(c.ctx(), c.param("token"))
	switch {
	case err != nil:
		return answer{}, err
	case to != "":
		return seeOther(to), nil
	}
	return challengeNotice(v)
}
