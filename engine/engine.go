package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Deps are the parts the engine works with. Store, Connectors, Vault and Presenter are required.
type Deps struct {
	Store      Store
	Connectors Connectors
	Vault      *Vault
	Presenter  Presenter
	Logger     *slog.Logger // nil: discarded
	Clock      Clock        // nil: time.Now
	Metrics    Metrics      // nil: none
}

// Options are the engine's settings; zero values are the defaults.
type Options struct {
	Node      string // this node's name in leases; default: random
	PublicURL string // where customers' browsers reach us, no trailing slash
	// KeyEnvironment is what API keys begin with: dev (default), integ, snd, prd. Under prd, connector accounts without test_mode use the live
	// environment of their adapter; every other account uses the test environment.
	KeyEnvironment string
	LeaseTime      time.Duration // how long an operation belongs to the node that drives it; default 60 s
	LockWait       time.Duration // how long a second operation on a payment waits for the first; default 180 s
	ResolveEvery   time.Duration // how often open operations are looked for; default 5 s
	SettleTimeout  time.Duration // how long the caller waits for a result to become durable; default 10 s
	// AuthenticatorTime is how long an authenticator may take for one answer: its customers wait for it at the checkout. Default 15 s.
	AuthenticatorTime time.Duration
	JournalKeep       time.Duration // how long the journal of operations is kept; default 30 days, less than 0: not at all
	BINTable          *BINTable     // issuers' facts beside those built in; nil: none
	// SDKOrigins are origins of pages (shops, payment SDKs' frames) that the pages of 3-D Secure may tell that something has happened, beside the
	// shop's own. "*" names none: messages go to exact origins.
	SDKOrigins []string
}

// Engine is the payment state machine and its use cases. Safe for concurrent use.
type Engine struct {
	store      Store
	connectors Connectors
	vault      *Vault
	log        *slog.Logger
	now        Clock
	metrics    Metrics
	opts       Options
	*Registry
	*Methods
	*Authentications
	links   *Links
	driver  *Driver
	changes *Changes

	inFlight *sync.WaitGroup // operations being driven or settled
	closing  chan struct{}   // closed by Close
	closed   sync.Once
}

// New checks deps and options and starts nothing.
func New(d Deps, o Options) (*Engine, error) {
	if d.Store == nil || d.Connectors == nil || d.Vault == nil || d.Presenter == nil {
		return nil, errors.New("engine: Store, Connectors, Vault and Presenter are required")
	}
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.Metrics == nil {
		d.Metrics = noMetrics{}
	}
	if o.Node == "" {
		o.Node = newID("node_")
	}
	if o.KeyEnvironment == "" {
		o.KeyEnvironment = "dev"
	}
	setDefault(&o.LeaseTime, 60*time.Second)
	setDefault(&o.LockWait, 180*time.Second)
	setDefault(&o.ResolveEvery, 5*time.Second)
	setDefault(&o.SettleTimeout, 10*time.Second)
	setDefault(&o.AuthenticatorTime, 15*time.Second)
	setDefault(&o.JournalKeep, 30*24*time.Hour)
	e := &Engine{store: d.Store, vault: d.Vault, log: d.Logger, now: d.Clock,
		metrics: d.Metrics, opts: o, inFlight: &sync.WaitGroup{}, closing: make(chan struct{})}
	e.Registry = newRegistry(RegistryDeps{Store: Narrow[AccountReader, AccountTx](d.Store), Vault: d.Vault, Connectors: d.Connectors, Now: d.Clock,
		Log: d.Logger, Metrics: d.Metrics, KeyEnvironment: o.KeyEnvironment, LockWait: o.LockWait,
		Ephemeral: func(ctx context.Context, text string) (Auth, error) { return e.authenticateEphemeral(ctx, text) }})
	e.Methods = newMethods(Narrow[MethodReader, MethodTx](d.Store), d.Vault, e.Registry.dir, d.Clock, d.Logger, o.BINTable)
	e.links = NewLinks(d.Vault, o.PublicURL)
	e.connectors = watched{d.Connectors, e.Registry}
	e.driver = newDriver(DriverDeps{Store: Narrow[DriveReader, DriveTx](d.Store), Vault: d.Vault, Links: e.links, Registry: e.Registry, Connectors: e.connectors,
		Now: d.Clock, Log: d.Logger, Metrics: d.Metrics, InFlight: e.inFlight, Node: o.Node, PublicURL: o.PublicURL, KeyEnvironment: o.KeyEnvironment,
		LeaseTime: o.LeaseTime, JournalKeep: o.JournalKeep})
	e.changes = &Changes{ChangesDeps{Store: Narrow[ChangeReader, ChangeTx](d.Store), Vault: d.Vault, Links: e.links, Registry: e.Registry, Methods: e.Methods,
		Driver: e.driver, Connectors: e.connectors, Presenter: d.Presenter, Now: d.Clock, Log: d.Logger, Metrics: d.Metrics, PublicURL: o.PublicURL,
		LockWait: o.LockWait}}
	e.Authentications = &Authentications{AuthenticationsDeps: AuthenticationsDeps{Store: Narrow[ChangeReader, ChangeTx](d.Store), Vault: d.Vault, Links: e.links,
		Registry: e.Registry, Methods: e.Methods, Driver: e.driver, Changes: e.changes, Connectors: e.connectors, Now: d.Clock, Log: d.Logger,
		Metrics: d.Metrics, InFlight: e.inFlight, Closing: e.closing, Resolve: e.resolve, Node: o.Node, PublicURL: o.PublicURL, SDKOrigins: o.SDKOrigins,
		LeaseTime: o.LeaseTime, LockWait: o.LockWait, AuthenticatorTime: o.AuthenticatorTime}}
	e.vault.onAlteredRow(e.metrics.Alarm)
	return e, nil
}

func setDefault(d *time.Duration, v time.Duration) {
	if *d == 0 {
		*d = v
	}
}

func (noMetrics) PaymentMoved(PaymentStatus, string)                           {}
func (noMetrics) OperationDone(string, string, OperationStatus, time.Duration) {}
func (noMetrics) ExemptionSettled(_, _, _, _ string)                           {}
func (noMetrics) AuthenticationDone(_, _, _, _ string, _ time.Duration)        {}
func (noMetrics) Alarm(string)                                                 {}

type noMetrics struct{}

func (e *Engine) read(ctx context.Context, doing string, f func(r Reader) error) error {
	return ours(e.store.View(ctx, f), doing)
}

// OpensURL reports whether a public URL carries the right token. It reads nothing but the URL, so the time it takes does not reveal whether
// an id exists.
func (e *Engine) OpensURL(u PublicURL) bool { return e.links.OpensURL(u) }
