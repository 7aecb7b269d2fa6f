package sdktest

import (
	"math"
	"strings"

	"payswitch/sdk"
)

// moneyVectors are amounts that fail in floating point, in currencies without two decimals, or at the ends of the range.
var moneyVectors = []sdk.Money{
	{Minor: 1050, Currency: "USD"}, {Minor: 5, Currency: "USD"}, {Minor: 100, Currency: "USD"}, {Minor: 123456789, Currency: "USD"}, {Minor: 1999, Currency: "EUR"},
	{Minor: 1050, Currency: "JPY"}, {Minor: 7, Currency: "JPY"}, {Minor: 1050, Currency: "KWD"}, {Minor: 1, Currency: "KWD"}, {Minor: 12345670, Currency: "KWD"},
	{Minor: 9007199254740993, Currency: "USD"}, {Minor: math.MaxInt64, Currency: "USD"}, {Minor: 12345, Currency: "CLF"},
}

// moneyOperations are the operations that must send their amount.
var moneyOperations = []sdk.Operation{sdk.OpAuthorize, sdk.OpCapture, sdk.OpRefund, sdk.OpUnreferencedRefund, sdk.OpIncrementalAuthorize}

// checkMoney runs the operations with all kinds of amounts, and searches their requests for the amount in minor or major units.
func (c *checker) checkMoney() {
	for _, op := range moneyOperations {
		if !c.declared(op) {
			continue
		}
		for _, m := range moneyVectors {
			if c.takes(m.Currency) {
				c.checkAmount(op, m)
			}
		}
	}
	if c.declared(sdk.OpAuthorize) {
		c.checkCurrency()
	}
}

// checkCurrency authorizes the same number in two accepted currencies. The requests must differ in more than the decimals of the amount, because a
// processor charges in its account's currency if a request names none. An adapter may instead reject all currencies but the account's.
func (c *checker) checkCurrency() {
	plain := sdk.Money{Minor: 6500, Currency: c.currency()}
	turns, end := c.authorize(plain)
	if len(turns) == 0 {
		return // rule operations reports a plain request that is rejected
	}
	stated := masked(turns, plain)
	for _, other := range c.otherCurrencies(plain.Currency) {
		m := sdk.Money{Minor: plain.Minor, Currency: other}
		turns, last := c.authorize(m)
		if len(turns) == 0 || masked(turns, m) != stated {
			continue
		}
		if unfinished := end != nil && end.Outcome != nil && end.Outcome.Status == sdk.StatusUnknown; c.options.Answer == nil && unfinished &&
			last != nil && !holdsAmount(turns[len(turns)-1].asked.Send, m) {
			return // the first send, such as one for a token, names no amount; without good answers the operation ends there
		}
		c.breaks(RuleMoney, sdk.OpAuthorize, "the requests for %d %s and for %d %s name the same currency or none: send Request.Amount.Currency, or reject "+
			"every currency but the account's", plain.Minor, plain.Currency, m.Minor, m.Currency)
		return
	}
}

// authorize plays a plain authorization of an amount.
func (c *checker) authorize(m sdk.Money) ([]turn, *sdk.Result) {
	in := c.sample(sdk.OpAuthorize)
	in.Request.Amount = m
	return c.play(in, c.happy(sdk.OpAuthorize))
}

// otherCurrencies returns accepted currencies other than plain: the next with the same decimals, and one for each other number of decimals.
func (c *checker) otherCurrencies(plain sdk.Currency) (all []sdk.Currency) {
	accepted := c.manifest.Currencies
	if len(accepted) == 0 {
		accepted = []sdk.Currency{"EUR", "USD", "JPY", "KWD"}
	}
	seen := map[int]bool{}
	for _, cur := range accepted {
		if decimals, known := cur.Exponent(); known && cur != plain && !seen[decimals] {
			seen[decimals] = true
			all = append(all, cur)
		}
	}
	return all
}

// masked returns what the sends of an operation hold apart from its amount.
func masked(turns []turn, m sdk.Money) string {
	b := &strings.Builder{}
	for _, t := range turns {
		if s := t.asked.Send; s != nil {
			b.WriteString(withoutAmount(s.Method+" "+s.URL+"\n", m))
			for _, h := range s.Headers {
				b.WriteString(h.Name + ": " + h.Value + "\n")
			}
			b.WriteString(withoutAmount(string(s.Body), m) + "\n")
		}
	}
	return b.String()
}

// withoutAmount replaces an amount by a word, in each of its forms.
func withoutAmount(text string, m sdk.Money) string {
	for _, form := range amountForms(m) {
		for from := 0; ; {
			i := strings.Index(text[from:], form)
			if i < 0 {
				break
			}
			i += from
			from = i + 1
			if end := text[i+len(form):]; !numeric(text[:i], true) && !numeric(end, false) {
				text = text[:i] + "AMOUNT" + end
			}
		}
	}
	return text
}

func (c *checker) checkAmount(op sdk.Operation, m sdk.Money) {
	in := c.sample(op)
	in.Request.Amount = m
	if p := in.Request.Payment; p != nil {
		p.Currency, p.Requested, p.Authorized = m.Currency, m.Minor, m.Minor
		if op == sdk.OpRefund {
			p.Captured = m.Minor
		}
		if op == sdk.OpCapture || op == sdk.OpRefund { // a partial amount: the adapter cannot leave it out
			if m.Minor == math.MaxInt64 {
				return
			}
			p.Requested, p.Authorized, p.Captured = m.Minor+1, m.Minor+1, p.Captured+p.Captured/max(1, m.Minor)
			in.Request.FinalCapture = false
		}
	}
	turns, end := c.play(in, c.happy(op))
	if len(turns) == 0 {
		if end != nil && end.Reject != nil && end.Reject.Code == sdk.RejectUnsupported && m.Currency == c.currency() && m.Minor < 1e6 {
			c.breaks(RuleMoney, op, "the adapter rejects %d %s, although the manifest accepts the currency", m.Minor, m.Currency)
		}
		return // an outcome without a send, or a reject: no wrong amount is sent
	}
	for _, t := range turns {
		if t.asked.Send != nil && holdsAmount(t.asked.Send, m) {
			return
		}
	}
	if c.options.Answer == nil && end != nil && end.Outcome != nil && end.Outcome.Status == sdk.StatusUnknown && !c.dependOnAmount(in, turns) {
		return // the first send, such as one for a token, needs no amount; without good answers the operation ends there
	}
	c.breaks(RuleMoney, op, "no request holds the amount %d %s, in minor units or as %s", m.Minor, m.Currency, m.Major())
}

// dependOnAmount reports whether another amount changes the requests.
func (c *checker) dependOnAmount(in *sdk.Step, turns []turn) bool {
	other := *in
	if other.Request.Amount.Minor > math.MaxInt64/2 {
		other.Request.Amount.Minor /= 2
	} else {
		other.Request.Amount.Minor += 1000
	}
	again, _ := c.play(&other, c.happy(in.Operation))
	for i := range min(len(turns), len(again)) {
		if a, b := turns[i].asked.Send, again[i].asked.Send; a != nil && b != nil && sdk.RequestHash(a) != sdk.RequestHash(b) {
			return true
		}
	}
	return false
}

// holdsAmount reports whether a send holds an amount, in minor or major units, as a number of its own.
func holdsAmount(s *sdk.Send, m sdk.Money) bool {
	text := s.URL + "\n" + string(s.Body)
	for _, form := range amountForms(m) {
		for rest := text; ; {
			i := strings.Index(rest, form)
			if i < 0 {
				break
			}
			if end := rest[i+len(form):]; !numeric(rest[:i], true) && !numeric(end, false) {
				return true
			}
			rest = rest[i+1:]
		}
	}
	return false
}

// amountForms are the ways to write an amount: in minor units, and in major units with and without decimals.
func amountForms(m sdk.Money) []string {
	major := m.Major()
	forms := []string{sdk.Decimal(m.Minor, 0), major}
	if strings.Contains(major, ".") {
		return append(forms, strings.TrimSuffix(strings.TrimRight(major, "0"), "."))
	}
	return append(forms, major+".00") // some processors want two decimals for every currency
}

// numeric reports whether a text ends (or begins) so that an adjacent number is part of a longer number.
func numeric(s string, end bool) bool {
	if s == "" {
		return false
	}
	if end {
		c := s[len(s)-1]
		return c-'0' <= 9 || c == '.' && len(s) > 1 && s[len(s)-2]-'0' <= 9 || c == '-'
	}
	return s[0]-'0' <= 9 || s[0] == '.' && len(s) > 1 && s[1]-'0' <= 9
}
