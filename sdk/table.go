package sdk

import (
	"cmp"
	"errors"
	"strings"
)

// Table maps a processor's codes to what they mean: see Statuses, Results and Names; decline codes have Declines. A row is a meaning and
// its codes, separated by spaces. Behind a colon a code may have the processor's name of it, for the reader:
//
//	var statuses = sdk.Statuses{
//		{sdk.StatusAuthorized, "AUTHORIZED"},
//		{sdk.StatusCaptured, "2:settled 3:paid_out"},
//	}
//
// Of a code that stands twice the first row counts. A table is plain data: nothing is built from it when the guest starts, and looking
// up allocates nothing.
type Table[T ~string] [][2]T

// Statuses are the statuses of payments, captures or refunds.
type Statuses = Table[OutcomeStatus]

// Results are the codes of an address or CVC check; they mean CheckPass, CheckFail, CheckUnavailable or CheckUnchecked.
type Results = Table[string]

// Names are a processor's names or codes of what we have a word for: networks, categories. By agreement, see For.
type Names = Table[string]

// Of is what the code means, "" where the table does not have it. cmp.Or gives it a default.
func (t Table[T]) Of(code string) T {
	if code == "" {
		return ""
	}
	for i := range t {
		for rest := string(t[i][1]); rest != ""; {
			var entry string
			entry, rest, _ = strings.Cut(rest, " ")
			if tail, ok := strings.CutPrefix(entry, code); ok && (tail == "" || tail[0] == ':') {
				return t[i][0]
			}
		}
	}
	return ""
}

// Must is what the code means. A code that the table does not have decides nothing: it ends the operation with an error (see Must).
func (t Table[T]) Must(code string) T {
	means := t.Of(code)
	if means == "" {
		Check(errors.New("a status or code that is not known: " + code))
	}
	return means
}

// For is what a table by agreement says of a payment, "" where it does not tell: see StoredCredentialUse.Agreement. It looks for the
// agreement with its category ("mit_recurring"), then with its usage ("first_off_session"), then by itself ("mit").
func (t Table[T]) For(u *StoredCredentialUse) T {
	kind := u.Agreement()
	if kind == "" {
		return ""
	}
	return cmp.Or(t.Of(kind+"_"+u.Category), t.Of(kind+"_"+u.Usage), t.Of(kind))
}

// Results of a check, as they stand in Checks.
const (
	CheckPass        = "pass"
	CheckFail        = "fail"
	CheckUnavailable = "unavailable" // the issuer does not tell, or could not be asked
	CheckUnchecked   = "unchecked"   // there was nothing to check, or nobody asked
)

// NewChecks returns the results of the checks, nil where all are "".
func NewChecks(cvc, addressLine1, postalCode string) *Checks {
	c := Checks{CVC: cvc, AddressLine1: addressLine1, PostalCode: postalCode}
	if c == (Checks{}) {
		return nil
	}
	return &c
}

// NewDecline returns the decline of a code and text of the processor's. A reason of "" is DeclineGeneric. RetryElsewhere is what holds
// for the reason whatever the processor.
func NewDecline(code, message string, reason DeclineReason) *Decline {
	if reason == "" {
		reason = DeclineGeneric
	}
	facts, _ := reason.Facts()
	return &Decline{Code: code, Message: message, Reason: reason, RetryElsewhere: facts.RetryElsewhere}
}

// Declined returns the outcome of an operation that was refused, where there is nothing more to tell.
func Declined(d *Decline) *Outcome { return &Outcome{Status: StatusDeclined, Decline: d} }

// Unknown is the outcome of an answer that decides nothing, and why: as ending with an error is, for helpers whose callers go on.
func Unknown(why string) *Outcome {
	return &Outcome{Status: StatusUnknown, Raw: map[string]string{"error": why}}
}

// NotFound is the outcome of a query for what the processor has not heard of.
func NotFound() *Outcome { return &Outcome{Status: StatusNotFound} }
