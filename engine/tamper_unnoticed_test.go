package engine_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnsignedColumnsAreListed: SECURITY.md lists the columns that no signature covers, all of them and no others.
func TestUnsignedColumnsAreListed(t *testing.T) {
	text, err := os.ReadFile("../SECURITY.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "## What no signature covers")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, m := range regexp.MustCompile("`([a-z_*]+\\.[a-z_*]+)`").FindAllStringSubmatch(cells[1], -1) {
				listed = append(listed, m[1])
			}
		}
	}
	var want []string
	for name := range unnoticed {
		want = append(want, name)
	}
	slices.Sort(want)
	slices.Sort(listed)
	require.Equal(t, want, listed)
}

// unnoticed lists the columns that an intruder can change without an alarm, with the reason why that is acceptable. "table.*" is a whole table;
// "*.column" is that column of every table.
var unnoticed = map[string]string{
	"*.seq":                        "the order of insertion; it orders lists among rows of the same millisecond",
	"evidence.seq":                 "the order in which messages came; each of them is genuine",
	"operations.owner":             "who drives it; moves with every claim. A send leaves only within the lease that the node itself remembers",
	"operations.lease_until":       "moves with every claim. A node sends only within the lease that it remembers itself; taken too early, an operation is resolved by evidence, as after a crash",
	"operations.due_at":            "when background work looks at it; worked out from signed columns. Changed, it is looked at earlier, later or not at all",
	"operations.due_set_at":        "when due_at was written. In the future, a start looks at the operation within a lease time; in the past, a jump of the clock leaves it late",
	"authentications.due_at":       "when background work looks at it, as of operations",
	"authentications.owner":        "who asks the authenticator; moves with every claim",
	"authentications.lease_until":  "who asks the authenticator, and until when; moves with every claim",
	"payment_methods.last_used_at": "the order of a list; moves with every charge",

	"journal.seq":          "the order of insertion",
	"journal.merchant_id":  "the journal is a record for people, and decides nothing; what it holds is sealed and bound to its operation",
	"journal.payment_id":   "as journal.merchant_id",
	"journal.account_id":   "as journal.merchant_id",
	"journal.connector":    "as journal.merchant_id",
	"journal.adapter":      "as journal.merchant_id",
	"journal.adapter_hash": "as journal.merchant_id",
	"journal.kind":         "as journal.merchant_id",
	"journal.at":           "as journal.merchant_id",
	"violations.*":         "a record for people; it decides nothing",

	"events.waiting":      "marks an event that has no deliveries yet. Changed, the event is sent again, with the same id, or not at all",
	"deliveries.*":        "moves with every delivery. Changed, an event is sent again or not at all; its text and its endpoint are signed, and belong to one profile",
	"delivery_attempts.*": "a record for people; the answer in it is sealed and bound to its attempt",

	"staff_logins.seen_at":         "the time of a person's last request, written alone. Changed, a login goes on until its end, which is signed, or ends at once",
	"low_value_uses.*":             "statements add to it without reading it. It decides whether an exemption is asked for; the issuer counts for itself and decides",
	"guard_counts.*":               "statements add to it without reading it. It decides whether payments are refused after failures; without a row the count starts again",
	"scheme_declines.*":            "statements add to it without reading it. It decides whether retries are refused after declines; without a row the count starts again",
	"exemption_rates.*":            "statements add to it without reading it. It decides whether an exemption is asked for; the issuer decides",
	"processor_ids.*":              "which payment or refund an id of a processor's belongs to. Changed, an answer is held for impossible, with an alarm; without a row, one is not",
	"payment_statuses.*":           "the list of the statuses there are; the engine has its own",
	"restores.*":                   "without a row the engine asks no processor again after a restore; with one too many it asks once more than it needs to",
	"adapter_modules.*":            "a module is loaded only if its bytes have the hash that a signed row names: an adapter's or an operation's",
	"adapter_bundles.*":            "a bundle is installed only if a trusted key has signed it and if it asks for what the page has shown: both are examined anew. Changed, the page shows another text, and the installation refuses",
	"staff_chains.id":              "without this row the chain of the audit has no end, and its check says so",
	"running_nodes.*":              "what nodes say of themselves, for people; it decides nothing",
	"schema_migrations.applied_at": "a record for people",
	"clock_jumps.*":                "when the clock jumped last, and by how much. A process that starts later waits by it before it believes that a processor does not know a payment, and sends nothing again that may be old; a deleted row does the same",
	"backups.*":                    "what back-ups say of themselves, for people and for an alert; a restore checks the back-up itself",
	"config_version.*":             "when nodes forget what they hold of the configuration. Unchanged after a change, they hold it ten seconds at most; what they read is signed",
	"webhook_failures.*":           "since when endpoints fail. It decides about an alarm, not about deliveries; without a row the hour begins again",
	"payments.late_at":             "when a payment changed late. Changed, a list or a total is wrong until the blocks are made again; what a list shows is signed",
	"payments.rare_status":         "a copy of the status for lists. Changed, a list leaves out the payment, or a total is wrong; what a list shows is signed, and compared with the filter",
	"refunds.late_at":              "as payments.late_at",
	"disputes.late_at":             "as payments.late_at",
	"facets.*":                     "what lists filter by. Changed, a list leaves out payments, or a total is wrong; what a list shows is signed, and compared with the filter",
	"facet_marks.*":                "how far facets goes. Changed, as facets",
	"copies.*":                     "how far a copy to another database has come. Changed, the switch refuses to serve, or serves although it was moved: an intruder who can write here can also put the older file in place",
	"copy_changes.*":               "which rows a copy reads again. Without one, the target keeps an older row that is genuine; the comparison at the end finds older versions of rows that have one",
}
