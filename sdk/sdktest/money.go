package sdktest

import (
	"math"
	"strings"

	"payswitch/sdk"
)

// moneyVectors are amounts that go wrong in floats, in currencies with other than two decimals, and at the ends of the range.
var moneyVectors = []sdk.Money{
	{Minor: 1050, Currency: "USD"}, {Minor: 5, Currency: "USD"}, {Minor: 100, Currency: "USD"}, {Minor: 123456789, Currency: "USD"}, {Minor: 1999, Currency: "EUR"},
	{Minor: 1050, Currency: "JPY"}, {Minor: 7, Currency: "JPY"}, {Minor: 1050, Currency: "KWD"}, {Minor: 1, Currency: "KWD"}, {Minor: 12345670, Currency: "KWD"},
	{Minor: 9007199254740993, Currency: "USD"}, {Minor: math.MaxInt64, Currency: "USD"}, {Minor: 12345, Currency: "CLF"},
}

// moneyOperations are those whose first send must hold the amount.
var moneyOperations = []sdk.Operation{sdk.OpAuthorize, sdk.OpCapture, sdk.OpRefund, sdk.OpIncrementalAuthorize}

// checkMoney has amounts of all kinds sent and looks for them, in minor or major units, in the requests of the operation.
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
		if op == sdk.OpCapture || op == sdk.OpRefund { // a part, so that the amount cannot be left out
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
			c.breaks(RuleMoney, op, "%d %s is rejected, although the manifest takes the currency", m.Minor, m.Currency)
		}
		return // an outcome without a send, or a reject: nothing is sent in another amount
	}
	for _, t := range turns {
		if t.asked.Send != nil && holdsAmount(t.asked.Send, m) {
			return
		}
	}
	if c.options.Answer == nil && end != nil && end.Outcome != nil && end.Outcome.Status == sdk.StatusUnknown && !c.dependOnAmount(in, turns) {
		return // a first send without the amount (a token, a customer) was answered {}: only with real answers is there more to see
	}
	c.breaks(RuleMoney, op, "%d %s (%s in major units) is in no request in either form", m.Minor, m.Currency, m.Major())
}

// dependOnAmount says whether what was sent is another with another amount.
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

// holdsAmount looks for an amount, in minor or major units, as a number of its own.
func holdsAmount(s *sdk.Send, m sdk.Money) bool {
	text := s.URL + "\n" + string(s.Body)
	major := m.Major()
	forms := []string{sdk.Decimal(m.Minor, 0), major}
	if strings.Contains(major, ".") {
		forms = append(forms, strings.TrimSuffix(strings.TrimRight(major, "0"), "."))
	} else {
		forms = append(forms, major+".00") // some processors want two decimals of every currency
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

// numeric says whether a text ends (or begins) in a way that makes a number beside it a part of a longer one.
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
