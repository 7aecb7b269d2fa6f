package dashboard

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/card"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/search"
	"payswitch/sdk"
)

// filters are what a list of payments is filtered by: the fields of its address, in the order of the page.
type filters struct {
	values   url.Values
	problems map[string]string // by field
	// seal returns a value of the filter email for an address; nil: as it is.
	seal func(word string) string
}

// filterNames are the fields of the address that filter. The field after says where a page begins.
var filterNames = []string{"status", "connector", "currency", "last4", "amount", "from", "to", "customer", "order", "email"}

// labels name the fields for people.
var labels = map[string]string{"status": "Status", "connector": "Processor", "currency": "Currency", "last4": "Last four", "amount": "Amount", "from": "From",
	"to": "To", "customer": "Customer", "order": "Order", "email": "E-mail"}

func readFilters(q url.Values) *filters {
	f := &filters{values: url.Values{}, problems: map[string]string{}}
	for _, name := range filterNames {
		for _, v := range q[name] {
			if v = strings.TrimSpace(v); v != "" && len(v) <= 200 && !slices.Contains(f.values[name], v) {
				f.values.Add(name, v)
			}
		}
	}
	return f
}

// filters reads the filters of an address or of a form. An e-mail address stands sealed in addresses; older bookmarks have it as it is.
func (c *call) filters(q url.Values) *filters {
	if len(q["email"]) > 0 {
		q = maps.Clone(q)
		q.Set("email", c.server.Engine.OpenWord(c.auth(), q.Get("email")))
	}
	f := readFilters(q)
	f.seal = func(word string) string { return c.server.Engine.SealWord(c.auth(), word) }
	return f
}

// word is one word of the search box that names its field.
var word = regexp.MustCompile(`^(status|connector|currency|last4|amount|from|to|customer|order|email):(.+)$`)

var fourDigits = regexp.MustCompile(`^\d{4}$`)

// typedAmount is a word that can only be an amount: it has a decimal point, or says above or below. countedAmount is a number that is an amount next to
// a currency; alone, it is an order reference.
var (
	typedAmount   = regexp.MustCompile(`^(?:(?:>=|<=|>|<)\d{1,15}(?:\.\d{1,4})?|\d{1,15}\.\d{1,4})$`)
	countedAmount = regexp.MustCompile(`^\d{1,15}$`)
)

// addWords puts the words of the search box into their fields: four digits are the end of a card number, an address with @ is an e-mail, and 42.00 or
// 42 USD is an amount. rest is the one word that names no field: an id, or an order reference.
func (f *filters) addWords(text string) (rest string) {
	all := strings.Fields(text)
	priced := slices.ContainsFunc(all, func(w string) bool { return isCurrency(strings.ToUpper(w)) })
	for _, w := range all {
		amount := w // without the commas that the pages put between thousands
		for _, op := range []string{">=", "<=", ">", "<", ""} {
			if n, has := strings.CutPrefix(w, op); has {
				amount = op + ungrouped(n)
				break
			}
		}
		switch m := word.FindStringSubmatch(w); {
		case m != nil && m[1] == "status":
			f.values.Add("status", m[2])
		case m != nil:
			f.values.Set(m[1], m[2])
		case fourDigits.MatchString(w):
			f.values.Set("last4", w)
		case typedAmount.MatchString(amount) || priced && countedAmount.MatchString(amount):
			f.values.Set("amount", amount)
		case strings.Contains(w, "@"):
			f.values.Set("email", w)
		case isCurrency(strings.ToUpper(w)):
			f.values.Set("currency", strings.ToUpper(w))
		case isStatus(w) || search.StatusWords[w] != nil:
			f.values.Add("status", w)
		case card.HoldsCard(w): // it does not belong in an address or on a page
			f.values.Set("last4", lastFour(w))
		default:
			rest = strings.TrimSpace(rest + " " + w)
		}
	}
	return rest
}

// dropCards replaces each value that holds a card number by a filter for its last four digits. order says that the order reference is one.
func (f *filters) dropCards(order bool) {
	for _, name := range filterNames {
		if v := f.values.Get(name); card.HoldsCard(v) && !(order && name == "order") {
			f.values.Del(name)
			f.values.Set("last4", lastFour(v))
		}
	}
}

// lastFour returns the last four digits of a text.
func lastFour(s string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	return digits[max(0, len(digits)-4):]
}

// isCurrency reports whether ISO 4217 has a code.
func isCurrency(code string) bool {
	return sdk.Money{Minor: 1, Currency: sdk.Currency(code)}.Major() != ""
}

// isStatus reports whether payments have such a status: each one allows or reports something.
func isStatus(s string) bool { return payment.Status(s).Facts() != payment.Status("").Facts() }

// amountForm is an amount in the search: 10, >10, >=10.50, <3, or 5-10.
var amountForm = regexp.MustCompile(`^(>=|<=|>|<|)(\d[\d,]{0,18}(?:\.\d{1,4})?)(?:-(\d[\d,]{0,18}(?:\.\d{1,4})?))?$`)

// plainAmount is a number of the search, without commas between thousands.
var plainAmount = regexp.MustCompile(`^\d{1,15}(?:\.\d{1,4})?$`)

// query returns what the engine is asked. A field that cannot be read is a problem, and the list is then not shown.
func (f *filters) query(zone *time.Location) search.Query {
	q := search.Query{LastFour: f.values.Get("last4")}
	bad := func(name, text string) { f.problems[name] = text }
	for _, s := range f.values["status"] {
		switch list := search.StatusWords[s]; {
		case list != nil:
			for _, one := range list {
				q.Filter.Statuses = append(q.Filter.Statuses, string(one))
			}
		case isStatus(s):
			q.Filter.Statuses = append(q.Filter.Statuses, s)
		default:
			bad("status", s+" is no status of payments.")
		}
	}
	if v := f.values.Get("connector"); v != "" {
		q.Filter.Connectors = []string{v}
	}
	if v := f.values.Get("currency"); v != "" {
		if code := strings.ToUpper(v); !isCurrency(code) {
			bad("currency", v+" is no currency: write three letters, such as USD.")
		} else {
			q.Filter.Currencies = []string{code}
		}
	}
	if q.LastFour != "" && !fourDigits.MatchString(q.LastFour) {
		bad("last4", "Write the last four digits of the card.")
	}
	if v := f.values.Get("amount"); v != "" {
		m := amountForm.FindStringSubmatch(v)
		for i := range m {
			m[i] = ungrouped(m[i])
		}
		switch {
		case m == nil || m[1] != "" && m[3] != "" || !plainAmount.MatchString(m[2]) || m[3] != "" && !plainAmount.MatchString(m[3]):
			bad("amount", "Write an amount such as 10.50, >100 or 5-10.")
		case m[3] != "":
			q.Least, q.Most = m[2], m[3]
		case m[1] == ">":
			q.Above = m[2]
		case m[1] == ">=":
			q.Least = m[2]
		case m[1] == "<":
			q.Below = m[2]
		case m[1] == "<=":
			q.Most = m[2]
		default:
			q.Least, q.Most = m[2], m[2]
		}
	}
	day := func(name string, end bool) time.Time {
		v := f.values.Get(name)
		if v == "" {
			return time.Time{}
		}
		t, err := time.ParseInLocation(time.DateOnly, v, zone)
		if err != nil {
			bad(name, v+" is no day: write it as 2026-05-31.")
			return time.Time{}
		}
		if end {
			t = t.AddDate(0, 0, 1).Add(-time.Millisecond)
		}
		return t
	}
	q.Filter.From, q.Filter.To = day("from", false), day("to", true)
	if !q.Filter.From.IsZero() && !q.Filter.To.IsZero() && q.Filter.To.Before(q.Filter.From) {
		bad("to", "This day is before the first one.")
	}
	q.Filter.CustomerID, q.Filter.OrderReference, q.Filter.Email = f.values.Get("customer"), f.values.Get("order"), f.values.Get("email")
	return q
}

// address returns a path with the filters, and with further fields in pairs of name and value.
func (f *filters) address(path string, further ...string) string {
	v := url.Values{}
	for name, list := range f.values {
		v[name] = slices.Clone(list)
	}
	if word := v.Get("email"); word != "" && f.seal != nil {
		v.Set("email", f.seal(word))
	}
	for i := 0; i < len(further); i += 2 {
		if further[i+1] != "" {
			v.Set(further[i], further[i+1])
		}
	}
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

// Tag is a filter in force, with the address of the list without it.
type Tag struct{ Text, Without string }

// tags returns a tag for each filter in force.
func (f *filters) tags(path string) (out []Tag) {
	for _, name := range filterNames {
		for i, v := range f.values[name] {
			rest := &filters{values: url.Values{}, seal: f.seal}
			for other, list := range f.values {
				if rest.values[other] = slices.Clone(list); other == name {
					rest.values[other] = slices.Delete(rest.values[other], i, i+1)
				}
			}
			out = append(out, Tag{labels[name] + ": " + words(v), rest.address(path)})
		}
	}
	return out
}

// place writes a place in a list for an address, and readPlace reads it. A place that was written by hand and is wrong begins at the newest payment.
func place(p *listed.Place) string {
	if p == nil {
		return ""
	}
	return strconv.FormatInt(p.CreatedAt.UnixMilli(), 10) + "-" + strconv.FormatInt(p.Seq, 10)
}

func readPlace(text string) *listed.Place {
	at, seq, ok := strings.Cut(text, "-")
	if !ok {
		return nil
	}
	ms, err := strconv.ParseInt(at, 10, 64)
	n, wrong := strconv.ParseInt(seq, 10, 64)
	if err != nil || wrong != nil {
		return nil
	}
	return &listed.Place{CreatedAt: time.UnixMilli(ms).UTC(), Seq: n}
}
