// Command payswitch is the payments switch: it wires storage, vault, adapters, engine and HTTP surface together, and runs them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"payswitch/plugins/sandbox"
)

// Exit codes. Scripts depend on them.
const (
	exitOK        = 0
	exitFailed    = 1
	exitUsage     = 2
	exitDifferent = 3 // plugin replay
)

func main() {
	sandbox.BecomeCompiler()
	os.Exit(run(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// program is one invocation: what a command may read and write. Nothing below it touches os.Args, os.Environ or os.Stdout.
type program struct {
	env            []string // "NAME=value"
	stdin          io.Reader
	stdout, stderr io.Writer
}

// command is a subcommand. Its function parses its own flags and returns when done; ctx ends it early.
type command struct {
	name, summary string
	run           func(p *program, ctx context.Context, args []string) error
}

func commands() []command {
	return append([]command{
		{"serve", "run the switch", (*program).serve},
		{"demo", "run it with a demo database, a merchant and a simulated processor", (*program).demo},
		{"migrate", "bring the database up to date and stop", (*program).migrate},
		{"config check", "check configuration and show what is in force", (*program).configCheck},
		{"version", "show version and build", (*program).version},
	}, append(vaultCommands(), pluginCommands()...)...)
}

// usageError is a mistake on the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// run is the whole program. It returns the exit code: 0 fine, 1 failed, 2 usage, 3 a replay that differs.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{env: env, stdin: stdin, stdout: stdout, stderr: stderr}
	err := p.dispatch(ctx, args)
	var usage usageError
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "payswitch: %v\n\n%s", err, usageText())
		return exitUsage
	default:
		fmt.Fprintf(stderr, "payswitch: %v\n", err)
		if errors.Is(err, errDifferent) {
			return exitDifferent
		}
		return exitFailed
	}
}

func (p *program) dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return usageError{"no command given"}
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		fmt.Fprint(p.stdout, usageText())
		return nil
	case "-version", "--version":
		args = []string{"version"}
	}
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && strings.Join(args[:len(words)], " ") == c.name {
			return c.run(p, ctx, args[len(words):])
		}
	}
	return usageError{fmt.Sprintf("unknown command %q", args[0])}
}

func usageText() string {
	var b strings.Builder
	b.WriteString("Usage: payswitch COMMAND [flags]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-16s%s\n", c.name, c.summary)
	}
	b.WriteString(`
payswitch COMMAND --help shows the flags of a command. Settings come from config.yaml, then from the environment:
server.listen is PAYSWITCH_SERVER__LISTEN.
`)
	return b.String()
}

// flags is the flag set of a command; parse refuses arguments that are not flags.
func (p *program) flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet("payswitch "+name, flag.ContinueOnError)
	f.SetOutput(io.Discard) // errors are shown by run, help below
	f.Usage = func() {
		f.SetOutput(p.stdout)
		fmt.Fprintf(p.stdout, "Usage: payswitch %s [flags]\n\n", name)
		f.PrintDefaults()
	}
	return f
}

// parse parses flags where nothing else may stand.
func parse(f *flag.FlagSet, args []string) error {
	_, err := operands(f, args, 0)
	return err
}

// parseFlags parses flags up to the first argument that is none.
func parseFlags(f *flag.FlagSet, args []string) error {
	// The flag package shows usage on a mistake too; only --help is to reach standard output.
	help := f.Usage
	f.Usage = func() {}
	defer func() { f.Usage = help }()
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		help()
		return err
	} else if err != nil {
		return usageError{err.Error()}
	}
	return nil
}

// parseConfig parses the flags of a command that needs configuration, and loads it.
func (p *program) parseConfig(f *flag.FlagSet, args []string) (Config, error) {
	_, c, err := p.operandsAndConfig(f, args, 0)
	return c, err
}

// operandsAndConfig is parseConfig for a command that takes up to most arguments, and returns these too.
func (p *program) operandsAndConfig(f *flag.FlagSet, args []string, most int) ([]string, Config, error) {
	path := f.String("config", "config.yaml", "configuration `file`; the default one may be missing")
	given, err := operands(f, args, most)
	if err != nil {
		return nil, Config{}, err
	}
	required := false
	f.Visit(func(one *flag.Flag) { required = required || one.Name == "config" })
	c, err := loadConfig(defaultConfig(), *path, required, p.env)
	return given, c, err
}
