package router_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDifferencesFromV1: what V1.md says of the calls that payswitch does not offer.
func TestDifferencesFromV1(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, table, found := strings.Cut(readFile(t, "V1.md"), "## Not offered")
	require.True(t, found)
	refused, others, found := strings.Cut(table, "\n\n`POST /payments/{payment_id}/post_session_tokens`")
	require.True(t, found)
	calls := 0
	for _, row := range strings.Split(refused, "\n") {
		if !strings.HasPrefix(row, "| `") {
			continue
		}
		for _, call := range regexp.MustCompile("`([A-Z]+) (/[^`]*)`").FindAllStringSubmatch(strings.Split(row, " | ")[0], -1) {
			path := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(call[2], "x")
			for _, key := range []string{w.secret, adminKey} {
				w.send(call[1], path, key, "").refused(404, "IR_02", "Unrecognized request URL")
			}
			calls++
		}
	}
	require.Equal(t, 10, calls)
	require.Contains(t, others, "501 `IR_00`")

	w.send("POST", "/payments", w.secret, `{"description":"`+strings.Repeat("a", 40_000)+`"}`).refused(413, "IR_06", "")
	w.get("/payments/list?colour=red").refused(400, "IR_06", "colour")
	unproven := func(path string) any { r := w.send("POST", path, "", `{}`); return []any{r.status, r.error()["code"]} }
	require.Equal(t, []any{401, "WE_01"}, unproven("/webhooks/none/stripe"))
	require.Equal(t, []any{401, "WE_01"}, unproven("/webhooks/"+merchant+"/mca_none"))
}
