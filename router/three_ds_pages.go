package router

import (
	"net/http"
	"strconv"
	"strings"

	"payswitch/engine/change"
	"payswitch/engine/threeds/flow"
)

// This file has the pages that the payer's browser opens during 3-D Secure. They hold no secret and decide nothing. Each page posts a message to the
// page around it: something has happened. That page then asks the API.

// maxChallengeMessage is the most bytes of a form with a challenge response (CRes). Its extensions alone may have 81,920 bytes.
const maxChallengeMessage = 256 << 10

// form reads the fields of a posted form. Without a posted form, it reads the query.
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

// threeDSMethodEnded receives the end of the 3DS method. The issuer's server (ACS) posts it in a hidden frame.
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

// methodNotice is the page that reports the end of the 3DS method.
func methodNotice(v *flow.CallbackView) (answer, error) {
	return noticePage(v.Origins, v.Framers, []map[string]any{{"type": "3ds_method_done", "payment_id": v.PaymentID}}, "", v.Known)
}

// threeDSChallengeEnded receives the end of a challenge, which the issuer's server (ACS) posts. GET shows the same page and changes nothing.
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

// challengeNotice is the page that reports the end of a challenge.
func challengeNotice(v *flow.CallbackView) (answer, error) {
	messages := []map[string]any{{"type": "3ds_challenge_done", "payment_id": v.PaymentID}}
	if v.ReturnURL != "" {
		messages = append(messages, map[string]any{"openurl_if_required": v.ReturnURL})
	}
	return noticePage(v.Origins, v.Framers, messages, v.AuthorizeURL, v.Known)
}

// noticePage is a page that posts messages to the pages around it, if their origin is among origins. Outside a frame, it goes on to next instead.
// Pages of framers may frame it, because it has no button that a payer could be tricked to press.
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

// authorizePage serves three_ds_authorize_url. It waits for the result. Then it sends the payer back to the shop, or in a frame reports to the page
// around it.
func (s *Server) authorizePage(c *call) (answer, error) {
	in := flow.AuthorizeInput{PaymentID: c.param("payment_id"), MerchantID: c.param("merchant_id"), Connector: c.param("connector"), Token: c.param("token")}
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
		return formPage(v.Return.URL, v.Return.Fields, v.Framers...) // without Sec-Fetch-Dest, the page may be in a frame
	case dest == "document": // not in a frame
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

// bareReturnURL is the shop's return URL without the status and signature that payswitch adds.
func bareReturnURL(v *change.ReturnView) string {
	if to := v.View.Payment.Details.ReturnURL; to != "" {
		return to
	}
	return v.View.Profile.Settings.ReturnURL
}

// authenticatorCalled passes an authenticator's message about one authentication to the engine.
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

// authenticatorEvent passes an event of the authenticator's page to the engine. The browser posts it in a frame. The answer reports the progress to
// the page around the frame.
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
	case flow.DoneMethod:
		return methodNotice(v)
	case flow.DoneChallenge:
		return challengeNotice(v)
	}
	return noticePage(v.Origins, v.Framers, nil, "", false)
}

// methodFrames is a page that frames the authenticator's pages, which run the 3DS method. It also takes POST: a shop posts threeDSMethodData here, as
// to any 3DS method URL.
func (s *Server) methodFrames(c *call) (answer, error) {
	frames, v, err := s.Payments.MethodFrames(c.ctx(), c.param("token"))
	if err != nil {
		return answer{}, err
	}
	return rendered("three_ds_frames.html", map[string]any{"Frames": frames},
		"default-src 'none'; frame-src "+s.webScheme()+"; form-action 'none'; base-uri 'none'", v.Framers)
}

// openChallenge redirects the browser to the authenticator's page, which must be opened with GET. If the challenge is over, the answer reports that to
// the page around the frame.
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
