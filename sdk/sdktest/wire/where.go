package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Where returns the place of a case for a report: file, line and name, as in "acme.json:7 (case authorize_auto)". A case that is not from a
// file has its name alone.
func (c *Case) Where() string { return where(c.file, c.line, "case", c.Name) }

func where(file string, line int, kind, name string) string {
	if file == "" {
		return kind + " " + name
	}
	return fmt.Sprintf("%s:%d (%s %s)", file, line, kind, name)
}

// locate records the file and line of each case.
func (f *Requests) locate(file string, text []byte) {
	for i, line := range linesOf(text, "cases") {
		f.Cases[i].file, f.Cases[i].line = file, line
	}
}

// locate records the file and line of each sample and table.
func (f *Responses) locate(file string, text []byte) {
	for i, line := range linesOf(text, "samples") {
		f.Samples[i].file, f.Samples[i].line = file, line
	}
	for i, line := range linesOf(text, "status_tables") {
		f.StatusTables[i].file, f.StatusTables[i].line = file, line
	}
	f.Declines.file = file
	if lines := linesOf(text, "declines"); len(lines) > 0 {
		f.Declines.line = lines[0]
	}
	if f.Webhooks.Sample != nil {
		f.Webhooks.Sample.file = file
		if lines := linesOf(text, "webhooks"); len(lines) > 0 {
			f.Webhooks.Sample.line = lines[0]
		}
	}
}

// linesOf returns the lines, from 1, on which the elements of a member of the document begin. For a member that is not a list it returns the
// member's line. The document is valid, as Load has decoded it before.
func linesOf(text []byte, member string) (lines []int) {
	d := json.NewDecoder(bytes.NewReader(text))
	line := func() int { // the line of the next value
		at := int(d.InputOffset())
		for at < len(text) && bytes.IndexByte([]byte(" \t\r\n,:"), text[at]) >= 0 {
			at++
		}
		return 1 + bytes.Count(text[:at], []byte("\n"))
	}
	skip := func() error { var v json.RawMessage; return d.Decode(&v) }
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		if name != member {
			if skip() != nil {
				return nil
			}
			continue
		}
		own := line()
		if t, err := d.Token(); err != nil || t != json.Delim('[') {
			return []int{own}
		}
		for d.More() {
			lines = append(lines, line())
			if skip() != nil {
				return lines
			}
		}
		return lines
	}
	return nil
}
