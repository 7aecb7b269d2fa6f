package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A new build must read what the old build stored: check --against finds one that does not, and names the case.
func TestPluginCheckAgainst(t *testing.T) {
	costly(t)
	t.Parallel()
	dir := newProject(t, "acme")
	stores := func(version string) {
		edit(t, filepath.Join(dir, "answer.go"), `o := &sdk.Outcome{Status: status, TransactionID: j.Str("id"), Amount: amount}`,
			`o := &sdk.Outcome{Status: status, TransactionID: j.Str("id"), Amount: amount, ConnectorData: &sdk.ConnectorData{Payment: "`+version+`" + j.Str("id")}}`)
	}
	build := func(out string) {
		code, _, stderr := author(t, dir, "plugin", "build", "-o", out)
		require.Equal(t, exitOK, code, stderr)
	}
	answer, err := os.ReadFile(filepath.Join(dir, "answer.go"))
	require.NoError(t, err)
	stores("1:")
	build("old.wasm")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "answer.go"), answer, 0o600))
	stores("2:")
	build("good.wasm")
	edit(t, filepath.Join(dir, "acme.go"), `func void(c *sdk.Call) (*sdk.Outcome, error) {`, `func void(c *sdk.Call) (*sdk.Outcome, error) {
	if kept := c.Request.Kept().Payment; kept != "" && kept[:2] != "2:" {
		return nil, sdk.Invalid("connector_data", "the data is of another version")
	}
	`)
	build("bad.wasm")
	code, stdout, stderr := author(t, dir, "plugin", "check", "good.wasm", "--against", "old.wasm")
	require.Equal(t, exitOK, code, stderr)
	require.Regexp(t, `(?m)^ok +next +the module reads what the older build stored with payments \([1-9]\d* tries\)`, stdout)
	code, stdout, stderr = author(t, dir, "plugin", "check", "bad.wasm", "--against", "old.wasm")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "broken rules: next")
	require.Contains(t, stdout, "void: acme.json:")
	require.Contains(t, stdout, "(case void): with the connector_data that the old build stored in ")
	require.Contains(t, stdout, "the data is of another version")
	code, _, stderr = author(t, dir, "plugin", "check", "good.wasm", "--against", "none.wasm")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "--against: there is no file none.wasm")
}
