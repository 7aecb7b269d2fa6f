package sdk

import (
	"cmp"
	"strings"

	"payswitch/sdk/internal/cover"
)

// Table maps a processor's codes to their meanings: see Statuses, Results and Names. Decline codes have Declines. A row is a meaning and its
// codes, separated by spaces. A colon and the processor's name of the code may follow a code, for the reader:
//
//	var statuses = sdk.Statuses{
//		{sdk.StatusAuthorized, "AUTHORIZED"},
//		{sdk.StatusCaptured, "2:settled 3:paid_out"},
//	}
//
// If a code stands twice, the first row counts. A table is plain data: it needs no work when the adapter starts, and a look-up allocates
// nothing.
type Table[T ~string] [][2]T

// Statuses are the statuses of payments, captures or refunds.
type Statuses = Table[OutcomeStatus]

// Results are the codes of an address or CVC check. Their meanings are CheckPass, CheckFail, CheckUnavailable and CheckUnchecked.
type Results = Table[CheckResult]

// Names are a processor's names or codes for words of payswitch, such as networks and categories. For agreements, see For.
type Names = Table[string]

// Of returns the meaning of the code, "" for a code that is not in the table. cmp.Or adds a default.
func (t Table[T]) Of(code string) T {
	if code == "" {
		return ""
	}
	for i := range t {
		for rest := string(t[i][1]); rest != ""; {
			var entry string
			entry, rest, _ = strings.Cut(rest, " ")
			if tail, ok := strings.CutPrefix(entry, code); ok && (tail == "" || tail[0] == ':') {
				if cover.On() {
					cover.Hit(&t[0], entry+" = "+string(t[i][0]), t.codes)
				}
				return t[i][0]
			}
		}
	}
	return ""
}

// codes returns the names of the table's rows for a report of what the cases never exercise.
func (t Table[T]) codes() (all []string) {
	for i := range t {
		for _, entry := range strings.Fields(string(t[i][1])) {
			all = append(all, entry+" = "+string(t[i][0]))
		}
	}
	return all
}

// Must returns the meaning of the code. A code that is not in the table proves nothing: it ends the operation with an error (see Must).
func (t Table[T]) Must(code string) T {
	means := t.Of(code)
	if means == "" {
		Check(errUnknownCode(code))
	}
	return means
}

// For returns the meaning of a payment's agreement, "" if the table lacks it: see StoredCredentialUse.Agreement. For looks up the agreement
// with its category ("mit_recurring"), then with its usage ("first_off_session"), then alone ("mit").
func (t Table[T]) For(u *StoredCredentialUse) T {
	kind := u.Agreement()
	if kind == "" {
		return ""
	}
	return cmp.Or(t.Of(kind+"_"+string(u.Category)), t.Of(kind+"_"+string(u.Usage)), t.Of(kind))
}

// CheckResult is the result of a check in Checks. Its constants are the wire values.
type CheckResult string

const (
	CheckPass        CheckResult = "pass"
	CheckFail        CheckResult = "fail"
	CheckUnavailable CheckResult = "unavailable" // the issuer gives no result, or could not be reached
	CheckUnchecked   CheckResult = "unchecked"   // there was nothing to check, or no check was requested
)

// NewChecks returns the results of the checks, nil if all are "".
func NewChecks(cvc, addressLine1, postalCode CheckResult) *Checks {
	c := Checks{CVC: cvc, AddressLine1: addressLine1, PostalCode: postalCode}
	if c == (Checks{}) {
		return nil
	}
	return &c
}

// NewDecline returns a decline with the processor's code and text. A reason of "" means DeclineGeneric. RetryElsewhere follows from the
// reason.
func NewDecline(code, message string, reason DeclineReason) *Decline {
	if reason == "" {
		reason = DeclineGeneric
	}
	facts, _ := reason.Facts()
	return &Decline{Code: code, Message: message, Reason: reason, RetryElsewhere: facts.RetryElsewhere}
}

// Declined returns the outcome of a refused operation without further data.
func Declined(d *Decline) *Outcome { return &Outcome{Status: StatusDeclined, Decline: d} }

// Unknown returns the outcome of an answer that proves nothing, with the reason. Ending with an error gives the same outcome; Unknown is for helpers whose callers go on.
func Unknown(why string) *Outcome {
	return &Outcome{Status: StatusUnknown, Raw: map[string]string{"error": why}}
}

// NotFound returns the outcome of a query for something that the processor does not know.
func NotFound() *Outcome { return &Outcome{Status: StatusNotFound} }
