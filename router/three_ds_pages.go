package router

import (
	"net/http"
	"strconv"
	"strings"

	"payswitch/engine/change"
	"payswitch/engine/threeds/flow"
)

// This file has the pages that the payer's browser opens during 3-D Secure. They hold no secret and decide nothing. Each page posts a message to the
// page around it alone: something has happened. That page then asks the API. A page inside the authenticator's own frames posts to each page around
// these, because only the shop's page understands the message.

// maxChallengeMessage is the largest number of bytes of a form with a challenge response (CRes). Its extensions alone may have 81,920 bytes.
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
	return methodNotice(v, false)
}

// methodNotice returns the page that reports the end of the 3DS method. nested is true in the authenticator's own frames.
func methodNotice(v *flow.CallbackView, nested bool) (answer, error) {
	return noticePage(notice{v.Origins, v.Framers, []map[string]any{{"type": "3ds_method_done", "payment_id": v.PaymentID}}, "", nested}, v.Known)
}

// threeDSChallengeEnded receives the end of a challenge, which the issuer's server (ACS) posts. GET shows the same page and changes nothing.
func (s *Server) threeDSChallengeEnded(c *call) (answer, error) {
	if c.r.Method != http.MethodPost {
		v, err := s.Payments.ChallengeShown(c.ctx(), c.param("token"))
		if err != nil {
			return answer{}, err
		}
		return challengeNotice(v, false)
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
	return challengeNotice(v, false)
}

// challengeNotice returns the page that reports the end of a challenge. While the result is not known, it asks the page around it to poll. nested is
// true in the authenticator's own frames.
func challengeNotice(v *flow.CallbackView, nested bool) (answer, error) {
	messages := []map[string]any{{"type": "3ds_challenge_done", "payment_id": v.PaymentID}}
	if v.ReturnURL != "" {
		messages = append(messages, whereNext(v.Poll, v.ReturnURL))
	}
	return noticePage(notice{v.Origins, v.Framers, messages, v.AuthorizeURL, nested}, v.Known)
}

// whereNext returns the message that says what the shop's page does next: it polls, or it goes to the shop's return URL. Clients expect numbers as
// texts.
func whereNext(poll, returnURL string) map[string]any {
	if poll == "" {
		return map[string]any{"openurl_if_required": returnURL}
	}
	return map[string]any{"poll_status": map[string]string{"poll_id": poll, "frequency": strconv.Itoa(pollFrequency), "delay_in_secs": strconv.Itoa(pollDelay),
		"return_url_with_query_params": returnURL}}
}

// notice is a page that posts messages to the page around it, if its origin is among origins. Outside a frame, it goes on to next instead. Pages of
// framers may frame it, because it has no button that a payer could be tricked to press. A nested notice posts to every page around it.
type notice struct {
	origins, framers []string
	messages         []map[string]any
	next             string
	nested           bool
}

// noticePage renders a notice. Without a known payment it says nothing.
func noticePage(n notice, known bool) (answer, error) {
	if !known {
		n.origins, n.messages, n.next = nil, nil, ""
	}
	if n.origins == nil {
		n.origins = []string{}
	}
	if n.messages == nil {
		n.messages = []map[string]any{}
	}
	return page("three_ds.html", map[string]any{"Origins": jsonOf(n.origins), "Messages": jsonOf(n.messages), "Next": n.next, "Nested": n.nested}, n.framers...)
}

// authorizePage serves three_ds_authorize_url. In a frame it answers at once and reports to the page around it, which polls while the result is not
// known. A browser without such a page waits for the result, and then goes back to the shop.
func (s *Server) authorizePage(c *call) (answer, error) {
	in := flow.AuthorizeInput{PaymentID: c.param("payment_id"), MerchantID: c.param("merchant_id"), Connector: c.param("connector"), Token: c.param("token")}
	dest := c.r.Header.Get("Sec-Fetch-Dest")
	in.Alone = dest == "document"
	v, err := s.Payments.AuthorizeReturn(c.ctx(), in)
	if err != nil {
		return answer{}, err
	}
	ended := map[string]any{"type": "3ds_challenge_done", "payment_id": in.PaymentID}
	switch {
	case v.Return.URL == "" && (dest == "iframe" || dest == "frame"):
		return noticePage(notice{origins: v.Origins, framers: v.Framers, messages: []map[string]any{ended}}, true)
	case v.Return.URL == "":
		return s.resultPage(v.Return.View)
	case v.Return.Fields != nil && (in.Alone || dest == "" && v.Poll == ""):
		return formPage(v.Return.URL, v.Return.Fields, v.Framers...) // without Sec-Fetch-Dest, the page may be in a frame
	case dest == "document": // not in a frame
		a := found(v.Return.URL)
		a.status = http.StatusSeeOther
		return a, nil
	}
	messages := []map[string]any{whereNext(v.Poll, bareReturnURL(v.Return)), ended}
	return noticePage(notice{origins: v.Origins, framers: v.Framers, messages: messages, next: v.Return.URL}, true)
}

// bareReturnURL returns the shop's return URL without the status and signature that payswitch adds.
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
		return methodNotice(v, true)
	case flow.DoneChallenge:
		return challengeNotice(v, true)
	}
	return noticePage(notice{framers: v.Framers}, false)
}

// methodFrames returns a page that frames the authenticator's pages, which run the 3DS method. It also takes POST: a shop posts threeDSMethodData
// here, as to any 3DS method URL.
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
	return challengeNotice(v, false)
}
