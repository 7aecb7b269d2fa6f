package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The binary refuses a card number in metadata by default and masks it where the operator says so; neither log nor files hold it.
func TestCardsInTextOfTheBinary(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]int{"": 422, "refuse": 422, "mask": 200} {
		t.Run(setting, func(t *testing.T) {
			dir := t.TempDir()
			env := append(testEnv(t, dir), "PAYSWITCH_LOG__LEVEL=debug", "PAYSWITCH_PLUGINS__CACHE_DIRECTORY="+newCache(t, filepath.Join(dir, "cache")))
			if setting != "" {
				env = append(env, "PAYSWITCH_CARDS__IN_TEXT="+setting)
			}
			p := startProcess(t, env, "serve")
			key := p.shop("shop")
			o := cardPayment("pay_1")
			o["metadata"], o["description"] = object{"note": "pays with 5105 1051 0510 5100"}, "5105105105105100"
			status, answer := p.call(key, "/payments", o)
			require.Equal(t, want, status, answer)
			if want == 200 {
				require.Equal(t, "pays with **** **** **** 5100", answer["metadata"].(map[string]any)["note"])
			} else {
				require.Contains(t, answer["error"].(map[string]any)["message"], "description holds a card number")
			}
			require.NoError(t, p.cmd.Process.Kill())
			p.exit()
			require.NotContains(t, p.stderr.String(), "5105105105105100")
			require.NotContains(t, p.stderr.String(), "5105 1051 0510 5100")
			require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return err
				}
				b, err := os.ReadFile(path)
				require.NotContains(t, string(b), "5105105105105100", path)
				require.NotContains(t, string(b), "5105 1051 0510 5100", path)
				return err
			}))
		})
	}

	_, err := loadConfig(defaultConfig(), writeConfig(t, "cards:\n  in_text: hide\n"), true, nil)
	require.ErrorContains(t, err, "cards.in_text")
	require.ErrorContains(t, err, "refuse")
}
