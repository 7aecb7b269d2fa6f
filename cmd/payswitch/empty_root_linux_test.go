package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// imageUser is the user of the image, without a right of root.
const imageUser = 65532

// emptyRoot makes a root folder as the image has it: the program, and the folders that a container mounts. The user cannot write to others. The tests' build
// needs C libraries, which the image's build does not (TestPackagingIsWhole); they are there too.
func emptyRoot(t *testing.T) string {
	t.Helper()
	at := t.TempDir()
	program, err := binary()
	require.NoError(t, err)
	place := func(from, to string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(at, to)), 0o755))
		b, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(at, to), b, 0o555))
	}
	place(program, "/usr/bin/payswitch")
	libraries, _ := exec.Command("ldd", program).Output() // fails for a static program
	for _, m := range regexp.MustCompile(`(/\S+) \(0x`).FindAllSubmatch(libraries, -1) {
		place(string(m[1]), string(m[1]))
	}
	folder, err := adapters()
	require.NoError(t, err)
	place(filepath.Join(folder, "simulator.wasm"), "/adapters/simulator.wasm")
	for _, mounted := range []string{"var/lib/payswitch", "tmp"} {
		volume := filepath.Join(at, mounted)
		require.NoError(t, os.MkdirAll(volume, 0o700))
		if os.Getuid() == 0 {
			require.NoError(t, os.Chown(volume, imageUser, imageUser))
		}
	}
	var closed []string
	require.NoError(t, filepath.WalkDir(at, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && !strings.HasSuffix(path, "/var/lib/payswitch") && path != filepath.Join(at, "tmp") {
			closed = append(closed, path)
		}
		return err
	}))
	for _, dir := range closed {
		require.NoError(t, os.Chmod(dir, 0o555))
	}
	t.Cleanup(func() {
		for _, dir := range closed {
			os.Chmod(dir, 0o755)
		}
	})
	return at
}

// TestEmptyRoot: the switch runs as the image's user in a root without any other file, and can write to the volumes of the Kubernetes manifests alone. It
// starts, compiles an adapter, takes a payment, examines itself and backs itself up.
func TestEmptyRoot(t *testing.T) {
	t.Parallel()
	at := emptyRoot(t)
	address := freeAddress(t)
	env := []string{"PAYSWITCH_SERVER__LISTEN=0.0.0.0" + address[strings.LastIndex(address, ":"):], "PAYSWITCH_DASHBOARD__LISTEN=127.0.0.1:0",
		"PAYSWITCH_STORAGE__DSN=sqlite:/var/lib/payswitch/payswitch.db", "PAYSWITCH_PLUGINS__CACHE_DIRECTORY=/var/lib/payswitch/adapters", "PAYSWITCH_PLUGINS__DIRECTORY=/adapters",
		"PAYSWITCH_VAULT__MASTER_KEY=" + testMasterKey, "PAYSWITCH_ADMIN__API_KEY=" + testAdminKey, "PAYSWITCH_SERVER__PUBLIC_URL=https://pay.example.com"}
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("/usr/bin/payswitch", args...)
		cmd.Env, cmd.Dir = env, "/var/lib/payswitch"
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: at}
		if os.Getuid() == 0 {
			cmd.SysProcAttr.Credential = &syscall.Credential{Uid: imageUser, Gid: imageUser}
			return cmd
		}
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER // in which a user may change the root
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: imageUser, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: imageUser, HostID: os.Getgid(), Size: 1}}
		return cmd
	}
	p := &process{running: &running{t: t}, cmd: command("serve"), stderr: &lockedBuffer{}}
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	if err := p.cmd.Start(); os.Getuid() != 0 && errors.Is(err, syscall.EPERM) {
		require.Empty(t, os.Getenv("TEST_ALL"), "make test skips nothing: this test needs root, or user namespaces")
		t.Skip("needs root, or user namespaces")
	} else {
		require.NoError(t, err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill(); p.cmd.Wait() })
	p.await(out, p.stderr)
	p.url = "http://" + address

	answer := p.must(p.shop("shop"), "/payments", cardPayment("pay_1"))
	require.Equal(t, "succeeded", answer["status"])
	for _, args := range [][]string{{"doctor"}, {"backup", "copy.db"}, {"backup", "verify", "copy.db"}} {
		text, err := command(args...).CombinedOutput()
		require.NoError(t, err, "%v: %s", args, text)
		if args[0] == "doctor" {
			require.Contains(t, string(text), "ok       alarms: none since the node's start")
		}
	}
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, exitOK, p.exit(), p.stderr)
	written, err := os.ReadDir(filepath.Join(at, "tmp"))
	require.NoError(t, err)
	require.Empty(t, written)
}
