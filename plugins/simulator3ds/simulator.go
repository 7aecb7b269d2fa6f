package simulator3ds

import (
	"bytes"
	"crypto/rand"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Options are the simulator's settings; zero values are the defaults.
type Options struct {
	// PublicURL is where browsers reach the handler: http or https, without a slash at the end. Required.
	PublicURL string
	// TimeScale divides every time there is, 1 to 1000; default 1. What waits for a browser is never made shorter than two seconds.
	TimeScale int
	// Others are the digits V, M, A and C of cards that are neither the simulator's nor an alias; default "0000", frictionless.
	Others string
	// MaxTransactions bounds what is kept; the oldest is forgotten for a new one. Default 20000.
	MaxTransactions int
	Clock           func() time.Time // nil: time.Now
	Logger          *slog.Logger     // nil: discarded
}

// The times of EMV 3-D Secure and of the vendor whose shape this has, before TimeScale.
const (
	sessionTime   = 80 * time.Second // from preauth to auth
	firstCReqTime = 30 * time.Second // from ARes to CReq
	idleTime      = 10 * time.Minute // the payer on the challenge page
	resultTime    = 5 * time.Minute  // how long a result can be fetched
	decoupledTime = 6 * time.Second  // how long a decoupled authentication takes
	lateResult    = 6 * time.Second  // the result of a card whose result comes late
	lateMethod    = 8 * time.Second  // the notification of a card whose method is slow
	hangTime      = time.Minute      // a preauth that is not answered
	keepTime      = 20 * time.Minute // then a transaction is forgotten, whatever its state
)

// leastWait is what a browser is given at least.
const leastWait = 2 * time.Second

// Simulator is the handler. It is safe for concurrent use. New starts nothing; only pushes of results need Run.
type Simulator struct {
	opts      Options
	mux       *http.ServeMux
	transport http.RoundTripper // of pushes; nil: net/http's

	mu           sync.Mutex
	transactions map[string]*transaction // by threeDSServerTransID
	byACS        map[string]*transaction
	order        []*transaction // oldest first
	pushes       map[*transaction]bool
	accounts     map[account]pushTo // by API key
	log          []entry            // oldest first
}

// account is the SHA-256 of an API key.
type account [32]byte

// New checks the options and starts nothing.
func New(o Options) (*Simulator, error) {
	u, err := url.Parse(o.PublicURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.HasSuffix(o.PublicURL, "/") || u.RawQuery != "" {
		return nil, errors.New("simulator3ds: PublicURL must be an http or https URL without a slash at the end and without a query")
	}
	if o.TimeScale == 0 {
		o.TimeScale = 1
	}
	if o.TimeScale < 1 || o.TimeScale > 1000 {
		return nil, errors.New("simulator3ds: TimeScale must be 1 to 1000")
	}
	if o.Others == "" {
		o.Others = "0000"
	}
	if len(o.Others) != 4 || !allDigits(o.Others) {
		return nil, errors.New("simulator3ds: Others must be four digits, as 0070")
	}
	if o.MaxTransactions == 0 {
		o.MaxTransactions = 20_000
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Simulator{opts: o, transactions: map[string]*transaction{}, byACS: map[string]*transaction{}, pushes: map[*transaction]bool{},
		accounts: map[account]pushTo{}}
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("POST /sim/3ds/preauth", s.api(s.preauth))
	s.mux.HandleFunc("POST /sim/3ds/auth", s.api(s.auth))
	s.mux.HandleFunc("POST /sim/3ds/postauth", s.api(s.postauth))
	s.mux.HandleFunc("POST /sim/3ds/notify-config", s.api(s.notifyConfig))
	s.mux.HandleFunc("POST /sim/3ds/complete", s.api(s.complete))
	s.mux.HandleFunc("GET /sim/3ds/log", s.api(s.showLog))
	s.mux.HandleFunc("GET /sim/3ds/cards", s.showCards)
	s.mux.HandleFunc("GET /sim/acs/method", s.methodPage)
	s.mux.HandleFunc("POST /sim/acs/method", s.methodPage)
	s.mux.HandleFunc("POST /sim/acs/challenge", s.challengePage)
	s.mux.HandleFunc("POST /sim/acs/challenge/submit", s.submitPage)
	return s, nil
}

// Prefixes are the beginnings of the paths that the handler serves.
func Prefixes() []string { return []string{"/sim/3ds/", "/sim/acs/"} }

// ServeHTTP implements http.Handler.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	s.mux.ServeHTTP(w, r)
}

// scaled is a delay that the simulator makes.
func (s *Simulator) scaled(d time.Duration) time.Duration { return d / time.Duration(s.opts.TimeScale) }

// patience is how long the simulator waits for a browser or for the switch.
func (s *Simulator) patience(d time.Duration) time.Duration { return max(s.scaled(d), leastWait) }

//go:embed pages/*.html
var pageFiles embed.FS

// code says which cells of a table are shown as code: the first of a row, and numbers.
func code(column int, cell string) bool { return column == 0 || len(cell) > 1 && allDigits(cell) }

var pages = template.Must(template.New("").Funcs(template.FuncMap{"code": code}).ParseFS(pageFiles, "pages/*.html"))

// page writes an HTML answer. An issuer's page stands in the merchant's, whoever that is, so it may be framed by all; the list of cards may not. A page
// loads nothing and runs no script but its own.
func (s *Simulator) page(w http.ResponseWriter, status int, name string, data map[string]any) {
	nonce := rand.Text()
	data["Nonce"] = nonce
	var out bytes.Buffer
	if err := pages.ExecuteTemplate(&out, name, data); err != nil {
		s.opts.Logger.Error("page not rendered", "page", name, "error", err)
		http.Error(w, "this page could not be rendered", http.StatusInternalServerError)
		return
	}
	framers := "*"
	if name == "cards.html" {
		framers = "'none'"
		w.Header().Set("X-Frame-Options", "DENY")
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// form-action also holds for the redirects that follow a form, so it names schemes, not hosts.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'nonce-"+nonce+
		"'; form-action http: https:; base-uri 'none'; frame-ancestors "+framers)
	w.WriteHeader(status)
	w.Write(out.Bytes()) // a browser that has gone is no failure of ours
}
