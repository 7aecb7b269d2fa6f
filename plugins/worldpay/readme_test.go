package worldpay_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/worldpay"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

var update = flag.Bool("update", false, "write README.md anew")

// TestReadme keeps README.md what manifest and cases say.
func TestReadme(t *testing.T) {
	want := readme(t)
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(want), 0o644))
	}
	got, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Equal(t, want, string(got), "go test ./plugins/worldpay -run Readme -update")
}

func readme(t *testing.T) string {
	m, err := sdk.DecodeManifest(worldpay.Adapter().ManifestMessage())
	require.NoError(t, err)
	requests, responses, err := wire.Load(os.DirFS("testdata"), m.Name)
	require.NoError(t, err)
	cases := map[sdk.Operation][]string{}
	for _, c := range requests.Cases {
		if _, skipped := facts.Skip[c.Name]; !skipped {
			op := wire.Operation(c.Flow)
			cases[op] = append(cases[op], "`"+c.Name+"`")
		}
	}
	b := &strings.Builder{}
	b.WriteString(about)
	b.WriteString("\n## Support\n\n| Operation | | Cases |\n|---|---|---|\n")
	for _, op := range sdk.Operations() {
		if slices.Contains(m.Operations, op) {
			fmt.Fprintf(b, "| %s | yes | %s |\n", op, strings.Join(cases[op], " "))
		} else if op != sdk.OpPrepare && op != sdk.OpAuthenticate && op != sdk.OpResult {
			fmt.Fprintf(b, "| %s | – | %s |\n", op, missing[op])
		}
	}
	f := m.Features
	b.WriteString("\n| Feature | |\n|---|---|\n")
	for _, row := range []struct {
		name string
		has  bool
	}{{"partial capture", f.PartialCapture}, {"several captures", f.MultipleCapture}, {"a partial capture releases the rest", f.ReleasesRest}, {"partial refund", f.PartialRefund},
		{"zero amount", f.ZeroAmount}, {"3-D Secure of the processor", f.Processor3DS}, {"3-D Secure done outside", f.External3DS},
		{"stored credentials", f.StoredCredential}, {"charge by network transaction id", f.NetworkMIT}} {
		fmt.Fprintf(b, "| %s | %s |\n", row.name, map[bool]string{true: "yes", false: "–"}[row.has])
	}
	fmt.Fprintf(b, "\nAnswers under test: %d samples, %d decline codes, the status tables and a signed message.\n", len(responses.Samples), len(responses.Declines.Codes))
	b.WriteString("\n## Differences from the recorded requests\n\n| Case or field | Why |\n|---|---|\n")
	for _, reasons := range []map[string]string{facts.Skip, facts.Allow} {
		for _, key := range slices.Sorted(maps.Keys(reasons)) {
			fmt.Fprintf(b, "| `%s` | %s |\n", key, reasons[key])
		}
	}
	return b.String()
}
