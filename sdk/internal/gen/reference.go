package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

const (
	referenceBegin = "<!-- begin generated reference -->\n"
	referenceEnd   = "<!-- end generated reference -->\n"
)

// writeReference returns the document with every message and field between its markers.
func writeReference(p *pkg, name string) ([]byte, error) {
	old, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	before, rest, ok := bytes.Cut(old, []byte(referenceBegin))
	_, after, ok2 := bytes.Cut(rest, []byte(referenceEnd))
	if !ok || !ok2 {
		return nil, fmt.Errorf("%s lacks the markers of the reference", name)
	}
	w := &bytes.Buffer{}
	w.Write(before)
	w.WriteString(referenceBegin)
	var enums []string
	for _, name := range p.order {
		s := p.structs[name]
		fmt.Fprintf(w, "\n#### %s\n\n%s\n\n| field | type | | |\n|---|---|---|---|\n", s.name, s.doc)
		for _, f := range s.fields {
			needed := "required"
			if f.omit {
				needed = ""
			}
			fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", f.key, p.typeText(&f.typ, &enums), needed, strings.ReplaceAll(f.doc, "|", "\\|"))
		}
	}
	for _, name := range enums {
		t := p.strings[name]
		fmt.Fprintf(w, "\n#### %s\n\n%s\n\n| value | |\n|---|---|\n", name, t.doc)
		for _, v := range t.values {
			fmt.Fprintf(w, "| `%s` | %s |\n", v.value, strings.ReplaceAll(v.doc, "|", "\\|"))
		}
	}
	w.WriteString("\n" + referenceEnd)
	w.Write(after)
	return w.Bytes(), nil
}

// typeText is a type as the reference spells it. Enumerations it meets are added to enums.
func (p *pkg) typeText(t *typ, enums *[]string) string {
	link := func(name string) string { return "[" + name + "](#" + strings.ToLower(name) + ")" }
	switch t.kind {
	case "string":
		if e := p.strings[t.name]; e == nil || len(e.values) == 0 {
			return "string"
		}
		for _, known := range *enums {
			if known == t.name {
				return link(t.name)
			}
		}
		*enums = append(*enums, t.name)
		return link(t.name)
	case "int":
		return "int32"
	case "struct":
		return link(t.name)
	case "slice":
		return "list of " + p.typeText(t.elem, enums)
	case "map":
		return "map of " + p.typeText(t.elem, enums)
	case "pointer":
		return p.typeText(t.elem, enums)
	}
	return t.kind
}
