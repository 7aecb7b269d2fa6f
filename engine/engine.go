package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/dispute"
	"payswitch/engine/drive"
	"payswitch/engine/facet"
	"payswitch/engine/fault"
	"payswitch/engine/hold"
	"payswitch/engine/idempotency"
	"payswitch/engine/ids"
	"payswitch/engine/late"
	"payswitch/engine/link"
	"payswitch/engine/method"
	"payswitch/engine/paylink/visit"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/refund"
	"payswitch/engine/relay"
	"payswitch/engine/restore"
	"payswitch/engine/risk"
	"payswitch/engine/routing"
	"payswitch/engine/routing/health"
	"payswitch/engine/search"
	"payswitch/engine/session"
	"payswitch/engine/threeds/flow"
	"payswitch/engine/timeline"
	"payswitch/engine/vault"
	"payswitch/engine/webhook"
	"payswitch/sdk"
)

// Deps are the parts that New builds an Engine from. Store, Connectors, Vault and Presenter are required.
type Deps struct {
	Store      Store
	Connectors port.Connectors
	Vault      *vault.Vault
	Presenter  change.Presenter
	Logger     *slog.Logger // nil: logs are discarded
	Clock      port.Clock   // the node's own clock, for its waits and leases; nil: time.Now
	Monotonic  port.Clock   // nil: time.Now. A test that lets time pass moves it together with Clock and the store's clock; one that moves those alone lets them jump.
	Metrics    port.Metrics // nil: nothing is counted
	// Sender posts events to merchants; nil: events are kept, and nothing is delivered.
	Sender webhook.Sender
}

// Options are the engine's settings. A zero value means the default.
type Options struct {
	Node string // this node's name in leases; default: a random name
	// SoleNode says that no other living process has the name Node. New then ends the leases of the process that had the name before.
	SoleNode bool
	// Mocks says that processors are mocks, which answer all payments with the same recorded ids: several payments may rest on one id. For demos alone.
	Mocks     bool
	PublicURL string // address under which payers' browsers reach payswitch, without a trailing slash
	// KeyEnvironment is the environment in API keys: dev (default), integ, snd or prd. Under prd, a connector account without test_mode
	// uses the live environment of its adapter. Every other account uses the test environment.
	KeyEnvironment string
	LeaseTime      time.Duration // how long an operation belongs to the node that drives it; default 60 s
	LockWait       time.Duration // how long a second operation on a payment waits for the first; default 180 s
	ResolveEvery   time.Duration // interval between searches for open operations; default 5 s
	ConfigEvery    time.Duration // interval between looks for configuration that other nodes changed; default 400 ms
	SettleTimeout  time.Duration // how long the caller waits until a result is durable; default 10 s
	// AuthenticatorTime is the time limit for one answer of an authenticator, because the payer waits at the checkout. Default 15 s.
	AuthenticatorTime time.Duration
	// PayerWait is how long a customer may still wait for an authorization whose outcome is unknown. Later payswitch does not send the
	// authorization again: it only looks for evidence, and voids an authorization that it finds. Default 2 min.
	PayerWait time.Duration
	// ResolvePause is the longest time between two queries about an operation without an end. Default 24 h, which bounds nothing: unknown
	// operations are asked about every ten minutes at least, pending ones every day.
	ResolvePause time.Duration
	// WebhookTime is the sender's time limit for one request. Default 30 s.
	WebhookTime time.Duration
	// WebhookPoll is the interval between searches for deliveries that are due, such as those of another node. Default 1 s.
	WebhookPoll time.Duration
	// WebhookRetries are the pauses before the first retries of a delivery; the last one is that before all others. Default webhook.Retries.
	WebhookRetries     []time.Duration
	WebhookConcurrency int            // requests to endpoints at a time, and as many to slow and failing ones; default 256
	WebhookEndpoints   int            // endpoints of one profile; default 16
	EventsKeep         webhook.Keep   // how long events, and the attempts to deliver them, are kept; default 90 days each
	JournalKeep        time.Duration  // how long the journal of operations is kept; default 30 days; negative: no journal
	Limits             routing.Limits // what limits connectors by country, currency and capture method, beyond their manifests
	BINTable           *card.BINTable // issuers' facts that add to the built-in ones; nil: built-in facts only
	// SDKOrigins are further page origins (shops, frames of payment SDKs) that 3-D Secure pages may send messages to. The shop's own origin
	// is always allowed. With "*", any page may put the 3-D Secure pages in a frame. "*" allows no messages, because a message needs an
	// exact origin.
	SDKOrigins []string
}

// Engine holds the payment state machine and its use cases. It is safe for concurrent use.
type Engine struct {
	store      Store
	connectors port.Connectors
	vault      *vault.Vault
	log        *slog.Logger
	now        port.Clock // the database's clock
	metrics    port.Metrics
	opts       Options
	*account.Registry
	*idempotency.Keys
	*method.Methods
	*flow.Authentications
	*dispute.Disputes
	*hold.Funds
	*refund.Refunds
	*relay.Relays
	*search.Search
	*visit.Links
	*timeline.Timelines
	*routing.Rules
	routing.UseCases
	*risk.Risk
	*session.Sessions
	*restore.Copy
	Webhooks *webhook.Service
	links    *link.Links
	driver   *drive.Driver
	routes   *routing.Router
	health   *health.Board
	changes  *change.Changes
	reports  *late.Reports
	filler   *facet.Filler

	inFlight *sync.WaitGroup // operations being driven or settled, and the background loops
	loops    sync.Mutex      // keeps the loops from beginning while Close begins to wait
	closing  chan struct{}   // closed by Close
	wake     chan struct{}   // asks Run to look for due operations at once
	closed   sync.Once
}

// New checks d and o and builds an Engine. With SoleNode it ends the leases of the process before. New starts no background work.
func New(d Deps, o Options) (*Engine, error) {
	if d.Store == nil || d.Connectors == nil || d.Vault == nil || d.Presenter == nil {
		return nil, errors.New("engine: Deps needs Store, Connectors, Vault and Presenter")
	}
	d.setDefaults()
	o.setDefaults()
	e := &Engine{store: d.Store, vault: d.Vault, log: d.Logger,
		metrics: d.Metrics, opts: o, inFlight: &sync.WaitGroup{}, closing: make(chan struct{}), wake: make(chan struct{}, 1)}
	e.now = func() time.Time { return e.driver.StoreNow() }
	e.Registry = account.New(account.Deps{Store: port.Narrow[account.Reader, account.Tx](d.Store), Vault: d.Vault, Connectors: d.Connectors, Now: e.now,
		Log: d.Logger, Metrics: d.Metrics, KeyEnvironment: o.KeyEnvironment, SoleNode: o.SoleNode,
		Ephemeral: func(ctx context.Context, text string) (account.Auth, error) {
			return e.AuthenticateEphemeral(ctx, text)
		}})
	e.Keys = &idempotency.Keys{Deps: idempotency.Deps{PayerMay: func(merchantID, of string) bool { return e.driver.PayerMaySend(merchantID, of) }, Store: port.Narrow[idempotency.Reader, idempotency.Tx](d.Store), Vault: d.Vault, Now: d.Clock, Log: d.Logger,
		LockWait: o.LockWait, Node: o.Node, SoleNode: o.SoleNode, LeaseTime: o.LeaseTime}}
	e.Methods = method.New(port.Narrow[method.Reader, method.Tx](d.Store), d.Vault, e.Registry.Dir, e.now, d.Logger, o.BINTable)
	e.links = link.New(d.Vault, o.PublicURL)
	e.connectors = account.Watched{Connectors: d.Connectors, Registry: e.Registry}
	e.driver = drive.New(drive.Deps{Store: port.Narrow[drive.Reader, drive.Tx](d.Store), Vault: d.Vault, Links: e.links, Registry: e.Registry, Connectors: e.connectors,
		Now: d.Clock, Monotonic: d.Monotonic, Log: d.Logger, Metrics: d.Metrics, InFlight: e.inFlight, Node: o.Node, PublicURL: o.PublicURL,
		LeaseTime: o.LeaseTime, PayerWait: o.PayerWait, ResolvePause: o.ResolvePause, JournalKeep: o.JournalKeep})
	e.Webhooks = webhook.New(webhook.Deps{Store: port.Narrow[webhook.Reader, webhook.Tx](d.Store), Vault: d.Vault, Dir: e.Registry.Dir, Sender: d.Sender, Now: d.Clock,
		Log: d.Logger, Metrics: d.Metrics}, webhook.Options{Node: o.Node, LeaseTime: 2*o.WebhookTime + 30*time.Second, PollEvery: o.WebhookPoll,
		SweepEvery: 12 * o.ResolveEvery, Retries: o.WebhookRetries, Concurrency: o.WebhookConcurrency, MaxEndpoints: o.WebhookEndpoints, Keep: o.EventsKeep})
	e.changes = &change.Changes{Deps: change.Deps{Store: port.Narrow[change.Reader, change.Tx](d.Store), Vault: d.Vault, Links: e.links, Registry: e.Registry, Methods: e.Methods,
		Driver: e.driver, Connectors: e.connectors, Presenter: d.Presenter, Now: e.now, Log: d.Logger, Metrics: d.Metrics, PublicURL: o.PublicURL,
		LockWait: o.LockWait, Mocks: o.Mocks, Perform: e.perform, Settle: e.settle, Wake: e.wakeResolver, News: e.Webhooks.Wake,
		GivenBack: func(ctx context.Context, p *payment.Payment, a *payment.Attempt) (int64, *change.Relays, error) {
			return e.Relays.GivenBack(ctx, p, a)
		}}}
	e.Rules = routing.NewRules(routing.RulesDeps{Store: port.Narrow[routing.Reader, routing.Tx](d.Store), Registry: e.Registry, Connectors: e.connectors,
		Metrics: d.Metrics, BINTable: o.BINTable, Limits: o.Limits})
	e.Risk = &risk.Risk{Deps: risk.Deps{Store: port.Narrow[risk.Reader, risk.Tx](d.Store), Vault: d.Vault, Registry: e.Registry, Rules: e.Rules, Methods: e.Methods,
		Changes: e.changes, Now: e.now, Log: d.Logger, Metrics: d.Metrics, BINTable: o.BINTable, TokenCard: e.changes.TokenCard}}
	e.Sessions = &session.Sessions{Deps: session.Deps{Vault: d.Vault, Registry: e.Registry, Changes: e.changes, Switch: e.Risk.Switch, Now: e.now}}
	e.Authentications = &flow.Authentications{Deps: flow.Deps{Store: port.Narrow[change.Reader, change.Tx](d.Store), Vault: d.Vault, Links: e.links,
		Registry: e.Registry, Methods: e.Methods, Driver: e.driver, Changes: e.changes, Connectors: e.connectors, Now: e.now, Log: d.Logger,
		Metrics: d.Metrics, InFlight: e.inFlight, Closing: e.closing, Resolve: e.resolveQueued, RecheckCard: e.Risk.RecheckCard, Node: o.Node, PublicURL: o.PublicURL, SDKOrigins: o.SDKOrigins,
		LeaseTime: o.LeaseTime, LockWait: o.LockWait, AuthenticatorTime: o.AuthenticatorTime}}
	e.Funds, e.Refunds, e.Disputes = &hold.Funds{Changes: e.changes}, &refund.Refunds{Changes: e.changes}, &dispute.Disputes{Changes: e.changes}
	e.Relays = &relay.Relays{Deps: relay.Deps{Store: port.Narrow[relay.Reader, relay.Tx](d.Store), Vault: d.Vault, Registry: e.Registry, Connectors: e.connectors,
		Driver: e.driver, Now: e.now, Log: d.Logger, Metrics: d.Metrics, BINTable: o.BINTable, Wake: e.wakeResolver}}
	e.driver.Relayed = e.Relays.Know
	e.Links = &visit.Links{Deps: visit.Deps{Store: port.Narrow[change.Reader, change.Tx](d.Store), Registry: e.Registry, Changes: e.changes, Methods: e.Methods,
		Vault: d.Vault, Now: e.now, PublicURL: o.PublicURL}}
	e.filler = facet.NewFiller(facet.Deps{Store: port.Narrow[facet.FillReader, facet.Tx](d.Store), Log: d.Logger, Node: o.Node, Email: search.Emails(d.Vault)})
	e.Search = &search.Search{Deps: search.Deps{Store: port.Narrow[change.Reader, change.Tx](d.Store), Changes: e.changes, Vault: d.Vault, Distrust: e.filler.Distrust}}
	e.Timelines = timeline.New(e.changes, timeline.Checks{CaptureAmount: e.captureAmount, RefundAmount: e.RefundAmount, VoidableAmount: e.VoidableAmount, MayRaise: e.MayRaise, MayExtend: e.MayExtend})
	e.health = health.New(health.Deps{Store: port.Narrow[health.Reader, health.Tx](d.Store), Now: e.now, Node: o.Node, Moved: e.accountMoved})
	e.routes = &routing.Router{Registry: e.Registry, Rules: e.Rules, Methods: e.Methods, Connectors: e.connectors, Health: e.health}
	e.UseCases = routing.UseCasesOf(e.routes)
	e.Copy = &restore.Copy{Deps: restore.Deps{Store: port.Narrow[restore.Reader, restore.Tx](d.Store), Changes: e.changes, Driver: e.driver, Now: e.now,
		Log: d.Logger, Metrics: d.Metrics}}
	e.reports = &late.Reports{Changes: e.changes, Refunds: e.Refunds, Relays: e.Relays, Copy: e.Copy}
	e.vault.OnAlteredRow(e.metrics.Alarm)
	if err := e.driver.BeginClock(context.Background()); err != nil {
		return nil, fmt.Errorf("engine: read the database's clock: %w", err)
	}
	if o.SoleNode {
		return e, e.releaseLeases(context.Background())
	}
	return e, nil
}

func (d *Deps) setDefaults() {
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.Metrics == nil {
		d.Metrics = port.NoMetrics{}
	}
}

func (o *Options) setDefaults() {
	if o.Node == "" {
		o.Node = ids.New("node_")
	}
	if o.KeyEnvironment == "" {
		o.KeyEnvironment = "dev"
	}
	setDefault(&o.LeaseTime, 60*time.Second)
	setDefault(&o.LockWait, 180*time.Second)
	setDefault(&o.ResolveEvery, 5*time.Second)
	setDefault(&o.ConfigEvery, account.WatchEvery)
	setDefault(&o.SettleTimeout, 10*time.Second)
	setDefault(&o.AuthenticatorTime, 15*time.Second)
	setDefault(&o.PayerWait, 2*time.Minute)
	setDefault(&o.ResolvePause, 24*time.Hour)
	setDefault(&o.JournalKeep, 30*24*time.Hour)
	setDefault(&o.WebhookTime, 30*time.Second)
	setDefault(&o.WebhookPoll, time.Second)
	if len(o.WebhookRetries) == 0 {
		o.WebhookRetries = webhook.Retries
	}
	o.WebhookConcurrency, o.WebhookEndpoints = cmp.Or(o.WebhookConcurrency, 256), cmp.Or(o.WebhookEndpoints, 16)
}

// releaseLeases ends what an earlier process of this node's name has left, so that Run takes it over at once.
func (e *Engine) releaseLeases(ctx context.Context) error {
	n := 0
	err := e.store.Update(ctx, func(tx Tx) (err error) {
		if _, err = tx.ReleaseDeliveries(e.opts.Node); err == nil {
			n, err = tx.ReleaseLeases(e.opts.Node)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("engine: end the leases of the process before: %w", err)
	}
	if n > 0 {
		e.log.LogAttrs(ctx, slog.LevelInfo, "operations of the process before are taken over", slog.String("node", e.opts.Node), slog.Int("operations", n))
	}
	return nil
}

// wakeResolver makes Run look for due operations now.
func (e *Engine) wakeResolver() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

func setDefault(d *time.Duration, v time.Duration) {
	if *d == 0 {
		*d = v
	}
}

// OpensURL reports whether a public URL carries the right token. It reads nothing but the URL, so the time it takes does not reveal whether
// an id exists.
func (e *Engine) OpensURL(u link.URL) bool { return e.links.OpensURL(u) }

// CardNetworks returns the networks of a card by the first digits of its number; a co-badged card has two.
func (e *Engine) CardNetworks(digits string) []sdk.CardNetwork {
	return e.opts.BINTable.Networks(digits)
}

// accountMoved logs that an account was taken out because it fails too often, or let in again.
func (e *Engine) accountMoved(a health.Account, connector string, out bool) {
	e.metrics.AccountMoved(connector, out, e.health.Outs())
	level, text := slog.LevelInfo, "a connector account that failed too often is in again"
	if out {
		level, text = slog.LevelWarn, "a connector account fails too often; payments go to others"
	}
	e.log.LogAttrs(context.Background(), level, text, slog.String("merchant_id", a.MerchantID), slog.String("account_id", a.ID), slog.String("connector", connector))
}

// read runs f over one consistent snapshot. Its error is one that callers may see.
func (e *Engine) read(ctx context.Context, doing string, f func(r Reader) error) error {
	return fault.FromStore(e.store.View(ctx, f), doing)
}
