package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"payswitch/sdk"
)

// Damage plays an operation of several requests again and again, each time with one fault in one answer, as Run does with samples: a value is
// missing, null or of another kind, or the HTTP status is another one. It returns the faults that changed the outcome, for example "answer 1,
// no list: captured became not_found". An outcome may become unknown or pending, and a fault may lead to another request. The error means
// that the undamaged answers lead to no outcome, or are not JSON.
func Damage(a *sdk.Adapter, s *sdk.Step, answers ...sdk.Exchange) (wrong []string, err error) {
	_, whole, err := Play(a, s, answers...)
	switch {
	case err != nil:
		return nil, err
	case whole.Outcome == nil:
		return nil, fmt.Errorf("the undamaged answers lead to no outcome: %s", ending(&whole))
	}
	for i := range answers {
		try := func(what string, x sdk.Exchange, allowed ...sdk.OutcomeStatus) {
			changed := slices.Clone(answers)
			changed[i] = x
			_, end, err := Play(a, s, changed...)
			if err == nil && end.Outcome != nil && !slices.Contains(append(allowed, sdk.StatusUnknown, sdk.StatusPending), end.Outcome.Status) {
				wrong = append(wrong, fmt.Sprintf("answer %d, %s: %s became %s", i, what, whole.Outcome.Status, end.Outcome.Status))
			}
		}
		d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(answers[i].Body, []byte("\xef\xbb\xbf"))))
		d.UseNumber()
		var body any
		if err := d.Decode(&body); err != nil {
			return nil, fmt.Errorf("answer %d: %w", i, err)
		}
		damaged(body, "", func(what string, value any) {
			x := answers[i]
			x.Body = (&Response{Body: value}).bytes()
			try(what, x, whole.Outcome.Status)
		})
		for _, status := range []int{408, 409, 500, 503} {
			x := answers[i]
			x.Status = status
			try(fmt.Sprint("HTTP ", status), x)
		}
	}
	return wrong, nil
}
