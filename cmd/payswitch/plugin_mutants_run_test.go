package main

import (
	"context"
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// mutantsProgram answers the messages of one of the mutants, which are packages of it. A message of no bytes asks for the manifest.
const mutantsProgram = `package main

import (
	"encoding/gob"
	"os"
	"strconv"

	"payswitch/sdk"
%s)

var mutants = []*sdk.Adapter{%s}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	in, out := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	for {
		var message []byte
		if in.Decode(&message) != nil {
			return
		}
		answer := mutants[n].ManifestMessage()
		if len(message) > 0 {
			answer = mutants[n].Handle(message)
		}
		if err := out.Encode(answer); err != nil {
			panic(err)
		}
	}
}
`

// buildMutants builds one program of many mutants of a project, each a package of its own. A module for each would cost seven times the processor time: the most of
// it goes into the compilation of WASM, which the mutants share.
func buildMutants(t *testing.T, dir, name string, mutants [][]change) (program string) {
	t.Helper()
	var sources []string
	for _, pattern := range []string{"*.go", "*.txt"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		sources = append(sources, slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })...)
	}
	main, err := os.ReadFile(filepath.Join(dir, "wasm", "main.go"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(main), "sdk.Serve(")
	require.True(t, found)
	adapter, _, found := strings.Cut(rest, ") }\n")
	require.True(t, found)
	var imports, adapters strings.Builder
	for i, changes := range mutants {
		pkg := "m" + strconv.Itoa(i)
		require.NoError(t, os.Mkdir(filepath.Join(dir, pkg), 0o700))
		for _, file := range sources {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, pkg, filepath.Base(file)), text, 0o600))
		}
		for _, c := range changes {
			edit(t, filepath.Join(dir, pkg, c.file), c.old, c.new)
		}
		fmt.Fprintf(&imports, "\t%s \"example.com/%s/%s\"\n", pkg, name, pkg)
		adapters.WriteString(strings.Replace(adapter, name+".", pkg+".", 1) + ", ")
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "all"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "all", "main.go"), fmt.Appendf(nil, mutantsProgram, &imports, &adapters), 0o600))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", "mutants", "./all")
	cmd.Dir, cmd.Env = dir, append(offline(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return filepath.Join(dir, "mutants")
}

// apart is an adapter that a program answers for.
type apart struct {
	in  *gob.Encoder
	out *gob.Decoder
}

func (a apart) Step(_ context.Context, message []byte) (answer []byte, err error) {
	if err := a.in.Encode(message); err != nil {
		return nil, err
	}
	err = a.out.Decode(&answer)
	return answer, err
}

func (a apart) Manifest(ctx context.Context) ([]byte, error) { return a.Step(ctx, nil) }

// checkMutant is plugin check of the mutant i, with the cases of the project.
func checkMutant(t *testing.T, program string, i int) (report *checkReport, text string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, strconv.Itoa(i))
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer cmd.Wait()
	defer in.Close()
	running := apart{gob.NewEncoder(in), gob.NewDecoder(out)}
	message, err := running.Manifest(t.Context())
	require.NoError(t, err)
	manifest, err := sdk.DecodeManifest(message)
	require.NoError(t, err)
	report = &checkReport{}
	_, err = report.try(t.Context(), running, manifest, "", filepath.Join(filepath.Dir(program), "any.wasm"))
	require.NoError(t, err)
	var printed strings.Builder
	report.print(&printed)
	return report, printed.String()
}
