package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sandboxed is a folder in which commands of a guide run as on a host: programs of the system that would change the machine only note their arguments.
type sandboxed struct{ dir, called string }

func newSandboxed(t *testing.T, programs map[string]string) *sandboxed {
	t.Helper()
	s := &sandboxed{dir: t.TempDir()}
	s.called = filepath.Join(s.dir, "called")
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, "bin"), 0o755))
	for name, body := range programs {
		script := "#!/bin/sh\necho " + name + ` "$@" >>"$CALLED"` + "\n" + body + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, "bin", name), []byte(script), 0o755))
	}
	return s
}

// run runs a script in the folder, and returns its error.
func (s *sandboxed) run(script string) error {
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "PATH="+filepath.Join(s.dir, "bin")+":"+os.Getenv("PATH"), "CALLED="+s.called)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return &exec.Error{Name: string(out), Err: err}
	}
	return nil
}

// TestQuickPath runs the first commands of OPERATIONS.md twice: they make what the unit reads, and the second run keeps the keys.
func TestQuickPath(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip(err)
	}
	guide, err := os.ReadFile(operationsGuide)
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(guide), "As root, in their folder:\n\n")
	require.True(t, ok)
	block, _, _ := strings.Cut(rest, "\n\n")
	lines := strings.Split(block, "\n")
	for _, line := range lines { // they run with their indentation too, as a terminal shows the packaged guide
		require.True(t, strings.HasPrefix(line, "    "), line)
	}
	s := newSandboxed(t, map[string]string{"systemctl": "", "curl": "", "getent": "exit 1", "useradd": ""})
	at := filepath.Join(s.dir, "host")
	for _, dir := range []string{"usr/bin", "etc/systemd/system"} {
		require.NoError(t, os.MkdirAll(filepath.Join(at, dir), 0o755))
	}
	full, err := filepath.Abs(root)
	require.NoError(t, err)
	for _, name := range []string{"cmd", "config.yaml"} {
		require.NoError(t, os.Symlink(filepath.Join(full, name), filepath.Join(s.dir, name)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "payswitch"), []byte("the program"), 0o600))
	script := regexp.MustCompile(`/(usr/bin|etc)/`).ReplaceAllString(strings.Join(lines, "\n"), at+"/$1/")
	require.NoError(t, s.run(script))
	environment := filepath.Join(at, "etc/payswitch/environment")
	first, err := os.ReadFile(environment)
	require.NoError(t, err)
	require.NoError(t, s.run(script))
	second, err := os.ReadFile(environment)
	require.NoError(t, err)
	require.Equal(t, string(first), string(second), "a second run must not replace the master key: the database would open no more")
	st, err := os.Stat(environment)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	st, err = os.Stat(filepath.Join(at, "usr/bin/payswitch"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), st.Mode().Perm())
	called, err := os.ReadFile(s.called)
	require.NoError(t, err)
	require.Contains(t, string(called), "useradd --system")
	require.Contains(t, string(called), "systemctl enable --now payswitch payswitch-backup.timer\n")
	for _, name := range []string{"payswitch.service", "payswitch-backup.service", "payswitch-backup.timer"} {
		require.FileExists(t, filepath.Join(at, "etc/systemd/system", name))
	}
	code, stdout, stderr := runProgram(t, strings.Fields(string(first)), "config", "check", "--config", filepath.Join(at, "etc/payswitch/config.yaml"))
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "prd")
	require.NotContains(t, stdout, strings.TrimPrefix(strings.Fields(string(first))[0], "PAYSWITCH_VAULT__MASTER_KEY="))
}

// TestBackupUnit runs the script of the back-up's unit: it verifies the copy, and removes old copies only after that.
func TestBackupUnit(t *testing.T) {
	t.Parallel()
	script := regexp.MustCompile(`(?s)ExecStart=/bin/sh -ec '(.*?)'\n`).FindStringSubmatch(unit(t, "payswitch-backup.service"))[1]
	script = strings.NewReplacer("\\\n", " ", "$$", "$", "%%", "%").Replace(script) // as systemd reads it
	s := newSandboxed(t, map[string]string{"payswitch": `case "$2" in verify) [ ! -e "$PWD/spoilt" ];; *) touch "$2";; esac`})
	old := filepath.Join(s.dir, "backups/payswitch-2026-05-03T00:00:00Z.db")
	require.NoError(t, os.Mkdir(filepath.Dir(old), 0o700))
	require.NoError(t, os.WriteFile(old, nil, 0o600))
	long := time.Now().Add(-9 * 24 * time.Hour)
	require.NoError(t, os.WriteFile(old+".sha256", nil, 0o600))
	require.NoError(t, os.Chtimes(old, long, long))
	require.NoError(t, os.Chtimes(old+".sha256", long, long))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "spoilt"), nil, 0o600))
	require.Error(t, s.run(script))
	require.FileExists(t, old, "a copy that fails its check removes no other")
	require.NoError(t, os.Remove(filepath.Join(s.dir, "spoilt")))
	require.NoError(t, s.run(script))
	require.NoFileExists(t, old)
	require.NoFileExists(t, old+".sha256")
	there, err := filepath.Glob(filepath.Join(s.dir, "backups/payswitch-*Z.db"))
	require.NoError(t, err)
	require.NotEmpty(t, there)
	called, err := os.ReadFile(s.called)
	require.NoError(t, err)
	require.Regexp(t, `payswitch backup backups/payswitch-\S+Z\.db --config /etc/payswitch/config\.yaml\npayswitch backup verify backups/payswitch-\S+Z\.db --config /etc/payswitch/config\.yaml\n$`, string(called))
}

// TestPackageScripts: a removal stops payswitch, an upgrade stops nothing, and systemd reads the units of an upgrade. Without systemd the scripts do nothing.
func TestPackageScripts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script, as, wanted string
	}{
		{"preremove.sh", "remove", "systemctl disable --now payswitch.service payswitch-backup.timer\n"},
		{"preremove.sh", "0", "systemctl disable --now payswitch.service payswitch-backup.timer\n"},
		{"preremove.sh", "upgrade", ""},
		{"preremove.sh", "1", ""},
		{"postinstall.sh", "configure", "systemctl daemon-reload\n"},
		{"postinstall.sh", "2", "systemctl daemon-reload\n"},
	} {
		s := newSandboxed(t, map[string]string{"systemctl": ""})
		require.NoError(t, os.WriteFile(s.called, nil, 0o600))
		script := "set -- " + c.as + "\n" + strings.ReplaceAll(unit(t, c.script), "/run/systemd/system", filepath.Join(s.dir, "running"))
		require.NoError(t, s.run(script))
		called, err := os.ReadFile(s.called)
		require.NoError(t, err)
		require.Empty(t, string(called))
		require.NoError(t, os.Mkdir(filepath.Join(s.dir, "running"), 0o755))
		require.NoError(t, s.run(script))
		called, err = os.ReadFile(s.called)
		require.NoError(t, err)
		require.Equal(t, c.wanted, string(called), "%s %s", c.script, c.as)
	}
}

// TestGuidesCommandsTakeTheConfiguration: the guide's function pay ends each command with --config. So each command that the guide writes takes it.
func TestGuidesCommandsTakeTheConfiguration(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(operationsGuide)
	require.NoError(t, err)
	found := 0
	for _, m := range regexp.MustCompile(`(?m)^    (?:[A-Z]+=\S+ )?payswitch ([a-z ]*[a-z])`).FindAllStringSubmatch(string(guide), -1) {
		words := strings.Fields(m[1])
		for _, c := range commands() {
			name := strings.Fields(c.name)
			if len(words) < len(name) || strings.Join(words[:len(name)], " ") != c.name || name[0] == "release" { // the publisher's files, for anybody
				continue
			}
			found++
			code, stdout, stderr := runProgram(t, nil, append(name, "--help")...)
			require.Equal(t, exitOK, code, stderr)
			require.Contains(t, stdout, "\n  -config ", "%s", c.name)
			break
		}
	}
	require.Greater(t, found, 30)
}
