package simulator3ds

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the tables of README.md anew")

// TestReadme keeps the tables of README.md what the code says.
func TestReadme(t *testing.T) {
	const mark = "<!-- generated: go test ./plugins/simulator3ds -run Readme -update -->\n\n"
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	before, _, found := strings.Cut(string(b), mark)
	require.True(t, found)
	want := before + mark + strings.TrimSpace(markdown()) + "\n"
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(b), "README.md is not what the code says: go test ./plugins/simulator3ds -run Readme -update")
}
