package dashboard

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/staff"
	"payswitch/router"
)

// Deps are the parts that Server calls. Engine is required, and Staff or Sessions.
type Deps struct {
	Staff     *staff.Service // nil: no page about people
	Sessions  Sessions       // nil: those of Staff, by a cookie
	Engine    Engine
	Events    Events
	Adapters  Adapters
	Bundles   port.Bundles     // nil: no adapter is installed by the pages
	Audit     Audit            // nil: that of Staff, or without Staff the log alone
	Presenter Presenter        // nil: pages show no raw answers
	Replayer  Replayer         // nil: no recording is run again
	System    System           // nil: no pages about the installation
	Logs      Logs             // nil: no page of log lines
	Logger    *slog.Logger     // nil discards the log
	Now       func() time.Time // nil: time.Now
}

// Sessions finds the person behind a request. The error ErrNoSession says that the request has no session: the person has to sign in.
type Sessions interface {
	Of(r *http.Request) (*staff.Session, error)
}

// ErrNoSession is the error of Sessions for a request without a session.
var ErrNoSession = errors.New("no session")

// Options are the settings of a Server. A zero value selects the default.
type Options struct {
	URL     string // where browsers reach the dashboard, without a slash at the end; "": as each request names it, without TLS
	APIURL  string // where the API is reached, without a slash at the end: pages show it in commands
	Version string // shown at the foot of each page; default "dev"
	Live    bool   // the installation takes real money (keys.environment prd)
	// BehindProxy takes a visitor's address from the last entry of X-Forwarded-For.
	BehindProxy bool
	// FirstRunAnywhere answers other machines too while there is no user.
	FirstRunAnywhere bool
}

// Server is the dashboard. It implements http.Handler and is safe for concurrent use.
type Server struct {
	Deps
	opts Options
	mux  *http.ServeMux
	// origins refuses forms of other origins.
	origins *http.CrossOriginProtection
	routes  []route
	assets  *assets
	pages   *pages
	cookies cookies
	first   firstRun
}

// New checks deps and returns a Server. It starts no goroutine and opens no port.
func New(d Deps, o Options) (*Server, error) {
	if d.Sessions == nil && d.Staff == nil || d.Engine == nil {
		return nil, errors.New("dashboard: Engine and Staff or Sessions are required")
	}
	k := cookies{d.Staff, strings.HasPrefix(o.URL, "https:")}
	if d.Sessions == nil {
		d.Sessions = k
	}
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	s := &Server{Deps: d, opts: o, mux: http.NewServeMux(), origins: http.NewCrossOriginProtection(), cookies: k}
	if s.Audit == nil && s.Staff != nil {
		s.Audit = staffAudit{s}
	}
	var err error
	if s.assets, err = readAssets(files); err != nil {
		return nil, err
	}
	if s.pages, err = readPages(); err != nil {
		return nil, err
	}
	s.routes = s.table()
	for _, r := range s.routes {
		if err := s.add(r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// HTTP returns an http.Server that serves s with time-outs.
func (s *Server) HTTP() *http.Server {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      5 * time.Minute, // an export of many payments takes its time
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.Logger.Handler(), slog.LevelDebug),
	}
	router.CloseDoubtful(server)
	return server
}

// policy is the Content-Security-Policy of every answer: the dashboard's own files alone, nothing inline, and no page may frame it. The
// preview of a payment link has a policy of its own.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; " +
	"frame-ancestors 'none'"

// maxForm is the largest number of bytes of a posted form, unless its route says more.
const maxForm = 64 << 10

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if s.cookies.secure {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	defer func() {
		if problem := recover(); problem == http.ErrAbortHandler { // an answer that ended early: the server cuts the connection
			panic(problem)
		} else if problem != nil {
			s.fail(w, r, fmt.Errorf("panic: %v", problem))
		}
	}()
	if s.assets.serve(w, r) {
		return
	}
	if ok, err := s.allows(r); err != nil || !ok {
		if err == nil {
			err = &fault.Error{Kind: kindForeign, Message: "This installation has no user yet. Open the link that payswitch has printed, on its own machine."}
		}
		s.refuse(&call{Request: r, w: w, server: s}, err)
		return
	}
	if !s.ownForm(r) {
		s.refuse(&call{Request: r, w: w, server: s}, &fault.Error{Kind: kindForeign, Code: "IR_01", Message: "This form came from another page than the dashboard's own."})
		return
	}
	if _, pattern := s.mux.Handler(r); pattern == "" && !s.known(r) {
		s.notFound(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// kindForeign is the kind of the error for a form of another origin.
const kindForeign fault.Kind = "foreign"

// ownForm reports whether a request that may change something comes from the dashboard's own pages. The same site is not enough: other ports of the
// host belong to it.
func (s *Server) ownForm(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	return s.origins.Check(r) == nil
}

// known reports whether a path has a page with another method, so that the answer is 405.
func (s *Server) known(r *http.Request) bool {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.mux.Handler(other); pattern != "" {
			return true
		}
	}
	return false
}
