package dashboard

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"payswitch/engine/fault"
)

// refill puts what a person has typed back into the form's fields, and the error to the field that it is about. Secrets are not put back, because a page
// never holds them.
func (c *call) refill(f *Form, err error) {
	for i := range f.Fields {
		x := &f.Fields[i]
		switch {
		case x.Kind == "hidden" || x.Kind == "password" || x.Kind == "file" || x.Secret:
		case x.Kind == "select":
			for j := range x.Options {
				x.Options[j].Chosen = x.Options[j].Value == c.PostFormValue(x.Name)
			}
		default:
			x.Value = c.PostFormValue(x.Name)
		}
	}
	f.Open = true
	if err == nil {
		return
	}
	text, param := said(err)
	left := false // a field that must be filled was left empty
	for i := range f.Fields {
		x := &f.Fields[i]
		about := x.Name == param || x.About == param
		if x.Required && about && x.Kind != "file" && strings.TrimSpace(c.PostFormValue(x.Name)) == "" {
			x.Problem, left = "Enter this.", true
		}
	}
	if left {
		return
	}
	for i := range f.Fields {
		if x := &f.Fields[i]; param != "" && x.Kind != "hidden" && (x.Name == param || x.About == param) {
			x.Problem = text
			return
		}
	}
	f.Problem = text
}

// position matches the place of a mistake in an error of the API's decoder. A form has no such place.
var position = regexp.MustCompile(`^Json deserialize error: | at line \d+ column \d+$`)

// said returns an error's words for a person, and the name of the field at fault.
func said(err error) (text, param string) {
	var known *fault.Error
	if !errors.As(err, &known) {
		return err.Error(), ""
	}
	if strings.Contains(known.Message, " holds a card number: ") { // the rest of the message is for programs: no form of these pages has a card
		return cardInText, known.Param
	}
	text = position.ReplaceAllString(known.Message, "")
	for _, more := range []string{known.Reason, known.Hint} {
		if more != "" {
			text = strings.TrimSuffix(text, ".") + ". " + strings.ToUpper(more[:1]) + more[1:]
		}
	}
	return text, known.Param
}

// shownInForm reports whether an error belongs into the form that was sent: the person can mend it there.
func shownInForm(err error) bool {
	var known *fault.Error
	return errors.As(err, &known) && (known.Kind == fault.KindInvalid || known.Kind == fault.KindUnprocessable)
}

// body returns values as the JSON that the API takes.
func body(values map[string]any) []byte {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // texts, lists and maps of them always encode
	}
	return text
}

// lines returns the lines of a text that are not blank.
func lines(text string) []string {
	out := []string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
