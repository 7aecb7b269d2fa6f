package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// goPackage is the part of `go list -json` that the import rules need.
type goPackage struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

// TestImports keeps imports running one way: cmd → {router, plugins, storage} → engine → sdk, the middle three apart from each
// other. Adapters import sdk alone, sdk the standard library alone. Test files may use what they need.
func TestImports(t *testing.T) {
	for _, target := range [][]string{nil, {"GOOS=wasip1", "GOARCH=wasm"}} { // adapters' entry points exist for WASM only
		for _, pkg := range listPackages(t, target) {
			for _, imported := range pkg.Imports {
				if why := forbidden(pkg.ImportPath, imported); why != "" {
					t.Errorf("%s imports %s: %s", pkg.ImportPath, imported, why)
				}
			}
		}
	}
}

// rooms are the packages of engine, lowest first: a room imports lower rooms alone. engine/doc.go says what each is for.
var rooms = []string{"engine/alarm", "engine/fault", "engine/ids", "engine/optional", "engine/compress", "engine/secret", "engine/threeds/message", "engine/threeds", "engine/threeds/exempt", "engine/threeds/threeri", "engine/card", "engine/contact", "engine/authentication", "engine/routed", "engine/scheme", "engine/payment", "engine/disputed", "engine/listed", "engine/evidence", "engine/request", "engine/payer", "engine/approval",
	"engine/port", "engine/facet", "engine/acquirer", "engine/vault", "engine/link", "engine/routing/rule", "engine/account", "engine/idempotency", "engine/method", "engine/drive", "engine/paylink", "engine/change", "engine/operator",
	"engine/webhook", "engine/dispute", "engine/refund", "engine/hold", "engine/relay", "engine/search", "engine/timeline", "engine/paylink/visit", "engine/threeds/flow", "engine/routing/health", "engine/routing/rank", "engine/routing", "engine/risk", "engine/session", "engine/restore", "engine/late", "engine/resolve", "engine/staff", "engine",
	"engine/storetest"}

// TestRooms keeps the imports between the rooms of engine running one way, and the rooms small and described.
func TestRooms(t *testing.T) {
	for _, file := range []string{"README.md", "engine/doc.go"} {
		page, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		for _, room := range rooms {
			require.Regexp(t, `\b`+strings.TrimPrefix(room, "engine/")+`\b`, string(page), "%s does not name %s", file, room)
		}
		highest := 0
		for _, row := range regexp.MustCompile(`(?m)^(?:      |//\t)([a-z/]+)  +\S`).FindAllStringSubmatch(string(page), -1) {
			at := slices.Index(rooms, "engine/"+row[1])
			assert.True(t, at >= highest || row[1] == "engine", "%s lists %s after a higher room", file, row[1])
			highest = max(highest, at)
		}
		require.Greater(t, highest, 40, "%s has no list of rooms", file)
	}
	for _, pkg := range listPackages(t, nil) {
		room := strings.TrimPrefix(pkg.ImportPath, "payswitch/")
		if room != "engine" && !strings.HasPrefix(room, "engine/") || strings.Contains(room, "/internal/") { // a room's own
			continue
		}
		at := slices.Index(rooms, room)
		if !assert.GreaterOrEqual(t, at, 0, "%s is not in the list of rooms: give it its place", room) {
			continue
		}
		for _, imported := range pkg.Imports {
			if to := slices.Index(rooms, strings.TrimPrefix(imported, "payswitch/")); to > at {
				t.Errorf("%s imports %s, which is above it", room, rooms[to])
			}
		}
		if room != "engine/storetest" { // its lines are tests
			assert.Less(t, linesOf(t, "../../"+room), 4000, "%s is too large: part it", room)
		}
		assert.LessOrEqual(t, exportedOf(t, "../../"+room), 60, "%s exports too many identifiers: unexport or move what only one other room needs", room)
		_, err := os.Stat("../../" + room + "/doc.go")
		if room != "engine/storetest" {
			assert.NoError(t, err, "%s has no doc.go that says what lives there", room)
		}
	}
}

// TestRoomsSayWhoImportsThem holds the sentence in each room's doc.go about the rooms that import it. Where the sentence names rooms, the list is whole.
func TestRoomsSayWhoImportsThem(t *testing.T) {
	importers := map[string][]string{}
	for _, pkg := range listPackages(t, nil) {
		by := strings.TrimPrefix(pkg.ImportPath, "payswitch/")
		for _, imported := range pkg.Imports {
			if slices.Contains(rooms, by) && by != "engine/storetest" {
				room := strings.TrimPrefix(imported, "payswitch/")
				importers[room] = append(importers[room], strings.TrimPrefix(by, "engine/"))
			}
		}
	}
	for _, room := range rooms {
		if room == "engine" || room == "engine/storetest" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, room, "doc.go"))
		require.NoError(t, err)
		doc := strings.ReplaceAll(string(text), "\n// ", " ")
		assert.Contains(t, doc, "must never", "%s/doc.go does not say what the room must never do", room)
		name := path.Base(room)
		only := regexp.MustCompile(`Of the rooms, (.+?)(?: alone imports| import) ` + name + `\.`).FindStringSubmatch(doc)
		if only == nil {
			assert.Contains(t, doc, "Any higher room may import "+name, "%s/doc.go does not say which rooms import it", room)
			continue
		}
		named := strings.FieldsFunc(strings.ReplaceAll(only[1], " and ", ", "), func(r rune) bool { return r == ',' || r == ' ' })
		assert.ElementsMatch(t, importers[room], named, "%s/doc.go names other rooms than those that import it", room)
	}
}

// linesOf counts the lines of a package without its tests.
func linesOf(t *testing.T, dir string) (lines int) {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	require.NoError(t, err)
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		lines += bytes.Count(text, []byte("\n"))
	}
	return lines
}

// exportedOf counts what a package exports, as go doc -short lists it: types, functions, and groups of constants or variables.
func exportedOf(t *testing.T, dir string) (exported int) {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	require.NoError(t, err)
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					exported++
				}
			case *ast.GenDecl:
				inGroup := 0
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if spec.Name.IsExported() {
							exported++
						}
					case *ast.ValueSpec:
						if slices.ContainsFunc(spec.Names, (*ast.Ident).IsExported) {
							inGroup = 1
						}
					}
				}
				exported += inGroup
			}
		}
	}
	return exported
}

// TestNoTesting: package testing, whose flags come with it, is no part of the program.
func TestNoTesting(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", ".")
	out, err := cmd.Output()
	require.NoError(t, err)
	all := strings.Fields(string(out))
	require.Contains(t, all, "payswitch/sdk/sdktest/wire")
	require.NotContains(t, all, "testing")
}

func listPackages(t *testing.T, env []string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Standard,Imports", "./...")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var all []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		all = append(all, p)
	}
	require.Greater(t, len(all), 5, "go list found too little to check")
	return all
}

// hostFolders are the folders below plugins that are the host's; every other one is an adapter.
var hostFolders = []string{"sandbox", "scrub", "builtin", "internal", "simulator3ds"}

// forbidden says why importer may not import imported, "" if it may.
func forbidden(importer, imported string) string {
	house := strings.HasPrefix(imported, "payswitch/")
	external := !house && strings.Contains(strings.SplitN(imported, "/", 2)[0], ".")
	from, to := area(importer), area(imported)
	if importer == "payswitch/plugins/scrub" && house && to != "sdk" && imported != "payswitch/engine/card" && imported != "payswitch/engine/secret" {
		return "scrub imports engine/card, engine/secret and sdk alone"
	}
	if house && from == to {
		return ""
	}
	switch from {
	case "sdk":
		if house || external {
			return "sdk imports the standard library alone, as it becomes part of every adapter"
		}
	case "engine":
		if house && to != "sdk" {
			return "engine knows nothing of what is built on it"
		}
	case "router", "storage", "plugins":
		if house && to != "engine" && to != "sdk" {
			return from + " imports engine and sdk alone"
		}
	case "cmd":
	default: // an adapter: area is its folder
		if external || house && to != "sdk" {
			return "an adapter imports sdk and the standard library alone"
		}
	}
	return ""
}

// area returns the top-level folder of a package of ours, or the adapter's folder for an adapter.
func area(pkg string) string {
	parts := strings.Split(strings.TrimPrefix(pkg, "payswitch/"), "/")
	if parts[0] == "plugins" && len(parts) > 1 {
		for _, host := range hostFolders {
			if parts[1] == host {
				return "plugins"
			}
		}
		return path.Join(parts[0], parts[1])
	}
	return parts[0]
}

func TestForbidden(t *testing.T) {
	for _, tc := range []struct {
		importer, imported string
		allowed            bool
	}{
		{"payswitch/cmd/payswitch", "payswitch/storage", true},
		{"payswitch/router", "payswitch/engine", true},
		{"payswitch/router", "payswitch/router/wire", true},
		{"payswitch/router", "github.com/julienschmidt/httprouter", true},
		{"payswitch/router", "payswitch/storage", false},
		{"payswitch/storage", "payswitch/plugins", false},
		{"payswitch/plugins", "payswitch/plugins/sandbox", true},
		{"payswitch/plugins", "payswitch/plugins/simulator", false},
		{"payswitch/plugins/sandbox", "payswitch/router", false},
		{"payswitch/plugins", "payswitch/plugins/scrub", true},
		{"payswitch/plugins/scrub", "payswitch/engine/secret", true},
		{"payswitch/plugins/scrub", "payswitch/engine/port", false},
		{"payswitch/plugins/scrub", "payswitch/plugins/sandbox", false},
		{"payswitch/plugins/simulator3ds", "payswitch/engine", true},
		{"payswitch/plugins/simulator3ds", "payswitch/router", false},
		{"payswitch/router", "payswitch/plugins/simulator3ds", false},
		{"payswitch/engine", "payswitch/sdk", true},
		{"payswitch/engine", "payswitch/storage", false},
		{"payswitch/engine/storetest", "payswitch/engine", true},
		{"payswitch/engine", "payswitch/cmd/payswitch", false},
		{"payswitch/sdk", "encoding/json", true},
		{"payswitch/sdk", "payswitch/sdk/internal/jsontext", true},
		{"payswitch/sdk", "payswitch/engine", false},
		{"payswitch/sdk", "github.com/stretchr/testify/require", false},
		{"payswitch/plugins/simulator", "payswitch/sdk", true},
		{"payswitch/plugins/simulator/wasm", "payswitch/plugins/simulator", true},
		{"payswitch/plugins/simulator", "payswitch/engine", false},
		{"payswitch/plugins/simulator", "payswitch/plugins", false},
		{"payswitch/plugins/simulator", "payswitch/plugins/other", false},
		{"payswitch/plugins/simulator", "example.com/x", false},
	} {
		require.Equal(t, tc.allowed, forbidden(tc.importer, tc.imported) == "", "%s → %s", tc.importer, tc.imported)
	}
}
