package approval

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/sdk"
)

// OperatorDecisions are the decisions about a connector account that only the operator takes. Account.BaseURL and Hosts are two more.
type OperatorDecisions struct {
	// Approvals are the approved reaches of the account's adapter, newest last, at most maxApprovals. The first one is made with the
	// account: it approves the build that is installed then.
	Approvals []Approval `json:"approvals,omitempty"`
}

// Approval is the approved reach of one build of an adapter.
type Approval struct {
	At      time.Time `json:"at"`
	By      Origin    `json:"by"`
	Adapter string    `json:"adapter"`
	Version string    `json:"version"`
	Hash    string    `json:"sha256"`
	Reach   Reach     `json:"reach"`
	// PlainSecrets gives this build the account's secrets themselves instead of stand-ins. It is for an adapter that must compute with a
	// secret.
	PlainSecrets bool `json:"plain_secrets,omitempty"`
}

// Origin is where an approval comes from. Its constants are stored.
type Origin string

const (
	ApprovedAtCreation Origin = "creation"
	ApprovedByOperator Origin = "operator"
)

// maxApprovals limits the number of stored approvals. Open operations need the approval that was valid when they began.
const maxApprovals = 20

// Reach is what an adapter build can do with an account's secrets: the hosts, the credentials and their form, the config with its defaults,
// and the places of secrets in requests. The zero value is no reach.
type Reach struct {
	Hosts       map[string][]string `json:"hosts,omitempty"`       // by environment, as in the manifest
	Credentials []string            `json:"credentials,omitempty"` // such as "api_key as secret_key (secret)": API key, name for the adapter, type
	// Config lists the fields that the adapter gets from the account's metadata, such as "region as region (enum: eu, us; default eu)".
	// Approvals from before this list existed have no Config. Such an approval holds for its own build; the next build with config needs an
	// approval.
	Config []string `json:"config,omitempty"`
	// Authentication and Placements are copied from the manifest.
	Authentication []sdk.Placement `json:"authentication,omitempty"`
	Placements     []sdk.Placement `json:"placements,omitempty"`
	// PlainSecrets is true if the adapter gets the secrets themselves. No manifest can ask for that. An account whose adapter had them
	// needs a new approval of them for the next build.
	PlainSecrets bool `json:"plain_secrets,omitempty"`
}

// ReachOf returns the reach that a manifest asks for.
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
		r.Credentials = append(r.Credentials, FieldKey(*f)+" as "+f.Name+" ("+string(f.Type)+")")
	}
	for i := range m.Config {
		r.Config = append(r.Config, configText(&m.Config[i]))
	}
	return r
}

// configText describes a config field with all texts from its author: the values to choose from and the default. Both reach the adapter as
// if the merchant had written them.
func configText(f *sdk.Field) string {
	s := FieldKey(*f) + " as " + f.Name + " (" + string(f.Type)
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

// caution is the risk that a list of placements cannot show.
const caution = "The host checks the fields that are declared here, and fields and values that look like credentials. If the processor also takes a login, " +
	"an account or a sub-account from other fields of a request, the adapter could name another account there."

// Caution returns what an operator must know before approving the reach, or "". The host can check a request only in the fields that it
// knows.
func (r Reach) Caution() string {
	if slices.ContainsFunc(r.Placements, func(p sdk.Placement) bool { return p.Secret == "card_number" || p.Secret == "cvc" }) {
		return caution
	}
	return ""
}

// Beyond returns the part of r that approved lacks.
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

// Covered reports whether one of by allows the placement p. An entry without an operation, host, method or path allows any.
func Covered(p *sdk.Placement, by []sdk.Placement) bool {
	return slices.ContainsFunc(by, func(q sdk.Placement) bool {
		return q.Secret == p.Secret && q.In == p.In && q.Field == p.Field && q.Format == p.Format && q.Escapes == p.Escapes &&
			(q.Operation == "" || q.Operation == p.Operation) && (q.Host == "" || q.Host == p.Host) &&
			(q.Method == "" || q.Method == p.Method) && (q.Path == "" || q.Path == p.Path)
	})
}

// IsEmpty reports whether the reach is empty.
func (r Reach) IsEmpty() bool {
	return len(r.Hosts) == 0 && len(r.Credentials) == 0 && len(r.Config) == 0 && len(r.Authentication) == 0 && len(r.Placements) == 0 && !r.PlainSecrets
}

// String lists the reach in words, for errors and logs. It contains names from the manifest, never a value.
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

// plainly returns an author's text for use in a sentence of payswitch. It returns one plain word as it is, and any other text quoted. So
// the text cannot pass for payswitch's words, and no part of it is hidden.
func plainly(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"`,;()", r) }) {
		return strconv.QuoteToASCII(s)
	}
	return s
}

// PlacementText describes a placement as a sentence: the secret, its place in the request, its form, and the requests.
func PlacementText(p sdk.Placement) string {
	s := p.Secret + " in " + string(p.In) + " " + plainly(p.Field)
	if p.Format != "" {
		s += " as " + strconv.QuoteToASCII(p.Format)
	}
	if p.Escapes != "" {
		s += " escaped for " + plainly(string(p.Escapes))
	}
	if request := strings.TrimSpace(p.Method + " " + p.Host + plainly(p.Path)); request != "" {
		s += " of " + request
	}
	if p.Operation != "" {
		s += " (" + string(p.Operation) + ")"
	}
	return s
}

// Beyond returns the part of a build's reach that no approval grants. It is empty if one approval grants all of it; otherwise it is the
// part that the newest approval lacks. hosts are Account.Hosts: if there are any, they replace the manifest's hosts.
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

// plain reports whether the newest approval gives the adapter the secrets themselves.
func (d OperatorDecisions) plain() bool {
	return len(d.Approvals) > 0 && d.Approvals[len(d.Approvals)-1].PlainSecrets
}

// PlainSecrets reports whether the build with this hash gets the secrets themselves.
func (d OperatorDecisions) PlainSecrets(hash string) bool {
	for _, a := range slices.Backward(d.Approvals) {
		if a.Hash == hash {
			return a.PlainSecrets && d.plain()
		}
	}
	return false
}

// Approved returns the newest approved reach, or an empty one.
func (d OperatorDecisions) Approved() Reach {
	if n := len(d.Approvals); n > 0 {
		return d.Approvals[n-1].Reach
	}
	return Reach{}
}

// Approve adds the reach of a build to the approvals.
func (d *OperatorDecisions) Approve(hash string, m *sdk.Manifest, by Origin, plain bool, at time.Time) {
	d.Approvals = append(slices.Clip(d.Approvals), Approval{At: at, By: by, Adapter: m.Name, Version: m.Version, Hash: hash,
		Reach: ReachOf(m), PlainSecrets: plain})
	d.Approvals = d.Approvals[max(0, len(d.Approvals)-maxApprovals):]
}

// RejectNotApproved is payswitch's own reject code; the adapter protocol does not have it.
const RejectNotApproved sdk.RejectCode = "not_approved"

func FieldKey(f sdk.Field) string {
	if f.Key != "" {
		return f.Key
	}
	return f.Name
}
