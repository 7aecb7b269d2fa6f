package dashboard

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/paylink"
	"payswitch/router"
	draw "payswitch/router/paylink"
	"payswitch/sdk"
)

// linkConfigField is the field of a profile that holds the settings of its payment links.
const linkConfigField = "payment_link_config"

// lookTexts are the texts of the form about the look of payment links, with the API's names. An empty one means the default.
var lookTexts = []struct {
	name, label, hint string
	max               int
	of                func(*paylink.Config) string
}{
	{"seller_name", "Seller's name", "Without one the page shows the name of the merchant account.", 255, func(c *paylink.Config) string { return c.SellerName }},
	{"logo", "Address of the logo", "A picture by https. Payers' browsers load it.", 2048, func(c *paylink.Config) string { return c.Logo }},
	{"theme", "Main colour", "Such as #2F4BD8.", 32, func(c *paylink.Config) string { return c.Theme }},
	{"background_colour", "Colour behind the page", "", 32, func(c *paylink.Config) string { return c.BackgroundColour }},
	{"payment_button_colour", "Colour of the button", "Without one the button has the main colour.", 32, func(c *paylink.Config) string { return c.ButtonColour }},
	{"payment_button_text_colour", "Colour of the button's text", "Without one it is black or white, whichever is easier to read.", 32, func(c *paylink.Config) string { return c.ButtonTextColour }},
	{"payment_button_text", "Text of the button", "Without one it says the amount, in the payer's language.", 255, func(c *paylink.Config) string { return c.ButtonText }},
	{"payment_form_header_text", "Heading of the form", "", 255, func(c *paylink.Config) string { return c.FormHeader }},
	{"custom_message_for_card_terms", "Terms below the card's fields", "", 2048, func(c *paylink.Config) string { return c.CardTerms }},
}

// lookMarks are the checkboxes of the form.
var lookMarks = []struct {
	name, label string
	of          func(*paylink.Config) bool
}{
	{"show_merchant_name", "Show the seller's name", func(c *paylink.Config) bool { return c.ShowMerchant == nil || *c.ShowMerchant }},
	{"display_sdk_only", "Show the form alone, without the order", func(c *paylink.Config) bool { return c.FormOnly }},
	{"skip_status_screen", "Send the payer back to the shop at once after the payment", func(c *paylink.Config) bool { return c.SkipStatus }},
	{"branding_visibility", "Name payswitch below the page", func(c *paylink.Config) bool { return c.BrandingVisible == nil || *c.BrandingVisible }},
}

// lookOf returns the settings of a profile's payment links.
func lookOf(p *account.Profile) (paylink.Config, error) {
	return paylink.Merge(account.DetailsOf(p.Details)[linkConfigField], nil, "")
}

func linkFields(_ *call, p *account.Profile, _ []*account.Account) []Field {
	look, err := lookOf(p)
	if err != nil {
		look = paylink.Config{} // the preview says that the row is damaged
	}
	var out []Field
	for _, f := range lookTexts {
		out = append(out, Field{Name: f.name, About: linkConfigField + "." + f.name, Label: f.label, Kind: "text", Value: f.of(&look), Hint: f.hint, Max: f.max, Autocomplete: "off"})
	}
	choice := func(name, label, chosen string, options ...Option) Field {
		for i := range options {
			options[i].Chosen = options[i].Value == chosen
		}
		return Field{Name: name, About: linkConfigField + "." + name, Label: label, Kind: "select", Options: options}
	}
	out = append(out, choice("details_layout", "Order of the details", look.DetailsLayout, Option{Value: "layout1", Text: "Name, amount, description"}, Option{Value: "layout2", Text: "Description, name, amount"}),
		choice("payment_form_label_type", "Labels of the fields", look.LabelType, Option{Value: "above", Text: "Above the field"}, Option{Value: "floating", Text: "In the field, then above it"}, Option{Value: "never", Text: "In the field alone"}))
	for _, f := range lookMarks {
		out = append(out, Field{Name: f.name, Label: f.label, Kind: "checkbox", Value: either(f.of(&look), "true", "")})
	}
	return out
}

// linkValues returns the settings that the form shows. The engine keeps the others, such as the rules and the domain.
func linkValues(c *call) map[string]any {
	var texts, marks []string
	for _, f := range lookTexts {
		texts = append(texts, f.name)
	}
	for _, f := range lookMarks {
		marks = append(marks, f.name)
	}
	v := c.sent(texts, marks...)
	for _, name := range []string{"details_layout", "payment_form_label_type"} {
		if text := c.PostFormValue(name); text != "" {
			v[name] = text
		}
	}
	return map[string]any{linkConfigField: v}
}

// plainPictures reports whether pages of links may load pictures by http, which is for development.
func (c *call) plainPictures() bool { return strings.HasPrefix(c.server.opts.APIURL, "http:") }

// checkLink refuses settings of links that the page of a link would ignore.
func (c *call) checkLink(in account.ProfileInput) error {
	var look paylink.Config
	if err := json.Unmarshal(in.Fields[linkConfigField], &look); err != nil {
		return fault.Internal(err, "read "+linkConfigField)
	}
	return draw.Check(&look, c.plainPictures())
}

// linkPreview draws the page of a payment link as a payer sees it: with the saved settings, or with those that a form has sent. It saves nothing.
func (s *Server) linkPreview(c *call) (response, error) {
	ctx, end := c.reading()
	defer end()
	p, err := s.Engine.Profile(ctx, c.auth(), c.PathValue("p"))
	if err != nil {
		return nil, err
	}
	look, err := lookOf(p)
	if err != nil {
		return nil, fault.Internal(err, "read "+linkConfigField)
	}
	if c.Method == http.MethodPost {
		if err := c.form(); err != nil {
			return nil, err
		}
		in, err := router.ParseProfile(body(linkValues(c)))
		if err == nil {
			err = c.checkLink(in)
		}
		if shownInForm(err) {
			return &preview{problem: err}, nil
		}
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(in.Fields[linkConfigField], &look); err != nil { // over the saved ones
			return nil, fault.Internal(err, "read "+linkConfigField)
		}
	}
	var name string
	_ = json.Unmarshal([]byte(c.Merchant.Private["merchant_name"].Reveal()), &name) // "" without a name
	page, err := exampleOfLink(c, &look, name)
	if errors.Is(err, draw.ErrEmptySelector) {
		return &preview{problem: fault.Unprocessable("", err.Error())}, nil
	}
	return &preview{page: page}, err
}

// exampleOfLink draws the page of a link with an example of a payment.
func exampleOfLink(c *call, look *paylink.Config, merchant string) (*draw.Page, error) {
	amount := sdk.Money{Minor: 6540, Currency: "USD"}
	return draw.Render(&draw.Data{Kind: draw.Form, Accept: c.Header.Get("Accept-Language"), Config: look, Merchant: merchant, PlainHTTP: c.plainPictures(), Preview: true,
		Amount: amount, Base: amount.Minor, PaymentID: "pay_example", Description: "Your order 1042", Expires: c.server.Now().Add(15 * time.Minute),
		Lines: []sdk.Line{{Name: "An example", Quantity: 2, UnitPrice: 3000}}})
}

// preview answers with the page of an example of a payment link, or with what was refused.
type preview struct {
	page    *draw.Page
	problem error
}

func (p *preview) write(c *call) error {
	h := c.w.Header()
	h.Del("Cross-Origin-Opener-Policy") // a browser refuses it on a page in a sandbox
	h.Set("Referrer-Policy", "no-referrer")
	if p.problem != nil {
		text, field := said(p.problem)
		if field = strings.TrimPrefix(field, linkConfigField+"."); field != "" {
			text = words(field) + ": " + text
		}
		h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox")
		h.Set("Content-Type", "text/plain; charset=utf-8")
		c.w.WriteHeader(http.StatusUnprocessableEntity)
		_, err := c.w.Write([]byte("No preview. " + text + "\n"))
		return err
	}
	h.Set("Content-Security-Policy", p.page.Policy)
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, err := c.w.Write(p.page.HTML)
	return err
}
