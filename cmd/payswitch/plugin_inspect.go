package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"payswitch/engine/approval"
	"payswitch/sdk"
)

// inspection is the report of plugin inspect.
type inspection struct {
	SHA256   string        `json:"sha256"`
	Bytes    int           `json:"bytes"`
	Manifest *sdk.Manifest `json:"manifest"`
}

// pluginInspect shows a module's manifest. It does not check whether the module behaves so.
func (p *program) pluginInspect(ctx context.Context, args []string) error {
	f := p.flags("plugin inspect FILE.wasm")
	asJSON := f.Bool("json", false, "print the report and the whole manifest as JSON")
	path, err := operand(f, args, "a file, as: payswitch plugin inspect acme.wasm")
	if err != nil {
		return err
	}
	wasm, err := readWASM(path)
	if err != nil {
		return err
	}
	manifest, err := manifestOf(ctx, wasm)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	it := inspection{moduleHash(wasm), len(wasm), manifest}
	if *asJSON {
		return p.printJSON(it)
	}
	it.print(p.stdout)
	return nil
}

func (i inspection) print(w io.Writer) {
	m := i.Manifest
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-16s%s\n", name, onRow(value))
		}
	}
	row("name", m.Name+" "+m.Version)
	row("kind", string(m.Kind)+", ABI "+sdk.Decimal(int64(m.ABI), 0))
	row("about", m.DisplayName+": "+m.Description)
	row("website", m.Website)
	row("sha256", i.SHA256)
	row("size", bytesText(i.Bytes))
	row("operations", list(m.Operations))
	for _, name := range slices.Sorted(maps.Keys(m.Environments)) {
		row(name, m.Environments[name].BaseURL+", hosts "+list(m.Environments[name].Hosts))
	}
	for _, f := range m.Credentials {
		row("credential", field(f, ""))
	}
	for _, f := range m.Config {
		row("config", field(f, "metadata."))
	}
	for _, pl := range m.Authentication {
		row("authenticates", approval.PlacementText(pl))
	}
	for _, pl := range m.Placements {
		row("may place", approval.PlacementText(pl))
	}
	row("caution", approval.ReachOf(m).Caution())
	if a := m.Authenticator; a != nil {
		row("3-D Secure", list(a.Channels)+"; versions "+list(a.MessageVersions)+"; result by "+string(a.Result))
	}
	row("currencies", list(m.Currencies))
	row("countries", list(m.Countries))
	row("networks", list(m.Networks))
	if m.Webhook != nil {
		row("webhooks", m.Webhook.Scheme)
	}
	row("resolves by", list(m.Resolve.By))
}

// printable returns an adapter's text without characters that a terminal would act on.
func printable(s string) string {
	const blanks = "\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0" // letters that look like a space
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) || strings.ContainsRune(blanks, r) {
			return '?'
		}
		return r
	}, s)
}

// maxShown is the largest number of characters of a row that are shown: a longer row would push the others out of sight.
const maxShown = 2000

// onRow returns an adapter's text as one row. It merges repeated spaces, with which an author could make one row look like several.
func onRow(s string) string {
	s = strings.Join(strings.Fields(printable(s)), " ")
	if n := utf8.RuneCountInString(s); n > maxShown {
		return string([]rune(s)[:maxShown]) + " … (" + strconv.Itoa(n-maxShown) + " characters more)"
	}
	return s
}

func list[T ~string](all []T) string {
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = string(all[i])
	}
	return strings.Join(texts, ", ")
}

// field describes a field of the account: the name that the adapter reads, and the name under which a merchant sends it.
func field(f sdk.Field, prefix string) string {
	s := f.Name + " (" + string(f.Type)
	if key := prefix + approval.FieldKey(f); key != f.Name {
		s += ", sent as " + key
	}
	if f.Optional {
		s += ", optional"
	}
	if len(f.Values) > 0 {
		s += ", one of " + strings.Join(f.Values, " ")
	}
	if f.Default != "" {
		s += ", default " + f.Default
	}
	return s + "): " + f.Label
}
