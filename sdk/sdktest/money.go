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
var moneyOperations = []sdk.Operation{sdk.OpAuthorize, sdk.OpCapture, sdk.OpRefund, sdk.OpIncrementalAuthorize}

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
	major := m.Major()
	forms := []string{sdk.Decimal(m.Minor, 0), major}
	if strings.Contains(major, ".") {
		forms = append(forms, strings.TrimSuffix(strings.TrimRight(major, "0"), "."))
	} else {
		forms = append(forms, major+".00") // some processors want two decimals for every currency
	}
	for _, form := range forms {
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
