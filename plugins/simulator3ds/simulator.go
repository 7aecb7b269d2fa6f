package simulator3ds

import (
	"bytes"
	"crypto/rand"
	"embed"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Options are the settings of a Simulator. A zero value selects the default.
type Options struct {
	// PublicURL is where browsers reach the handler: http or https, without a slash at the end. Required.
	PublicURL string
	// TimeScale, 1 to 1000, divides all times; default 1. A wait for a browser stays at two seconds or more.
	TimeScale int
	// Others are the digits V, M, A and C of all cards that the tables in README.md do not list; default "0000", which
	// means no challenge.
	Others string
	// MaxTransactions is the largest number of transactions in memory. A new one replaces the oldest. Default 20000.
	MaxTransactions int
	Clock           func() time.Time // nil: time.Now
	Logger          *slog.Logger     // nil discards the log
}

// The times of EMV 3-D Secure and of 3dsecure.io, before TimeScale.
const (
	sessionTime   = 80 * time.Second // from preauth to auth
	firstCReqTime = 30 * time.Second // from ARes to CReq
	idleTime      = 10 * time.Minute // the payer on the challenge page
	resultTime    = 5 * time.Minute  // postauth returns a result for this long
	decoupledTime = 6 * time.Second  // how long a decoupled authentication takes
	lateResult    = 6 * time.Second  // the delay of a late result
	lateMethod    = 8 * time.Second  // the delay of a slow 3DS method
	hangTime      = time.Minute      // until a preauth without an answer ends
	keepTime      = 20 * time.Minute // then a transaction is dropped, in any state
)

// leastWait is the shortest wait for a browser.
const leastWait = 2 * time.Second

// Simulator is the HTTP handler. It is safe for concurrent use. It needs Run only to push results.
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

// New checks the options and returns a Simulator. It starts no goroutine.
func New(o Options) (*Simulator, error) {
	u, err := url.Parse(o.PublicURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.HasSuffix(o.PublicURL, "/") || u.RawQuery != "" {
		return nil, fmt.Errorf("simulator3ds: PublicURL: %q must begin with http:// or https://, and must have no slash at the end and no query", o.PublicURL)
	}
	if o.TimeScale == 0 {
		o.TimeScale = 1
	}
	if o.TimeScale < 1 || o.TimeScale > 1000 {
		return nil, fmt.Errorf("simulator3ds: TimeScale: %d is not between 1 and 1000", o.TimeScale)
	}
	if o.Others == "" {
		o.Others = "0000"
	}
	if len(o.Others) != 4 || !allDigits(o.Others) {
		return nil, fmt.Errorf("simulator3ds: Others: %q is not four digits, such as 0070", o.Others)
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

// Prefixes returns the path prefixes that the handler serves.
func Prefixes() []string { return []string{"/sim/3ds/", "/sim/acs/"} }

// ServeHTTP implements http.Handler.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	s.mux.ServeHTTP(w, r)
}

// scaled returns a delay that the simulator itself causes, after TimeScale.
func (s *Simulator) scaled(d time.Duration) time.Duration { return d / time.Duration(s.opts.TimeScale) }

// patience returns how long the simulator waits for a browser or for payswitch, after TimeScale.
func (s *Simulator) patience(d time.Duration) time.Duration { return max(s.scaled(d), leastWait) }

//go:embed pages/*.html
var pageFiles embed.FS

// code reports whether a page shows a table cell as code: the first cell of a row, and numbers.
func code(column int, cell string) bool { return column == 0 || len(cell) > 1 && allDigits(cell) }

var pages = template.Must(template.New("").Funcs(template.FuncMap{"code": code}).ParseFS(pageFiles, "pages/*.html"))

// page writes an HTML answer. Any page may frame an issuer's page, because every merchant's page shows it in a frame;
// no page may frame the list of cards. A page loads nothing from elsewhere and runs only the scripts in it.
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
	// Browsers apply form-action also to the redirects after a form, so the policy names schemes, not hosts.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'nonce-"+nonce+
		"'; form-action http: https:; base-uri 'none'; frame-ancestors "+framers)
	w.WriteHeader(status)
	w.Write(out.Bytes()) // it fails only if the browser has gone
}
