package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUsage(t *testing.T) {
	for name, tc := range map[string]struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		"nothing":         {code: exitUsage, stderr: "no command given"},
		"help":            {args: []string{"help"}, code: exitOK, stdout: "config check"},
		"--help":          {args: []string{"--help"}, code: exitOK, stdout: "Usage: payswitch COMMAND"},
		"command help":    {args: []string{"serve", "--help"}, code: exitOK, stdout: "-config file"},
		"unknown command": {args: []string{"start"}, code: exitUsage, stderr: `unknown command "start"`},
		"half a command":  {args: []string{"config"}, code: exitUsage, stderr: `unknown command "config"`},
		"unknown flag":    {args: []string{"serve", "--port", "1"}, code: exitUsage, stderr: "-port"},
		"mistake last":    {args: []string{"migrate", "copy", "--frm", "x"}, code: exitUsage, stderr: "payswitch: flag provided but not defined: -frm\n`payswitch migrate copy --help` shows its flags.\n"},
		"argument":        {args: []string{"version", "now"}, code: exitUsage, stderr: `takes no argument "now"`},
		"version":         {args: []string{"version"}, code: exitOK, stdout: "adapter ABI 1"},
		"--version":       {args: []string{"--version"}, code: exitOK, stdout: "payswitch "},
		"escape sequence": {args: []string{"backup", "verify", "gone\x1b[2J\xb5.db"}, code: exitFailed, stderr: "gone\ufffd[2J\ufffd.db"},
		"no such file":    {args: []string{"serve", "--config", "/not/there.yaml"}, code: exitFailed, stderr: "/not/there.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := runProgram(t, nil, tc.args...)
			require.Equal(t, tc.code, code, stderr)
			require.Contains(t, stdout, tc.stdout)
			require.Contains(t, stderr, tc.stderr)
			if tc.stdout == "" {
				require.Empty(t, stdout)
			}
		})
	}
}
