package sdk

import "errors"

// A helper may find out that the operation is over, for example because the answer is unreadable. Must, Check, Require, Expect and Call.End
// end the operation there, as t.FailNow ends a test, so that callers need not pass the error up. The effect is the same as returning the
// error or outcome from the operation's function: an adapter holds nothing that needs cleaning up.

// ended is the value of the panic that ends an operation. Adapter.Step recovers it.
type ended struct {
	outcome *Outcome
	err     error
}

// Error implements error, for code that calls an adapter's helper outside of an operation.
func (e ended) Error() string {
	if e.err != nil {
		return errorText(e.err)
	}
	return "the operation has ended"
}

// Must returns v. If err is not nil, Must ends the operation as if its function had returned err:
//
//	answer := sdk.Must(c.Get(path))
func Must[T any](v T, err error) T {
	if err != nil {
		fail(err)
	}
	return v
}

// fail ends the operation with an error; nil ends nothing. It is no part of its callers, which are many in a module.
//
//go:noinline
func fail(err error) {
	if err != nil {
		panic(ended{err: err})
	}
}

// doubt ends the operation with an error of this text.
//
//go:noinline
func doubt(why string) { fail(errors.New(why)) }

// Check ends the operation with the first error that is not nil, as if the operation's function had returned it.
func Check(errs ...error) {
	for _, err := range errs {
		fail(err)
	}
}

// Require ends the operation with the error otherwise unless the condition holds. Use it for what a request needs, with a *Reject as the
// error, and for an error that several places share. For what an answer must prove, see Expect.
//
//	sdk.Require(r.ReturnURL != "", sdk.Missing("return_url", "Acme sends the customer back to it"))
func Require(holds bool, otherwise error) {
	if !holds {
		fail(otherwise)
	}
}

// Expect ends the operation with an error unless the condition holds. The result is then unknown, and why says what the answer does not
// prove, in the adapter's own words. Use it for the parts that an answer needs:
//
//	sdk.Expect(o.Amount != nil, "the answer holds a payment without its amount")
func Expect(holds bool, why string) {
	if !holds {
		doubt(why)
	}
}

// Find returns the element of a list that is the payment, refund or dispute of the request. counts says which element that is. If several
// elements count, Find ends the operation with an error (see Must). If none counts, it ends the operation with Call.NotFound: that is
// StatusUnknown with an alarm if the processor has issued an id. whole says that the list has no further page: without it, and if list is no
// array, nothing is proven, and the operation ends with an error.
//
//	found := c.Find(j.Get("data"), j.Raw("has_more") == "false", func(x sdk.JSON) bool {
//		return x.Need("reference") == c.Request.Reference
//	})
func (c *Call) Find(list JSON, whole bool, counts func(JSON) bool) JSON {
	found := list.Only(counts)
	if !found.Exists() {
		Expect(list.IsArray() && whole, "the answer is not the whole list, so what it lacks may exist")
		c.End(c.NotFound())
	}
	return found
}

// End ends the operation with an outcome, as if its function had returned it. A helper uses it when it learns that the processor
// refused. End does not return, except that nil ends nothing.
func (c *Call) End(o *Outcome) {
	if o != nil {
		panic(ended{outcome: o})
	}
}

// EndIf ends the operation with an outcome if the condition holds: see End. It makes the outcome only then.
//
//	c.EndIf(answer.Status == 404 && j.Str("code") == "unknown_payment", c.NotFound)
func (c *Call) EndIf(holds bool, outcome func() *Outcome) {
	if holds {
		c.End(outcome())
	}
}

// Only returns the single element of an array that counts, a missing value if no element counts. If several elements count, Only ends the
// operation with an error (see Must).
//
//	payment := list.Only(func(p sdk.JSON) bool { return p.Need("reference") == c.Request.Reference })
func (j JSON) Only(counts func(JSON) bool) (found JSON) {
	for v := range j.All() {
		if !counts(v) {
			continue
		}
		Require(!found.Exists(), errSeveral)
		found = v
	}
	return found
}

// Need returns the text at the path, as Text reads it. Without a text the answer proves nothing: Need ends the operation with an error (see
// Must). So a search does not skip an element that lacks the text:
//
//	payment := list.Only(func(p sdk.JSON) bool { return p.Need("reference") == c.Request.Reference })
func (j JSON) Need(path string) string {
	text := j.Text(path)
	if text == "" {
		Check(errors.New("the answer lacks " + path))
	}
	return text
}

// Stated returns the amount in major units at a path, for Outcome.Amount. The processor states its currency at another path. A missing currency
// counts as c. Stated returns nil if there is no amount, or if c is "". An unreadable amount, and a currency other than c, prove nothing about this payment: they end the
// operation with an error (see Must).
func (j JSON) Stated(amount, currency string, c Currency) *Money {
	m := j.MajorIn(amount, currency, c)
	Require(m != nil && m.Minor >= 0 || m == nil && (c == "" || !j.states(amount)), errOtherAmount)
	return m
}

// ErrAnswer ends an operation as unknown (see Require): the answer has no form that the processor documents, so it proves nothing.
var ErrAnswer = errors.New("the answer does not have a form that the processor documents")

var errOtherAmount = errors.New("the answer's amount is unreadable or not in the payment's currency")

// errUnknownCode returns the error for a status or code that an adapter's tables lack.
func errUnknownCode(code string) error {
	return errors.New("the processor's status or code " + code + " is not known to the adapter")
}

var errSeveral = errors.New("the answer has several entries that match this payment: none is certain")

// errInDoubt returns the error for a code after which the processor may have acted.
func errInDoubt(code string) error {
	return errors.New("the processor may have acted before the error " + code)
}
