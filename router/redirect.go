package router

import (
	"crypto/rand"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/link"
	"payswitch/engine/request"
	"payswitch/sdk"
)

//go:embed pages/*.html
var pageFiles embed.FS

var pages = template.Must(template.ParseFS(pageFiles, "pages/*.html"))

// page renders an HTML answer. Its policy allows the scripts and styles in the template, and nothing from elsewhere. Only pages of framers may frame
// it; without framers no page may.
func page(name string, data map[string]any, framers ...string) (answer, error) {
	nonce := rand.Text()
	data["Nonce"] = nonce
	// Browsers apply form-action also to the redirects after a form. Their hosts are unknown, so the policy names schemes.
	return rendered(name, data, "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'nonce-"+nonce+"'; form-action http: https:; base-uri 'none'", framers)
}

// found redirects the browser with status 302.
func found(to string) answer {
	return answer{status: http.StatusFound, header: http.Header{"Location": {to}, "Cache-Control": {"no-store"}, "Referrer-Policy": {"no-referrer"}}}
}

// formPage returns a page that posts fields to a URL: by script, or with a button where scripts are off.
func formPage(to string, fields []sdk.Header, framers ...string) (answer, error) {
	return page("form.html", map[string]any{"URL": to, "Fields": fields}, framers...)
}

// redirectPage sends the payer on to the page of the processor or of the card's bank.
func (s *Server) redirectPage(c *call) (answer, error) {
	next, err := s.Payments.NextAction(c.ctx(), link.URL{Use: authentication.URLRedirect, MerchantID: c.param("merchant_id"), PaymentID: c.param("payment_id"),
		AttemptID: c.param("attempt_id"), Token: c.param("token")})
	if err != nil {
		return answer{}, err
	}
	if u, err := url.Parse(next.URL); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return answer{}, fault.Internal(errors.New("the URL of the adapter's next action is not an http or https URL"), "send the payer on")
	}
	switch next.Type {
	case "redirect":
		return found(next.URL), nil
	case "form_post":
		return formPage(next.URL, next.Fields)
	}
	return answer{}, fault.Refused("This payment's next step runs inside the merchant's page, see next_action").WithParam("payment_id").WithHint("Let the page follow next_action.")
}

// paymentReturn receives the payer who comes back from the processor. The engine asks the processor for the result, and the browser goes on to the
// merchant's return_url.
func (s *Server) paymentReturn(complete bool) handler {
	return func(c *call) (answer, error) {
		in := request.ReturnInput{PaymentID: c.param("payment_id"), MerchantID: c.param("merchant_id"), Connector: c.param("connector"), Token: c.param("token"),
			Complete: complete, Return: sdk.Return{Method: c.r.Method}}
		var err error
		if in.Return.Query, err = pairs(c.r.URL.RawQuery); err != nil {
			return answer{}, err
		}
		if strings.HasPrefix(c.r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
			if in.Return.Form, err = pairs(string(c.body)); err != nil {
				return answer{}, err
			}
		}
		v, err := s.Payments.PaymentReturn(c.ctx(), in)
		switch {
		case err != nil:
			return answer{}, err
		case v.NextURL != "":
			return found(v.NextURL), nil
		}
		if inside := redirectsInFrame(v.View); inside != nil && *inside {
			return s.framedReturn(v)
		}
		switch {
		case v.Fields != nil:
			return formPage(v.URL, v.Fields)
		}
		return found(v.URL), nil
	}
}

// framedReturn returns the page at the end of a redirect inside the shop's page. It posts the return URL to the page around it. Outside a frame it
// goes there.
func (s *Server) framedReturn(v *change.ReturnView) (answer, error) {
	to, err := url.Parse(v.URL)
	if err != nil {
		return answer{}, fault.Internal(err, "send the payer back")
	}
	query := to.Query()
	for _, f := range v.Fields {
		query.Set(f.Name, f.Value)
	}
	to.RawQuery = query.Encode()
	origins := []string{}
	for _, o := range append([]string{to.Scheme + "://" + to.Host}, s.opts.CORS.Origins...) {
		if strings.HasPrefix(o, "http") && !slices.Contains(origins, o) {
			origins = append(origins, o) // a message needs an exact origin
		}
	}
	return noticePage(notice{origins: origins, framers: origins, messages: []map[string]any{{"openurl_if_required": to.String()}}, next: to.String()}, true)
}

// pairs decodes a query or form and keeps the order of its pairs.
func pairs(encoded string) ([]sdk.Header, error) {
	list := []sdk.Header{}
	for pair := range strings.SplitSeq(encoded, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err1 := url.QueryUnescape(name)
		value, err2 := url.QueryUnescape(value)
		if err1 != nil || err2 != nil {
			return nil, &fault.Error{Kind: fault.KindInvalid, Code: "IR_06", Message: "the form or query string is malformed: each % must be followed by two hexadecimal digits", Hint: "Write each special character as % and two hexadecimal digits."}
		}
		list = append(list, sdk.Header{Name: strings.ToValidUTF8(name, "\ufffd"), Value: strings.ToValidUTF8(value, "\ufffd")})
	}
	return list, nil
}

// The patterns of URLs that the payer's browser opens. A token opens one use of one attempt (see Engine.OpensURL).
const (
	redirectPattern  = "/payments/redirect/{payment_id}/{merchant_id}/{attempt_id}/{token}"
	responsePattern  = "/payments/{payment_id}/{merchant_id}/redirect/response/{connector}/{token}"
	returnPattern    = "/payments/{payment_id}/{merchant_id}/redirect/complete/{connector}/{token}"
	authorizePattern = "/payments/{payment_id}/{merchant_id}/authorize/{connector}/{token}"
	simulatorPath    = "/sim/redirect"
)

// simulatorPage stands in for a bank's page: the payer sees the amount and approves or declines. The page has no script, and it posts only to the
// return URLs of this server.
func (s *Server) simulatorPage(c *call) (answer, error) {
	q := c.query()
	to, err := url.Parse(q.text("return_url"))
	ours := q.err == nil && err == nil && strings.HasPrefix(q.text("return_url"), s.opts.PublicURL+"/") && to.User == nil
	if ours {
		base, _ := url.Parse(s.opts.PublicURL) // New has checked it
		path, inside := strings.CutPrefix(to.Path, base.Path)
		r, _, _ := s.mux.find(http.MethodPost, path)
		ours = inside && to.Scheme == base.Scheme && to.Host == base.Host && r != nil && r.pattern == returnPattern
	}
	if !ours {
		return answer{}, fault.InvalidValue("return_url").WithHint("Send an absolute URL with https.")
	}
	return page("simulator.html", map[string]any{"URL": to.String(), "Amount": shownAmount(q.text("amount"), q.text("currency"))})
}

// shownAmount formats minor units for people: 1050, USD → "10.50 USD". It is "" if minor or currency is invalid.
func shownAmount(minor, currency string) string {
	n, err := strconv.ParseInt(minor, 10, 64)
	if _, known := sdk.Currency(currency).Exponent(); err != nil || !known {
		return ""
	}
	return sdk.Money{Minor: n, Currency: sdk.Currency(currency)}.Major() + " " + currency
}
