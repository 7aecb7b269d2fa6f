package sdk

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
)

// Declines are a processor's decline codes and what they mean: see ParseDeclines. Looking up allocates nothing.
type Declines []declineCode

type declineCode struct {
	code      string
	beginning bool // of codes
	reason    DeclineReason
	elsewhere bool
	words     string
}

// ParseDeclines reads a table of decline codes, which an adapter keeps beside its code as the processor's documentation prints it, and
// embeds. A line is a code (or several of one meaning, with commas), our reason, and the processor's words where the code does not say
// it all. A code that ends in "*" is a beginning. Lines that begin with "#" are remarks:
//
//	# Response codes, https://acme.example/docs/codes
//	202          insufficient_funds
//	261,262      stop_recurring           Declined - stop all recurring payments
//	264          try_again_later:final    Declined - retry in a few days
//	card_number* incorrect_number
//
// Whether the same card may be tried at another processor goes by the reason; ":final" and ":elsewhere" say of a code that it may not or
// may. One table has all codes of a processor, if it has several lists of them: what stands in it twice, a reason that is none and a line
// without one panic. A table is a package's variable, so that they do when the adapter starts, and reading it costs no payment anything.
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
	return t
}

// add adds a line of a table, and says what is wrong with it.
func (t *Declines) add(line string) (wrong string) {
	codes, rest := word(line)
	reason, words := word(rest)
	reason, where, _ := strings.Cut(reason, ":")
	facts, ok := DeclineReason(reason).Facts()
	row := declineCode{reason: facts.Reason, elsewhere: facts.RetryElsewhere, words: words}
	switch where {
	case "":
	case "final", "elsewhere":
		row.elsewhere = where == "elsewhere"
	default:
		return "neither final nor elsewhere: " + where
	}
	for more := true; more; {
		row.code, codes, more = strings.Cut(codes, ",")
		row.code, row.beginning = strings.CutSuffix(row.code, "*")
		switch {
		case row.code == "":
			return "an empty code"
		case !ok:
			return "no reason of ours: " + reason
		case t.find(row.code) != nil:
			return "a code that stands above: " + row.code
		}
		*t = append(*t, row)
	}
	return ""
}

// word cuts the first word of a line off.
func word(line string) (first, rest string) {
	first, rest, _ = strings.Cut(line, " ")
	return first, strings.TrimLeft(rest, " ")
}

// find returns the row of a code, nil where there is none. Of beginnings the first counts.
func (t Declines) find(code string) *declineCode {
	for i := range t {
		if k := &t[i]; k.code == code || k.beginning && strings.HasPrefix(code, k.code) {
			return k
		}
	}
	return nil
}

// Of is the reason of a code, "" where the table does not have it.
func (t Declines) Of(code string) DeclineReason {
	if row := t.find(code); row != nil {
		return row.reason
	}
	return ""
}

// Must is the reason of a code. One that the table does not have decides nothing: it ends the operation with an error (see Must).
func (t Declines) Must(code string) DeclineReason {
	reason := t.Of(code)
	Require(reason != "", errors.New("a status or code that is not known: "+code))
	return reason
}

// New returns the decline of a code, with the processor's words from the table where message is "". A code that the table does not have
// has the reason otherwise; "" is DeclineGeneric.
func (t Declines) New(code, message string, otherwise DeclineReason) *Decline {
	row := t.find(code)
	if row == nil {
		return NewDecline(code, message, otherwise)
	}
	return &Decline{Code: code, Message: cmp.Or(message, row.words), Reason: row.reason, RetryElsewhere: row.elsewhere}
}
