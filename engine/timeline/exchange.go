package timeline

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/drive"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// maxBody bounds the part of a body that is shown.
const maxBody = 16 << 10

// Exchange is one request of an adapter and its answer.
type Exchange struct {
	At       time.Time
	Took     time.Duration
	Method   string
	URL      string
	Headers  []sdk.Header // of the request
	Body     string       // of the request, with names in the place of stand-ins
	Sent     bool         // false only if nothing can have reached the processor
	Status   int          // of the answer; 0 without one
	Failure  string       // why there is no whole answer
	Answered []sdk.Header
	Answer   string // the answer's body, scrubbed
	Known    bool   // false if only the fact of the request is kept, and not its text
	Verdict  string // of a check of a message's signature, "" for a request
}

// drives fills in what the adapter did for an operation: from the journal, or, without it, from the marks that every request leaves.
func (s *Timelines) drives(o *Operation, records []*drive.JournalRecord, sends []drive.ExchangeRecord) {
	if len(records) > maxDrives {
		records = records[len(records)-maxDrives:]
	}
	for _, r := range records {
		d := &Drive{At: r.At, Adapter: r.Adapter, Hash: r.AdapterHash}
		o.Drives = append(o.Drives, d)
		rec, err := r.Open(s.Vault)
		if err != nil {
			d.Failed = "the recording cannot be read"
			continue
		}
		d.Failed, d.Altered, d.Exchanges = rec.Error, rec.Altered, exchanges(rec)
	}
	if len(records) > 0 || len(sends) == 0 {
		return
	}
	d := &Drive{At: sends[0].At, Hash: o.AdapterHash, Adapter: o.Connector}
	for _, x := range sends {
		d.Exchanges = append(d.Exchanges, Exchange{At: x.At, Took: x.Duration, Sent: x.Sent || !x.Answered, Status: x.Status, Failure: x.Failure})
	}
	o.Drives = []*Drive{d}
}

// exchanges returns the requests of a recording. Those that an earlier drive has made are part of that drive.
func exchanges(rec *port.Recording) (out []Exchange) {
	named := namesOf(rec.Step)
	for i := range rec.Steps {
		result, err := sdk.DecodeResult(rec.Steps[i].Result)
		if err != nil || result == nil || result.Send == nil && result.Verify == nil {
			continue
		}
		x := Exchange{Took: rec.Steps[i].Exchange}
		n := rec.Resumed + i
		if n < len(rec.Step.Exchanges) {
			got := &rec.Step.Exchanges[n]
			x.At, x.Sent, x.Status, x.Failure = time.UnixMilli(got.Now).UTC(), got.Sent, got.Status, got.Failure
			x.Answered, x.Answer = readable(got.Headers, named), cut(named.Replace(string(got.Body)))
			if got.Verified != nil {
				x.Verdict = "the signature is wrong"
				if *got.Verified {
					x.Verdict = "the signature is right"
				}
			}
		} else {
			x.At = time.UnixMilli(rec.Step.Now).UTC()
		}
		if send := result.Send; send != nil {
			names := named
			if len(send.Derive) > 0 {
				names = derived(rec.Step, send.Derive)
			}
			x.Method, x.URL, x.Known = send.Method, names.Replace(send.URL), true
			x.Headers, x.Body = readable(send.Headers, names), cut(names.Replace(string(send.Body)))
		}
		out = append(out, x)
	}
	return out
}

// secretsOf returns the stand-ins of a step, each followed by its name.
func secretsOf(s *sdk.Step) (pairs []string) {
	add := func(standIn, name string) {
		if standIn != "" {
			pairs = append(pairs, standIn, "‹"+name+"›")
		}
	}
	if i := s.Request.Instrument; i != nil && i.Card != nil {
		add(i.Card.Number, "card number ··"+i.Card.LastFour)
		add(i.Card.CVC, "card code")
	}
	var names []string
	for name := range s.Account.Credentials {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		add(s.Account.Credentials[name], "credential "+name)
	}
	return pairs
}

// namesOf replaces the stand-ins of a step by names.
func namesOf(s *sdk.Step) *strings.Replacer { return strings.NewReplacer(secretsOf(s)...) }

// derived is namesOf with the stand-ins that the adapter has minted for a request. The longest come first, because one may begin like another.
func derived(s *sdk.Step, all []sdk.Derivation) *strings.Replacer {
	pairs := secretsOf(s)
	for _, d := range slices.Backward(all) {
		pairs = append(pairs, d.StandIn, "‹derived: "+d.Expr.Fn+"›")
	}
	return strings.NewReplacer(pairs...)
}

func readable(headers []sdk.Header, names *strings.Replacer) []sdk.Header {
	out := make([]sdk.Header, len(headers))
	for i, h := range headers {
		out[i] = sdk.Header{Name: h.Name, Value: names.Replace(h.Value)}
	}
	return out
}

// cut shortens a body to maxBody, and appends how much it left out.
func cut(body string) string {
	if len(body) <= maxBody {
		return strings.ToValidUTF8(body, "�")
	}
	return strings.ToValidUTF8(body[:maxBody], "�") + "\n… " + strconv.Itoa(len(body)-maxBody) + " more bytes"
}
