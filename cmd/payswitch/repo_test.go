package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// trackedFiles lists what git keeps, relative to the root.
func trackedFiles(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skip("not a git work tree: the rules about its files are not checked")
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	return slices.DeleteFunc(files, func(f string) bool { // deleted, and not committed yet
		_, err := os.Stat(filepath.Join(root, f))
		return err != nil
	})
}

// TestTopLevel keeps the list of top-level folders and files. A change that needs a new one changes this list first.
func TestTopLevel(t *testing.T) {
	allowed := []string{".ci", ".gitignore", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md", "cmd", "config.yaml", "engine", "go.mod", "go.sum",
		"plugins", "router", "sdk", "storage"}
	for _, f := range trackedFiles(t) {
		top, _, _ := strings.Cut(f, "/")
		require.Contains(t, allowed, top, "%s does not belong at the top level", f)
	}
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// TestFileLength keeps files readable. A file has one subject; up to 700 lines if the subject needs them.
func TestFileLength(t *testing.T) {
	for _, f := range trackedFiles(t) {
		if filepath.Ext(f) != ".go" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, f))
		require.NoError(t, err)
		if n := bytes.Count(b, []byte("\n")); n > 700 && !generated.Match(b) {
			t.Errorf("%s has %d lines: split it by subject, 700 is the most", f, n)
		}
	}
}

// TestNoBinaries keeps built things out of git: they are made from source, and two copies drift apart.
func TestNoBinaries(t *testing.T) {
	for _, f := range trackedFiles(t) {
		b, err := os.ReadFile(filepath.Join(root, f))
		require.NoError(t, err)
		if strings.Contains(f, "/testdata/fuzz/") || filepath.Ext(f) == ".dict" { // a dictionary is part of a storage format, and never made again
			continue
		}
		require.NotContains(t, string(b[:min(len(b), 8000)]), "\x00", "%s is a binary", f)
		require.Less(t, len(b), 1<<20, "%s is larger than 1 MiB", f)
	}
}

// TestDocumentsNameTests checks that each test that a document names exists.
func TestDocumentsNameTests(t *testing.T) {
	named := regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	wanted := map[string]string{} // the document, by test
	declared := map[string]bool{}
	for _, f := range trackedFiles(t) {
		if strings.HasSuffix(f, "_test.go") {
			b, err := os.ReadFile(filepath.Join(root, f))
			require.NoError(t, err)
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(b), -1) {
				declared[m[1]] = true
			}
		}
		if strings.HasSuffix(f, ".md") {
			b, err := os.ReadFile(filepath.Join(root, f))
			require.NoError(t, err)
			for _, m := range named.FindAllStringSubmatch(string(b), -1) {
				wanted[m[1]] = f
			}
		}
	}
	require.Contains(t, slices.Collect(maps.Values(wanted)), "SECURITY.md")
	require.Contains(t, slices.Collect(maps.Values(wanted)), "cmd/payswitch/OPERATIONS.md")
	for name, document := range wanted {
		require.True(t, declared[name], "%s names %s, and no such test exists: name the test that shows it now", document, name)
	}
}

var markdownLink = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)

// TestLinks follows the relative links of every document.
func TestLinks(t *testing.T) {
	checked := 0
	for _, f := range trackedFiles(t) {
		if filepath.Ext(f) != ".md" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, f))
		require.NoError(t, err)
		for _, m := range markdownLink.FindAllStringSubmatch(string(b), -1) {
			checked++
			_, err := os.Stat(filepath.Join(root, filepath.Dir(f), m[1]))
			require.NoError(t, err, "%s links to %s", f, m[1])
		}
	}
	require.Positive(t, checked)
}
