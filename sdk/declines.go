package sdk

import (
	"cmp"
	"strconv"
	"strings"

	"payswitch/sdk/internal/cover"
)

// Declines maps a processor's decline codes to reasons: see ParseDeclines. A look-up allocates nothing.
type Declines []declineCode

type declineCode struct {
	code      string
	beginning bool          // code is a prefix
	reason    DeclineReason // "" for a code in doubt
	elsewhere bool
	words     string
}

// inDoubt stands in a table in place of a reason.
const inDoubt = "in_doubt"

// ParseDeclines reads a table of decline codes. An adapter embeds the table from a file next to its code. Each line holds a code, or several
// codes separated by commas; payswitch's reason; and the processor's words, if they say more than the code. A code that ends in "*" is a
// prefix. Lines that begin with "#" are remarks:
//
//	# Response codes, https://acme.example/docs/codes
//	202          insufficient_funds
//	261,262      stop_recurring           Declined - stop all recurring payments
//	264          try_again_later:final    Declined - retry in a few days
//	card_number* incorrect_number
//	"Do Not Honor" do_not_honor
//	420,421      in_doubt                 Communication error
//
// A code whose reason is in_doubt is no decline: the processor, or one behind it, may have acted before the error. A code with spaces or commas stands in quotation marks.
//
// The reason decides whether another processor may try the same card (DeclineFacts.RetryElsewhere); ":final" denies it for a code, and
// ":elsewhere" allows it. One table holds all codes of a processor. ParseDeclines panics on a code that stands twice, an unknown reason and
// a line without a reason. Keep the table in a package variable: then a wrong table panics when the adapter starts, and no payment pays
// for reading it.
func ParseDeclines(text string) Declines {
	t := make(Declines, 0, strings.Count(text, "\n"))
	for number := 1; text != ""; number++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if wrong := t.add(line); wrong != "" {
			panic("decline codes, line " + strconv.Itoa(number) + ": " + wrong)
		}
	}
	if cover.Native && len(t) > 0 {
		cover.Known(&t[0], t.codes())
	}
	return t
}

// add adds a line of a table and returns what is wrong with the line, "" if nothing is.
func (t *Declines) add(line string) (wrong string) {
	codes, rest := word(line)
	quoted := line[0] == '"'
	if quoted {
		end := strings.IndexByte(line[1:], '"')
		if end < 0 {
			return "a quotation mark has no second one"
		}
		codes, rest = line[1:1+end], strings.TrimLeft(line[end+2:], " ")
	}
	reason, words := word(rest)
	reason, where, _ := strings.Cut(reason, ":")
	facts, ok := DeclineReason(reason).Facts()
	if reason == inDoubt {
		if where != "" {
			return "a code in doubt has neither final nor elsewhere"
		}
		facts, ok = DeclineFacts{}, true
	}
	row := declineCode{reason: facts.Reason, elsewhere: facts.RetryElsewhere, words: words}
	switch where {
	case "":
	case "final", "elsewhere":
		row.elsewhere = where == "elsewhere"
	default:
		return "\"" + where + "\" after the colon is neither final nor elsewhere"
	}
	for more := true; more; {
		row.code, codes, more = codes, "", false
		if !quoted {
			row.code, codes, more = strings.Cut(row.code, ",")
			row.code, row.beginning = strings.CutSuffix(row.code, "*")
		}
		switch {
		case row.code == "":
			return "a code is empty"
		case !ok:
			return "\"" + reason + "\" is not a decline reason: see sdk.DeclineReason"
		case t.find(row.code) != nil:
			return "the code " + row.code + " stands in an earlier line too"
		}
		*t = append(*t, row)
	}
	return ""
}

// word splits the first word off a line.
func word(line string) (first, rest string) {
	first, rest, _ = strings.Cut(line, " ")
	return first, strings.TrimLeft(rest, " ")
}

// find returns the row of a code, nil for an unknown code. The first matching row counts.
func (t Declines) find(code string) *declineCode {
	for i := range t {
		if k := &t[i]; k.code == code || k.beginning && strings.HasPrefix(code, k.code) {
			if cover.On() {
				cover.Hit(&t[0], "decline code "+k.code, t.codes)
			}
			return k
		}
	}
	return nil
}

// codes returns the names of the table's rows for a report of what the cases never exercise.
func (t Declines) codes() []string {
	all := make([]string, len(t))
	for i := range t {
		all[i] = "decline code " + t[i].code
	}
	return all
}

// Of returns the reason of a code, "" for a code in doubt, or one that is not in the table.
func (t Declines) Of(code string) DeclineReason {
	if row := t.find(code); row != nil {
		return row.reason
	}
	return ""
}

// Must returns the reason of a code. A code that is not in the table proves nothing: it ends the operation with an error (see
// Must).
func (t Declines) Must(code string) DeclineReason {
	reason := t.Of(code)
	Require(reason != "", errUnknownCode(code))
	return reason
}

// InDoubt reports whether the table says of a code that the processor may have acted before the error.
func (t Declines) InDoubt(code string) bool {
	row := t.find(code)
	return row != nil && row.reason == ""
}

// New returns the decline of a code. A code in doubt ends the operation with an error (see Must). If message is "", it takes the processor's words from the table. A code that is not in the
// table gets the reason otherwise; "" means DeclineGeneric.
func (t Declines) New(code, message string, otherwise DeclineReason) *Decline {
	row := t.find(code)
	if row == nil {
		return NewDecline(code, message, otherwise)
	}
	Require(row.reason != "", errInDoubt(code))
	return &Decline{Code: code, Message: cmp.Or(message, row.words), Reason: row.reason, RetryElsewhere: row.elsewhere}
}
