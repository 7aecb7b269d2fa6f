package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
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

// A comment, a document or an error says who does what, without the words that make a riddle of it.
func TestPlainWords(t *testing.T) {
	checked := 0
	for _, f := range trackedFiles(t) {
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

// mostWords is how many words a sentence has at most.
const mostWords = 25

// TestSentencesAreShort counts the words of each sentence in documents, comments and texts of the program. It leaves out migrations, which never change,
// and the reference that is made of the sdk's source.
func TestSentencesAreShort(t *testing.T) {
	counted, long := 0, []string{}
	for _, f := range trackedFiles(t) {
		if strings.HasPrefix(f, "storage/migrations/") || f == "sdk/ABI_REFERENCE.md" {
			continue
		}
		for _, p := range paragraphs(t, f) {
			for _, s := range sentences(p.text) {
				if counted++; words(s) > mostWords {
					long = append(long, fmt.Sprintf("%s:%d: %d words: %s", f, p.line, words(s), s))
				}
			}
		}
	}
	require.Greater(t, counted, 30_000)
	require.Empty(t, long, "say one thing in a sentence, in at most %d words:\n%s", mostWords, strings.Join(long, "\n"))
}

func TestSentencesAreCounted(t *testing.T) {
	for text, want := range map[string][]int{
		"One two. Three four five!":              {2, 3},
		"It says `a b c` and \"d e\": then more": {5, 2},
		"See [the guide](a/b.md) for v1.2 of it": {7},
		"Nothing - but: a dash":                  {2, 2},
	} {
		var got []int
		for _, s := range sentences(text) {
			got = append(got, words(s))
		}
		require.Equal(t, want, got, text)
	}
	require.Equal(t, []passage{{1, " one two"}, {4, " * three four"}, {6, " * five"}}, textParagraphs("one\ntwo\n\n* three\nfour\n* five", "", 1)[:3])
}

// listItem begins a paragraph of its own in a document.
var listItem = regexp.MustCompile(`^\s*(?:[-*+]|\d+\.)\s`)

// paragraphs returns the paragraphs for people in a file: a document's, the comments of source, and the strings of a Go program. Code, tables and
// headings are left out.
func paragraphs(t *testing.T, file string) (all []passage) {
	t.Helper()
	ext := filepath.Ext(file)
	marker := map[string]string{".sql": "--", ".yaml": "#", ".sh": "#"}[ext]
	if ext != ".go" && ext != ".md" && marker == "" || strings.Contains(file, "/testdata/") {
		return nil
	}
	source, err := os.ReadFile(filepath.Join(root, file))
	require.NoError(t, err)
	if ext == ".go" {
		return goParagraphs(t, file, source)
	}
	return textParagraphs(string(source), marker, 1)
}

// textParagraphs joins the lines of each paragraph. With a marker only the lines that begin with it count.
func textParagraphs(text, marker string, from int) (all []passage) {
	fence, open := false, false
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if marker != "" {
			var comment bool
			if trimmed, comment = strings.CutPrefix(trimmed, marker); !comment {
				open = false
				continue
			}
			if strings.HasPrefix(trimmed, "   ") { // a command
				open = false
				continue
			}
			trimmed = strings.TrimSpace(trimmed)
		}
		if strings.HasPrefix(trimmed, "```") {
			fence, open = !fence, false
			continue
		}
		code := marker == "" && (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"))
		if fence || trimmed == "" || code && !open || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "#") {
			open = false
			continue
		}
		if !open || listItem.MatchString(line) {
			all = append(all, passage{from + i, ""})
		}
		p := &all[len(all)-1]
		p.text, open = p.text+" "+trimmed, true
	}
	return all
}

func goParagraphs(t *testing.T, file string, source []byte) (all []passage) {
	t.Helper()
	if generated.Match(source) {
		return nil
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, group := range tree.Comments {
		all = append(all, textParagraphs(group.Text(), "", set.Position(group.Pos()).Line)...)
	}
	for _, p := range shownTexts(t, file) {
		if !strings.ContainsAny(p.text, "{}<>\n") && !strings.Contains(p.text, "SELECT") {
			all = append(all, p)
		}
	}
	return all
}

// span is code in a sentence: it counts as one word.
var span = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|\\]\\([^)]*\\)")

// ends is the end of a sentence. After a colon or a semicolon another sentence begins.
var ends = regexp.MustCompile(`[.!?:;][)"'*]*\s+`)

var word = regexp.MustCompile(`[\pL\pN]`)

// sentences returns the sentences of a paragraph.
func sentences(text string) []string {
	text = span.ReplaceAllString(text, "X ")
	return ends.Split(strings.TrimSpace(text), -1)
}

func words(sentence string) (n int) {
	for _, w := range strings.Fields(sentence) {
		if word.MatchString(w) {
			n++
		}
	}
	return n
}
