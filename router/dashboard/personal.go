package dashboard

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"payswitch/engine/contact"
	"payswitch/engine/payment"
	"payswitch/engine/staff"
	"payswitch/engine/timeline"
	"payswitch/sdk"
)

// hiddenText stands in place of a text that the person may not see.
const hiddenText = "(hidden)"

// clientSecrets and personal find members of a JSON text whose values people may not see.
var (
	clientSecrets = regexp.MustCompile(`("client_secret"\s*:\s*)"(?:[^"\\]|\\.)*"?`)
	personal      = regexp.MustCompile(`("(?:email|name|phone|number|first_name|last_name|customer_name|card_holder_name|line[123]|zip|city|ip_address)"\s*:\s*)"(?:[^"\\]|\\.)*"?`)
)

// shownBody returns the body of an event without what the person may not see. The payment's client secret is left out for every person: with it a browser
// could go on with the payment.
func (c *call) shownBody(text string) string {
	text = clientSecrets.ReplaceAllString(text, `${1}"`+hiddenText+`"`)
	if !c.may(staff.UnmaskCustomers) {
		text = personal.ReplaceAllString(text, `${1}"`+hiddenText+`"`)
	}
	return text
}

// shortestPersonal is the length in bytes from which a customer's text is looked for in exchanges. Shorter texts, such as the code of a state, occur
// everywhere.
const shortestPersonal = 3

// personalOf returns a replacer that hides in a text all that a payment knows of its customer. Each processor has its own names for fields. So
// personalOf looks for the values: in the encodings of requests, in upper and lower case, and for each word of a name.
func personalOf(p *payment.Payment, attempts []*payment.Attempt) func(string) string {
	var values []string
	add := func(list ...string) { values = append(values, list...) }
	names := func(list ...string) {
		add(list...)
		for _, name := range list {
			add(strings.Fields(name)...)
		}
	}
	if x := p.Private; x != nil {
		if x.Customer != nil {
			names(x.Customer.Name)
			add(x.Customer.Email, x.Customer.Phone)
		}
		for _, at := range []*contact.Contact{x.Billing, x.Shipping, x.MethodBilling} {
			if at == nil {
				continue
			}
			add(at.Email)
			if at.Phone != nil {
				add(at.Phone.Number)
			}
			if a := at.Address; a != nil {
				names(a.FirstName, a.LastName)
				add(a.Line1, a.Line2, a.Line3, a.City, a.Zip, a.OriginZip)
			}
		}
		if x.Browser != nil {
			add(x.Browser.IP)
		}
	}
	for _, a := range attempts {
		if a.Private != nil {
			names(a.Private.Holder)
		}
	}
	var forms []string
	for _, v := range values {
		if len(v) < shortestPersonal {
			continue
		}
		jsonText := strings.ReplaceAll(strings.ReplaceAll(v, `\`, `\\`), `"`, `\"`)
		ascii := strconv.QuoteToASCII(v) // as JSON in which all but ASCII is escaped
		form := url.QueryEscape(v)
		for _, form := range []string{v, form, strings.ReplaceAll(form, "+", "%20"), url.PathEscape(v), jsonText, ascii[1 : len(ascii)-1], html.EscapeString(v)} {
			forms = append(forms, regexp.QuoteMeta(form))
		}
	}
	if len(forms) == 0 {
		return func(text string) string { return text }
	}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) }) // a whole name before its words
	found := regexp.MustCompile("(?i)" + strings.Join(slices.Compact(forms), "|"))
	return func(text string) string { return found.ReplaceAllLiteralString(text, hiddenText) }
}

// hides returns a replacer that takes the customer of a payment out of a text, nil for a person who may see customers.
func (c *call) hides(p *payment.Payment, attempts []*payment.Attempt) func(texts ...*string) {
	if c.may(staff.UnmaskCustomers) {
		return nil
	}
	known := personalOf(p, attempts)
	return func(texts ...*string) {
		for _, text := range texts {
			*text = known(c.shownBody(*text))
		}
	}
}

// hideExchanges takes the customer out of a timeline's exchanges, unless the person may see customers.
func (c *call) hideExchanges(st *timeline.Timeline, p *payment.Payment) {
	hide := c.hides(p, st.Attempts)
	if hide == nil {
		return
	}
	for _, op := range st.Operations {
		for _, d := range op.Drives {
			for i := range d.Exchanges {
				x := &d.Exchanges[i]
				hide(&x.URL, &x.Body, &x.Answer)
				for _, list := range [][]sdk.Header{x.Headers, x.Answered} {
					for k := range list {
						hide(&list[k].Value)
					}
				}
			}
		}
	}
}
