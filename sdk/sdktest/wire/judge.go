package wire

import (
	"fmt"
	"io/fs"
	"slices"

	"payswitch/sdk"
)

// A Finding is a difference between an adapter and one of its cases.
type Finding struct {
	Operation sdk.Operation
	Where     string // the case's file, line and name
	Detail    string
}

// Judge does what Run does, for a module in any language: it knows the adapter's manifest and steps alone. It judges the cases
// in the SDK's vocabulary, and returns how many others there are. Exceptions are those of the files alone.
func Judge(m *sdk.Manifest, step func(*sdk.Step) sdk.Result, fsys fs.FS) (found []Finding, others int, err error) {
	requests, responses, err := Load(fsys, m.Name)
	if err != nil {
		return nil, 0, err
	}
	if err := requests.Fits(m); err != nil {
		return nil, 0, fmt.Errorf("%s.json: %w", m.Name, err)
	}
	others = oldWords(requests, responses)
	r := newRunner(m, step, requests.inSDKWords(), Options{})
	r.subtest = func(_ string, check func() []string) {
		for _, text := range check() {
			found = append(found, Finding{r.op, r.where, text})
		}
	}
	r.all(responses.inSDKWords())
	if others == 0 {
		for _, text := range r.needless() {
			found = append(found, Finding{Where: m.Name + ".json", Detail: text})
		}
	}
	return found, others, nil
}

func (f *Requests) inSDKWords() *Requests {
	some := *f
	some.Cases = slices.DeleteFunc(slices.Clone(f.Cases), func(c Case) bool { return !c.own() })
	return &some
}

func (f *Responses) inSDKWords() *Responses {
	if f == nil || !f.own() {
		return nil
	}
	some := *f
	some.Samples = slices.DeleteFunc(slices.Clone(f.Samples), func(c Case) bool { return !c.own() })
	some.StatusTables = slices.DeleteFunc(slices.Clone(f.StatusTables), func(t StatusTable) bool { return t.Op == "" })
	some.Webhooks.Sample = nil
	return &some
}
