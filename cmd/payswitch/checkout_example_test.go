package main

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestCheckoutExample runs the servers of the guide as they stand, and pays with the guide's page in a browser: only addresses and key are replaced.
func TestCheckoutExample(t *testing.T) {
	costly(t)
	requireCheckout(t)
	guide, err := os.ReadFile(root + "/router/checkout/EXAMPLE.md")
	require.NoError(t, err)
	blocks := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)```(go|js|php|html)\n(.*?)```").FindAllStringSubmatch(string(guide), -1) {
		blocks[m[1]] = m[2]
	}
	s := newCheckoutShop(t)
	for _, l := range []struct {
		language, file, program string
		command                 func(program, file, address string) *exec.Cmd
	}{
		{"go", "main.go", "go", func(program, file, _ string) *exec.Cmd {
			built := filepath.Join(filepath.Dir(file), "shop")
			out, err := exec.Command(program, "build", "-o", built, file).CombinedOutput()
			require.NoError(t, err, "%s", out)
			return exec.Command(built)
		}},
		{"js", "shop.js", "node", func(program, file, _ string) *exec.Cmd { return exec.Command(program, file) }},
		{"php", "shop.php", "php", func(program, file, address string) *exec.Cmd { return exec.Command(program, "-S", address, file) }},
	} {
		t.Run(l.language, func(t *testing.T) {
			s := s.with(t)
			program, err := exec.LookPath(l.program)
			if err != nil {
				t.Skipf("%s is missing", l.program)
			}
			address := freeAddress(t)
			_, port, _ := net.SplitHostPort(address)
			names := strings.NewReplacer("http://127.0.0.1:8080", s.sw.url, "127.0.0.1:3000", address, "listen(3000", "listen("+port, "YOUR_PUBLISHABLE_KEY", s.public)
			folder := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(folder, "public"), 0o700))
			for name, block := range map[string]string{l.file: blocks[l.language], "public/index.html": blocks["html"]} {
				require.NotEmpty(t, block, name)
				require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(names.Replace(block)), 0o600))
			}
			cmd := l.command(program, filepath.Join(folder, l.file), address)
			said := &lockedBuffer{}
			cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, append(os.Environ(), "PAYSWITCH_KEY="+s.key), said, said
			require.NoError(t, cmd.Start())
			t.Cleanup(func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				if t.Failed() {
					t.Log(said.String())
				}
			})
			require.Eventually(t, func() bool {
				resp, err := http.Get("http://" + address + "/")
				if err == nil {
					resp.Body.Close()
				}
				return err == nil && resp.StatusCode == 200
			}, patience, patience/300)
			s.do(chromedp.Navigate("http://" + address + "/"))
			s.awaitIn(fieldsFrame, `document.querySelector("[data-phase=ready] [name=cardnumber]")`)
			s.card("4000000000000002")
			s.press("#pay")
			s.await(`document.querySelector("#message").textContent`)
			s.card("4242424242424242")
			s.press("#pay")
			s.await(`location.pathname === "/thanks" && document.querySelector("#status")`)
			require.Equal(t, "succeeded", script[string](s.tab, `document.querySelector("#status").textContent`))
		})
	}
}
