package simulator3ds

import (
	"fmt"
	"net/http"
	"strings"
)

// table is one table of the documentation. Its first column is shown as code.
type table struct {
	Title, Text string
	Head        []string
	Rows        [][]string
}

// digits describe the values of each of the four digits. A value that is not listed acts as 0.
var digits = []struct {
	letter, title string
	values        []struct{ digit, what string }
}{
	{"V", "enrolment", []struct{ digit, what string }{
		{"0", "2.1.0, 2.2.0 and 2.3.1"}, {"1", "2.1.0 only"}, {"2", "2.2.0 only"}, {"3", "2.3.1 only"},
		{"7", "the 3DS server fails (HTTP 500) at preauth"}, {"8", "the 3DS server does not answer at preauth"}, {"9", "not enrolled"}}},
	{"M", "3DS method", []struct{ digit, what string }{
		{"0", "runs and notifies"}, {"1", "there is none"}, {"2", "never notifies"}, {"3", "notifies after 8 seconds"},
		{"4", "notifies with another transaction's id"}}},
	{"A", "answer to the AReq", []struct{ digit, what string }{
		{"0", "Y, authenticated without a challenge"}, {"1", "N, not authenticated (reason 01)"}, {"2", "A, attempted"},
		{"3", "R, rejected (reason 11)"}, {"4", "I, informational"}, {"5", "U, unavailable (reason 22)"},
		{"6", "error 405: the directory server timed out"}, {"7", "C, challenge; N with reason 87 without a browser or app (3RI)"},
		{"8", "D, decoupled, if the request allows it, else U (reason 23)"}, {"9", "error 203"}}},
	{"C", "how a challenge ends (A is 7 or 8)", []struct{ digit, what string }{
		{"0", "by the one-time code"}, {"1", "Y at once"}, {"2", "N (reason 01) at once"}, {"3", "1234: result Y, and no CRes is ever sent"},
		{"4", "1234: result Y, 6 seconds after the CRes"}, {"5", "1234: CRes says Y, the result N"}, {"6", "1234: result U (reason 22)"},
		{"7", "1234: an error message to the notification URL, result U (cancel 06)"}, {"8", "1234: result Y without authentication value"},
		{"9", "the ARes has no acsURL"}}},
	{"C", "faults of an answer Y (A is 0)", []struct{ digit, what string }{
		{"1", "without ECI"}, {"2", "without authentication value"}, {"3", "with a text for the cardholder"}, {"4", "with another scheme's ECI"}}},
	{"C", "reason of an answer U (A is 5)", []struct{ digit, what string }{{"0", "22"}, {"1", "83"}, {"2", "14"}, {"3", "21"}}},
}

// tables returns the documentation of all cards.
func tables() (all []table) {
	often := table{Title: "Cards used most", Head: []string{"Visa", "Mastercard", "American Express", "V M A C", "what happens"}}
	for _, r := range []struct{ digits, what string }{
		{"0000", "authenticated without a challenge, after the 3DS method"}, {"0100", "the same without 3DS method"}, {"0200", "the 3DS method never ends; authenticated without a challenge"},
		{"0070", "challenge"}, {"0170", "challenge, without 3DS method"}, {"0071", "challenge that succeeds by itself"}, {"0072", "challenge that fails by itself"},
		{"0020", "attempted"}, {"0010", "not authenticated"}, {"0030", "rejected"}, {"0050", "unavailable"}, {"9000", "not enrolled"},
	} {
		often.Rows = append(often.Rows, []string{CardNumber(Visa, r.digits), CardNumber(Mastercard, r.digits), CardNumber(Amex, r.digits), r.digits, r.what})
	}
	others := table{Title: "Well-known test numbers", Head: []string{"number", "as V M A C"}}
	for _, a := range aliases {
		others.Rows = append(others.Rows, []string{a.number, a.digits})
	}
	first := table{Title: "Schemes", Head: []string{"first eight digits", "length", "scheme"}}
	for _, s := range schemes {
		first.Rows = append(first.Rows, []string{s.bin, fmt.Sprint(s.length), s.name})
	}
	all = append(all, often, others, first)
	for _, d := range digits {
		t := table{Title: "Digit " + d.letter + ": " + d.title, Head: []string{d.letter, "what happens"}}
		for _, v := range d.values {
			t.Rows = append(t.Rows, []string{v.digit, v.what})
		}
		all = append(all, t)
	}
	otp := table{Title: "One-time codes", Head: []string{"code", "result"}, Text: "Any other code is wrong, and the third wrong one ends the challenge: N with reason 19. Cancel: N, cancel 01. Ten idle minutes: N, cancel 04."}
	for _, c := range codes {
		otp.Rows = append(otp.Rows, []string{c.Code, c.What})
	}
	return append(all, otp)
}

// showCards serves the documentation as a page.
func (s *Simulator) showCards(w http.ResponseWriter, _ *http.Request) {
	s.page(w, http.StatusOK, "cards.html", map[string]any{"Tables": tables()})
}

// markdown returns the documentation in the form of README.md.
func markdown() string {
	var out strings.Builder
	for _, t := range tables() {
		fmt.Fprintf(&out, "### %s\n\n", t.Title)
		if t.Text != "" {
			fmt.Fprintf(&out, "%s\n\n", t.Text)
		}
		fmt.Fprintf(&out, "| %s |\n|%s\n", strings.Join(t.Head, " | "), strings.Repeat("---|", len(t.Head)))
		for _, r := range t.Rows {
			fmt.Fprintf(&out, "| %s |\n", strings.Join(append([]string{"`" + r[0] + "`"}, r[1:]...), " | "))
		}
		out.WriteString("\n")
	}
	return out.String()
}
