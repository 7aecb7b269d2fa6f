package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const testMasterKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

// writeConfig writes a configuration file and returns its path.
func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestDistributedConfigIsTheDefaults(t *testing.T) {
	path := filepath.Join("..", "..", "config.yaml")
	c, err := loadConfig(defaultConfig(), path, true, nil)
	require.NoError(t, err)
	require.Equal(t, defaultConfig(), c)

	// Every key is written out, so that a reader finds it there.
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for key := range fieldsOf(&c) {
		last := key[strings.LastIndex(key, ".")+1:]
		require.Regexp(t, `(?m)^ +`+last+`:`, string(text), "config.yaml does not show %s", key)
	}
}

func TestDefaultsAreValid(t *testing.T) {
	require.NoError(t, defaultConfig().Validate())
}

func TestConfigOrder(t *testing.T) {
	path := writeConfig(t, "server:\n  listen: 127.0.0.1:1000\n  public_url: https://file.example\nengine:\n  lease_time: 90s\n")
	c, err := loadConfig(defaultConfig(), path, true, []string{"PAYSWITCH_SERVER__LISTEN=127.0.0.1:2000", "PAYSWITCH_LOG__LEVEL="})
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:2000", c.Server.Listen, "the environment wins over the file")
	require.Equal(t, "https://file.example", c.Server.PublicURL, "the file wins over the default")
	require.Equal(t, 90*time.Second, c.Engine.LeaseTime)
	require.Equal(t, "info", c.Log.Level, "an empty variable is one not set")
}

func TestConfigFileMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.yaml")
	c, err := loadConfig(defaultConfig(), path, false, nil)
	require.NoError(t, err)
	require.Equal(t, defaultConfig(), c)
	_, err = loadConfig(defaultConfig(), path, true, nil)
	require.ErrorContains(t, err, path)
}

func TestConfigEmptySections(t *testing.T) {
	c, err := loadConfig(defaultConfig(), writeConfig(t, "admin:\nstorage: {}\nlog:\n  level:\n"), true, nil)
	require.NoError(t, err)
	require.Equal(t, defaultConfig(), c)
}

func TestConfigProblems(t *testing.T) {
	for name, tc := range map[string]struct {
		file string
		env  []string
		want []string // in the message
	}{
		"typo in file": {file: "server:\n  lisen: 127.0.0.1:1\n",
			want: []string{"config.yaml", "server.lisen: unknown key", "did you mean server.listen?"}},
		"right name, wrong section": {file: "storage:\n  master_key: env:X\n",
			want: []string{"storage.master_key: unknown key", "did you mean vault.master_key?"}},
		"section as a value": {file: "server: 8080\n",
			want: []string{"server: is a section"}},
		"unknown section": {file: "merchants:\n  - a\n",
			want: []string{"merchants: unknown key; config.yaml of the distribution lists them all"}},
		"duplicate key": {file: "log:\n  level: info\n  level: debug\n",
			want: []string{"line 3: level is already defined at line 2: keep one of them"}},
		"tab": {file: "server:\n\tlisten: 127.0.0.1:8080\n",
			want: []string{"line 2 is indented by a tab: use spaces"}},
		"no sections": {file: "server\n",
			want: []string{"the file has no sections: write a section such as server:"}},
		"a list": {file: "- server\n",
			want: []string{"the file has no sections"}},
		"second document": {file: "# settings\n---\nserver:\n  listen: 127.0.0.1:1\n---\nkeys:\n  environment: prd\n",
			want: []string{"line 5 begins a second document, which would be ignored"}},
		"after the document's end": {file: "server:\n  listen: 127.0.0.1:1\n...\nkeys:\n  environment: prd\n",
			want: []string{"line 3 begins a second document"}},
		"typo in environment": {env: []string{"PAYSWITCH_STORAGE__DNS=sqlite:x"},
			want: []string{"PAYSWITCH_STORAGE__DNS: unknown variable", "did you mean PAYSWITCH_STORAGE__DSN?"}},
		"one underscore": {env: []string{"PAYSWITCH_SERVER_LISTEN=127.0.0.1:1"},
			want: []string{"did you mean PAYSWITCH_SERVER__LISTEN?"}},
		"duration without unit": {file: "engine:\n  lease_time: 5\n",
			want: []string{"engine.lease_time: 5 is not a duration", "as 5s"}},
		"bad bool": {env: []string{"PAYSWITCH_METRICS__ENABLED=yes"},
			want: []string{"metrics.enabled: yes is neither true nor false"}},
		"bad number": {file: "server:\n  request_body_limit: 32k\n",
			want: []string{"server.request_body_limit: 32k is not a whole number"}},
		"number for text": {file: "log:\n  level: 3\n",
			want: []string{"log.level: 3 is not text: put it in quotes"}},
		"bad simulator": {file: "simulator:\n  time_scale: 0\n  other_cards: '70'\n",
			want: []string{"simulator.time_scale: 0 is out of bounds", `simulator.other_cards: "70" are not the four digits`}},
		"bad list": {file: "plugins:\n  simulate: 3\n",
			want: []string{"plugins.simulate: 3 is not a list"}},
		"bad address": {file: "server:\n  listen: '8080'\n",
			want: []string{`server.listen: "8080" is not an address: write host:port`}},
		"bad public url": {file: "server:\n  public_url: pay.example.com\n",
			want: []string{`server.public_url: "pay.example.com" is not a URL`}},
		"slash at end": {file: "server:\n  public_url: https://pay.example.com/\n",
			want: []string{"without a slash at the end"}},
		"bad origin": {file: "server:\n  cors:\n    origins: [shop.example]\n",
			want: []string{`server.cors.origins: "shop.example" is not an origin`}},
		"bad dsn": {file: "storage:\n  dsn: mysql://root@host/x\n",
			want: []string{"storage.dsn: must begin with sqlite: or postgres://"}},
		"bad level": {file: "log:\n  level: loud\n",
			want: []string{`log.level: "loud" is not known: choose one of debug, info, warn, error`}},
		"patient customers": {file: "engine:\n  authenticator_time: 1m\n",
			want: []string{"engine.authenticator_time: 1m0s is out of bounds: choose between 1s and 30s"}},
		"short lease": {file: "engine:\n  lease_time: 1s\n",
			want: []string{"engine.lease_time: 1s is out of bounds: choose between 5s and 1h0m0s"}},
		"lease shorter than a send": {file: "plugins:\n  send_timeout: 30s\nengine:\n  lease_time: 30s\n",
			want: []string{"engine.lease_time: 30s must be longer than plugins.send_timeout (30s)"}},
		"several at once": {file: "log:\n  level: loud\n  formt: text\nengine:\n  lease_time: 5\n",
			want: []string{"log.level", "log.formt", "engine.lease_time"}},
		"demo key in production": {file: "keys:\n  environment: prd\n", env: []string{"PAYSWITCH_VAULT__MASTER_KEY=" + demoMasterKey},
			want: []string{"vault.master_key: is the published demo key"}},
		"simulation in production": {file: "keys:\n  environment: prd\nplugins:\n  simulate: [stripe]\n  allow_loopback_http: true\n",
			want: []string{"plugins.simulate: simulated connectors take no money", "plugins.allow_loopback_http: is for development"}},
		"what is no key": {file: "plugins:\n  trusted_keys: [RWnone]\n",
			want: []string{`plugins.trusted_keys: "RWnone" is not a minisign public key`}},
		"no trusted key": {file: "plugins:\n  signed_only: true\n",
			want: []string{"plugins.signed_only: refuses every adapter while plugins.trusted_keys is empty"}},
		"events kept too short": {file: "webhooks:\n  keep: 24h\n  keep_undelivered: 119h\n  keep_attempts: 0s\n",
			want: []string{"webhooks.keep: 24h0m0s is out of bounds: choose between 120h0m0s and 87840h0m0s",
				"webhooks.keep_undelivered: 119h0m0s is out of bounds: choose between 120h0m0s and", "webhooks.keep_attempts: 0s is out of bounds: choose between 120h0m0s and"}},
		"events kept too long": {file: "webhooks:\n  keep: 87841h\n  keep_undelivered: 2562047h\n", env: []string{"PAYSWITCH_WEBHOOKS__KEEP_ATTEMPTS=90000h"},
			want: []string{"webhooks.keep: 87841h0m0s is out of bounds: choose between", "webhooks.keep_undelivered: 2562047h0m0s is out of bounds", "webhooks.keep_attempts: 90000h0m0s is out of bounds"}},
		"events kept in days": {file: "webhooks:\n  keep: 90d\n  keep_undelivered: 2160\n", env: []string{"PAYSWITCH_WEBHOOKS__KEEP_ATTEMPTS=never"},
			want: []string{"webhooks.keep: 90d is not a duration: write a number and its unit, as 5s, 500ms or 2m", "webhooks.keep_undelivered: 2160 is not a duration", "webhooks.keep_attempts: never is not a duration"}},
		"events kept, misspelt": {file: "webhooks:\n  keep_undeliverd: 2160h\n",
			want: []string{"webhooks.keep_undeliverd: unknown key", "did you mean webhooks.keep_undelivered?"}},
		"same address twice": {file: "metrics:\n  listen: 127.0.0.1:8080\n",
			want: []string{"metrics.listen: is server.listen too"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadConfig(defaultConfig(), writeConfig(t, tc.file), true, tc.env)
			require.Error(t, err)
			for _, want := range tc.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

// Each bound of a setting is checked: its key is in the error, with what may be chosen.
func TestConfigBounds(t *testing.T) {
	for key, value := range map[string]string{"vault.refresh": "1ms", "cards.in_text": "x", "keys.environment": "x", "journal.keep": "-1s", "log.format": "x",
		"log.requests_limit": "1", "tracing.sample": "101", "server.request_body_limit": "1", "server.shutdown_timeout": "2h", "server.overload_latency": "1ms",
		"server.rate_limit": "-1", "server.rate_burst": "-1", "storage.postgres.connections": "1", "storage.postgres.statement_timeout": "1ms",
		"storage.postgres.lock_timeout": "1ms", "storage.backup_max_age": "-1s", "plugins.send_timeout": "1ms", "plugins.response_limit": "1",
		"plugins.account_concurrency": "-1", "plugins.account_wait": "1ms", "plugins.memory_limit": "1", "plugins.step_fuel": "1", "plugins.instances": "-1",
		"engine.lock_wait": "2h", "engine.resolve_every": "1ms", "engine.payer_wait": "1ms", "engine.resolve_pause": "1ms", "engine.settle_timeout": "1ms",
		"webhooks.timeout": "1ms", "webhooks.concurrency": "1", "webhooks.endpoints": "0", "dashboard.first_run": "x"} {
		_, err := loadConfig(defaultConfig(), writeConfig(t, ""), true, []string{variableOf(key) + "=" + value})
		require.ErrorContains(t, err, key+": ", value)
		require.ErrorContains(t, err, "choose ", key)
	}
	for key, value := range map[string]string{"tracing.endpoint": "collector:4318", "webhooks.retries": "soon", "dashboard.listen": "8081",
		"dashboard.public_url": "dash.example.com", "metrics.listen": "9090"} {
		_, err := loadConfig(defaultConfig(), writeConfig(t, ""), true, []string{variableOf(key) + "=" + value})
		require.ErrorContains(t, err, key+": ", value)
	}
	_, err := loadConfig(defaultConfig(), writeConfig(t, ""), true, []string{"PAYSWITCH_DASHBOARD__LISTEN=127.0.0.1:8080"})
	require.ErrorContains(t, err, "dashboard.listen: is server.listen too")
}

func TestConfigSecrets(t *testing.T) {
	secretFile := filepath.Join(t.TempDir(), "admin")
	require.NoError(t, os.WriteFile(secretFile, []byte("admin-secret-from-file\n"), 0o600))
	path := writeConfig(t, "admin:\n  api_key: file:"+secretFile+"\nvault:\n  master_key: env:PAYSWITCH_MY_KEY\nstorage:\n  dsn: env:DB\n")
	c, err := loadConfig(defaultConfig(), path, true, []string{"PAYSWITCH_MY_KEY=" + testMasterKey, "DB=postgres://u:hunter2@db/pay?password=hunter2"})
	require.NoError(t, err, "a variable the file names is not an unknown one")
	require.Equal(t, "admin-secret-from-file", c.Admin.APIKey.Reveal())
	require.Equal(t, testMasterKey, c.Vault.MasterKey.Reveal())

	shown := strings.Join(describe(c), "\n")
	for _, secret := range []string{"admin-secret", testMasterKey, "hunter2"} {
		require.NotContains(t, shown, secret)
	}
	require.Contains(t, shown, "admin.api_key: (set)")
	require.Contains(t, shown, "storage.dsn: postgres://u:xxxxx@db/pay")
}

// An error about a secret does not show the secret.
func TestConfigSecretProblems(t *testing.T) {
	for name, tc := range map[string]struct {
		file, want string
		env        []string
	}{
		"in clear in the file": {file: "admin:\n  api_key: hunter2hunter2\n", want: "admin.api_key: must not stand in a file in clear"},
		"a number":             {file: "admin:\n  api_key: 4242424242\n", want: "admin.api_key: is not text"},
		"password in the file": {file: "storage:\n  dsn: postgres://u:hunter2@db/pay\n", want: "storage.dsn: must not stand in a file in clear"},
		"variable not set":     {file: "admin:\n  api_key: env:NOT_THERE\n", want: "environment variable NOT_THERE, which is not set"},
		"empty file":           {file: "admin:\n  api_key: file:/dev/null\n", want: "admin.api_key: names the file /dev/null, which is empty"},
		"file not there":       {file: "admin:\n  api_key: file:/not/there\n", want: "file that cannot be read"},
		"master key too short": {env: []string{"PAYSWITCH_VAULT__MASTER_KEY=aHVudGVyMg=="}, want: "vault.master_key: must be the base64 of 32 bytes"},
		"dsn of another kind":  {env: []string{"PAYSWITCH_STORAGE__DSN=mysql://u:hunter2@h/x"}, want: "storage.dsn: must begin with"},
		"password in the query": {file: "storage:\n  dsn: postgres://db/pay?user=u&password=hunter2\n",
			want: "storage.dsn: must not stand in a file in clear"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadConfig(defaultConfig(), writeConfig(t, tc.file), true, tc.env)
			require.ErrorContains(t, err, tc.want)
			for _, secret := range []string{"hunter2", "4242424242", "aHVudGVyMg"} {
				require.NotContains(t, err.Error(), secret)
			}
		})
	}
}

// Kubernetes and Docker set variables like these, in addition to ours, for a service called payswitch.
func TestConfigIgnoresServiceLinks(t *testing.T) {
	_, err := loadConfig(defaultConfig(), writeConfig(t, ""), true, []string{"PAYSWITCH_SERVICE_HOST=10.0.0.1", "PAYSWITCH_SERVICE_PORT=80",
		"PAYSWITCH_SERVICE_PORT_HTTP=80", "PAYSWITCH_PORT=tcp://10.0.0.1:80", "PAYSWITCH_PORT_80_TCP_ADDR=10.0.0.1"})
	require.NoError(t, err)
}

func TestConfigLists(t *testing.T) {
	for _, tc := range []struct{ file, env string }{
		{file: "plugins:\n  simulate: [stripe, adyen]\n"},
		{file: "plugins:\n  simulate: stripe, adyen\n"},
		{env: "PAYSWITCH_PLUGINS__SIMULATE=stripe,adyen"},
	} {
		c, err := loadConfig(defaultConfig(), writeConfig(t, tc.file), true, []string{tc.env})
		require.NoError(t, err)
		require.Equal(t, []string{"stripe", "adyen"}, c.Plugins.Simulate)
	}
}

func TestConfigNested(t *testing.T) {
	c, err := loadConfig(defaultConfig(), writeConfig(t, ""), true, []string{"PAYSWITCH_SERVER__CORS__ORIGINS=https://shop.example"})
	require.NoError(t, err)
	require.Equal(t, []string{"https://shop.example"}, c.Server.CORS.Origins)
}

func TestConfigCheckCommand(t *testing.T) {
	code, out, errs := runProgram(t, nil, "config", "check", "--config", writeConfig(t, ""))
	require.Equal(t, exitOK, code, errs)
	require.Contains(t, out, "server.listen: 127.0.0.1:8080\n")
	require.Contains(t, out, "openssl rand -base64 32")
	require.Contains(t, out, "configuration is good\n")

	code, _, errs = runProgram(t, nil, "config", "check", "--config", writeConfig(t, "log:\n  levle: info\n"))
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "did you mean log.level?")
}

// A file with one document may have the marks of its begin and its end.
func TestConfigOfOneDocument(t *testing.T) {
	for _, text := range []string{"---\nserver:\n  listen: 127.0.0.1:1\n", "# first\n--- # settings\nserver:\n  listen: 127.0.0.1:1\n...\n",
		"server:\n  listen: 127.0.0.1:1\n---\n# nothing\n", "\ufeffserver:\r\n  listen: 127.0.0.1:1\r\n", "%YAML 1.1\n---\nserver:\n  listen: 127.0.0.1:1\n"} {
		c, err := loadConfig(defaultConfig(), writeConfig(t, text), true, nil)
		require.NoError(t, err, text)
		require.Equal(t, "127.0.0.1:1", c.Server.Listen)
	}
}

// config check reads the files that settings name, as serve does, and names every one that is wrong.
func TestConfigCheckReadsTheFiles(t *testing.T) {
	folder := t.TempDir()
	at := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	code, out, errs := runProgram(t, nil, "config", "check", "--config", writeConfig(t, "vault:\n  master_key_file: "+at("short", "c2hvcnQ=")+
		"\ncards:\n  bin_table: /none.csv\n  offer_tables: "+at("offers.json", "{")+"\nstorage:\n  dsn: postgres://payswitch@db/payswitch?sslmode=verifyfull\n"))
	require.Equal(t, exitFailed, code, out)
	for _, want := range []string{"vault.master_key_file: " + filepath.Join(folder, "short"), "cards.bin_table: cannot be read", "cards.offer_tables: ", "storage.dsn: a part of the address is wrong: sslmode must be"} {
		require.Contains(t, errs, want)
	}

	open := at("admin", "admin-secret-from-file")
	require.NoError(t, os.Chmod(open, 0o644))
	code, out, errs = runProgram(t, nil, "config", "check", "--config", writeConfig(t, "admin:\n  api_key: file:"+open+"\n"))
	require.Equal(t, exitOK, code, errs)
	require.Contains(t, out, "warning: admin.api_key: others on this machine may read "+open+": chmod 600 it")
}

// A folder of adapters that others may write to is a warning of config check, of doctor, and in the log of a start.
func TestFolderOfAdaptersOpenToOthers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	warning := "plugins.directory: others on this machine may put adapters into " + folder + ": chmod o-w it"
	env := append(testEnv(t, t.TempDir()), "PAYSWITCH_PLUGINS__DIRECTORY="+folder)
	require.NoError(t, os.Chmod(folder, 0o775))
	code, out, errs := runProgram(t, env, "config", "check")
	require.Equal(t, exitOK, code, errs)
	require.NotContains(t, out, "plugins.directory: others", "a group that may write was chosen")
	require.NoError(t, os.Chmod(folder, 0o777))
	code, out, errs = runProgram(t, env, "config", "check")
	require.Equal(t, exitOK, code, errs)
	require.Contains(t, out, "warning: "+warning)
	code, logged := start(t, env, "serve").stop()
	require.Equal(t, exitOK, code)
	require.Contains(t, logged, warning)
	_, out, _ = runProgram(t, env, "doctor")
	require.Contains(t, out, warning)
}

func FuzzConfig(f *testing.F) {
	f.Add("server:\n  listen: a:1\n", "PAYSWITCH_LOG__LEVEL", "info")
	f.Add("admin:\n  api_key: env:A\n", "PAYSWITCH_X", "1")
	f.Fuzz(func(t *testing.T, file, name, value string) {
		if strings.Contains(file, "file:") || strings.HasPrefix(value, "file:") {
			return // skipped: the field would read the file or variable that the value names
		}
		path := filepath.Join(t.TempDir(), "config.yaml")
		require.NoError(t, os.WriteFile(path, []byte(file), 0o600))
		c, err := loadConfig(defaultConfig(), path, true, []string{name + "=" + value}) // must not panic
		if err == nil {
			require.NoError(t, c.Validate())
		}
	})
}

// runProgram runs the program to its end.
func runProgram(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(context.Background(), args, env, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// TestOptimiseReachesTheSandbox: plugins.optimise is true by default, and false runs adapters as received.
func TestOptimiseReachesTheSandbox(t *testing.T) {
	c := defaultConfig()
	require.False(t, hostOptions(c).Unoptimised)
	require.False(t, switchSandbox(c).Unoptimised)
	c.Plugins.Optimise = false
	require.True(t, hostOptions(c).Unoptimised)
	require.True(t, switchSandbox(c).Unoptimised)
}

// A wait for a turn leaves a send enough of the lease.
func TestAccountWaitFitsTheLease(t *testing.T) {
	c := defaultConfig()
	require.Equal(t, 10*time.Second, hostOptions(c).AccountWait)
	c.Plugins.SendTimeout, c.Engine.LeaseTime = 3*time.Second, 5*time.Second
	require.Equal(t, time.Second, hostOptions(c).AccountWait)
}
