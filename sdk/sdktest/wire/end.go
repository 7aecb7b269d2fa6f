package wire

import "payswitch/sdk"

// Played holds the requests of an operation as they would leave, and its end: an outcome, or a reject (then the outcome is nil).
type Played struct {
	Sends []*sdk.Send
	*sdk.Outcome
	Reject *sdk.Reject
}

// End runs an operation of the adapter to its end, as Play does. The test fails if a send has no answer, or an answer has no send.
func End(t TB, a *sdk.Adapter, s *sdk.Step, answers ...sdk.Exchange) Played {
	t.Helper()
	sends, result, err := Play(a, s, answers...)
	switch {
	case err != nil:
		t.Fatal(err)
	case result.Send != nil:
		t.Fatalf("the adapter sends %s %s, but no answer is left", result.Send.Method, result.Send.URL)
	case len(sends) != len(answers):
		t.Fatalf("%d sends and %d answers: %+v", len(sends), len(answers), result)
	}
	return Played{sends, result.Outcome, result.Reject}
}

// JSONBody returns the body of a send, which must be JSON.
func JSONBody(t TB, s *sdk.Send) sdk.JSON {
	t.Helper()
	j, err := sdk.ParseJSON(s.Body)
	if err != nil {
		t.Fatalf("%v: %s", err, s.Body)
	}
	return j
}

// FormBody returns the body of a send, which must be a form without repeated names.
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
