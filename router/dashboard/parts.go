package dashboard

import (
	"regexp"
	"strings"
	"time"

	"payswitch/sdk"
)

var zeroTime time.Time

// Link is a link with its text.
type Link struct{ URL, Text string }

// Time is a moment as a person reads it. Its part is "time".
type Time struct {
	at   time.Time
	zone *time.Location
}

// Zero reports whether there is no time to show.
func (t Time) Zero() bool { return t.at.IsZero() }

func (t Time) in(layout string) string { return t.at.In(t.zone).Format(layout) }

// String returns day and time to the minute: 3 May 2026, 14:02.
func (t Time) String() string { return t.in("2 Jan 2006, 15:04") }

// ISO returns the time for programs.
func (t Time) ISO() string { return t.at.UTC().Format("2006-01-02T15:04:05.000Z") }

// Full returns all that is known, with the zone: 3 May 2026, 14:02:07.331 CEST.
func (t Time) Full() string { return t.in("2 Jan 2006, 15:04:05.000 MST") }

// Day returns the day: 3 May 2026.
func (t Time) Day() string { return t.in("2 Jan 2006") }

// Clock returns the time to the millisecond: 14:02:07.331.
func (t Time) Clock() string { return t.in("15:04:05.000") }

// Zone returns the name of the time zone: CEST.
func (t Time) Zone() string { return t.in("MST") }

// Money is an amount as a person reads it. Its part is "money".
type Money struct {
	Minor    int64
	Currency sdk.Currency
}

// Number returns the amount in major units, with commas between thousands. The number of decimals is that of the currency. An unknown currency shows
// minor units, and says so.
func (m Money) Number() string {
	text := sdk.Money{Minor: m.Minor, Currency: m.Currency}.Major()
	if text == "" {
		return sdk.Decimal(m.Minor, 0) + " minor units"
	}
	sign, digits := "", text
	if strings.HasPrefix(text, "-") {
		sign, digits = "−", text[1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole = thousands(whole); fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}

// thousands puts commas into a whole number.
func thousands(digits string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// String returns the amount with its currency: 1,234.56 USD.
func (m Money) String() string { return m.Number() + " " + string(m.Currency) }

// Less returns m without n.
func (m Money) Less(n Money) Money { return Money{m.Minor - n.Minor, m.Currency} }

// Negative returns the amount as money that was given back.
func (m Money) Negative() Money { return Money{-m.Minor, m.Currency} }

// plain returns the amount as a form takes it: no commas.
func (m Money) plain() string { return sdk.Money{Minor: m.Minor, Currency: m.Currency}.Major() }

// commaed is a whole number with commas between thousands, and perhaps decimals.
var commaed = regexp.MustCompile(`^\d{1,3}(?:,\d{3})+(\.\d+)?$`)

// ungrouped returns an amount without the commas between thousands. Any other text stays as it is.
func ungrouped(text string) string {
	if !commaed.MatchString(text) {
		return text
	}
	return strings.ReplaceAll(text, ",", "")
}

// amountOf reads an amount as people write it, and as the pages show it: 1234.56, 1,234.56, or 1,234.56 USD. A comma without a point behind it could be a
// decimal comma. Such an amount is refused, unless its currency has no decimals.
func amountOf(text string, currency sdk.Currency) (sdk.Money, error) {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), string(currency)))
	if e, _ := currency.Exponent(); e == 0 || strings.Contains(text, ".") {
		text = ungrouped(text)
	}
	return sdk.ParseMajor(text, currency)
}

// Chip is a status: a word with a mark and a colour, because colour alone says nothing to many people. Its part is "chip".
type Chip struct {
	Word string
	Tone string // good, quiet, go, wait, doubt or bad: a class of the style
	Mark string
}

// Empty is what a list says when it has no rows. Its part is "empty".
type Empty struct {
	Heading, Text string
	Links         []Link
}

// Pager leads to the other pages of a list. Its part is "pager".
type Pager struct {
	Newest, Older string // addresses; "" for none
	Note          string // how far the list was searched
}

// Field is one input of a form. Its part is "field".
type Field struct {
	Name, Label, Kind, Value string // Kind: text, number, date, email, select, textarea, checkbox, password, file or hidden
	Hint, Problem            string
	Options                  []Option // of a select
	Required                 bool
	Autocomplete             string
	Secret                   bool   // never shown again
	About                    string // the API's name of the field, where it differs from Name
	In                       string // id of the form, where a page has several; ids of inputs begin with it
	Max                      int    // length; 0: no limit
	Accept                   string // the types of a file
}

// Option is one choice of a select.
type Option struct {
	Value, Text string
	Chosen      bool
}

// shown returns the field's value in words, for who may see it and not change it.
func (f *Field) shown() string {
	switch f.Kind {
	case "checkbox":
		return either(f.Value != "", "yes", "no")
	case "select":
		for _, o := range f.Options {
			if o.Chosen {
				return o.Text
			}
		}
		if len(f.Options) > 0 { // as a browser shows it
			return f.Options[0].Text
		}
	}
	return f.Value
}

// cut is strings.Cut.
func cut(s, sep string) (before, after string, found bool) { return strings.Cut(s, sep) }

// words turns a name of the API into words: requires_capture is "requires capture".
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }
