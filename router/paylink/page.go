package paylink

import (
	"bytes"
	"crypto/rand"
	"html/template"
	"strings"
	"time"

	"payswitch/engine/paylink"
	"payswitch/sdk"
)

var page = template.Must(template.ParseFS(files, "page.html"))

// Kind is what a page looks like.
type Kind string

// The kinds of pages. All but Form say how something stands.
const (
	Form Kind = "form"
	Good Kind = "good"
	Wait Kind = "wait"
	Bad  Kind = "bad"
)

// Item is a line of the cart.
type Item struct {
	Name, Amount string
	Quantity     int
}

// Data is everything that a page shows. Texts are plain; Render encodes them.
type Data struct {
	Kind     Kind
	Accept   string // the browser's Accept-Language
	Config   *paylink.Config
	Merchant string // shown if the settings name no seller
	Framed   bool   // the page is in a frame
	// Framers may frame the page, as sources of a Content-Security-Policy; "" for no page.
	Framers   string
	PlainHTTP bool // development: pictures and banks may be on http
	// Preview draws the page for the merchant's own people: without its script, in a sandbox that sends no form, and for frames of the same origin.
	Preview bool

	Amount      sdk.Money // zero shows none
	PaymentID   string
	Description string
	Expires     time.Time // zero shows none
	Lines       []sdk.Line
	Charges     []Item // the surcharges of the card networks, beyond the amount
	Base        int64  // the order's amount: the part that Lines do not explain becomes one more line

	Collect bool   // the form saves a card, and pays nothing
	Action  string // where the form goes
	Key     string // the form's Idempotency-Key
	Seen    string // what the payer sees of the amount, for the form
	Message string // name of the text above the form; "" for none
	Wrong   map[string]string
	Holder  string
	Consent bool // ask whether the card may be kept
	QR      string

	Embed *Embed // the checkout's frame; nil leaves the plain form

	Heading, Text string // names of texts
	Note          string // a sentence of the payment's own, such as why the bank refused
	Status        string // for the page around a frame
	Bank          string // where the payment goes on at the bank
	Return        string // where the shop goes on
	Fields        []sdk.Header
	Counted       bool // go there by itself
	Again         string
}

// Embed says how the page's script shows the checkout's frame in the place of the plain form.
type Embed struct {
	Script string // the address of the loader
	Link   string // what the frame asks, and where it sends the card
	Key    string // the merchant's publishable key
	Saved  bool   // saved cards are offered
	Ask    bool   // ask whether the card may be kept
}

// countdown is how many seconds a status page waits before it sends the payer back to the shop.
const countdown = 5

// visibleItems is how many lines of a cart are seen at first.
const visibleItems = 3

// Page is a drawn page and its Content-Security-Policy.
type Page struct {
	HTML   []byte
	Policy string
}

// view is what the template sees.
type view struct {
	*Data
	Lang, Dir, Nonce, Seller, Initial, Logo, Money, ExpiresText string
	T                                                           Texts
	Style                                                       template.CSS
	Code                                                        template.HTML
	Items, Hidden                                               []Item
	Rest, Button, Header, Terms                                 string
	Branding, ShowSeller, Details, Floating, HideLabels         bool
	Seconds                                                     int
}

// Render draws a page. Error: ErrEmptySelector.
func Render(d *Data) (*Page, error) {
	v := &view{Data: d, Nonce: rand.Text(), Seconds: countdown}
	v.Lang, v.T = Language(d.Accept)
	v.Dir = direction(v.Lang)
	c := d.Config
	var sources, background string
	v.Logo, sources = picture(c.Logo, d.PlainHTTP)
	if c.Background != nil {
		var from string
		if background, from = picture(c.Background.URL, d.PlainHTTP); from != "" {
			sources += " " + from
		}
	}
	var err error
	if v.Style, err = style(c, background); err != nil {
		return nil, err
	}
	v.seller()
	v.words()
	v.Code = template.HTML(d.QR) // drawn by QR from modules alone
	var out bytes.Buffer
	if err := page.Execute(&out, v); err != nil {
		return nil, err
	}
	return &Page{HTML: out.Bytes(), Policy: v.policy(sources)}, nil
}

// seller fills the name of the shop, and its first letter.
func (v *view) seller() {
	c, d := v.Config, v.Data
	v.Seller = capitalized(c.SellerName)
	if v.Seller == "" {
		v.Seller = capitalized(d.Merchant)
	}
	for _, r := range v.Seller {
		v.Initial = string(r)
		break
	}
}

// words fills the texts of the page: the amount, the order, the button and the terms.
func (v *view) words() {
	c, d := v.Config, v.Data
	v.ShowSeller = c.ShowMerchant == nil || *c.ShowMerchant
	v.Branding = c.BrandingVisible == nil || *c.BrandingVisible
	v.HideLabels = c.LabelType == "never"
	if d.Amount.Minor > 0 || d.Amount.Currency != "" {
		v.Money = string(d.Amount.Currency) + " " + Figure(d.Amount)
	}
	if !d.Expires.IsZero() && d.Kind == Form {
		v.ExpiresText = d.Expires.UTC().Format("2006-01-02 15:04") + " UTC"
	}
	v.cart()
	v.Details = (!c.FormOnly || d.Kind != Form) && (v.ShowSeller && v.Seller != "" || v.Logo != "" || v.Money != "" || d.Description != "" ||
		d.PaymentID != "" || v.ExpiresText != "" || len(c.Rows) > 0) // the page of an unknown link has none of them
	switch {
	case c.ButtonText != "":
		v.Button = c.ButtonText
	case d.Collect, c.SetupMandate && d.Amount.Minor == 0:
		v.Button = v.T.Say("save")
	default:
		v.Button = v.T.Say("pay", v.Money)
	}
	v.Header = c.FormHeader
	if c.ShowCardTerms != "never" {
		v.Terms = c.CardTerms
	}
	for _, m := range c.Messages {
		for _, t := range m.Types {
			if m.Method == "card" && t.Message.Mode == "custom_message" && v.Terms == "" {
				v.Terms = t.Message.Value
			}
		}
	}
}

// policy returns the content security policy of the page. sources are the origins of its pictures.
func (v *view) policy(sources string) string {
	d := v.Data
	framers, schemes := d.Framers, "https:"
	if framers == "" {
		framers = "'none'"
	}
	if d.PlainHTTP {
		schemes = "http: https:"
	}
	if sources = strings.TrimSpace(sources); sources == "" {
		sources = "'none'"
	}
	if d.Preview {
		return "default-src 'none'; style-src 'nonce-" + v.Nonce + "'; img-src " + sources +
			"; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox"
	}
	// Browsers apply form-action also to the redirects after a form, and the last of them leads to the bank or to the shop.
	frames := ""
	if d.Embed != nil {
		frames = "; frame-src 'self'"
	}
	return "default-src 'none'; script-src 'nonce-" + v.Nonce + "'; style-src 'nonce-" + v.Nonce + "'; img-src " + sources + frames +
		"; form-action 'self' " + schemes + "; base-uri 'none'; frame-ancestors " + framers
}

// Figure writes an amount for payers, without its currency. Narrow spaces divide the thousands, and no line breaks at them. A comma or a full stop would
// mean the decimals in other languages.
func Figure(m sdk.Money) string {
	whole, decimals, _ := strings.Cut(m.Major(), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "\u202f" + whole[i:]
	}
	if decimals == "" {
		return whole
	}
	return whole + "." + decimals
}

// cart fills the lines of the order. The first ones are seen, the others behind a button.
func (v *view) cart() {
	rest := v.Base
	for _, l := range v.Lines {
		whole := l.UnitPrice * int64(l.Quantity)
		if l.Quantity > 0 && whole/int64(l.Quantity) != l.UnitPrice {
			return // no cart has such prices
		}
		rest -= whole
		v.Items = append(v.Items, Item{Name: capitalized(l.Name), Quantity: l.Quantity, Amount: Figure(sdk.Money{Minor: whole, Currency: v.Amount.Currency})})
	}
	if len(v.Items) > 0 && rest > 0 {
		v.Rest = Figure(sdk.Money{Minor: rest, Currency: v.Amount.Currency})
	}
	if len(v.Items) > visibleItems {
		v.Items, v.Hidden = v.Items[:visibleItems], v.Items[visibleItems:]
	}
}

// Checkout returns what the page's script gives the checkout's frame, nil without a frame.
func (v *view) Checkout() map[string]any {
	if v.Embed == nil {
		return nil
	}
	labels := v.Config.LabelType
	if labels == "" {
		labels = "above"
	}
	terms := v.Config.ShowCardTerms
	if v.Terms != "" {
		terms = "always"
	} else if terms == "" {
		terms = "auto"
	}
	options := map[string]any{"displaySavedPaymentMethods": v.Embed.Saved, "displaySavedPaymentMethodsCheckbox": v.Embed.Ask,
		"hideCardNicknameField": v.Config.HideNickname, "business": map[string]string{"name": v.Seller}, "terms": map[string]string{"card": terms}}
	if v.Terms != "" {
		options["customMessageForCardTerms"] = v.Terms
	}
	return map[string]any{"script": v.Embed.Script, "link": v.Embed.Link, "key": v.Embed.Key, "labels": labels, "rules": v.Config.FormRules, "options": options, "nonce": v.Nonce}
}

// More returns the text of the button that shows the hidden lines.
func (v *view) More() string { return v.T.Say("more", number(len(v.Hidden))) }

// Says returns a text by its name.
func (v *view) Says(name string) string { return v.T.Say(name) }

// WrongText returns what is wrong with a field, "" for nothing.
func (v *view) WrongText(field string) string {
	if v.Wrong[field] == "" {
		return ""
	}
	return v.T.Say(v.Wrong[field])
}

// ReturnURL is Return as it stands. The API refused addresses that a browser would run, and apps have schemes of their own.
func (v *view) ReturnURL() template.URL { return template.URL(v.Return) }

// Soon says when the payer goes back to the shop.
func (v *view) Soon() string { return v.T.Say("shop_soon", number(v.Seconds)) }

// Powered names the switch.
func (v *view) Powered() string { return v.T.Say("powered", "payswitch") }

func number(n int) string { return sdk.Decimal(int64(n), 0) }

// capitalized returns a text with its first letter in upper case.
func capitalized(s string) string {
	for i, r := range s {
		return strings.ToUpper(string(r)) + s[i+len(string(r)):]
	}
	return s
}
