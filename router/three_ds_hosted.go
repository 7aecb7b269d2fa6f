package router

import (
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"payswitch/engine"
	"payswitch/sdk"
)

// The hosted page runs the payer's part of 3-D Secure for merchants who only redirect: the 3DS method, the AReq, the challenge. Without
// JavaScript its forms have buttons. It decides nothing: at the end the payer goes to three_ds_authorize_url, which waits and reports.

const (
	// methodTime is what the 3DS method is given (EMV 3-D Secure: 10 seconds from the POST).
	methodTime = 10 * time.Second
	// lookEvery is how often the page asks whether a challenge is still under way, in case its end is never told.
	lookEvery = 3 * time.Second
)

// challengeWindows are the sizes of challengeWindowSize, in CSS pixels; a full page (05) has none.
var challengeWindows = map[string][2]int{"01": {250, 400}, "02": {390, 400}, "03": {500, 600}, "04": {600, 400}}

// narrow is the width below which a challenge gets the page for itself.
const narrow = 600

// hostedPage shows what the payer's browser has to do next.
func (s *Server) hostedPage(c *call) (answer, error) {
	p, err := s.Payments.HostedPage(c.ctx(), c.param("token"))
	switch {
	case err != nil:
		return lostPage(err)
	case p.Challenge != nil && p.Challenge.ACSURL != "":
		return s.challengePage(c, p)
	case p.Invoke == nil:
		return s.hostedEnd(p, "")
	}
	return s.hosted("hosted_run.html", map[string]any{"Self": "/3ds/run/" + c.param("token"), "Amount": shownMoney(p.Amount), "Merchant": p.Merchant,
		"MethodURL": p.Invoke.MethodURL, "MethodKey": p.Invoke.MethodKey, "MethodData": p.Invoke.MethodData, "MethodTime": methodTime.Milliseconds()})
}

// hostedSubmit sends the AReq, with what the page found out about the browser. Posted again, it leads to the same place.
func (s *Server) hostedSubmit(c *call) (answer, error) {
	fields, err := c.form()
	if err != nil {
		return answer{}, err
	}
	token := c.param("token")
	v, err := s.Payments.HostedAuthenticate(c.ctx(), token, authenticationInput(c, fields))
	var known *engine.Error
	if errors.As(err, &known) && known.Kind == engine.KindNotFound {
		return lostPage(err)
	}
	if err != nil && (known == nil || known.Kind == engine.KindInternal) {
		return answer{}, err
	}
	if err == nil && v.ACSURL != "" {
		return seeOther("/3ds/run/" + token), nil
	}
	p, err := s.Payments.HostedPage(c.ctx(), token) // refused: it has ended meanwhile, or cannot be done
	if err != nil {
		return lostPage(err)
	}
	note := ""
	if v != nil {
		note = v.CardholderInfo
	}
	return s.hostedEnd(p, note)
}

// authenticationInput is the AReq's browser data by the form, the request's headers and its address.
func authenticationInput(c *call, fields map[string]string) engine.AuthenticationInput {
	h, number := c.r.Header, func(name string) int {
		n, err := strconv.Atoi(fields[name])
		if err != nil || n < -10_000_000 || n > 10_000_000 {
			return 0
		}
		return n
	}
	// Card numbers are masked in what the browser says of itself: there is no client here that could mend a refused request.
	in := engine.AuthenticationInput{Channel: sdk.ChannelBrowser, Completion: fields["completion"], FullPage: true,
		Browser: &sdk.Browser{UserAgent: engine.MaskCards(h.Get("User-Agent")), AcceptHeader: engine.MaskCards(h.Get("Accept")),
			Language: engine.MaskCards(firstLanguage(h.Get("Accept-Language")))}}
	if host, _, err := net.SplitHostPort(c.r.RemoteAddr); err == nil {
		if ip, err := netip.ParseAddr(host); err == nil && !ip.IsPrivate() && !ip.IsLoopback() && !ip.IsLinkLocalUnicast() {
			in.Browser.IP = ip.String() // a proxy's says nothing of the payer
		}
	}
	if in.Completion != "Y" && in.Completion != "U" {
		in.Completion = "N"
	}
	if fields["java_script"] != "true" {
		return in
	}
	b := in.Browser
	b.JavaScriptEnable, b.JavaEnabled = true, fields["java"] == "true"
	b.ColorDepth, b.ScreenHeight, b.ScreenWidth, b.TimeZone = number("color_depth"), number("screen_height"), number("screen_width"), number("time_zone")
	if l := fields["language"]; l != "" && len(l) <= 35 {
		b.Language = engine.MaskCards(l)
	}
	in.Width, in.Height = max(number("width"), 0), max(number("height"), 0)
	in.FullPage = in.Width < narrow
	return in
}

// firstLanguage is the language that a browser prefers, "" when it does not say.
func firstLanguage(accept string) string {
	first, _, _ := strings.Cut(accept, ",")
	first, _, _ = strings.Cut(first, ";")
	if first = strings.TrimSpace(first); first == "*" || len(first) > 35 {
		return ""
	}
	return first
}

// challengePage shows the bank's page in a frame of the size that it was told, or goes there.
func (s *Server) challengePage(c *call, p *engine.HostedPage) (answer, error) {
	v := p.Challenge
	size := challengeWindows[v.Window]
	return s.hosted("hosted_challenge.html", map[string]any{"Amount": shownMoney(p.Amount), "Merchant": p.Merchant, "ACSURL": v.ACSURL,
		"Key": v.ChallengeKey, "Request": v.ChallengeRequest, "Session": v.SessionData, "Width": size[0], "Height": size[1],
		"AuthorizeURL": p.AuthorizeURL, "State": "/3ds/run/" + c.param("token") + "/state", "LookEvery": lookEvery.Milliseconds()})
}

// hostedState says whether the payer is still expected to answer the challenge.
func (s *Server) hostedState(c *call) (answer, error) {
	p, err := s.Payments.HostedPage(c.ctx(), c.param("token"))
	if err != nil {
		return answer{}, err
	}
	return new(writer).open().bool("waiting", p.Challenge != nil).close().answer(), nil
}

// hostedEnd sends the payer on to where the result is waited for. What the bank has to say to the payer is shown first.
func (s *Server) hostedEnd(p *engine.HostedPage, note string) (answer, error) {
	if note == "" {
		return seeOther(p.AuthorizeURL), nil
	}
	return s.hosted("hosted_result.html", map[string]any{"Amount": shownMoney(p.Amount), "Merchant": p.Merchant, "Kind": "", "Title": "A message from your bank",
		"Note": note, "Onward": p.AuthorizeURL})
}

// resultPage tells the payer how a payment ended whose merchant has named no page to return to.
func (s *Server) resultPage(v *engine.PaymentView) (answer, error) {
	kind, title, text := "", "Your payment is being processed", "You may close this page."
	switch v.Payment.Status {
	case engine.Succeeded, engine.PartiallyCaptured, engine.RequiresCapture:
		kind, title = "good", "Thank you, your payment went through"
	case engine.Failed, engine.Cancelled:
		kind, title, text = "bad", "Your payment did not go through", "You have not been charged. You may close this page and try again."
	}
	return s.hosted("hosted_result.html", map[string]any{"Amount": shownMoney(sdk.Money{Minor: v.Payment.NetAmount, Currency: v.Payment.Currency}), "Merchant": "",
		"Kind": kind, "Title": title, "Text": text})
}

// lostPage is what a URL leads to that belongs to no payment.
func lostPage(err error) (answer, error) {
	var known *engine.Error
	if !errors.As(err, &known) || known.Kind != engine.KindNotFound {
		return answer{}, err
	}
	return expiredPage(), nil
}

// expired is the one page for all wrong tokens. It is made once, so that no two answers differ; its style is allowed by its hash.
var expired = sync.OnceValue(func() answer {
	a, err := fixedPage("hosted_result.html", map[string]any{"Amount": "", "Merchant": "", "Kind": "bad", "Title": "This page has expired", "Nonce": "",
		"Text": "Please go back to the shop and begin the payment again."})
	if err != nil {
		panic("router: " + err.Error()) // the template is embedded and gets no request data
	}
	a.status = http.StatusNotFound
	return a
})

func expiredPage() answer {
	a := expired()
	a.header = a.header.Clone()
	return a
}

// hosted renders a page of ours that stands alone: no other may frame it, and it frames the card's bank only.
func (s *Server) hosted(name string, data map[string]any) (answer, error) {
	nonce := rand.Text()
	data["Nonce"] = nonce
	// form-action also holds for the redirects that follow a form: with it goes the way to the shop, whatever scheme that has.
	return rendered(name, data, "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'nonce-"+nonce+"'; frame-src "+s.webScheme()+
		"; connect-src 'self'; form-action http: https:; base-uri 'none'", nil)
}

// webScheme is what frames may be loaded with. In development the bank is our own simulator.
func (s *Server) webScheme() string {
	if strings.HasPrefix(s.opts.PublicURL, "http:") {
		return "http: https:"
	}
	return "https:"
}

func seeOther(to string) answer {
	a := found(to)
	a.status = http.StatusSeeOther
	return a
}

// shownMoney is an amount as people read it, "" for none.
func shownMoney(m sdk.Money) string {
	if m.Minor <= 0 {
		return ""
	}
	return m.Major() + " " + string(m.Currency)
}
