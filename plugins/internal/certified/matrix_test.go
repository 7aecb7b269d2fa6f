package certified

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/adyen"
	"payswitch/plugins/authorizedotnet"
	"payswitch/plugins/bluesnap"
	"payswitch/plugins/braintree"
	"payswitch/plugins/checkout"
	"payswitch/plugins/cybersource"
	"payswitch/plugins/globalpay"
	"payswitch/plugins/mollie"
	"payswitch/plugins/nmi"
	"payswitch/plugins/paypal"
	"payswitch/plugins/stripe"
	"payswitch/plugins/worldpay"
	"payswitch/sdk"
)

var update = flag.Bool("update", false, "write the matrix of processors and features into plugins/README.md")

// TestMatrix keeps the table of plugins/README.md like the manifests of the built-in processors.
func TestMatrix(t *testing.T) {
	const file, begin, end = "../../README.md", "<!-- matrix: go test ./plugins/internal/certified -run Matrix -update -->\n", "<!-- end of matrix -->"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	was, after, found := strings.Cut(rest, end)
	require.True(t, found)
	now, wrong := matrix()
	require.Empty(t, wrong, "documents.txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(before+begin+now+end+after), 0o644))
		return
	}
	require.Equal(t, now, was, "run go test ./plugins/internal/certified -run Matrix -update")
}

//go:embed documents.txt
var documents string

// lacks begins the reason why an adapter does not offer a feature, in place of an address.
const lacks = "not: "

// documentOf returns the addresses of documents, by processor and feature. Wrong are lines that repeat a feature or have no address.
func documentOf() (at map[[2]string]string, wrong []string) {
	at = map[[2]string]string{}
	for line := range strings.Lines(documents) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " | ")
		if len(parts) != 3 || !strings.HasPrefix(parts[2], "https://") && !strings.HasPrefix(parts[2], lacks) {
			wrong = append(wrong, line)
			continue
		}
		for _, feature := range strings.Split(parts[1], "; ") {
			key := [2]string{parts[0], feature}
			if at[key] != "" {
				wrong = append(wrong, strings.Join(key[:], ": "))
			}
			at[key] = parts[2]
		}
	}
	return at, wrong
}

// processors returns the manifests of the built-in processors, in the order of their names.
func processors() (manifests []*sdk.Manifest) {
	for _, a := range []*sdk.Adapter{adyen.Adapter(), authorizedotnet.Adapter(), bluesnap.Adapter(), braintree.Adapter(), checkout.Adapter(), cybersource.Adapter(),
		globalpay.Adapter(), mollie.Adapter(), nmi.Adapter(), paypal.Adapter(), stripe.Adapter(), worldpay.Adapter()} {
		m, err := sdk.DecodeManifest(a.ManifestMessage())
		if err != nil {
			panic(err)
		}
		manifests = append(manifests, m)
	}
	return manifests
}

// matrix returns the table: a row for each feature, a column for each processor. Each feature links the processor's document. Wrong are the mistakes
// in documents.txt.
func matrix() (table string, wrong []string) {
	at, wrong := documentOf()
	manifests := processors()
	offers := func(op sdk.Operation) func(m *sdk.Manifest) bool {
		return func(m *sdk.Manifest) bool { return slices.Contains(m.Operations, op) }
	}
	b := &strings.Builder{}
	b.WriteString("\n| |")
	for _, m := range manifests {
		fmt.Fprintf(b, " [%s](%s/README.md) |", m.Name, m.Name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(manifests)) + "\n")
	for _, row := range []struct {
		name string
		has  func(m *sdk.Manifest) bool
	}{
		{"partial capture", func(m *sdk.Manifest) bool { return m.Features.PartialCapture }},
		{"several captures", func(m *sdk.Manifest) bool { return m.Features.MultipleCapture }},
		{"raised authorizations", offers(sdk.OpIncrementalAuthorize)},
		{"longer holds, with the authorization", func(m *sdk.Manifest) bool { return m.Features.ExtendedHold }},
		{"longer holds, later", offers(sdk.OpExtendAuthorization)},
		{"captures above the authorization", func(m *sdk.Manifest) bool { return m.Features.OverCapture }},
		{"approval of a part, if allowed", func(m *sdk.Manifest) bool { return m.Features.PartialApproval }},
		{"installments", func(m *sdk.Manifest) bool { return len(m.Features.Installments) > 0 }},
		{"void", offers(sdk.OpVoid)},
		{"void after the capture", func(m *sdk.Manifest) bool { return m.Features.VoidCaptured }},
		{"partial refund", func(m *sdk.Manifest) bool { return m.Features.PartialRefund }},
		{"verification without an amount", offers(sdk.OpVerify)},
		{"stored credentials", func(m *sdk.Manifest) bool { return m.Features.StoredCredential }},
		{"charges by network transaction id", func(m *sdk.Manifest) bool { return m.Features.NetworkMIT }},
		{"charges by the card alone", func(m *sdk.Manifest) bool { return m.Features.CardOnlyMIT }},
		{"exemptions claimed with the payment", func(m *sdk.Manifest) bool { return len(m.Features.Exemptions) > 0 }},
		{"3-D Secure of the processor", func(m *sdk.Manifest) bool { return m.Features.Processor3DS }},
		{"3-D Secure done outside", func(m *sdk.Manifest) bool { return m.Features.External3DS }},
		{"disputes: accept", offers(sdk.OpAcceptDispute)},
		{"disputes: evidence", offers(sdk.OpSubmitEvidence)},
		{"disputes: files", offers(sdk.OpAttachEvidence)},
		{"disputes: queries", offers(sdk.OpDisputeSync)},
		{"queries", offers(sdk.OpSync)},
		{"messages", offers(sdk.OpWebhook)},
	} {
		fmt.Fprintf(b, "| %s |", row.name)
		for _, m := range manifests {
			key := [2]string{m.Name, row.name}
			reason, explained := strings.CutPrefix(at[key], lacks)
			if !row.has(m) {
				if b.WriteString(" –"); explained {
					b.WriteString(" (" + reason + ")")
					delete(at, key)
				}
				b.WriteString(" |")
				continue
			}
			if at[key] == "" || explained {
				wrong = append(wrong, "no document of "+strings.Join(key[:], ": "))
			}
			fmt.Fprintf(b, " [yes](%s) |", at[key])
			delete(at, key)
		}
		b.WriteString("\n")
	}
	for key := range at {
		wrong = append(wrong, "a document of what is not offered: "+strings.Join(key[:], ": "))
	}
	return b.String() + "\n", wrong
}
