package router

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/threeds/flow"
	"payswitch/sdk"
)

// The hosted page runs the payer's part of 3-D Secure for merchants that only redirect: the 3DS method, the authentication request and the challenge.
// Without JavaScript, its forms have buttons. The page decides nothing: at the end it sends the payer to three_ds_authorize_url, which waits for the
// result.

const (
	// methodTime is how long the page waits for the 3DS method. EMV 3-D Secure allows 10 seconds from the POST.
	methodTime = 10 * time.Second
	// lookEvery is how often the page asks whether the challenge is still under way. The bank may fail to send the payer back.
	lookEvery = 3 * time.Second
)

// challengeWindows are width and height for each challengeWindowSize, in CSS pixels. A full page (05) has no size.
var challengeWindows = map[string][2]int{"01": {250, 400}, "02": {390, 400}, "03": {500, 600}, "04": {600, 400}}

// narrow is the page width in CSS pixels below which a challenge gets the full page.
const narrow = 600

// hostedPage shows the next step of the payer's browser.
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

// hostedSubmit sends the authentication request, with the browser data that the page has collected. A repeated POST leads to the same place.
func (s *Server) hostedSubmit(c *call) (answer, error) {
	fields, err := c.form()
	if err != nil {
		return answer{}, err
	}
	token := c.param("token")
	v, err := s.Payments.HostedAuthenticate(c.ctx(), token, authenticationInput(c, fields))
	if fault.IsNotFound(err) {
		return lostPage(err)
	}
	if err != nil && asError(err).Kind == fault.KindInternal {
		return answer{}, err
	}
	if err == nil && v.ACSURL != "" {
		return seeOther("/3ds/run/" + token), nil
	}
	p, err := s.Payments.HostedPage(c.ctx(), token) // the engine refused: the authentication has ended meanwhile, or is impossible
	if err != nil {
		return lostPage(err)
	}
	note := ""
	if v != nil {
		note = v.CardholderInfo
	}
	return s.hostedEnd(p, note)
}

// authenticationInput takes the browser data of an authentication request from the form, the headers and the address of the caller.
func authenticationInput(c *call, fields map[string]string) flow.AuthenticationInput {
	h, number := c.r.Header, func(name string) int {
		n, err := strconv.Atoi(fields[name])
		if err != nil || n < -10_000_000 || n > 10_000_000 {
			return 0
		}
		return n
	}
	// Card numbers in the browser data are masked, not refused: the payer could not correct the request.
	in := flow.AuthenticationInput{Channel: sdk.ChannelBrowser, Completion: fields["completion"], FullPage: true,
		Browser: &sdk.Browser{UserAgent: card.MaskCards(h.Get("User-Agent")), AcceptHeader: card.MaskCards(h.Get("Accept")),
			Language: card.MaskCards(firstLanguage(h.Get("Accept-Language")))}}
	if host, _, err := net.SplitHostPort(c.r.RemoteAddr); err == nil {
		if ip, err := netip.ParseAddr(host); err == nil && !ip.IsPrivate() && !ip.IsLoopback() && !ip.IsLinkLocalUnicast() {
			in.Browser.IP = ip.String() // a private address is a proxy's, not the payer's
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
		b.Language = card.MaskCards(l)
	}
	in.Width, in.Height = max(number("width"), 0), max(number("height"), 0)
	in.FullPage = in.Width < narrow
	return in
}

// firstLanguage returns the first language of an Accept-Language header, "" for a header without a language.
func firstLanguage(accept string) string {
	first, _, _ := strings.Cut(accept, ",")
	first, _, _ = strings.Cut(first, ";")
	if first = strings.TrimSpace(first); first == "*" || len(first) > 35 {
		return ""
	}
	return first
}

// challengePage shows the bank's page: in a frame of the size that the bank was promised, or as the full page.
func (s *Server) challengePage(c *call, p *flow.HostedPage) (answer, error) {
	v := p.Challenge
	size := challengeWindows[v.Window]
	return s.hosted("hosted_challenge.html", map[string]any{"Amount": shownMoney(p.Amount), "Merchant": p.Merchant, "ACSURL": v.ACSURL,
		"Key": v.ChallengeKey, "Request": v.ChallengeRequest, "Session": v.SessionData, "Width": size[0], "Height": size[1],
		"AuthorizeURL": p.AuthorizeURL, "State": "/3ds/run/" + c.param("token") + "/state", "LookEvery": lookEvery.Milliseconds()})
}

// hostedState answers whether the challenge still waits for the payer.
func (s *Server) hostedState(c *call) (answer, error) {
	p, err := s.Payments.HostedPage(c.ctx(), c.param("token"))
	if err != nil {
		return answer{}, err
	}
	return new(writer).open().bool("waiting", p.Challenge != nil).close().answer(), nil
}

// hostedEnd sends the payer on to three_ds_authorize_url. If the bank has a note for the payer, a page shows it first.
func (s *Server) hostedEnd(p *flow.HostedPage, note string) (answer, error) {
	if note == "" {
		return seeOther(p.AuthorizeURL), nil
	}
	return s.hosted("hosted_result.html", map[string]any{"Amount": shownMoney(p.Amount), "Merchant": p.Merchant, "Kind": "", "Title": "A message from your bank",
		"Note": note, "Onward": p.AuthorizeURL})
}

// resultPage shows the payer the result of a payment without a return_url.
func (s *Server) resultPage(v *change.View) (answer, error) {
	kind, title, text := "", "Your payment is being processed", "You may close this page."
	switch v.Payment.Status {
	case payment.Succeeded, payment.PartiallyCaptured, payment.RequiresCapture:
		kind, title = "good", "Thank you, your payment went through"
	case payment.Failed, payment.Cancelled:
		kind, title, text = "bad", "Your payment did not go through", "You have not been charged. You may close this page and try again."
	}
	return s.hosted("hosted_result.html", map[string]any{"Amount": shownMoney(sdk.Money{Minor: v.Payment.NetAmount, Currency: v.Payment.Currency}), "Merchant": "",
		"Kind": kind, "Title": title, "Text": text})
}

// lostPage answers a URL whose payment does not exist with the page for wrong tokens. It returns other errors unchanged.
func lostPage(err error) (answer, error) {
	if !fault.IsNotFound(err) {
		return answer{}, err
	}
	return expiredPage(), nil
}

// expired is the page for wrong tokens. It is rendered once, so that its bytes and headers are the same for every wrong token.
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

// hosted renders a page that no other page may frame. It may itself frame the pages of banks.
func (s *Server) hosted(name string, data map[string]any) (answer, error) {
	nonce := rand.Text()
	data["Nonce"] = nonce
	// Browsers apply form-action also to the redirects after a form, and the last of them leads to the shop.
	return rendered(name, data, "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'nonce-"+nonce+"'; frame-src "+s.webScheme()+
		"; connect-src 'self'; form-action http: https:; base-uri 'none'", nil)
}

// webScheme lists the schemes that framed pages may have. In development, the simulated bank may be on plain http.
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

// shownMoney formats an amount for people. It is "" for an amount of 0.
func shownMoney(m sdk.Money) string {
	if m.Minor <= 0 {
		return ""
	}
	return m.Major() + " " + string(m.Currency)
}
