package engine

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/sdk"
)

// OperatorDecisions are what the operator, and nobody else, decides about a connector account, beside Account.BaseURL and Hosts.
type OperatorDecisions struct {
	// Approvals are the reaches that the account's adapter may have, the newest last; at most maxApprovals are kept. The first is made
	// with the account: what is installed then has been approved.
	Approvals []Approval `json:"approvals,omitempty"`
}

// Approval is the reach of one build of an adapter, approved.
type Approval struct {
	At      time.Time `json:"at"`
	By      string    `json:"by"` // ApprovedAtCreation or ApprovedByOperator
	Adapter string    `json:"adapter"`
	Version string    `json:"version"`
	Hash    string    `json:"sha256"`
	Reach   Reach     `json:"reach"`
	// PlainSecrets gives this build, for this account, the secrets themselves instead of stand-ins: for an adapter that cannot be blind.
	PlainSecrets bool `json:"plain_secrets,omitempty"`
}

// Who approved.
const (
	ApprovedAtCreation = "creation"
	ApprovedByOperator = "operator"
)

// maxApprovals bounds what is kept. Operations that are open need the approvals that they began under.
const maxApprovals = 20

// Reach is what a build of an adapter can do with an account's secrets: where it sends, which credentials it has in what form, which config
// with which defaults, and where secrets stand. Empty is nothing.
type Reach struct {
	Hosts       map[string][]string `json:"hosts,omitempty"`       // by environment, as the manifest writes them
	Credentials []string            `json:"credentials,omitempty"` // "api_key as secret_key (secret)": what it gets, under which name, as what
	// Config is what it gets of the account's metadata: "region as region (enum: eu, us; default eu)". An approval made before these were kept
	// has none: it holds for its own build, and the next one that has config asks once.
	Config []string `json:"config,omitempty"`
	// Authentication and Placements are the manifest's.
	Authentication []sdk.Placement `json:"authentication,omitempty"`
	Placements     []sdk.Placement `json:"placements,omitempty"`
	// PlainSecrets: the secrets themselves. No manifest asks for them; an account whose adapter had them needs them approved for the next
	// build, too.
	PlainSecrets bool `json:"plain_secrets,omitempty"`
}

// ReachOf is the reach that a manifest asks for.
func ReachOf(m *sdk.Manifest) Reach {
	r := Reach{Authentication: slices.Clone(m.Authentication), Placements: slices.Clone(m.Placements)}
	for name, env := range m.Environments {
		if len(env.Hosts) > 0 {
			if r.Hosts == nil {
				r.Hosts = map[string][]string{}
			}
			r.Hosts[name] = slices.Sorted(slices.Values(env.Hosts))
		}
	}
	for i := range m.Credentials {
		f := &m.Credentials[i]
		r.Credentials = append(r.Credentials, fieldKey(*f)+" as "+f.Name+" ("+f.Type+")")
	}
	for i := range m.Config {
		r.Config = append(r.Config, configText(&m.Config[i]))
	}
	return r
}

// configText is a config field with all that its author put into it: the values to choose from, and the default. Both reach the adapter as
// if the merchant had written them.
func configText(f *sdk.Field) string {
	s := fieldKey(*f) + " as " + f.Name + " (" + f.Type
	if len(f.Values) > 0 {
		values := make([]string, len(f.Values))
		for i, v := range f.Values {
			values[i] = plainly(v)
		}
		s += ": " + strings.Join(values, ", ")
	}
	if f.Default != "" {
		s += "; default " + plainly(f.Default)
	}
	return s + ")"
}

// caution is what no list of placements can say.
const caution = "The host checks the fields that are declared here, and fields and values that look like credentials. If the processor also takes a login, " +
	"an account or a sub-account from other fields of a request, the adapter could name another account there."

// Caution is what whoever approves the reach has to know of it, "" for nothing: the host can hold a request only to the fields that it
// knows of.
func (r Reach) Caution() string {
	if slices.ContainsFunc(r.Placements, func(p sdk.Placement) bool { return p.Secret == "card_number" || p.Secret == "cvc" }) {
		return caution
	}
	return ""
}

// Beyond is what of a reach is not in another.
func (r Reach) Beyond(approved Reach) (more Reach) {
	for _, name := range slices.Sorted(maps.Keys(r.Hosts)) {
		for _, h := range r.Hosts[name] {
			if !slices.Contains(approved.Hosts[name], h) {
				if more.Hosts == nil {
					more.Hosts = map[string][]string{}
				}
				more.Hosts[name] = append(more.Hosts[name], h)
			}
		}
	}
	for _, c := range r.Credentials {
		if !slices.Contains(approved.Credentials, c) {
			more.Credentials = append(more.Credentials, c)
		}
	}
	for _, c := range r.Config {
		if !slices.Contains(approved.Config, c) {
			more.Config = append(more.Config, c)
		}
	}
	more.Authentication = beyond(r.Authentication, approved.Authentication)
	more.Placements = beyond(r.Placements, approved.Placements)
	return more
}

func beyond(wanted, approved []sdk.Placement) (more []sdk.Placement) {
	for i := range wanted {
		if !Covered(&wanted[i], approved) {
			more = append(more, wanted[i])
		}
	}
	return more
}

// Covered says whether a placement is one of those, or narrower: of one operation, host, method or path where theirs is of any.
func Covered(p *sdk.Placement, by []sdk.Placement) bool {
	return slices.ContainsFunc(by, func(q sdk.Placement) bool {
		return q.Secret == p.Secret && q.In == p.In && q.Field == p.Field && q.Format == p.Format && q.Escapes == p.Escapes &&
			(q.Operation == "" || q.Operation == p.Operation) && (q.Host == "" || q.Host == p.Host) &&
			(q.Method == "" || q.Method == p.Method) && (q.Path == "" || q.Path == p.Path)
	})
}

// IsEmpty says that it is nothing.
func (r Reach) IsEmpty() bool {
	return len(r.Hosts) == 0 && len(r.Credentials) == 0 && len(r.Config) == 0 && len(r.Authentication) == 0 && len(r.Placements) == 0 && !r.PlainSecrets
}

// String lists it in words, for errors and logs. It holds names of the manifest's, never a value.
func (r Reach) String() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r.Hosts)) {
		for _, h := range r.Hosts[name] {
			all = append(all, name+" host "+h)
		}
	}
	for _, c := range r.Credentials {
		all = append(all, "credential "+c)
	}
	for _, c := range r.Config {
		all = append(all, "config "+c)
	}
	for _, p := range r.Authentication {
		all = append(all, "authentication "+PlacementText(p))
	}
	for _, p := range r.Placements {
		all = append(all, PlacementText(p))
	}
	if r.PlainSecrets {
		all = append(all, "the secrets themselves (plain_secrets)")
	}
	return strings.Join(all, "; ")
}

// plainly is a text of an adapter's author within a sentence of ours: as it is where it is one plain word, else quoted, so that it says nothing
// in our name and nothing in it is hidden.
func plainly(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"`,;()", r) }) {
		return strconv.QuoteToASCII(s)
	}
	return s
}

// PlacementText is a placement as a sentence: what, where in the request, in which form, of which requests.
func PlacementText(p sdk.Placement) string {
	s := p.Secret + " in " + p.In + " " + plainly(p.Field)
	if p.Format != "" {
		s += " as " + strconv.QuoteToASCII(p.Format)
	}
	if p.Escapes != "" {
		s += " escaped for " + plainly(p.Escapes)
	}
	if request := strings.TrimSpace(p.Method + " " + p.Host + plainly(p.Path)); request != "" {
		s += " of " + request
	}
	if p.Operation != "" {
		s += " (" + string(p.Operation) + ")"
	}
	return s
}

// Beyond is what the build with this hash and manifest reaches that no approval of these grants; empty when one grants all of it. With
// several it is what the newest lacks. hosts are Account.Hosts: where there are any, the manifest's count for nothing.
func (d OperatorDecisions) Beyond(hash string, m *sdk.Manifest, hosts []string) (more Reach) {
	if !slices.ContainsFunc(d.Approvals, func(a Approval) bool { return a.Hash == hash }) {
		wanted := ReachOf(m)
		if len(hosts) > 0 {
			wanted.Hosts = nil
		}
		more = wanted
		for i := range d.Approvals {
			if more = wanted.Beyond(d.Approvals[i].Reach); more.IsEmpty() {
				break
			}
		}
	}
	more.PlainSecrets = d.plain() && !d.PlainSecrets(hash)
	return more
}

// plain says that the account's adapter is given the secrets themselves. The newest approval decides.
func (d OperatorDecisions) plain() bool {
	return len(d.Approvals) > 0 && d.Approvals[len(d.Approvals)-1].PlainSecrets
}

// PlainSecrets says that the build with this hash is given the secrets themselves.
func (d OperatorDecisions) PlainSecrets(hash string) bool {
	for _, a := range slices.Backward(d.Approvals) {
		if a.Hash == hash {
			return a.PlainSecrets && d.plain()
		}
	}
	return false
}

// Approved is the newest approved reach; empty where nothing was approved.
func (d OperatorDecisions) Approved() Reach {
	if n := len(d.Approvals); n > 0 {
		return d.Approvals[n-1].Reach
	}
	return Reach{}
}

// approve adds a build's reach.
func (d *OperatorDecisions) approve(hash string, m *sdk.Manifest, by string, plain bool, at time.Time) {
	d.Approvals = append(slices.Clip(d.Approvals), Approval{At: at, By: by, Adapter: m.Name, Version: m.Version, Hash: hash,
		Reach: ReachOf(m), PlainSecrets: plain})
	d.Approvals = d.Approvals[max(0, len(d.Approvals)-maxApprovals):]
}

// rejectNotApproved is the code of a reject of ours; it is none of the protocol's.
const rejectNotApproved sdk.RejectCode = "not_approved"

func fieldKey(f sdk.Field) string {
	if f.Key != "" {
		return f.Key
	}
	return f.Name
}
