package router

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/idempotency"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/router/checkout"
)

// Deps are the parts that Server calls. All but Bundles and Logger are required; *engine.Engine implements Access, Payments and Admin.
type Deps struct {
	Access     Access
	Payments   Payments
	Admin      Admin
	Webhooks   Webhooks // *webhook.Service
	Connectors Connectors
	Bundles    port.Bundles // nil: no adapter is installed by the API
	Logger     *slog.Logger // nil discards the log
}

// Access authenticates API keys and stores the answers of requests that carry an Idempotency-Key.
type Access interface {
	Authenticate(ctx context.Context, key secret.Value) (account.Auth, error)
	AuthenticateSDK(ctx context.Context, token secret.Value) (account.Auth, *account.SDKToken, error)
	SecretOf(ctx context.Context, a *account.Auth, clientSecret string) string
	BeginIdempotent(ctx context.Context, a *account.Auth, key string, requestHash []byte) (
		stored *idempotency.Answer, finish func(ctx context.Context, answer idempotency.Answer) error, abandon func(ctx context.Context), err error)
}

// Connectors lists the adapters that are loaded now.
type Connectors interface {
	Adapter(connector string) (port.AdapterInfo, bool)
	Adapters() []port.AdapterInfo
}

// Options are the settings of a Server. A zero value selects the default.
type Options struct {
	AdminKey  secret.Value // opens the admin endpoints; zero: no key opens them
	PublicURL string       // where browsers reach the server: http or https, without a slash at the end; required
	MaxBody   int64        // the most bytes of a request body; default 32768
	CORS      CORS
	// TrustRequestID uses the caller's X-Request-Id. Without it, Server makes an id for each request.
	TrustRequestID bool
	// BehindProxy takes a caller's address from the last entry of X-Forwarded-For.
	BehindProxy bool
	Version     string // shown at / and in the OpenAPI document; default "dev"
	// TestCardsWithoutLuhn accepts 3DS test card numbers whose Luhn check digit is wrong. Do not set it in production.
	TestCardsWithoutLuhn bool
	// CardsInText says what Server does with a card number outside card_number; default RefuseCards.
	CardsInText CardsInText
	// OfferTables replaces the built-in tables (offer_tables.json), which say what a checkout may offer with each connector; nil: the built-in ones.
	OfferTables []byte
	// DevPages serves the approve and decline page of the simulated processor. Do not set it in production.
	DevPages bool
	// Simulator3DS serves /sim/3ds/ and /sim/acs/: the simulated 3DS server and bank (package plugins/simulator3ds). It requires DevPages; nil: both
	// prefixes answer 404.
	Simulator3DS http.Handler
	// Ready returns nil when payments can be served, else the reason why not. A nil function means always ready.
	Ready func() error
	// Observe is called after each answer. Method and pattern are those of the route, "" if the request matched no route. It must be safe for
	// concurrent use and must not block.
	Observe func(method, pattern string, status int, took time.Duration)

	// Log is called after each answer, except after the good answers of /health and /live. It must be safe for concurrent use and must not block. Nil logs nothing.
	Log func(LoggedRequest)

	// Trace begins the span of a request; the caller of Trace calls the returned function at its end. Nil traces nothing.
	Trace func(r *http.Request) (ctx context.Context, end func(pattern, requestID, merchantID string, status int))
	// Admission refuses new work while the switch is too slow; nil admits everything.
	Admission *Admission
	// RateLimit bounds the requests of each API key; the zero value bounds nothing.
	RateLimit RateLimit

	ReadTimeout time.Duration // for a whole request to arrive; default 5 s
	KeepAlive   time.Duration // how long an idle connection stays open; default 5 s
}

// CORS says which web pages may call the API from a browser. Any page may call the routes for payers' clients (see route.forClients).
type CORS struct {
	Origins []string // exact origins, or "*" for any; empty: no page may call
	Methods []string // default GET, POST, PUT, DELETE
}

// Server is the HTTP API. It implements http.Handler and is safe for concurrent use.
type Server struct {
	Deps
	opts     Options
	mux      mux
	reserved map[string]bool // see reservedNames
	index    *index
	rates    *keyRates
	devices  *keyRates // by customer, for what devices change
	offers   *offerTables
	// checkout reads the documents of the checkout, once: compressing them costs time that a server without one need not spend.
	checkout func() (*checkout.Pages, error)
	// unnoticed logs once that a proxy forwards requests, and that BehindProxy is off.
	unnoticed sync.Once
}

// New checks deps and options and returns a Server. It starts no goroutine and opens no port.
func New(d Deps, o Options) (*Server, error) {
	if d.Access == nil || d.Payments == nil || d.Admin == nil || d.Connectors == nil {
		return nil, errors.New("router: Access, Payments, Admin and Connectors are required")
	}
	u, err := url.Parse(o.PublicURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.HasSuffix(o.PublicURL, "/") || u.RawQuery != "" {
		return nil, fmt.Errorf("router: PublicURL: %q must begin with http:// or https://, and must have no slash at the end and no query", o.PublicURL)
	}
	if o.Simulator3DS != nil && !o.DevPages {
		return nil, errors.New("router: Simulator3DS is for development: it needs DevPages as well")
	}
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxBody == 0 {
		o.MaxBody = 32768
	}
	switch o.CardsInText {
	case "":
		o.CardsInText = RefuseCards
	case RefuseCards, MaskCards:
	default:
		return nil, fmt.Errorf("router: CardsInText: %q is unknown; use refuse or mask", o.CardsInText)
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if len(o.CORS.Methods) == 0 {
		o.CORS.Methods = []string{"GET", "POST", "PUT", "DELETE"}
	}
	if o.ReadTimeout == 0 {
		o.ReadTimeout = 5 * time.Second
	}
	if o.KeepAlive == 0 {
		o.KeepAlive = 5 * time.Second
	}
	s := &Server{Deps: d, opts: o, rates: newKeyRates(o.RateLimit, time.Now), devices: newKeyRates(devicesMay, time.Now), checkout: sync.OnceValues(checkout.New)}
	if s.offers, err = readOfferTables(o.OfferTables); err != nil {
		return nil, err
	}
	routes := s.routes()
	if err := guardRoutes(routes, openRoutes); err != nil {
		return nil, err
	}
	s.mux = newMux(routes)
	s.reserved = reservedNames(routes)
	if s.index, err = newIndex(&s.opts); err != nil {
		return nil, err
	}
	return s, nil
}

// HTTP returns an http.Server with time-outs that serves h: s, or a handler around s. The caller passes it a Listener and shuts it down. The http.Server has no write
// time-out. That would also count the three minutes for which one operation may wait for another on the same payment. Each answer gets its
// own time-out instead, in sentBody.send.
func (s *Server) HTTP(h http.Handler) *http.Server {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: s.opts.ReadTimeout,
		ReadTimeout:       s.opts.ReadTimeout,
		IdleTimeout:       s.opts.KeepAlive,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.Logger.Handler(), slog.LevelDebug),
	}
	CloseDoubtful(server)
	return server
}
