package sdk

import "errors"

// What a helper of an operation finds out may be its end: a payment that cannot be read, a card the processor will not take. So that it
// need not be handed up through every caller, an operation can be ended where that is known, as t.FailNow ends a test: Must, Check and
// Require end it with an error, Call.End with an outcome. It is what returning them from the operation's function would be: an adapter does
// nothing that would have to be undone. Call.Do, too, ends the step at a request that is still to be made.

// ended is what they panic with. Adapter.Step recovers it.
type ended struct {
	outcome *Outcome
	err     error
}

// Error is for whoever calls an adapter's helper outside of an operation.
func (e ended) Error() string {
	if e.err != nil {
		return errorText(e.err)
	}
	return "the operation has ended"
}

// Must is v. With an error it ends the operation, as if its function had returned the error:
//
//	answer := sdk.Must(c.Get(path))
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Check ends the operation with the first of the errors that is not nil, as if its function had returned it.
func Check(errs ...error) {
	for _, err := range errs {
		if err != nil {
			panic(ended{err: err})
		}
	}
}

// Require ends the operation with the error unless the condition holds: what an answer must have to prove anything, say.
//
//	sdk.Require(id != "" && answer.OK(), errAnswer)
func Require(holds bool, otherwise error) {
	if !holds {
		Check(otherwise)
	}
}

// End ends the operation with an outcome, as if its function had returned it: where a helper learns that the processor has refused, say. It
// does not return. nil does not end it.
func (c *Call) End(o *Outcome) {
	if o != nil {
		panic(ended{outcome: o})
	}
}

// Only is the element of an array that counts; a missing value where none does. Where several do, nobody can say which is meant: it ends the
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

// Need is the text at the path, as Text reads it. Without one the answer proves nothing: it ends the operation with an error (see Must). So a
// look-up does not pass over what does not tell whether it is meant:
//
//	payment := list.Only(func(p sdk.JSON) bool { return p.Need("reference") == c.Request.Reference })
func (j JSON) Need(path string) string {
	text := j.Text(path)
	if text == "" {
		Check(errors.New("the answer does not tell " + path))
	}
	return text
}

// Told is the amount in major units at a path, beside its currency at another, for Outcome.Amount, as the host compares it with what was
// asked for. nil where there is none. One that cannot be read, and one in another currency than c, end the operation with an error (see
// Must): they prove nothing about this payment. A currency of "" is not compared, nor is the amount read: nil.
func (j JSON) Told(amount, currency string, c Currency) *Money {
	m := j.MajorIn(amount, currency, c)
	Require(m != nil && m.Minor >= 0 || m == nil && (c == "" || !j.tells(amount)), errOtherAmount)
	return m
}

var errOtherAmount = errors.New("an amount that is none in the payment's currency")

var errSeveral = errors.New("the answer has several that this could be about")
