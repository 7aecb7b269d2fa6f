package wire

import "payswitch/sdk"

// Played is what an operation sent, as it would leave, and how it ended: with an outcome, or a reject (the outcome is nil then).
type Played struct {
	Sends []*sdk.Send
	*sdk.Outcome
	Reject *sdk.Reject
}

// End runs an operation of the adapter to its end, as Play does. A send that no answer is left for fails the test, and so does an answer
// that nobody asked for.
func End(t TB, a *sdk.Adapter, s *sdk.Step, answers ...sdk.Exchange) Played {
	t.Helper()
	sends, result, err := Play(a, s, answers...)
	switch {
	case err != nil:
		t.Fatal(err)
	case result.Send != nil:
		t.Fatalf("a send that nobody answers: %s %s", result.Send.Method, result.Send.URL)
	case len(sends) != len(answers):
		t.Fatalf("%d sends and %d answers: %+v", len(sends), len(answers), result)
	}
	return Played{sends, result.Outcome, result.Reject}
}

// JSONBody is the body of a send, which must be JSON.
func JSONBody(t TB, s *sdk.Send) sdk.JSON {
	t.Helper()
	j, err := sdk.ParseJSON(s.Body)
	if err != nil {
		t.Fatalf("%v: %s", err, s.Body)
	}
	return j
}

// FormBody is the body of a send, which must be a form in which no name stands twice.
func FormBody(t TB, s *sdk.Send) map[string]string {
	t.Helper()
	pairs, ok := sdk.ParseForm(string(s.Body))
	all := make(map[string]string, len(pairs))
	for _, p := range pairs {
		_, twice := all[p.Name]
		ok = ok && !twice
		all[p.Name] = p.Value
	}
	if !ok {
		t.Fatalf("no form, or one with a name that stands twice: %s", s.Body)
	}
	return all
}
