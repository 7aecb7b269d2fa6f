package plugins

import (
	"crypto/x509"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"aead.dev/minisign"

	"payswitch/engine"
	"payswitch/plugins/sandbox"
)

// Options are the host's settings; zero values are the defaults.
type Options struct {
	// Directory holds dropped-in adapters, *.wasm; "" for none. It is watched while Run runs.
	Directory string
	// SignedOnly leaves out of Directory what was not installed from a bundle that one of Trusted has signed.
	SignedOnly bool
	Trusted    []minisign.PublicKey
	// CacheDir keeps compiled code, manifests and the bytes of every build in use over restarts; "" for none: then every start
	// compiles, and an operation whose build was replaced cannot be resolved after a restart.
	CacheDir string
	// Simulate lists connector names that the adapter called SimulatorName answers for; for authenticators the built-in 3DS server does.
	Simulate []string
	// Simulator3DS is the built-in development 3DS server. It answers for the connector Simulator3DSName, and for the authenticators in
	// Simulate, with the adapter of the vendor whose wire shape it speaks. nil for none; never in production.
	Simulator3DS http.Handler
	// BuiltIn holds the built-in adapters, *.wasm; nil for the embedded ones.
	BuiltIn  fs.FS
	embedded bool // BuiltIn is part of the binary: always there to be read again

	RetainBuilds time.Duration // how long a replaced or removed build can still be asked for by hash; default 30 days
	PollInterval time.Duration // how often Directory is looked at; default 1 s
	LoadWait     time.Duration // how long New waits for adapters of Directory that are compiled apart, anew with each that loads; default 1 min
	RetryAfter   time.Duration // how soon a module is tried again whose compiler failed, twice as late each time up to an hour; default 1 min
	RestAfter    time.Duration // how long an adapter that nobody uses stays compiled in memory, where CacheDir is set; default 15 min

	OperationTimeout   time.Duration // of one Drive, waiting included; default 60 s
	SendTimeout        time.Duration // of one request, from dialling to the last byte of the answer; default 30 s
	DialTimeout        time.Duration // of DNS and TCP, and again of the TLS handshake; default 10 s
	AccountConcurrency int           // drives of one connector account at a time; default 64
	AccountWait        time.Duration // how long a drive beyond it waits; default 10 s
	MaxResponse        int           // bytes of one answer's body; default and most 1 MiB less what the operation's earlier answers took

	// AllowPrivate lets requests go to private, loopback and otherwise special addresses.
	AllowPrivate bool
	// AllowLoopbackHTTP lets requests go to "localhost" and literal loopback addresses, also over plain HTTP. For development.
	AllowLoopbackHTTP bool
	RootCAs           *x509.CertPool // nil: the system's

	Sandbox  sandbox.Limits // of every adapter
	Compiler []string       // as sandbox.Options.Compiler, for adapters that are not embedded in the binary; nil compiles them in this process
	Logger   *slog.Logger   // nil: discarded
	Observer Observer       // nil: none
	Clock    engine.Clock   // nil: time.Now
}

// SimulatorName is the name of the adapter that answers for the connectors in Options.Simulate.
const SimulatorName = "simulator"

func (o Options) withDefaults() Options {
	setDefault(&o.RetainBuilds, 30*24*time.Hour)
	setDefault(&o.PollInterval, time.Second)
	setDefault(&o.LoadWait, time.Minute)
	setDefault(&o.RetryAfter, time.Minute)
	setDefault(&o.RestAfter, 15*time.Minute)
	setDefault(&o.OperationTimeout, 60*time.Second)
	setDefault(&o.SendTimeout, 30*time.Second)
	setDefault(&o.DialTimeout, 10*time.Second)
	setDefault(&o.AccountConcurrency, 64)
	setDefault(&o.AccountWait, 10*time.Second)
	setDefault(&o.MaxResponse, 1<<20)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Observer == nil {
		o.Observer = noObserver{}
	}
	if o.BuiltIn == nil {
		o.BuiltIn, _ = fs.Sub(builtin, "builtin") // of a valid name
		o.embedded = true
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

func setDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// Observer receives what the host counts. Implementations are safe for concurrent use and do not block. Adapter, host and rule names
// come from a bounded set (installed adapters, approved hosts), so they are fit for metric labels.
type Observer interface {
	// Stepped times one step of an adapter.
	Stepped(adapter string, took time.Duration)
	// Trapped counts a guest that was stopped (sandbox.TrapKind) or gave an answer that is none ("garbage").
	Trapped(adapter, kind string)
	// Sent times one request. Class is "2xx" … "5xx", or sdk.Exchange.Failure when there is no whole answer.
	Sent(adapter, host, class string, took time.Duration)
	// Violated counts a rule of the host's that an adapter broke (Violation.Rule).
	Violated(adapter, rule string)
	// Revealed counts an operation whose adapter was given the secrets themselves (OperatorDecisions.PlainSecrets).
	Revealed(adapter string)
}

type noObserver struct{}

func (noObserver) Stepped(string, time.Duration)              {}
func (noObserver) Trapped(string, string)                     {}
func (noObserver) Sent(string, string, string, time.Duration) {}
func (noObserver) Violated(string, string)                    {}
func (noObserver) Revealed(string)                            {}
