// Command gen writes sdk/codec_gen.go, sdk/schema.json, the schema of cases and sdk/ABI_REFERENCE.md from the message types of package sdk.
// "go generate ./sdk" runs it in the folder of the package. A test of package sdk fails when one of the files is stale.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// roots names the messages. The generator makes a codec and a schema for every type that a message contains.
var roots = []string{"Manifest", "Step", "Result"}

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := run(dir); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	files, err := Generate(dir)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Generate returns the generated files by name, made from the Go files in dir.
func Generate(dir string) (map[string][]byte, error) {
	p, err := parse(dir)
	if err != nil {
		return nil, err
	}
	codec, err := writeCodec(p)
	if err != nil {
		return nil, err
	}
	schema, err := writeSchema(p)
	if err != nil {
		return nil, err
	}
	cases, err := writeCases(p)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"codec_gen.go": codec, "schema.json": schema, "cases.schema.json": cases, "ABI_REFERENCE.md": writeReference(p)}, nil
}
