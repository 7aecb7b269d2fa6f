// Command bundle makes the script and style files that a page loads from their TypeScript and CSS sources.
//
//	go run ./router/internal/bundle OUT ENTRY...
//
// OUT is a folder of made files, which the router embeds. Bundle writes one file for each ENTRY, with the entry's imports inside it: src/app.ts
// becomes OUT/app.js, a script for a <script> element; src/hyper.mts becomes OUT/hyper.mjs, a module with its exports; src/app.css becomes
// OUT/app.css. It removes the made files of entries that are gone.
//
// The same sources give the same bytes on every machine, because a page's Content-Security-Policy names the hash of its script. Bundle strips the
// types and does not check them.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: bundle OUT ENTRY...")
		os.Exit(2)
	}
	if err := bundle(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle: "+err.Error())
		os.Exit(1)
	}
}

// made is the ending of what is built from a source with the given ending.
var made = map[string]string{".ts": ".js", ".mts": ".mjs", ".css": ".css"}

// bundle writes the bundle of each entry into the folder out.
func bundle(out string, entries []string) error {
	wanted := make([]string, 0, len(entries))
	for _, entry := range entries {
		ending := filepath.Ext(entry)
		if made[ending] == "" {
			return fmt.Errorf("%s: an entry ends in .ts, .mts or .css", entry)
		}
		name := strings.TrimSuffix(filepath.Base(entry), ending) + made[ending]
		text, err := build(entry, ending)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
		wanted = append(wanted, name)
	}
	there, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	for _, file := range there {
		if !slices.Contains(wanted, file.Name()) && slices.Contains([]string{".js", ".mjs", ".css"}, filepath.Ext(file.Name())) {
			if err := os.Remove(filepath.Join(out, file.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// build returns the bundle of one entry. Its error lists every message of the bundler, with file and line.
func build(entry, ending string) ([]byte, error) {
	format := api.FormatIIFE
	if ending == ".mts" {
		format = api.FormatESModule
	}
	result := api.Build(api.BuildOptions{
		EntryPoints:       []string{entry},
		Bundle:            true,
		Format:            format,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		TsconfigRaw:       `{"compilerOptions": {"useDefineForClassFields": false}}`, // a field without a value costs nothing
		LegalComments:     api.LegalCommentsInline,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Loader:            map[string]api.Loader{".svg": api.LoaderText, ".mts": api.LoaderTS, ".txt": api.LoaderText},
		LogLevel:          api.LogLevelSilent,
	})
	messages := slices.Concat(result.Errors, result.Warnings) // a warning is a fault as well: a page has no one who reads it later
	if len(messages) > 0 {
		texts := api.FormatMessages(messages, api.FormatMessagesOptions{})
		return nil, fmt.Errorf("%s", strings.TrimSpace(strings.Join(texts, "\n")))
	}
	return result.OutputFiles[0].Contents, nil
}
