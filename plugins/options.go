package plugins

import (
	"crypto/x509"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"aead.dev/minisign"

	"payswitch/engine/port"
	"payswitch/plugins/sandbox"
)

// Options are the host's settings. A zero value means the default.
type Options struct {
	// Directory holds installed adapters, *.wasm; "" for none. Run watches it.
	Directory string
	// SignedOnly leaves out each module of Directory that was not installed from a bundle signed by one of Trusted.
	SignedOnly bool
	Trusted    []minisign.PublicKey
	// Shared holds further adapters, and modules for operations that another switch began; nil for none. A file of Directory counts before a shared
	// adapter of its name. The host stores modules there only if it has CacheDir.
	Shared Shared
	// CacheDir keeps compiled code, manifests and the bytes of every build in use over restarts. With "" every start compiles all
	// adapters, and an operation whose build was replaced cannot be resolved after a restart.
	CacheDir string
	// Simulate lists the connectors that the adapter SimulatorName answers for. The built-in 3DS server answers for
	// authenticators.
	Simulate []string
	// Simulator3DS is the built-in 3DS server for development. It answers for the connector Simulator3DSName and for the
	// authenticators in Simulate; the adapter threedsecureio speaks to it. nil for none; never set it in production.
	Simulator3DS http.Handler
	// BuiltIn holds the built-in adapters: *.wasm, each with an optional description (DescriptionName). nil takes the embedded ones.
	BuiltIn  fs.FS
	embedded bool // BuiltIn is part of the binary, so its files can always be read again

	RetainBuilds time.Duration // how long a replaced or removed build stays available by hash; default 30 days
	PollInterval time.Duration // time between two looks at Directory; default 1 s
	LoadWait     time.Duration // how long New waits for the next adapter from Compiler; default 1 min
	RetryAfter   time.Duration // time until a failed compilation is tried again, doubled up to an hour; default 1 min
	RestAfter    time.Duration // how long an unused adapter stays compiled in memory if CacheDir is set; default 15 min

	OperationTimeout   time.Duration // of one Drive, including waits; default 60 s
	SendTimeout        time.Duration // of one request, from dialling to the last byte of the answer; default 30 s
	DialTimeout        time.Duration // of DNS and TCP together, and of the TLS handshake; default 10 s
	AccountConcurrency int           // drives of one connector account at a time; 0: as many as its processor sustains
	AccountWait        time.Duration // how long a drive waits for its turn; default 10 s
	MaxResponse        int           // bytes of one answer's body; default 1 MiB; at most 1 MiB minus the earlier answers

	// AllowPrivate lets requests go to private, loopback and other special addresses.
	AllowPrivate bool
	// AllowLoopbackHTTP lets requests go to "localhost" and to loopback addresses, over plain HTTP too. For development.
	AllowLoopbackHTTP bool
	RootCAs           *x509.CertPool // nil: the system's

	Sandbox     sandbox.Limits // of every adapter
	Compiler    []string       // as sandbox.Options.Compiler, for adapters that are not embedded in the binary; nil compiles them in this process
	Unoptimised bool           // as sandbox.Options.Unoptimised
	Soon        bool           // as sandbox.Options.Soon
	Logger      *slog.Logger   // nil: discarded
	Observer    Observer       // nil: none
	Clock       port.Clock     // nil: time.Now
}

// SimulatorName is the adapter that answers for the connectors in Options.Simulate.
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
	setDefault(&o.AccountWait, 10*time.Second)
	setDefault(&o.MaxResponse, 1<<20)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Observer == nil {
		o.Observer = noObserver{}
	}
	if o.BuiltIn == nil {
		o.BuiltIn, o.embedded = embedded(), true
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

// Observer counts what the host does. Implementations must be safe for concurrent use and must not block. Names of adapters, hosts
// and rules come from bounded sets (installed adapters, approved hosts), so they may be metric labels.
type Observer interface {
	// Stepped times one step of an adapter.
	Stepped(adapter string, took time.Duration)
	// Trapped counts a guest that was stopped (sandbox.TrapKind), or that gave an unreadable answer ("garbage").
	Trapped(adapter, kind string)
	// Sent times one request. class is "2xx" to "5xx", or sdk.Exchange.Failure without a complete answer.
	Sent(adapter, host, class string, took time.Duration)
	// Violated counts a rule that an adapter broke (Violation.Rule).
	Violated(adapter, rule string)
	// Revealed counts an operation whose adapter received the real secrets (OperatorDecisions.PlainSecrets).
	Revealed(adapter string)
}

type noObserver struct{}

func (noObserver) Stepped(string, time.Duration)              {}
func (noObserver) Trapped(string, string)                     {}
func (noObserver) Sent(string, string, string, time.Duration) {}
func (noObserver) Violated(string, string)                    {}
func (noObserver) Revealed(string)                            {}
