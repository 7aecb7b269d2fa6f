package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWebhooksGuide runs the guide's programs: each accepts what payswitch signs, and refuses a changed body, an old timestamp and another secret.
func TestWebhooksGuide(t *testing.T) {
	costly(t)
	guide, err := os.ReadFile("../../router/WEBHOOKS.md")
	require.NoError(t, err)
	blocks := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)```(go|js|python|php)\n(.*?)```").FindAllStringSubmatch(string(guide), -1) {
		blocks[m[1]] = m[2]
	}
	for _, l := range []struct{ language, file, program string }{{"go", "main.go", "go"}, {"js", "verify.js", "node"}, {"python", "verify.py", "python3"}, {"php", "verify.php", "php"}} {
		t.Run(l.language, func(t *testing.T) {
			require.NotEmpty(t, blocks[l.language])
			program, err := exec.LookPath(l.program)
			if err != nil {
				t.Skipf("%s is missing", l.program)
			}
			file := filepath.Join(t.TempDir(), l.file)
			require.NoError(t, os.WriteFile(file, []byte(blocks[l.language]), 0o600))
			command := []string{program, file}
			if l.language == "go" {
				built := filepath.Join(t.TempDir(), "verify")
				out, err := exec.Command(program, "build", "-o", built, file).CombinedOutput()
				require.NoError(t, err, "%s", out)
				command = []string{built}
			}
			now, old := fmt.Sprint(time.Now().Unix()), fmt.Sprint(time.Now().Add(-time.Hour).Unix())
			const id, body = "evt_1", `{"event_id":"evt_1","note":"ü"}`
			secret := "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))
			signed := func(at, secret string) string {
				key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
				require.NoError(t, err)
				h := hmac.New(sha256.New, key)
				h.Write([]byte(id + "." + at + "." + body))
				return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
			}
			other := "whsec_" + base64.StdEncoding.EncodeToString([]byte("another"))
			for _, c := range []struct {
				what                        string
				secret, at, signature, sent string
				ok                          bool
			}{
				{"genuine", secret, now, signed(now, secret), body, true},
				{"one of two", secret, now, signed(now, other) + " " + signed(now, secret), body, true},
				{"another body", secret, now, signed(now, secret), body + " ", false},
				{"another secret", other, now, signed(now, secret), body, false},
				{"an hour old", secret, old, signed(old, secret), body, false},
				{"no signature", secret, now, "", body, false},
				{"another version", secret, now, "v2" + signed(now, secret)[2:], body, false},
			} {
				cmd := exec.Command(command[0], append(command[1:], c.secret, id, c.at, c.signature)...)
				cmd.Stdin = strings.NewReader(c.sent)
				out, err := cmd.CombinedOutput()
				require.Equal(t, c.ok, err == nil, "%s: %s", c.what, out)
			}
		})
	}
}
