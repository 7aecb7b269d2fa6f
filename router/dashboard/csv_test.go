package dashboard

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHarmless: no cell of an export begins a formula, whatever character a spreadsheet takes for the separator of cells: in many countries it is the
// semicolon, and quotes inside of a line then bind nothing.
func TestHarmless(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"": "", "Ada": "Ada", "a-b": "a-b", "1 - 2": "1 - 2", "Books; pens": "Books; pens", "a@b.example": "a@b.example", "x = y": "x = y", "a|b": "a|b",
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "\t'=1", "\r=1": "\r'=1", " =1": "' =1", "\n=1": "\n'=1", "＝1+1": "'＝1+1", "＠x": "'＠x",
		"order;=cmd|' /c calc'!A0": "order;'=cmd|' /c calc'!A0", "a; =1": "a;' =1", "a;\"=1": "a;'\"=1", "a\t+1": "a\t'+1", "a\n@x": "a\n'@x", "a\r\n-1": "a\r\n'-1",
		";=1;=2": ";'=1;'=2", "a;;=1": "a;;'=1", "a;\u00a0=1": "a;'\u00a0=1",
	} {
		require.Equal(t, want, harmless(cell), "%q", cell)
	}
}
