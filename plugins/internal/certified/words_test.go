package certified

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Every recorded case of this repository's adapters speaks the SDK's words, so that plugin check judges it too.
func TestCasesSpeakTheSDKsWords(t *testing.T) {
	files, err := filepath.Glob("../../*/testdata/*.json")
	require.NoError(t, err)
	cases := 0
	for _, file := range files {
		if filepath.Base(file) == "client.schema.json" {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		type named struct{ Name, Operation, Flow string }
		var all struct {
			Schema  string  `json:"$schema"`
			Cases   []named `json:"cases"`
			Samples []named `json:"samples"`
			Tables  []named `json:"status_tables"`
		}
		require.NoError(t, json.Unmarshal(text, &all), file)
		require.NotEmpty(t, all.Schema, "%s names no schema", file)
		for _, list := range [][]named{all.Cases, all.Samples, all.Tables} {
			for _, c := range list {
				require.NotEmpty(t, c.Operation, "%s: case %s names no operation", file, c.Name)
				require.Empty(t, c.Flow, "%s: case %s", file, c.Name)
				cases++
			}
		}
	}
	require.Greater(t, cases, 500)
}

// maxColumns is the length of a line in an adapter's source that people read without scrolling. A tab counts as one column.
const maxColumns = 120

// The sources of the adapters have no line that is too long to read.
func TestLinesOfAdapters(t *testing.T) {
	packages, err := filepath.Glob("../../*/wasm")
	require.NoError(t, err)
	require.NotEmpty(t, packages)
	for _, pkg := range packages {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(pkg), "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			n := 0
			for line := range strings.Lines(string(text)) {
				n++
				columns := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
				require.LessOrEqual(t, columns, maxColumns, "%s:%d: the line is too long: break it", file, n)
			}
		}
	}
}

// The SDK's README states the lines of the processors' adapters, each rounded to tens.
func TestReadmeStatesLines(t *testing.T) {
	readme, err := os.ReadFile("../../../sdk/README.md")
	require.NoError(t, err)
	stated := regexp.MustCompile(`have (\d+) to (\d+) lines, (\d+) on average`).FindSubmatch(readme)
	require.Len(t, stated, 4)
	var lines []int
	total := 0
	for _, name := range []string{"adyen", "authorizedotnet", "bluesnap", "braintree", "checkout", "cybersource", "globalpay", "mollie", "nmi", "paypal", "stripe", "worldpay"} {
		files, err := filepath.Glob(filepath.Join("../..", name, "*.go"))
		require.NoError(t, err)
		n := 0
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				n += strings.Count(string(text), "\n")
			}
		}
		lines, total = append(lines, n), total+n
	}
	for i, n := range []int{slices.Min(lines), slices.Max(lines), total / len(lines)} {
		says, err := strconv.Atoi(string(stated[i+1]))
		require.NoError(t, err)
		require.InDelta(t, says, n, 10, fmt.Sprintf("sdk/README.md: %s", stated[0]))
	}
}
