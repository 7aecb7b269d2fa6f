package wire

import (
	"fmt"
	"os"
	"strings"

	"payswitch/sdk"
)

// Readme compares README.md in the package's folder with the wanted text. With update it writes the file first.
func Readme(t TB, want string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if have, lines := strings.Split(string(got), "\n"), strings.Split(want, "\n"); string(got) != want {
		n := 0
		for n < len(have) && n < len(lines) && have[n] == lines[n] {
			n++
		}
		t.Errorf("README.md is out of date from line %d: run go test . -run Readme -update", n+1)
	}
}

// Fields returns the table of a connector account's fields for an adapter's README, in Markdown.
func Fields(m *sdk.Manifest) string {
	b := &strings.Builder{}
	b.WriteString("\n## Account\n\n| Field | Sent as | | |\n|---|---|---|---|\n")
	row := func(f sdk.Field, prefix string) {
		key, need := f.Key, "required"
		if key == "" {
			key = f.Name
		}
		if f.Optional {
			need = "optional"
		}
		fmt.Fprintf(b, "| %s | `%s%s` | %s | %s |\n", f.Label, prefix, key, need, f.Help)
	}
	for _, f := range m.Credentials {
		row(f, "")
	}
	for _, f := range m.Config {
		row(f, "metadata.")
	}
	return b.String()
}
