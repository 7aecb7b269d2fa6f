package main

import (
	"crypto/rand"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/card"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
	"payswitch/storage"
)

func newMasterKey() string {
	key := make([]byte, 32)
	rand.Read(key)
	return base64.StdEncoding.EncodeToString(key)
}

// vaultKeys reads `vault status`: the states of the keys that seal, and how many records are under them.
func vaultKeys(t *testing.T, env []string) (keys map[string][]string, text string) {
	t.Helper()
	code, stdout, stderr := runProgram(t, env, "vault", "status", "--config", writeConfig(t, ""))
	require.Equal(t, exitOK, code, stderr)
	keys = map[string][]string{}
	for line := range strings.Lines(stdout) {
		f := regexp.MustCompile(`\s{2,}`).Split(strings.TrimSpace(line), -1)
		if f[0] != "KEYSET" {
			require.Len(t, f, 8, line)
			keys[f[0]] = append(keys[f[0]], f[3]+" "+f[7])
		}
	}
	return keys, stdout
}

func TestVaultCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := append(testEnv(t, dir), "PAYSWITCH_VAULT__REFRESH=100ms")
	config := writeConfig(t, "")
	for _, command := range []string{"status", "rotate", "reencrypt"} {
		code, _, stderr := runProgram(t, env, "vault", command, "--config", config)
		require.Equal(t, exitFailed, code)
		require.Contains(t, stderr, "has no database, or a database that needs `payswitch migrate` first")
	}
	require.NoFileExists(t, filepath.Join(dir, "payswitch.db"), "nothing is made by a look at it")

	r := start(t, env, "serve", "--config", config)
	key := r.shop("shop")
	r.must(key, "/payments", cardPayment("pay_1"))
	keys, _ := vaultKeys(t, env)
	require.Equal(t, []string{"primary 0"}, keys["cards"])
	require.Regexp(t, `^primary [1-9]`, keys["data"][0])
	require.Equal(t, []string{"primary -"}, keys["hash"])

	code, stdout, stderr := runProgram(t, env, "vault", "rotate", "--config", config)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "data: new records are sealed under key ")
	code, stdout, stderr = runProgram(t, env, "vault", "reencrypt", "--no-wait", "--config", config)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "payments: 1 moved\n")
	require.Contains(t, stdout, "it may be destroyed from ")
	code, stdout, stderr = runProgram(t, env, "vault", "reencrypt", "--config", config)
	require.Equal(t, exitOK, code, stderr)
	require.Equal(t, 2, strings.Count(stdout, " destroyed\n"), stdout)
	keys, _ = vaultKeys(t, env)
	require.Equal(t, []string{"destroyed 0", "primary 0"}, keys["cards"])
	r.must(key, "/payments", cardPayment("pay_2"))
	require.Equal(t, "succeeded", r.must(key, "/payments/pay_1", nil)["status"])
	r.stop()

	// A new master key: both are known during the change, and afterwards the new one is enough.
	code, _, stderr = runProgram(t, env, "vault", "rotate", "--master", "--config", config)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "vault.next_master_key: is not set")
	next := newMasterKey()
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, []byte(next+"\n"), 0o600))
	code, stdout, stderr = runProgram(t, append(env, "PAYSWITCH_VAULT__NEXT_MASTER_KEY_FILE="+file), "vault", "rotate", "--master", "--config", config)
	require.Equal(t, exitOK, code, stderr)
	require.Equal(t, 3, strings.Count(stdout, "now encrypted with the next master key"), stdout)
	code, _, stderr = runProgram(t, env, "serve", "--config", config)
	require.Equal(t, exitFailed, code)
	require.Regexp(t, `needed: local:[0-9a-f]{8}\); start with that key \(nothing was changed\)`, stderr)
	var moved []string
	for _, e := range env {
		if !strings.HasPrefix(e, "PAYSWITCH_VAULT__MASTER_KEY=") {
			moved = append(moved, e)
		}
	}
	r = start(t, append(moved, "PAYSWITCH_VAULT__MASTER_KEY_FILE="+file), "serve", "--config", config)
	require.Equal(t, "succeeded", r.must(key, "/payments/pay_1", nil)["status"])
	r.stop()

	// And on to a key service.
	s := transitServer(t, "token")
	service := append(moved, "PAYSWITCH_VAULT__KMS_TOKEN=token")
	uri := "hcvault+" + s.URL + "/transit/keys/payswitch"
	code, _, stderr = runProgram(t, append(service, "PAYSWITCH_VAULT__MASTER_KEY_FILE="+file, "PAYSWITCH_VAULT__NEXT_MASTER_KEY_URI="+uri),
		"vault", "rotate", "--master", "--config", config)
	require.Equal(t, exitOK, code, stderr)
	service = append(service, "PAYSWITCH_VAULT__MASTER_KEY_URI="+uri)
	_, text := vaultKeys(t, service)
	require.Contains(t, text, "hcvault:transit/keys/payswitch")
	r = start(t, service, "serve", "--config", config)
	require.Equal(t, "succeeded", r.must(key, "/payments/pay_1", nil)["status"])
	s.Close()
	require.Equal(t, "succeeded", r.must(key, "/payments", cardPayment("pay_3"))["status"], "payments do not need the service")
	r.stop()
	code, _, stderr = runProgram(t, service, "serve", "--config", config)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "check that the key service answers")
}

func TestMasterKeySettings(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	require.NoError(t, os.WriteFile(file, []byte(newMasterKey()), 0o644))
	without := withoutMasterKey(testEnv(t, dir))
	for name, c := range map[string]struct {
		env  string
		want string
	}{
		"a file that is not there":   {"PAYSWITCH_VAULT__MASTER_KEY_FILE=/nowhere", "vault.master_key_file: cannot be read"},
		"a file with something else": {"PAYSWITCH_VAULT__MASTER_KEY_FILE=" + filepath.Join(root, "go.mod"), "must be the base64 of exactly 32 bytes"},
		"a service without a token":  {"PAYSWITCH_VAULT__MASTER_KEY_URI=hcvault://v/transit/keys/k", "vault.kms_token: is not set"},
		"an unknown service":         {"PAYSWITCH_VAULT__MASTER_KEY_URI=gcp-kms://projects/p", "is not supported"},
		"no refresh":                 {"PAYSWITCH_VAULT__REFRESH=1ms", "vault.refresh: 1ms is out of bounds"},
	} {
		code, _, stderr := runProgram(t, append(without, c.env), "serve", "--config", writeConfig(t, ""))
		require.Equal(t, exitFailed, code, name)
		require.Contains(t, stderr, c.want, name)
	}
	require.NoError(t, os.WriteFile(file, []byte(demoMasterKey), 0o644))
	code, _, stderr := runProgram(t, append(without, "PAYSWITCH_VAULT__MASTER_KEY_FILE="+file, "PAYSWITCH_KEYS__ENVIRONMENT=prd"), "serve", "--config", writeConfig(t, ""))
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "vault.master_key_file: is the published demo key")
	code, _, stderr = runProgram(t, append(testEnv(t, dir), "PAYSWITCH_VAULT__MASTER_KEY_FILE="+file), "config", "check", "--config", writeConfig(t, ""))
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "vault.master_key: is given twice")
	code, stdout, stderr := runProgram(t, append(without, "PAYSWITCH_VAULT__MASTER_KEY_FILE="+file), "config", "check", "--config", writeConfig(t, ""))
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "others on this machine may read "+file)
	require.Contains(t, stdout, "is in the database's folder")
}

// TestRotationUnderLoad rotates and re-encrypts while a switch takes 20 payments a second, and kills both commands ten times at moments
// that move through their work. Nothing is lost: every saved card opens, every payment is shown, and in the end no record is under an old key.
func TestRotationUnderLoad(t *testing.T) {
	costly(t)
	t.Parallel()
	dir := t.TempDir()
	env := append(testEnv(t, dir), "PAYSWITCH_VAULT__REFRESH=100ms")
	p := startProcess(t, env, "serve")
	key := p.shop("shop")
	ids := saveCards(t, env, 2000)

	var paying sync.WaitGroup
	done, begun := make(chan struct{}), 0
	paying.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond) // 20 a second
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			begun++
			paying.Go(func() {
				o := cardPayment("pay_" + strconv.Itoa(i))
				switch i % 3 {
				case 1:
					o["confirm"] = false // its card waits in the short-term store
				case 2: // its card is saved
					o["customer_id"], o["setup_future_usage"] = "cus_"+strconv.Itoa(i), "off_session"
					o["customer_acceptance"] = object{"acceptance_type": "offline"}
				}
				status, answer, err := p.try(key, "/payments", o)
				if err != nil || status != 200 {
					t.Errorf("payment %d: %v %v %v", i, status, answer, err)
				}
			})
		}
	})

	program, err := binary()
	require.NoError(t, err)
	config := writeConfig(t, "")
	killed := 0
	for i := range 10 {
		for _, command := range []string{"rotate", "reencrypt"} {
			cmd := exec.Command(program, "vault", command, "--config", config)
			cmd.Env = env
			require.NoError(t, cmd.Start())
			kill := time.AfterFunc(time.Duration(60+i*70)*time.Millisecond, func() { cmd.Process.Kill() })
			if cmd.Wait() != nil {
				killed++
			}
			kill.Stop()
		}
	}
	require.GreaterOrEqual(t, killed, 10)
	for _, command := range []string{"rotate", "reencrypt"} {
		code, stdout, stderr := runProgram(t, env, "vault", command, "--config", config)
		require.Equal(t, exitOK, code, stdout+stderr)
	}
	close(done)
	paying.Wait()
	require.Greater(t, begun, 20)

	// What came in after the last pass is under the new key, too.
	keys, text := vaultKeys(t, env)
	for _, name := range []string{"cards", "data"} {
		primaries := 0
		for _, k := range keys[name] {
			state, records, _ := strings.Cut(k, " ")
			if state == "primary" {
				primaries++
			} else {
				require.Equal(t, "destroyed 0", state+" "+records, text)
			}
		}
		require.Equal(t, 1, primaries, text)
		require.Greater(t, len(keys[name]), 1, text)
	}
	for i := range begun {
		o := p.must(key, "/payments/pay_"+strconv.Itoa(i), nil)
		switch i % 3 {
		case 1: // with the card from the short-term store
			o = p.must(key, "/payments/pay_"+strconv.Itoa(i)+"/confirm", object{})
		case 2: // with the saved card
			require.Equal(t, "succeeded", o["status"])
			o = p.must(key, "/payments", object{"amount": 100, "currency": "USD", "confirm": true, "off_session": true, "customer_id": o["customer_id"],
				"recurring_details": object{"type": "payment_method_id", "data": o["payment_method_id"]}})
		}
		require.Equal(t, "succeeded", o["status"])
	}
	require.Equal(t, "Ada Lovelace", requireCards(t, env, ids))
	require.NotContains(t, p.stderr.String(), `"level":"ERROR"`)
}

// saveCards puts n cards into the vault of the database of env and returns their ids.
func saveCards(t *testing.T, env []string, n int) (ids []string) {
	t.Helper()
	db, v := openVaultOf(t, env)
	defer db.Close()
	require.NoError(t, db.Update(t.Context(), func(tx engine.Tx) error {
		ids = nil
		for i := range n {
			id := "card_" + strconv.Itoa(i)
			c, err := v.SealCard("shop", id, &card.Input{Number: secret.New(testNumber(i)), ExpMonth: "10", ExpYear: "2050",
				Holder: secret.New("Ada Lovelace")})
			if err == nil {
				err = tx.InsertCard(c)
			}
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	}))
	return ids
}

// requireCards opens the cards that saveCards has put there, and returns the holder of the last.
func requireCards(t *testing.T, env []string, ids []string) (holder string) {
	t.Helper()
	db, v := openVaultOf(t, env)
	defer db.Close()
	require.NoError(t, db.View(t.Context(), func(r engine.Reader) error {
		for i, id := range ids {
			c, err := r.Card("shop", id)
			if err != nil {
				return err
			}
			data, err := v.OpenCard(c)
			if err != nil {
				return err
			}
			require.Equal(t, testNumber(i), data.Number.Reveal())
			holder = data.Holder.Reveal()
		}
		return nil
	}))
	return holder
}

func openVaultOf(t *testing.T, env []string) (*storage.DB, *vault.Vault) {
	t.Helper()
	c, err := loadConfig(defaultConfig(), "", false, env)
	require.NoError(t, err)
	db, err := storage.Open(t.Context(), c.Storage.DSN.Reveal(), storage.Options{})
	require.NoError(t, err)
	v, err := openVault(t.Context(), db, c, nil)
	require.NoError(t, err)
	return db, v
}

// testNumber returns the i-th card number of a made-up issuer.
func testNumber(i int) string { return withLuhn("411111" + zeros(i, 9)) }

func zeros(i, width int) string {
	s := strconv.Itoa(i)
	return strings.Repeat("0", width-len(s)) + s
}

// withLuhn adds the check digit (ISO/IEC 7812-1, annex B).
func withLuhn(digits string) string {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return digits + strconv.Itoa((10-sum%10)%10)
}
