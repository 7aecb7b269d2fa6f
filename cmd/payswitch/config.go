package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"payswitch/engine/secret"
	"payswitch/engine/webhook"
	"payswitch/plugins"
	"payswitch/router"
	"payswitch/storage"
)

// Config holds every setting of an operator: those of config.yaml, then those of the environment. Merchants, profiles and connector accounts are
// data in the database. config.yaml documents every key at its default, and a test compares the two.
type Config struct {
	Server    ServerConfig    `key:"server"`
	Admin     AdminConfig     `key:"admin"`
	Dashboard DashboardConfig `key:"dashboard"`
	Storage   StorageConfig   `key:"storage"`
	Vault     VaultConfig     `key:"vault"`
	Keys      KeysConfig      `key:"keys"`
	Plugins   PluginsConfig   `key:"plugins"`
	Simulator SimulatorConfig `key:"simulator"`
	Engine    EngineConfig    `key:"engine"`
	Cards     CardsConfig     `key:"cards"`
	Webhooks  WebhooksConfig  `key:"webhooks"`
	Journal   JournalConfig   `key:"journal"`
	Log       LogConfig       `key:"log"`
	Metrics   MetricsConfig   `key:"metrics"`
	Tracing   TracingConfig   `key:"tracing"`

	keeper      keeper            // the service manager, where it keeps sockets; serve alone uses it
	secretFiles map[string]string // files that hold secrets, by the key of the setting that names them
}

// ServerConfig has the settings of the HTTP server.
type ServerConfig struct {
	Listen           string        `key:"listen"`             // host:port
	PublicURL        string        `key:"public_url"`         // where browsers and processors reach payswitch; "": http://{listen}
	RequestBodyLimit int64         `key:"request_body_limit"` // bytes
	TrustRequestID   bool          `key:"trust_request_id"`   // take x-request-id from the caller
	BehindProxy      bool          `key:"behind_proxy"`       // take callers' addresses from the proxy
	ShutdownTimeout  time.Duration `key:"shutdown_timeout"`
	OverloadLatency  time.Duration `key:"overload_latency"` // mean time of transactions above which new work is refused; 0: never
	RateLimit        int           `key:"rate_limit"`       // requests per second of one API key; 0: no limit
	RateBurst        int           `key:"rate_burst"`       // requests of one key that may come at once; 0: rate_limit
	CORS             CORSConfig    `key:"cors"`
}

// CORSConfig selects the web pages that may call the API from a browser.
type CORSConfig struct {
	Origins []string `key:"origins"` // exact origins, or "*"; empty: no page
}

// AdminConfig has the key of the endpoints that create merchants and keys.
type AdminConfig struct {
	APIKey secret.Value `key:"api_key"` // unset: those endpoints answer 401
}

// DashboardConfig has the settings of the pages for people.
type DashboardConfig struct {
	Listen      string `key:"listen"`       // host:port; "": no dashboard
	PublicURL   string `key:"public_url"`   // where browsers reach it; "": http://{listen}
	BehindProxy bool   `key:"behind_proxy"` // take visitors' addresses from the proxy
	FirstRun    string `key:"first_run"`    // loopback, anywhere: the visitors that get an answer while there is no user
}

// StorageConfig names the database.
type StorageConfig struct {
	DSN      secret.Value   `key:"dsn"` // secret, because a PostgreSQL address may hold a password
	Postgres PostgresConfig `key:"postgres"`
	// BackupMaxAge is the age of the last back-up from which on doctor and an alert ask for a new one; 0: none does.
	BackupMaxAge time.Duration `key:"backup_max_age"`
}

// PostgresConfig has the settings that only a PostgreSQL database uses.
type PostgresConfig struct {
	Connections      int           `key:"connections"` // of this node; a quarter of them write
	StatementTimeout time.Duration `key:"statement_timeout"`
	LockTimeout      time.Duration `key:"lock_timeout"`
}

func (c PostgresConfig) options() storage.Postgres {
	return storage.Postgres{Connections: c.Connections, StatementTimeout: c.StatementTimeout, LockTimeout: c.LockTimeout}
}

// VaultConfig has the key that protects every sealed value in the database.
type VaultConfig struct {
	// Set one of the three: the base64 of 32 bytes, a file with it, or the address of a key in a key management service.
	MasterKey     secret.Value `key:"master_key"`
	MasterKeyFile string       `key:"master_key_file"`
	MasterKeyURI  string       `key:"master_key_uri"`
	// The next master key, for `vault rotate --master`. A node with both keys keeps running during the change.
	NextMasterKey     secret.Value `key:"next_master_key"`
	NextMasterKeyFile string       `key:"next_master_key_file"`
	NextMasterKeyURI  string       `key:"next_master_key_uri"`

	KMSToken secret.Value  `key:"kms_token"` // for the key management service
	Refresh  time.Duration `key:"refresh"`   // how often a node reads the keys again; the same on all nodes
}

// KeysConfig has the settings of new API keys.
type KeysConfig struct {
	Environment string `key:"environment"` // prefix of keys: dev, integ, snd, prd
}

// PluginsConfig has the settings and limits of adapters.
type PluginsConfig struct {
	Directory      string   `key:"directory"`       // adapters in addition to the built-in ones; "": no others
	CacheDirectory string   `key:"cache_directory"` // compiled code and builds in use; "": next to the database
	TrustedKeys    []string `key:"trusted_keys"`    // minisign public keys; bundles with their signatures may be installed
	SignedOnly     bool     `key:"signed_only"`     // load from directory only bundles with such a signature
	Simulate       []string `key:"simulate"`        // connector names that the simulator answers for
	AllowLoopback  bool     `key:"allow_loopback_http"`
	AllowPrivate   bool     `key:"allow_private"`

	SendTimeout   time.Duration `key:"send_timeout"`   // for one request to a processor
	ResponseLimit int64         `key:"response_limit"` // bytes of a processor's answer
	// AccountConcurrency is the maximum of operations of one connector account at a time; 0: as many as its processor sustains. AccountWait is the
	// time that one more operation waits for its turn.
	AccountConcurrency int           `key:"account_concurrency"`
	AccountWait        time.Duration `key:"account_wait"`

	MemoryLimit int64 `key:"memory_limit"` // bytes of one adapter instance
	StepFuel    int64 `key:"step_fuel"`    // limit on the computation of one step
	Instances   int   `key:"instances"`    // per adapter; 0: twice the number of cores
	Optimise    bool  `key:"optimise"`     // rewrite adapters so that they run faster

	developing bool // plugin dev: a saved build is live at once. No operator sets it
}

// SimulatorConfig has the settings of the built-in 3-D Secure server and bank for development. Production never serves them.
type SimulatorConfig struct {
	ThreeDS    bool   `key:"three_ds"`
	TimeScale  int    `key:"time_scale"`  // divides the server's times
	OtherCards string `key:"other_cards"` // digits V, M, A and C for cards that are not test cards
}

// EngineConfig has the engine's times.
type EngineConfig struct {
	Node          string        `key:"node"`
	LeaseTime     time.Duration `key:"lease_time"`
	LockWait      time.Duration `key:"lock_wait"`
	ResolveEvery  time.Duration `key:"resolve_every"`
	SettleTimeout time.Duration `key:"settle_timeout"`
	PayerWait     time.Duration `key:"payer_wait"`
	ResolvePause  time.Duration `key:"resolve_pause"`

	AuthenticatorTime time.Duration `key:"authenticator_time"` // for one answer of an authenticator
}

// CardsConfig has the settings about cards.
type CardsConfig struct {
	BINTable string `key:"bin_table"` // a CSV file, see card.ReadBINTable; "": no file
	// OfferTables is a file of what a checkout may offer with each connector, in the form of router/offer_tables.json; "": the built-in tables.
	OfferTables string `key:"offer_tables"`
	InText      string `key:"in_text"` // refuse or mask, see router.CardsInText
}

// WebhooksConfig has the settings of the delivery of events to merchants.
type WebhooksConfig struct {
	AllowPrivate bool          `key:"allow_private"` // post to private addresses and by plain HTTP, too
	Timeout      time.Duration `key:"timeout"`       // for one request
	Retries      []string      `key:"retries"`       // pauses before the first retries; the last one is that before all others
	Concurrency  int           `key:"concurrency"`   // requests at a time, and as many to slow and failing endpoints
	Endpoints    int           `key:"endpoints"`     // of one profile
	Keep         time.Duration `key:"keep"`          // of events that all endpoints took
	// KeepUndelivered is for events that an endpoint did not take, KeepAttempts for requests to endpoints with the answers.
	KeepUndelivered time.Duration `key:"keep_undelivered"`
	KeepAttempts    time.Duration `key:"keep_attempts"`
}

// JournalConfig has the settings of the journal of adapters' operations.
type JournalConfig struct {
	Keep time.Duration `key:"keep"` // 0: only the records that the resolution of an open operation needs
}

// LogConfig has the settings of the log on standard error.
type LogConfig struct {
	Level  string `key:"level"`
	Format string `key:"format"`
	// Requests is a file with a line for each request of the API; "": none.
	Requests string `key:"requests"`
	// RequestsLimit is the size of a file in bytes, after which the next begins. requestLogFiles are kept.
	RequestsLimit int64 `key:"requests_limit"`
}

// MetricsConfig has the settings of the Prometheus endpoint.
type MetricsConfig struct {
	Enabled bool   `key:"enabled"`
	Listen  string `key:"listen"` // "": /metrics is on the API's address, with the admin key
}

// TracingConfig has the settings of OpenTelemetry traces.
type TracingConfig struct {
	Endpoint string       `key:"endpoint"` // OTLP over HTTP; "": no traces
	Token    secret.Value `key:"token"`    // sent to the collector as a bearer token
	Sample   int          `key:"sample"`   // per cent of requests
}

// defaultConfig returns the values that config.yaml documents.
func defaultConfig() Config {
	return Config{
		Server: ServerConfig{
			Listen:           "127.0.0.1:8080",
			RequestBodyLimit: 32 << 10,
			ShutdownTimeout:  30 * time.Second,
			OverloadLatency:  100 * time.Millisecond,
		},
		Dashboard: DashboardConfig{Listen: "127.0.0.1:8081", FirstRun: "loopback"},
		Storage: StorageConfig{
			BackupMaxAge: 48 * time.Hour,
			DSN:          secret.New("sqlite:payswitch.db"),
			Postgres:     PostgresConfig{Connections: 16, StatementTimeout: 10 * time.Second, LockTimeout: 5 * time.Second},
		},
		Vault: VaultConfig{Refresh: 10 * time.Second},
		Keys:  KeysConfig{Environment: "dev"},
		Plugins: PluginsConfig{
			SendTimeout:   30 * time.Second,
			ResponseLimit: 1 << 20,
			AccountWait:   10 * time.Second,
			MemoryLimit:   64 << 20,
			StepFuel:      20_000_000,
			Optimise:      true,
		},
		Simulator: SimulatorConfig{ThreeDS: true, TimeScale: 1, OtherCards: "0000"},
		Engine: EngineConfig{
			LeaseTime:     60 * time.Second,
			LockWait:      180 * time.Second,
			ResolveEvery:  5 * time.Second,
			SettleTimeout: 10 * time.Second,
			PayerWait:     2 * time.Minute,
			ResolvePause:  24 * time.Hour,

			AuthenticatorTime: 15 * time.Second,
		},
		Cards: CardsConfig{InText: string(router.RefuseCards)},
		Webhooks: WebhooksConfig{Timeout: 30 * time.Second, Retries: shortDurations(webhook.Retries), Concurrency: 256, Endpoints: 16, Keep: 90 * 24 * time.Hour,
			KeepUndelivered: 90 * 24 * time.Hour, KeepAttempts: 90 * 24 * time.Hour},
		Journal: JournalConfig{Keep: 30 * 24 * time.Hour},
		Log:     LogConfig{Level: "info", Format: "json", RequestsLimit: 128 << 20},
		Metrics: MetricsConfig{Enabled: true},
		Tracing: TracingConfig{Sample: 100},
	}
}

// problem returns the error of a setting: what is wrong, and what to do.
func problem(key, format string, args ...any) error {
	return fmt.Errorf("%s: %s", key, fmt.Sprintf(format, args...))
}

// bad adds a problem of a key.
func bad(all *[]error, key, format string, args ...any) {
	*all = append(*all, problem(key, format, args...))
}

// Validate joins all errors, each with its key and a remedy. It does not demand settings that only some commands need (the master key).
func (c Config) Validate() error {
	var all []error
	c.Server.check(&all)
	c.Storage.check(&all)
	for _, s := range []keySource{c.Vault.current(), c.Vault.next()} {
		if err := s.check(); err != nil {
			all = append(all, err)
		}
	}
	between(&all, "vault.refresh", c.Vault.Refresh, 100*time.Millisecond, time.Hour, "")
	oneOf(&all, "cards.in_text", c.Cards.InText, string(router.RefuseCards), string(router.MaskCards))
	oneOf(&all, "keys.environment", c.Keys.Environment, "dev", "integ", "snd", "prd")
	if !c.testing() {
		c.checkProduction(&all)
	}
	for _, text := range c.Plugins.TrustedKeys {
		if _, err := plugins.ParsePublicKey(text); err != nil {
			bad(&all, "plugins.trusted_keys", "%q is not a minisign public key: it is the line of a .pub file that begins with RW", text)
		}
	}
	between(&all, "simulator.time_scale", c.Simulator.TimeScale, 1, 1000, "")
	if o := c.Simulator.OtherCards; len(o) != 4 || strings.Trim(o, "0123456789") != "" {
		bad(&all, "simulator.other_cards", "%q are not the four digits V, M, A and C: write 0000 for cards that need no challenge", o)
	}
	c.Plugins.check(&all)
	c.Engine.check(&all, c.Plugins.SendTimeout)
	c.Webhooks.check(&all)
	between(&all, "journal.keep", c.Journal.Keep, 0, 10*366*24*time.Hour, "")

	oneOf(&all, "log.level", c.Log.Level, "debug", "info", "warn", "error")
	oneOf(&all, "log.format", c.Log.Format, "json", "text")
	between(&all, "log.requests_limit", c.Log.RequestsLimit, 1<<20, 1<<40, "")
	c.checkOperatorsAddresses(&all)
	if u, err := url.Parse(c.Tracing.Endpoint); c.Tracing.Endpoint != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil) {
		bad(&all, "tracing.endpoint", "must be the URL of a collector, as https://collector.example:4318/v1/traces; a secret goes into tracing.token")
	}
	between(&all, "tracing.sample", c.Tracing.Sample, 0, 100, " per cent")
	return errors.Join(all...)
}

func (c ServerConfig) check(all *[]error) {
	if err := checkListen(c.Listen); err != nil {
		bad(all, "server.listen", "%v", err)
	}
	if err := checkPublicURL(c.PublicURL); err != nil {
		bad(all, "server.public_url", "%v", err)
	}
	between(all, "server.request_body_limit", c.RequestBodyLimit, 1<<10, 16<<20, " bytes")
	between(all, "server.shutdown_timeout", c.ShutdownTimeout, 0, time.Hour, "")
	if c.OverloadLatency != 0 {
		between(all, "server.overload_latency", c.OverloadLatency, 10*time.Millisecond, time.Minute, "")
	}
	between(all, "server.rate_limit", c.RateLimit, 0, 1_000_000, " requests per second")
	between(all, "server.rate_burst", c.RateBurst, 0, 1_000_000, " requests")
	for _, o := range c.CORS.Origins {
		u, err := url.Parse(o)
		if o != "*" && (err != nil || u.Scheme == "" || u.Host == "" || o != u.Scheme+"://"+u.Host) {
			bad(all, "server.cors.origins", `%q is not an origin: write scheme and host alone, as https://shop.example, or "*" for all`, o)
		}
	}
}

func (c StorageConfig) check(all *[]error) {
	if dsn := c.DSN.Reveal(); !slices.ContainsFunc([]string{"sqlite:", "postgres://", "postgresql://"}, func(p string) bool {
		return strings.HasPrefix(dsn, p) && len(dsn) > len(p)
	}) { // the error does not repeat the value, which may hold a password
		bad(all, "storage.dsn", "must begin with sqlite: or postgres://, as sqlite:payswitch.db or postgres://user@host/payswitch")
	}
	between(all, "storage.postgres.connections", c.Postgres.Connections, 2, 1024, "")
	between(all, "storage.postgres.statement_timeout", c.Postgres.StatementTimeout, time.Second, time.Minute, "")
	between(all, "storage.postgres.lock_timeout", c.Postgres.LockTimeout, 100*time.Millisecond, time.Minute, "")
	between(all, "storage.backup_max_age", c.BackupMaxAge, 0, 366*24*time.Hour, "")
}

// checkProduction refuses what takes no money, or what is for development.
func (c Config) checkProduction(all *[]error) {
	if c.demoKey() {
		bad(all, "vault.master_key", "%s", isDemoKey)
	}
	if len(c.Plugins.Simulate) > 0 {
		bad(all, "plugins.simulate", "simulated connectors take no money, and keys.environment is prd: leave it empty")
	}
	if c.Plugins.AllowLoopback {
		bad(all, "plugins.allow_loopback_http", "is for development, and keys.environment is prd: set it to false")
	}
}

func (c PluginsConfig) check(all *[]error) {
	if c.SignedOnly && len(c.TrustedKeys) == 0 {
		bad(all, "plugins.signed_only", "refuses every adapter while plugins.trusted_keys is empty: add the keys whose bundles you install")
	}
	between(all, "plugins.send_timeout", c.SendTimeout, time.Second, time.Minute, "")
	between(all, "plugins.response_limit", c.ResponseLimit, 1<<10, 1<<20, " bytes")
	between(all, "plugins.account_concurrency", c.AccountConcurrency, 0, 65536, "")
	between(all, "plugins.account_wait", c.AccountWait, 100*time.Millisecond, time.Minute, "")
	between(all, "plugins.memory_limit", c.MemoryLimit, 16<<20, 1<<30, " bytes")
	between(all, "plugins.step_fuel", c.StepFuel, 1_000_000, 1_000_000_000, "")
	between(all, "plugins.instances", c.Instances, 0, 1024, "")
}

func (c EngineConfig) check(all *[]error, sendTimeout time.Duration) {
	between(all, "engine.lease_time", c.LeaseTime, 5*time.Second, time.Hour, "")
	if c.LeaseTime <= sendTimeout {
		bad(all, "engine.lease_time", "%v must be longer than plugins.send_timeout (%v): otherwise another node resolves an operation that still waits for its answer",
			c.LeaseTime, sendTimeout)
	}
	between(all, "engine.lock_wait", c.LockWait, 0, time.Hour, "")
	between(all, "engine.resolve_every", c.ResolveEvery, 100*time.Millisecond, time.Hour, "")
	between(all, "engine.payer_wait", c.PayerWait, time.Second, time.Hour, "")
	between(all, "engine.resolve_pause", c.ResolvePause, time.Second, 24*time.Hour, "")
	between(all, "engine.authenticator_time", c.AuthenticatorTime, time.Second, 30*time.Second, "")
	between(all, "engine.settle_timeout", c.SettleTimeout, time.Second, 5*time.Minute, "")
}

func (c WebhooksConfig) check(all *[]error) {
	between(all, "webhooks.timeout", c.Timeout, time.Second, time.Minute, "")
	if _, err := durations(c.Retries); err != nil {
		bad(all, "webhooks.retries", "%v", err)
	}
	between(all, "webhooks.concurrency", c.Concurrency, 8, 4096, "")
	between(all, "webhooks.endpoints", c.Endpoints, 1, 100, "")
	between(all, "webhooks.keep", c.Keep, webhook.KeepAtLeast(), 10*366*24*time.Hour, "")
	between(all, "webhooks.keep_undelivered", c.KeepUndelivered, webhook.KeepAtLeast(), 10*366*24*time.Hour, "")
	between(all, "webhooks.keep_attempts", c.KeepAttempts, webhook.KeepAtLeast(), 10*366*24*time.Hour, "")
}

// checkOperatorsAddresses checks the addresses of the dashboard and of the metrics, which must differ from the API's.
func (c Config) checkOperatorsAddresses(all *[]error) {
	if c.Dashboard.Listen != "" {
		if err := checkListen(c.Dashboard.Listen); err != nil {
			bad(all, "dashboard.listen", "%v", err)
		} else if c.Dashboard.Listen == c.Server.Listen && !strings.HasSuffix(c.Dashboard.Listen, ":0") {
			bad(all, "dashboard.listen", `is server.listen too, and the dashboard needs an address of its own: choose another port, or "" for no dashboard`)
		}
	}
	if err := checkDashboardURL(c.Dashboard.PublicURL); err != nil {
		bad(all, "dashboard.public_url", "%v", err)
	}
	oneOf(all, "dashboard.first_run", c.Dashboard.FirstRun, "loopback", "anywhere")
	if c.Metrics.Listen != "" {
		if err := checkListen(c.Metrics.Listen); err != nil {
			bad(all, "metrics.listen", "%v", err)
		} else if c.Metrics.Listen == c.Server.Listen && !strings.HasSuffix(c.Metrics.Listen, ":0") {
			bad(all, "metrics.listen", `is server.listen too: leave it "" to serve /metrics there`)
		}
	}
}

// testing reports whether this is not a production installation: it serves test-only card numbers and the simulator's pages.
func (c Config) testing() bool { return c.Keys.Environment != "prd" }

// cacheDirectory returns the folder of compiled adapters. It belongs to the database, because open operations need the builds in it.
func (c Config) cacheDirectory() string {
	if c.Plugins.CacheDirectory != "" {
		return c.Plugins.CacheDirectory
	}
	if path, ok := strings.CutPrefix(c.Storage.DSN.Reveal(), "sqlite:"); ok {
		return path + ".adapters"
	}
	return "payswitch.adapters"
}

// journalKeep returns journal.keep for engine.Options, where 0 is the default and a negative value means no journal.
func (c Config) journalKeep() time.Duration {
	if c.Journal.Keep == 0 {
		return -1
	}
	return c.Journal.Keep
}

// durations reads a list of pauses.
func durations(list []string) (out []time.Duration, err error) {
	for _, text := range list {
		d, err := time.ParseDuration(text)
		if err != nil || d < 100*time.Millisecond || d > 24*time.Hour {
			return nil, fmt.Errorf("%q is not a pause from 100ms to 24h: write a list such as 1m, 5m, 1h", text)
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		return nil, errors.New("is empty: write a list such as 1m, 5m, 1h")
	}
	return out, nil
}

// shortDurations is the reverse of durations.
func shortDurations(list []time.Duration) (out []string) {
	for _, d := range list {
		text := strings.TrimSuffix(d.String(), "0s")
		if strings.HasSuffix(text, "h0m") {
			text = strings.TrimSuffix(text, "0m")
		}
		out = append(out, text)
	}
	return out
}

// demoKey reports whether the published demo master key is in use.
func (c Config) demoKey() bool { return c.Vault.MasterKey.Reveal() == demoMasterKey }

func checkListen(addr string) error {
	if _, port, err := net.SplitHostPort(addr); err != nil || port == "" {
		return fmt.Errorf("%q is not an address: write host:port, as 127.0.0.1:8080", addr)
	}
	return nil
}

func checkPublicURL(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return fmt.Errorf("%q is not a URL: write it whole, as https://pay.example.com", s)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil || strings.HasSuffix(s, "/"):
		return fmt.Errorf("%q must be scheme, host and perhaps a path, without a slash at the end", s)
	}
	return nil
}

func between[T int | int64 | time.Duration](all *[]error, key string, v, low, high T, unit string) {
	if v < low || v > high {
		*all = append(*all, problem(key, "%v is out of bounds: choose between %v and %v%s", v, low, high, unit))
	}
}

func oneOf(all *[]error, key, v string, allowed ...string) {
	if !slices.Contains(allowed, v) {
		*all = append(*all, problem(key, "%q is not known: choose one of %s", v, strings.Join(allowed, ", ")))
	}
}

// isLoopback reports whether only this machine can reach addr (host:port).
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
