package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// declineTable reads the project's table of decline codes: declines.txt or, in AssemblyScript, the constant in assembly/declines.ts. It returns
// the file and every code of the table, a prefix with its "*". A project without such a file has no codes. An error names the wrong line.
func declineTable(dir string) (file string, codes []string, err error) {
	file = filepath.Join(dir, "declines.txt")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		file = filepath.Join(dir, "assembly", "declines.ts")
		if text, err = os.ReadFile(file); errors.Is(err, fs.ErrNotExist) {
			return "", nil, nil
		}
		if before, table, ok := strings.Cut(string(text), "`"); ok { // the lines before the constant stay, so that an error names the line of the file
			table, _, _ = strings.Cut(table, "`")
			text = []byte(strings.Repeat("\n", strings.Count(before, "\n")) + table)
		}
	}
	if err != nil {
		return "", nil, err
	}
	defer func() { // ParseDeclines panics, because an adapter reads its table when it starts
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("%s: %v", file, wrong)
		}
	}()
	table := sdk.ParseDeclines(string(text))
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '"' {
			code, _, _ := strings.Cut(line[1:], `"`)
			codes = append(codes, code)
			continue
		}
		list, _, _ := strings.Cut(line, " ")
		codes = append(codes, strings.Split(list, ",")...)
	}
	for _, code := range codes {
		if table.InDoubt(strings.TrimSuffix(code, "*")) && !exists(filepath.Join(dir, "go.mod")) {
			return "", nil, fmt.Errorf("%s: %s: in_doubt is a word of the Go SDK: answer unknown for this code before the adapter calls decline, and leave the line out", file, code)
		}
	}
	return file, codes, nil
}

// untriedCodes returns the codes of a project's table that no case names.
func untriedCodes(codes []string, responses *wire.Responses) (untried []string) {
	named := responses.DeclineCodes()
	for _, code := range codes {
		tried := named[code]
		if beginning, ok := strings.CutSuffix(code, "*"); ok {
			for one := range named {
				tried = tried || strings.HasPrefix(one, beginning)
			}
		}
		if !tried {
			untried = append(untried, code)
		}
	}
	return untried
}
