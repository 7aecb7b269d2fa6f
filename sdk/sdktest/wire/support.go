package wire

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"payswitch/sdk"
)

// Support returns the support table of an adapter's README in Markdown: operations with the cases that show them, features, and differences
// from the files in fsys. missing holds the reason for each operation that the adapter does not offer.
func Support(a *sdk.Adapter, fsys fs.FS, o Options, missing map[sdk.Operation]string) (string, error) {
	requests, responses, err := Load(fsys, a.Manifest.Name)
	if err != nil {
		return "", err
	}
	m, err := sdk.DecodeManifest(a.ManifestMessage())
	if err != nil {
		return "", err
	}
	cases := map[sdk.Operation][]string{}
	o.Skip, o.Allow = union(requests.Skip, o.Skip), union(requests.Allow, o.Allow)
	r := runner{options: o, skip: ledger{o.Skip, map[string]bool{}}}
	for i := range requests.Cases {
		c := &requests.Cases[i]
		if _, skipped := r.skips([]string{"request/" + c.Name, c.Name}, c.Flow); !skipped {
			op := r.operation(c)
			cases[op] = append(cases[op], "`"+c.Name+"`")
		}
	}
	b := &strings.Builder{}
	b.WriteString("## Support\n\n| Operation | | Cases |\n|---|---|---|\n")
	for _, op := range sdk.Operations() {
		switch {
		case slices.Contains(m.Operations, op):
			fmt.Fprintf(b, "| %s | yes | %s |\n", op, strings.Join(cases[op], " "))
		case slices.Contains(m.Kind.Operations(), op):
			fmt.Fprintf(b, "| %s | – | %s |\n", op, cmp.Or(missing[op], "not offered"))
		}
	}
	if m.Authenticator != nil {
		b.WriteString(authenticatorTable(m))
	} else {
		b.WriteString(featureTable(m.Features))
	}
	if responses != nil {
		fmt.Fprintf(b, "\nAnswers under test: %d samples, %d decline codes, %d status tables.\n", len(responses.Samples), len(responses.Declines.Codes), len(responses.StatusTables))
	}
	if len(o.Skip)+len(o.Allow) == 0 {
		return b.String(), nil
	}
	b.WriteString("\n## Differences from the recorded requests and answers\n\n| Where | Why |\n|---|---|\n")
	for _, list := range []map[string]string{o.Skip, o.Allow} {
		for _, key := range slices.Sorted(maps.Keys(list)) {
			fmt.Fprintf(b, "| `%s` | %s |\n", key, list[key])
		}
	}
	return b.String(), nil
}

func featureTable(f sdk.Features) string {
	b := &strings.Builder{}
	b.WriteString("\n| Feature | |\n|---|---|\n")
	for _, row := range []struct {
		name string
		has  bool
	}{{"partial capture", f.PartialCapture}, {"several captures", f.MultipleCapture}, {"a capture above the authorization", f.OverCapture},
		{"approval of less than the amount", f.PartialApproval}, {"longer holds", f.ExtendedHold}, {"a partial capture releases the rest", f.ReleasesRest},
		{"partial refund", f.PartialRefund}, {"zero-amount verification", f.ZeroAmount}, {"3-D Secure of the processor", f.Processor3DS},
		{"3-D Secure done outside", f.External3DS}, {"stored credentials", f.StoredCredential}, {"charge by network transaction id", f.NetworkMIT},
		{"charge by the card alone", f.CardOnlyMIT},
		{"void before the customer has acted", f.PreAuthVoid}, {"void of a captured payment", f.VoidCaptured}} {
		fmt.Fprintf(b, "| %s | %s |\n", row.name, map[bool]string{true: "yes", false: "–"}[row.has])
	}
	claims := "–"
	if len(f.Installments) > 0 {
		fmt.Fprintf(b, "| installments | %v |\n", f.Installments)
	}
	for i, e := range f.Exemptions {
		if i == 0 {
			claims = string(e)
		} else {
			claims += ", " + string(e)
		}
	}
	fmt.Fprintf(b, "| exemptions in the authorization | %s |\n", claims)
	return b.String()
}

func authenticatorTable(m *sdk.Manifest) string {
	r := m.Authenticator
	b := &strings.Builder{}
	b.WriteString("\n| 3-D Secure | |\n|---|---|\n")
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "| %s | %s |\n", name, value)
		}
	}
	names := func(n int, name func(int) string) (s string) {
		for i := range n {
			s += ", " + name(i)
		}
		return strings.TrimPrefix(s, ", ")
	}
	seconds := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf("%d s", n)
	}
	row("channels", names(len(r.Channels), func(i int) string { return string(r.Channels[i]) }))
	row("versions", strings.Join(r.MessageVersions, ", "))
	row("networks", names(len(m.Networks), func(i int) string { return string(m.Networks[i]) }))
	row("3DS method", string(r.Method))
	row("challenge", string(r.Challenge))
	row("result", string(r.Result))
	row("what is prepared is good for", seconds(r.SessionTTL))
	row("a result can be asked for", seconds(r.ResultTTL))
	row("a push is proven by", string(r.PushAuthentication))
	row("decoupled", map[bool]string{true: "yes", false: "–"}[r.Decoupled])
	row("data only", map[bool]string{true: "yes", false: "–"}[r.DataOnly])
	return b.String()
}
