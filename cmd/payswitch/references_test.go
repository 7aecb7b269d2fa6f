package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReferences checks every reference in documents and comments. A linked or mentioned file must be in the repository, and a linked anchor or a
// quoted heading must be in that file. A comment cites a heading of a document, never the number of a section.
func TestReferences(t *testing.T) {
	files := trackedFiles(t)
	r := &references{files: map[string]bool{}, names: map[string]bool{}, headings: map[string][]string{}}
	for _, f := range files {
		r.files[f], r.names[path.Base(f)] = true, true
		for dir := path.Dir(f); dir != "."; dir = path.Dir(dir) {
			r.files[dir] = true
		}
	}
	for _, f := range files {
		if filepath.Ext(f) == ".md" {
			r.headings[f] = headings(t, f)
		}
	}
	for _, f := range files {
		for _, text := range prose(t, f) {
			for _, problem := range r.problems(f, text.text) {
				t.Errorf("%s:%d: %s", f, text.line, problem)
			}
			r.checked++
		}
	}
	require.Greater(t, r.checked, 1000)
}

// TestRationaleIsShort checks that the table of engine/RATIONALE.md leads to each page of decisions, and that pages and entries stay short. An entry
// begins with its decision.
func TestRationaleIsShort(t *testing.T) {
	const table = "engine/RATIONALE.md"
	text, err := os.ReadFile(filepath.Join(root, table))
	require.NoError(t, err)
	linked := map[string]bool{table: true}
	for _, m := range link.FindAllStringSubmatch(string(text), -1) {
		linked[path.Join(path.Dir(table), m[1])] = true
	}
	pages, entries := 0, 0
	for _, file := range trackedFiles(t) {
		if path.Base(file) != "RATIONALE.md" {
			continue
		}
		pages++
		require.True(t, linked[file], "the table of %s does not list %s", table, file)
		text, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		require.Less(t, strings.Count(string(text), "\n"), 90, "%s is too long: give a subject its own page, next to its package", file)
		for _, entry := range strings.Split(string(text), "\n- ")[1:] {
			entries++
			entry, _, _ = strings.Cut(entry, "\n#")
			require.True(t, strings.HasPrefix(entry, "**"), "an entry of %s does not begin with its decision: %.80s", file, entry)
			require.Less(t, len(strings.Fields(entry)), 120, "an entry of %s is too long: %.80s", file, entry)
		}
	}
	require.Greater(t, pages, 25)
	require.Greater(t, entries, 150)
}

// TestReferencesAreFound shows that each kind of wrong reference is found.
func TestReferencesAreFound(t *testing.T) {
	r := &references{files: map[string]bool{"sdk": true, "sdk/ABI.md": true, "sdk/hash.go": true, "engine": true}, names: map[string]bool{"ABI.md": true, "hash.go": true},
		headings: map[string][]string{"sdk/ABI.md": {"4. Blind secrets", "Request hash"}}}
	for text, want := range map[string]string{
		"[x](../sdk/ABI.md#4-blind-secrets)":      "",
		"[x](../sdk/ABI.md#blind-secrets)":        `sdk/ABI.md has no heading with the anchor "blind-secrets"`,
		"[x](../sdk/ABI.txt)":                     "the link ../sdk/ABI.txt leads nowhere",
		"see sdk/ABI.md, \"Request hash\"":        "",
		"see ABI.md":                              "ABI.md is not in the repository",
		"see sdk/ABI.md, \"Hash\"":                `sdk/ABI.md has no heading "Hash"`,
		"see sdk/ABI.md, section 4":               "quote the heading",
		"(section 4 of sdk/ABI.md)":               "quote the heading",
		"hash.go computes it":                     "",
		"sum.go computes it":                      "sum.go is not in the repository",
		"sdk/sum.go":                              "sdk/sum.go is not in the repository",
		"package engine/vault":                    "engine/vault is not in the repository",
		"the rule of spec §4":                     "cites the number of a section",
		"see contract/limits for more":            "contract/ is not in the repository",
		"an adapter has a README.md of its own":   "",
		"https://example.com/docs/ABI.md#x is on": "",
	} {
		got := r.problems("plugins/host.go", text)
		if want == "" {
			require.Empty(t, got, text)
			continue
		}
		require.Contains(t, strings.Join(got, "\n"), want, text)
	}
}

// references are the files that text may refer to.
type references struct {
	files    map[string]bool     // paths of files and folders
	names    map[string]bool     // last parts of the files' paths
	headings map[string][]string // by document
	checked  int
}

var (
	webAddress    = regexp.MustCompile(`\b[a-z]+://[^\s)>"'` + "`" + `]+`)
	link          = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]*))?\)`)
	wholeLink     = regexp.MustCompile(`\[[^]]*\]\([^)]*\)`)
	mentioned     = regexp.MustCompile(`[\w./<>*…{}$-]*\.(?:md|go|sql)\b`)
	quotedHeading = regexp.MustCompile(`([\w./-]+\.md)\)?[,:]? "([^"\n]+)"`)
	numbered      = regexp.MustCompile(`\.md\)?,? \(?(?:section|chapter)s? \d|(?:section|chapter)s? \d+ of \[?[\w./]+\.md`)
	inFolder      = regexp.MustCompile(`(?:^|[\s(\x60"])((?:cmd|router|engine|plugins|sdk|storage)/[a-z][\w/-]*(?:\.[a-z]+)?)`)
	ofGo          = regexp.MustCompile(`^cmd/(?:internal|link|compile|go)/`) // packages of the Go distribution
)

// problems lists the wrong references in a text of a file.
func (r *references) problems(file, text string) (all []string) {
	wrong := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	text = webAddress.ReplaceAllString(text, "")
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		target := file
		if m[1] != "" {
			target = path.Join(path.Dir(file), m[1])
		}
		switch {
		case !r.files[target]:
			wrong("the link %s leads nowhere", m[1])
		case m[2] != "" && !slices.Contains(anchors(r.headings[target]), m[2]):
			wrong("%s has no heading with the anchor %q", target, m[2])
		}
	}
	text = wholeLink.ReplaceAllString(text, "")
	for _, name := range mentioned.FindAllString(text, -1) {
		name = strings.TrimPrefix(name, "./")
		pattern := strings.ContainsAny(name, "<>*…{}$") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
		if !pattern && r.resolve(file, name) == "" {
			wrong("%s is not in the repository: name the file as it is called there", name)
		}
	}
	for _, m := range quotedHeading.FindAllStringSubmatch(text, -1) {
		if document := r.resolve(file, m[1]); document != "" && r.headings[document] != nil && !slices.Contains(r.headings[document], m[2]) {
			wrong("%s has no heading %q", document, m[2])
		}
	}
	if m := numbered.FindString(text); m != "" {
		wrong("%q: quote the heading instead of a number", m)
	}
	for _, m := range inFolder.FindAllStringSubmatch(mentioned.ReplaceAllString(text, ""), -1) {
		if name := strings.TrimSuffix(m[1], "/"); r.resolve(file, name) == "" && !ofGo.MatchString(name) {
			wrong("%s is not in the repository", name)
		}
	}
	if strings.Contains(text, "§") {
		wrong("the text cites the number of a section (§): name a file of the repository and quote its heading")
	}
	if regexp.MustCompile(`\bcontract/`).MatchString(text) {
		wrong("contract/ is not in the repository: name a file that is")
	}
	return all
}

// resolve returns the file that a name in a file means, "" for a file that is not in the repository. A Go or SQL file may be named without its folder.
func (r *references) resolve(file, name string) string {
	for _, candidate := range []string{path.Join(path.Dir(file), name), name} {
		if r.files[candidate] {
			return candidate
		}
	}
	bare := !strings.Contains(name, "/")
	if bare && (path.Ext(name) != ".md" && r.names[name] || name == "README.md") {
		return name
	}
	for known := range r.files {
		if !bare && strings.HasSuffix(known, "/"+name) {
			return known
		}
	}
	return ""
}

// A passage is a text for people with its place.
type passage struct {
	line int
	text string
}

// prose returns the texts for people in a file: a document's paragraphs, the comments of source, and the strings of a Go program that name a document.
func prose(t *testing.T, file string) (all []passage) {
	t.Helper()
	name := filepath.Join(root, file)
	comment := map[string]string{".sql": "--", ".yaml": "#", ".sh": "#", ".c": "//", "": "#"}
	ext := filepath.Ext(file)
	if ext != ".go" && ext != ".md" && comment[ext] == "" || strings.Contains(file, "/testdata/") {
		return nil
	}
	source, err := os.ReadFile(name)
	require.NoError(t, err)
	if ext == ".go" {
		return goProse(t, file, source)
	}
	fence := false
	for i, line := range strings.Split(string(source), "\n") {
		switch {
		case ext == ".md" && strings.HasPrefix(strings.TrimSpace(line), "```"):
			fence = !fence
		case ext == ".md" && !fence:
			all = append(all, passage{i + 1, line})
		case ext != ".md":
			if _, text, ok := strings.Cut(line, comment[ext]); ok {
				all = append(all, passage{i + 1, text})
			}
		}
	}
	return all
}

func goProse(t *testing.T, file string, source []byte) (all []passage) {
	t.Helper()
	if generated.Match(source) {
		return nil
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.ParseComments)
	require.NoError(t, err)
	for _, group := range tree.Comments {
		for _, c := range group.List {
			if !bytes.HasPrefix([]byte(c.Text), []byte("//go:")) {
				all = append(all, passage{set.Position(c.Pos()).Line, c.Text})
			}
		}
		for _, m := range quotedHeading.FindAllString(strings.ReplaceAll(group.Text(), "\n", " "), -1) { // also over the end of a line
			all = append(all, passage{set.Position(group.Pos()).Line, m})
		}
	}
	if strings.HasSuffix(file, "_test.go") {
		return all
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
			text, err := strconv.Unquote(s.Value)
			for _, m := range quotedHeading.FindAllString(text, -1) {
				all = append(all, passage{set.Position(s.Pos()).Line, m})
			}
			require.NoError(t, err)
		}
		return true
	})
	return all
}

// headings returns the headings of a document as they read.
func headings(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	require.NoError(t, err)
	all, fence := []string{}, false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "```") {
			fence = !fence
		}
		if marks, heading, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !fence && strings.Trim(marks, "#") == "" {
			all = append(all, strings.NewReplacer("`", "", "**", "").Replace(heading))
		}
	}
	return all
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchors returns the anchors that Git hosts give to headings.
func anchors(headings []string) []string {
	all, seen := make([]string, len(headings)), map[string]int{}
	for i, h := range headings {
		slug := strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(h), ""), " ", "-")
		if all[i] = slug; seen[slug] > 0 {
			all[i] += "-" + strconv.Itoa(seen[slug])
		}
		seen[slug]++
	}
	return all
}
