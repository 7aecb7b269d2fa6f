package wire

import (
	"slices"
	"strings"

	"payswitch/sdk"
)

// Options adapt a run to one adapter. Every entry of Skip and Allow must be needed: one that nothing matches fails the test.
type Options struct {
	// Skip names what is not run, with the reason, which is shown. Names are those of the subtests: "request/authorize_auto",
	// "response/charged", "status/authorize/manual/canceled", "decline/2040", "webhook/old"; a name ends at any slash to mean all below
	// ("status/authorize"). The name of a case alone is its request; "flow/reverse" is all of a flow.
	Skip map[string]string
	// Allow names differences that are meant, with the reason: the path of a field ("body.metadata[order_id]"), or a case, a space and a
	// path, where "*" at the end of a path means any rest; for answers the name of a subtest, a space and what differs: "response/declined message",
	// "decline/2040 reason".
	Allow map[string]string
	// Operation says what the adapter is asked in a case; "" is what the function Operation says.
	Operation func(c *Case) sdk.Operation
	// Credentials changes the account made from the file: see Account.
	Credentials func(a *sdk.Account)
	// Input changes the step of a case, where the adapter is told something in another form.
	Input func(c *Case, s *sdk.Step)
	// Answer answers send i of a case that goes before the one the case is about; nil: this is the one.
	Answer func(c *Case, i int, s *sdk.Send) *Response
	// Set puts a value into the answer of a sample (a copy), where a table's field is not a path or needs more with it. false: do it by
	// the path.
	Set func(c *Case, field, value string) bool
	// WebhookSecret is the credential that signs messages; "" is the first whose name holds "webhook".
	WebhookSecret string
}

// a ledger notes which entries of Skip and Allow were of use.
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

// allows says whether a difference of a subtest at a path is meant.
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
