package router

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"payswitch/engine"
)

// Deps are what the surface is made of. All but Logger are required; *engine.Engine is Access, Payments and Admin at once.
type Deps struct {
	Access     Access
	Payments   Payments
	Admin      Admin
	Connectors Connectors
	Logger     *slog.Logger // nil: discarded
}

// Access checks keys and keeps the answers of requests that carry an Idempotency-Key.
type Access interface {
	Authenticate(ctx context.Context, key engine.Secret) (engine.Auth, error)
	SecretOf(ctx context.Context, a *engine.Auth, clientSecret string) string
	BeginIdempotent(ctx context.Context, a *engine.Auth, key string, requestHash []byte) (
		stored *engine.StoredAnswer, finish func(ctx context.Context, answer engine.StoredAnswer) error, abandon func(ctx context.Context), err error)
}

// Connectors lists the loaded adapters.
type Connectors interface {
	Adapter(connector string) (engine.AdapterInfo, bool)
	Adapters() []engine.AdapterInfo
}

// Options are the surface's settings; zero values are the defaults.
type Options struct {
	AdminKey  engine.Secret // key of the admin endpoints; absent: nobody may call them
	PublicURL string        // where browsers reach us, http or https, no trailing slash; required
	MaxBody   int64         // bytes of a request body; default 32768
	CORS      CORS
	// TrustRequestID takes the caller's x-request-id instead of making one.
	TrustRequestID bool
	Version        string // shown at / and in the OpenAPI document; default "dev"
	// TestCardsWithoutLuhn accepts the 3DS test numbers that fail Luhn. Never in production.
	TestCardsWithoutLuhn bool
	// CardsInText says what happens to a card number in a field that is not made for one; default RefuseCards.
	CardsInText CardsInText
	// DevPages serves the simulator's approve and decline page. Never in production.
	DevPages bool
	// Simulator3DS serves /sim/3ds/ and /sim/acs/: the simulated 3DS server and bank (package plugins/simulator3ds). It requires DevPages; nil: both
	// prefixes answer 404.
	Simulator3DS http.Handler
	// Ready says why we cannot serve yet, nil when we can; nil func: always ready.
	Ready func() error
	// Observe is told of every request once it is answered; method and pattern are the route's, "" where there is none. It must not
	// block.
	Observe func(method, pattern string, status int, took time.Duration)

	ReadTimeout time.Duration // for a whole request to arrive; default 5 s
	KeepAlive   time.Duration // how long an idle connection stays open; default 5 s
}

// CORS says which web pages may call us from a browser.
type CORS struct {
	Origins []string // exact origins, or "*" for any; none: no page may
	Methods []string // default GET, POST, PUT, DELETE
}

// Server is the HTTP surface. It is an http.Handler and safe for concurrent use.
type Server struct {
	Deps
	opts  Options
	mux   mux
	index *index
}

// New checks deps and options and starts nothing.
func New(d Deps, o Options) (*Server, error) {
	if d.Access == nil || d.Payments == nil || d.Admin == nil || d.Connectors == nil {
		return nil, errors.New("router: Access, Payments, Admin and Connectors are required")
	}
	u, err := url.Parse(o.PublicURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.HasSuffix(o.PublicURL, "/") || u.RawQuery != "" {
		return nil, errors.New("router: PublicURL must be an http or https URL without trailing slash and query")
	}
	if o.Simulator3DS != nil && !o.DevPages {
		return nil, errors.New("router: Simulator3DS is for development: it needs DevPages")
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
		return nil, errors.New("router: CardsInText must be refuse or mask")
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
	s := &Server{Deps: d, opts: o}
	routes := s.routes()
	if err := guardRoutes(routes, openRoutes); err != nil {
		return nil, err
	}
	s.mux = newMux(routes)
	if s.index, err = newIndex(&s.opts); err != nil {
		return nil, err
	}
	return s, nil
}

// HTTP returns an http.Server for the surface with our time-outs; the caller listens and shuts it down. Its write time-out would count from
// the request on, and an operation may wait three minutes for another on the same payment: sentBody.send sets one for each answer.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.opts.ReadTimeout,
		ReadTimeout:       s.opts.ReadTimeout,
		IdleTimeout:       s.opts.KeepAlive,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.Logger.Handler(), slog.LevelDebug),
	}
}
