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
	"unicode"
	"unicode/utf8"

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

// program is one invocation: the input and output of a command. No command touches os.Args, os.Environ or os.Stdout.
type program struct {
	env            []string // "NAME=value"
	stdin          io.Reader
	stdout, stderr io.Writer
	command        string // the name of the command that runs
}

// command is a subcommand. Its summary says what a user wants to do, as an imperative. Its function parses its own flags and returns when
// the work is done. ctx ends it early.
type command struct {
	name, summary string
	run           func(p *program, ctx context.Context, args []string) error
}

// section is a group of commands in the help text.
type section struct {
	title    string
	commands []command
}

func sections() []section {
	return []section{
		{"Try and run the switch", []command{
			{"demo", "try payswitch with a demo database, a merchant and a simulated processor", (*program).demo},
			{"config check", "check the configuration and show the settings in force", (*program).configCheck},
			{"doctor", "check clock, disk, files, keys, database, adapters and open operations", (*program).doctor},
			{"listen", "show a shop's events as they happen, and forward them to a program under development", (*program).listen},
			{"trigger", "make an event for a shop under development, by a payment at the simulator", (*program).trigger},
			{"operations list", "list the operations that have not ended, or with --unknown those of an unknown result", (*program).listOperations},
			{"operations resolve", "say what became of an operation that payswitch cannot find out about", (*program).resolveOperation},
			{"operations confirm", "confirm, as a second person, what another one has proposed", func(p *program, ctx context.Context, args []string) error {
				return p.secondPerson(ctx, "confirm", args)
			}},
			{"operations withdraw", "withdraw or refuse a proposed decision", func(p *program, ctx context.Context, args []string) error {
				return p.secondPerson(ctx, "withdraw", args)
			}},
			{"migrate copy", "move the database from SQLite to PostgreSQL, while the switch runs until the last step", (*program).migrateCopy},
			{"migrate", "update the database and stop", (*program).migrate},
			{"serve", "run the switch", (*program).serve},
			{"release verify", "verify a release's SHA256SUMS, its signature and its files", (*program).releaseVerify},
			{"release sign", "sign a release's SHA256SUMS", (*program).releaseSign},
			{"version", "show version, revision and build", (*program).version},
		}},
		{"Manage who uses the dashboard", userCommands()},
		{"Back up and restore", backupCommands()},
		{"Manage the vault's keys", vaultCommands()},
		{"Write, install and examine adapters", pluginCommands()},
	}
}

func commands() []command {
	var all []command
	for _, s := range sections() {
		all = append(all, s.commands...)
	}
	return all
}

// usageError is a mistake on the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// readable replaces what a terminal obeys, or cannot show: the message about a damaged back-up quotes names that stand in the file.
func readable(message string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return utf8.RuneError
		}
		return r
	}, message)
}

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{env: env, stdin: stdin, stdout: stdout, stderr: stderr}
	err := p.dispatch(ctx, args)
	var usage usageError
	var group groupError
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &group) && group.text == "":
		fmt.Fprint(stdout, groupText(group.group))
		return exitOK
	case errors.As(err, &group):
		fmt.Fprintf(stderr, "payswitch: %v\n\n%s", err, groupText(group.group))
		return exitUsage
	case errors.As(err, &usage) && p.command != "": // no usage text: the list of all commands would push the error off the screen
		fmt.Fprintf(stderr, "payswitch: %v\n`payswitch %s --help` shows its flags.\n", err, p.command)
		return exitUsage
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "payswitch: %v\n\n%s", err, usageText())
		return exitUsage
	default:
		fmt.Fprintf(stderr, "payswitch: %s\n", readable(err.Error()))
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
			p.command = c.name
			return c.run(p, ctx, args[len(words):])
		}
	}
	return unknownCommand(args)
}

// A groupError is a mistake in a command whose first word names a group, as plugin does.
type groupError struct{ group, text string }

func (e groupError) Error() string { return e.text }

// unknownCommand returns the error of words that are no command. If the first word names a group of commands, the help is about the group.
func unknownCommand(args []string) error {
	group := args[0]
	if groupText(group) == "" {
		return usageError{fmt.Sprintf("unknown command %q", group)}
	}
	if len(args) == 1 {
		return groupError{group, fmt.Sprintf("unknown command %q: one of its commands is missing", group)}
	}
	switch args[1] {
	case "help", "-h", "-help", "--help":
		return groupError{group, ""}
	}
	text := fmt.Sprintf("unknown command %q", group+" "+args[1])
	for _, c := range commands() {
		if rest, ok := strings.CutPrefix(c.name, group+" "); ok && near(rest, args[1]) {
			text += fmt.Sprintf(": did you mean %q?", c.name)
			break
		}
	}
	return groupError{group, text}
}

// near reports whether a word is probably a slip of another: one letter is missing, added or different, or two are swapped.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		return i == len(a) || a[i+1:] == b[i+1:] || swapped
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}

// groupText lists the commands of a group, "" for a word that names no group.
func groupText(group string) string {
	var b strings.Builder
	for _, c := range commands() {
		if strings.HasPrefix(c.name, group+" ") {
			fmt.Fprintf(&b, "  %-20s%s\n", c.name, c.summary)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "Usage: payswitch " + group + " COMMAND [flags]\n\n" + b.String() + "\npayswitch " + group + " COMMAND --help shows the flags of a command.\n"
}

func usageText() string {
	var b strings.Builder
	b.WriteString("Usage: payswitch COMMAND [flags]\n")
	for _, s := range sections() {
		fmt.Fprintf(&b, "\n%s:\n", s.title)
		for _, c := range s.commands {
			fmt.Fprintf(&b, "  %-20s%s\n", c.name, c.summary)
		}
	}
	b.WriteString(`
payswitch COMMAND --help shows the flags of a command. Settings come from config.yaml, then from the environment:
the variable PAYSWITCH_SERVER__LISTEN sets server.listen.
`)
	return b.String()
}

// purpose returns a command's summary as a sentence. synopsis begins with the command's name.
func purpose(synopsis string) string {
	for _, c := range commands() {
		if rest, ok := strings.CutPrefix(synopsis, c.name); ok && (rest == "" || rest[0] == ' ') {
			return strings.ToUpper(c.summary[:1]) + c.summary[1:] + "."
		}
	}
	return ""
}

// flags returns the flag set of a command. name is the command's name, with the arguments that it takes.
func (p *program) flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet("payswitch "+name, flag.ContinueOnError)
	f.SetOutput(io.Discard) // errors are shown by run, help below
	f.Usage = func() {
		f.SetOutput(p.stdout)
		fmt.Fprintf(p.stdout, "%s\n\nUsage: payswitch %s [flags]\n\n", purpose(name), name)
		f.PrintDefaults()
	}
	return f
}

// parse parses the command line of a command that takes flags alone.
func parse(f *flag.FlagSet, args []string) error {
	_, err := operands(f, args, 0)
	return err
}

// parseFlags parses flags up to the first argument that is not a flag.
func parseFlags(f *flag.FlagSet, args []string) error {
	// The flag package prints the usage on a mistake too, but only --help may print to standard output.
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

// operandsAndConfig is parseConfig for a command that takes up to most arguments. It returns the arguments too.
func (p *program) operandsAndConfig(f *flag.FlagSet, args []string, most int) ([]string, Config, error) {
	path := f.String("config", "config.yaml", "read the configuration from this `file`; without the flag, config.yaml may be missing")
	given, err := operands(f, args, most)
	if err != nil {
		return nil, Config{}, err
	}
	required := false
	f.Visit(func(one *flag.Flag) { required = required || one.Name == "config" })
	c, err := loadConfig(defaultConfig(), *path, required, p.env)
	return given, c, err
}
