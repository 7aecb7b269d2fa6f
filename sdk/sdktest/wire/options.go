package wire

import (
	"slices"
	"strings"

	"payswitch/sdk"
)

// Options adapt a run to one adapter. An entry of Skip or Allow that matches nothing fails the test.
// The file of requests has skip and allow too. Exceptions there hold for plugin check, which does not know Options.
type Options struct {
	// Skip names subtests that do not run, with the reason, which the test logs: "request/authorize_auto", "response/charged",
	// "status/authorize/manual/canceled", "decline/2040", "webhook/old". A shorter name up to a slash means all subtests below it
	// ("status/authorize"). The name of a case alone means its request; "flow/reverse" means the whole flow.
	Skip map[string]string
	// Allow names intended differences, with the reason. For requests the name is the path of a field ("body.metadata[order_id]"), or a case,
	// a space and a path; "*" at the end of a path means any rest. For answers it is a subtest, a space and the difference:
	// "response/declined message", "decline/2040 reason".
	Allow map[string]string
	// Operation returns the operation of a case; "" means the result of the function Operation.
	Operation func(c *Case) sdk.Operation
	// Credentials changes the account that Account made from the file.
	Credentials func(a *sdk.Account)
	// Input changes the step of a case, if the adapter expects data in another form.
	Input func(c *Case, s *sdk.Step)
	// Answer returns the answer to send i, a send before the one that the case describes. nil means that the case describes send i.
	Answer func(c *Case, i int, s *sdk.Send) *Response
	// Set puts a value into the answer of a sample (a copy), if a table's field is not a path or needs further changes. false means: set the
	// value by its path.
	Set func(c *Case, field, value string) bool
	// WebhookSecret is the credential that signs messages; "" means the first whose name contains "webhook".
	WebhookSecret string
}

// A ledger records which entries of Skip or Allow were used.
type ledger struct {
	entries map[string]string
	used    map[string]bool
}

func (l *ledger) has(key string) (reason string, ok bool) {
	reason, ok = l.entries[key]
	if ok {
		l.used[key] = true
	}
	return reason, ok
}

// allows reports whether a difference of a subtest at a path is allowed.
func (l *ledger) allows(names []string, path string) bool {
	for key := range l.entries {
		p := key
		if subject, rest, ok := strings.Cut(key, " "); ok && slices.Contains(names, subject) {
			p = rest
		}
		prefix, wild := strings.CutSuffix(p, "*")
		if p == path || wild && strings.HasPrefix(path, prefix) {
			l.used[key] = true
			return true
		}
	}
	return false
}

func (l *ledger) unused() (keys []string) {
	for key := range l.entries {
		if !l.used[key] {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
