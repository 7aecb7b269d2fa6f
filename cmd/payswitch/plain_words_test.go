package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// riddles are words that stand in a sentence without saying who does what. "nil if there is none" is plain, "the status is none" is not.
var riddles = regexp.MustCompile(`(?i)\b(?:\w+ (?:is|are) none|(?:is|are|was|were) told|nobody|whoever|beside|tells|of which)\b`)

// plain removes the uses of a riddle's word that are plain: "if there is none", "each of which answer", names in code.
var plain = regexp.MustCompile(`(?i)\bthere (?:is|are) none\b|\bwhich \w+ of which\b|` + "`[^`]*`|\"[^\"]*\"")

// A comment, a document or an error says who does what, without the words that make a riddle of it. The sdk and the adapters are left out: a changed word
// there makes every module anew.
func TestPlainWords(t *testing.T) {
	checked := 0
	for _, f := range trackedFiles(t) {
		if strings.HasPrefix(f, "sdk/") || isAdapter(f) && filepath.Ext(f) == ".go" {
			continue
		}
		for _, p := range append(prose(t, f), shownTexts(t, f)...) {
			checked++
			if found := riddles.FindString(plain.ReplaceAllString(p.text, "")); found != "" {
				t.Errorf("%s:%d: %q: name who does it, or what it is, as in \"the processor reports\": %s", f, p.line, found, strings.TrimSpace(p.text))
			}
		}
	}
	require.Greater(t, checked, 10_000)
}

func TestPlainWordsAreFound(t *testing.T) {
	for text, want := range map[string]string{
		"an amount that is none in the currency":   "that is none",
		"returns the amount, nil if there is none": "",
		"the adapter is told so":                   "is told",
		"a refund of which nothing is known":       "of which",
		"It declares which field of which answer":  "",
		"Whoever sent it":                          "Whoever",
		"`tells` is a column":                      "",
	} {
		require.Equal(t, want, riddles.FindString(plain.ReplaceAllString(text, "")), text)
	}
}

// isAdapter reports whether a file belongs to an adapter's folder.
func isAdapter(file string) bool {
	return strings.Count(file, "/") > 1 && strings.HasPrefix(area("payswitch/"+file), "plugins/")
}

// shownTexts returns the texts of a Go program that people may read: its strings with at least three words.
func shownTexts(t *testing.T, file string) (all []passage) {
	t.Helper()
	if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") {
		return nil
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, filepath.Join(root, file), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(tree, func(n ast.Node) bool {
		s, ok := n.(*ast.BasicLit)
		if !ok || s.Kind != token.STRING {
			return true
		}
		if text, err := strconv.Unquote(s.Value); err == nil && strings.Count(text, " ") > 1 {
			all = append(all, passage{set.Position(s.Pos()).Line, text})
		}
		return true
	})
	return all
}
