package router

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
)

// handler answers one request: it decodes, makes one engine call and encodes. Server.failed turns its error into the JSON error.
type handler func(c *call) (answer, error)

// call is a request on its way through serve.
type call struct {
	r         *http.Request
	w         http.ResponseWriter
	began     time.Time
	route     *route // nil if no route matches
	segments  []string
	requestID string
	auth      account.Auth // zero on open routes and for the admin key
	admin     bool         // the caller sent the admin key
	body      []byte       // of a POST, PUT or PATCH, and of a DELETE with a route.body
	rate      http.Header  // the headers about the rest of the key's rate; nil without a limit
	token     *account.SDKToken
	clients   bool // a browser's preflight for a route of payers' clients
	options   *Options
}

// clientSecret returns the client secret of a request: the one that was sent, else that of the SDK token.
func (c *call) clientSecret(sent string) string {
	if sent == "" && c.token != nil {
		return c.token.ClientSecret
	}
	return sent
}

func (c *call) ctx() context.Context     { return c.r.Context() }
func (c *call) param(name string) string { return c.route.param(c.segments, name) }

// answer is what a handler returns. Without a Content-Type, a body is sent as application/json.
type answer struct {
	status int    // 0 means 200
	code   string // of an error
	header http.Header
	body   []byte
	open   bool // a repetition with the same Idempotency-Key may bring another answer: this one is not stored
}

func jsonAnswer(body []byte) answer {
	return answer{header: http.Header{"Content-Type": {"application/json"}}, body: body}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.simulator3DS(w, r) {
		return
	}
	s.answer(w, r, s.serve)
}

// answer sends the answer that serve makes, with the headers that every answer has, and logs it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, serve func(*call) answer) {
	began := time.Now()
	ctx, ended := r.Context(), func(string, string, string, int) {}
	if s.opts.Trace != nil {
		ctx, ended = s.opts.Trace(r)
	}
	id := s.requestID(r)
	r = r.WithContext(context.WithValue(ctx, requestIDKey{}, id))
	s.forwarded(r)
	body := &sentBody{ReadCloser: r.Body}
	r.Body = body
	c := &call{r: r, w: w, began: began, requestID: id, options: &s.opts}
	a := serve(c)
	if a.status == 0 {
		a.status = http.StatusOK
	}
	h := w.Header()
	for k, v := range a.header {
		h[k] = v
	}
	for k, v := range c.rate {
		h[k] = v
	}
	if len(a.body) > 0 && h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	h.Set("X-Request-Id", c.requestID)
	h.Set("Strict-Transport-Security", "max-age=31536000")
	h.Set("Via", "payswitch")
	keepPrivate(h, a.status)
	s.allowOrigin(h, r, c.clients || c.route != nil && c.route.forClients())
	took := time.Since(began)
	if r.Header.Get("X-Hs-Latency") == "true" {
		h.Set("X-Hs-Latency", strconv.FormatInt(took.Milliseconds(), 10))
	}
	body.send(w, r, a)
	s.done(c, a, began, took)
	ended(c.pattern(), c.requestID, c.auth.MerchantID, a.status)
}

// requestIDKey is the key of the request id in contexts.
type requestIDKey struct{}

// RequestID returns the id of the request that ctx belongs to, "" outside of requests. Log lines of all parts carry it.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// keepPrivate adds the headers that an answer does not set itself: no cache stores it, browsers send its address nowhere, no page frames it. A
// redirect gets no framing rule, because the payer may follow it inside a frame; the page behind it has its own rule.
func keepPrivate(h http.Header, status int) {
	h.Set("X-Content-Type-Options", "nosniff")
	for _, own := range [...][2]string{{"Cache-Control", "no-store"}, {"Referrer-Policy", "no-referrer"}} {
		if h.Get(own[0]) == "" {
			h.Set(own[0], own[1])
		}
	}
	if status >= 300 && status < 400 {
		return
	}
	policy := h.Get("Content-Security-Policy")
	if policy == "" {
		policy = "default-src 'none'; frame-ancestors 'none'"
		h.Set("Content-Security-Policy", policy)
	}
	if strings.HasSuffix(policy, "frame-ancestors 'none'") {
		h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
	}
}

// LoggedRequest is a request as logs show it. None of its values is a text that a caller writes freely.
type LoggedRequest struct {
	At            time.Time
	RequestID     string
	Method, Route string // Route is "" if the request matched none, Method for one that HTTP does not have
	Status        int
	Code          string // of the error, "" without one
	MerchantID    string
	KeyID         string // the id of the API key, or publishable or admin for these kinds of keys; "" for none
	PaymentID     string // that the path of a successful request names
	Took          time.Duration
}

func (s *Server) done(c *call, a answer, began time.Time, took time.Duration) {
	status := a.status
	level := slog.LevelInfo
	if c.route != nil && (c.pattern() == healthPath || c.pattern() == livePath) && status == http.StatusOK {
		level = slog.LevelDebug // load balancers ask every few seconds
	}
	s.Logger.LogAttrs(c.ctx(), level, "request", slog.String("request_id", c.requestID), slog.String("method", c.method()),
		slog.String("route", c.pattern()), slog.Int("status", status), slog.Duration("took", took), slog.String("merchant_id", c.auth.MerchantID), c.paymentID(status),
		unlessEmpty("code", a.errorCode()), unlessEmpty("key_id", c.keyID()))
	if s.opts.Log != nil && level > slog.LevelDebug {
		s.opts.Log(LoggedRequest{At: began, RequestID: c.requestID, Method: c.method(), Route: c.pattern(), Status: status, Code: a.errorCode(), MerchantID: c.auth.MerchantID, KeyID: c.keyID(),
			PaymentID: paymentOf(c, status), Took: took})
	}
	if s.opts.Observe != nil {
		method := c.r.Method
		if c.route == nil {
			method = "" // a metric label must come from a closed set, and callers can invent methods
		}
		s.opts.Observe(method, c.pattern(), status, took)
	}
}

// serve finds the route and runs its handler. A panic becomes an answer with status 500.
func (s *Server) serve(c *call) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = s.failed(c, fault.Internal(fmt.Errorf("panic: %v\n%s", p, debug.Stack()), "serve request"))
		}
	}()
	if c.r.Method == http.MethodOptions && c.r.Header.Get("Access-Control-Request-Method") != "" {
		asked, _, _ := s.mux.find(c.r.Header.Get("Access-Control-Request-Method"), c.r.URL.Path)
		c.clients = asked != nil && asked.forClients()
		return s.preflight(c.clients)
	}
	var allowed []string
	if c.route, c.segments, allowed = s.mux.find(c.r.Method, c.r.URL.Path); c.route == nil {
		if len(allowed) > 0 {
			return methodAnswer(allowed)
		}
		return errorAnswer(errUnknownURL)
	}
	a, err := s.call(c)
	if err != nil {
		if c.mistypedLink(err) {
			return s.unknownLink(c, err)
		}
		return s.failed(c, err)
	}
	return a
}

// call checks token, key, path and body, and then calls the handler: once for each Idempotency-Key.
func (s *Server) call(c *call) (answer, error) {
	if c.route.who == open && !s.admits(c) {
		return s.notAdmitted(c)
	}
	if c.route.beginsWork() {
		leave, ok := s.opts.Admission.enter()
		if !ok {
			return answer{}, errOverloaded
		}
		defer leave()
	}
	if err := s.authenticate(c); err != nil {
		return answer{}, err
	}
	// A publishable key is public: a stranger could use a merchant's rate up. A client with a token sends no key, or any text in its place.
	if c.auth.MerchantID != "" && !c.auth.Publishable && (c.auth.CustomerID == "" || c.auth.KeyID != "") {
		var err error
		if c.rate, err = s.rates.take(c.r.Header.Get("api-key")); err != nil {
			return answer{}, err
		}
	}
	if c.auth.CustomerID != "" && c.r.Method != http.MethodGet { // a customer's device could save card after card
		var err error
		if c.rate, err = s.devices.take(c.auth.MerchantID + "/" + c.auth.CustomerID); err != nil {
			return answer{}, err
		}
	}
	for i, segment := range c.route.segments {
		if segment[0] == '{' {
			if err := checkPathParam(strings.Trim(segment, "{}"), c.segments[i]); err != nil {
				return answer{}, err
			}
		}
	}
	if c.r.Method == http.MethodPost || c.r.Method == http.MethodPut || c.r.Method == http.MethodPatch || c.r.Method == http.MethodDelete && c.route.body > 0 {
		if err := s.readBody(c); err != nil {
			return answer{}, err
		}
	}
	key := c.r.Header.Get("Idempotency-Key")
	if key == "" || c.r.Method != http.MethodPost || c.auth.MerchantID == "" {
		return c.route.handle(c)
	}
	return s.once(c, key, c.route.handle)
}

// once answers a request that has an Idempotency-Key. A key that was used before gets its stored answer. Otherwise handle runs, and its answer is
// stored. An internal error, or an answer that says busy or limited, is not stored, so that a repeat can succeed. An answer that could not be stored is not
// sent: the caller reads that it shall repeat the request.
//
// A publishable key is public. With it, an Idempotency-Key takes effect only if the body has a right client secret, and only for what that secret
// opens.
func (s *Server) once(c *call, key string, handle handler) (answer, error) {
	if c.auth.Publishable && c.auth.SecretOf == "" {
		if c.auth.SecretOf = s.Access.SecretOf(c.ctx(), &c.auth, c.clientSecret(shownSecret(c.body))); c.auth.SecretOf == "" {
			return handle(c)
		}
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s %s\n", c.r.Method, c.r.URL.Path, c.auth.ProfileID)
	hash.Write(c.body)
	stored, finish, abandon, err := s.Access.BeginIdempotent(c.ctx(), &c.auth, key, hash.Sum(nil))
	if err != nil {
		return answer{}, err
	}
	if stored != nil {
		return answer{status: stored.Status, header: stored.Headers, body: stored.Body}, nil
	}
	ctx := context.WithoutCancel(c.ctx()) // the answer must be stored even if the caller has gone
	kept := false
	defer func() {
		if !kept {
			abandon(ctx)
		}
	}()
	a, err := handle(c)
	if err != nil {
		e := asError(err)
		if e.Kind == fault.KindInternal || e.Kind == fault.KindUnavailable || e.Kind == fault.KindLimited || e.Code == "HE_00" {
			return answer{}, err
		}
		a = errorAnswer(c.located(e))
	}
	if a.open {
		return a, nil
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if err := finish(ctx, idempotency.Answer{Status: a.status, Headers: a.header, Body: a.body}); err != nil {
		return answer{}, err // a repeat finds what was done; it must not contradict an answer that was given
	}
	kept = true
	return a, nil
}

var secretFields = openObject(at("client_secret", text, func(secret *string) *string { return secret }))

// shownSecret returns the client_secret of a body, "" if the body cannot be parsed.
func shownSecret(body []byte) string {
	secret, err := secretFields.parse(newReader(body))
	if err != nil {
		return ""
	}
	return secret
}

// failed turns an error into its answer. It logs internal errors, unless the caller has gone.
func (s *Server) failed(c *call, err error) answer {
	e := asError(err)
	if e.Kind == fault.KindInternal && !clientGone(c.ctx(), err) {
		s.Logger.ErrorContext(c.ctx(), "request failed", "request_id", c.requestID, "method", c.r.Method, "route", c.pattern(), "error", e)
	}
	return errorAnswer(c.located(e))
}

// unlessEmpty returns an attribute, an empty one without a value.
func unlessEmpty(name, value string) slog.Attr {
	if value == "" {
		return slog.Attr{}
	}
	return slog.String(name, value)
}

// errorCode returns the code of an answer that is an error, "" for another answer. A repeated answer has it in its body alone.
func (a answer) errorCode() string {
	if a.code != "" || a.status < 400 {
		return a.code
	}
	var e struct{ Error struct{ Code string } }
	if json.Unmarshal(a.body, &e) != nil || checkID(e.Error.Code) != nil {
		return "" // a page for people
	}
	return e.Error.Code
}

// method returns the request's method, "" for one that a caller invents: it could be any text.
func (c *call) method() string {
	if c.route == nil && c.r.Method != http.MethodOptions && !slices.Contains(methods, c.r.Method) {
		return ""
	}
	return c.r.Method
}

// keyID names the key of a request: by its id, or by its kind if it has none.
func (c *call) keyID() string {
	switch {
	case c.admin:
		return "admin"
	case c.auth.Publishable:
		return "publishable"
	}
	return c.auth.KeyID
}

// paymentOf returns the value of paymentID, "" for none.
func paymentOf(c *call, status int) string {
	if id := c.paymentID(status); id.Key != "" {
		return id.Value.String()
	}
	return ""
}

// paymentID returns the payment that the path names, an empty attribute for none. What a refused request names need be no payment.
func (c *call) paymentID(status int) slog.Attr {
	if status >= 400 || c.auth.MerchantID == "" || !slices.Contains(c.route.segments, "{payment_id}") {
		return slog.Attr{}
	}
	return slog.String("payment_id", c.param("payment_id"))
}

func (c *call) pattern() string {
	if c.route == nil {
		return ""
	}
	return c.route.pattern
}

func (s *Server) readBody(c *call) error {
	limit := s.opts.MaxBody
	if c.route.body > 0 {
		limit = c.route.body
	}
	if c.r.ContentLength > limit {
		return tooLarge(limit)
	}
	if time.Since(c.began) > s.opts.ReadTimeout/2 { // the switch has used the caller's time up, because its database was slow to find the key
		_ = http.NewResponseController(c.w).SetReadDeadline(time.Now().Add(s.opts.ReadTimeout))
	}
	body, err := io.ReadAll(io.LimitReader(c.r.Body, limit+1))
	if err != nil {
		return fault.Malformed("", "the request body could not be read").WithHint("Send the body whole.")
	}
	if int64(len(body)) > limit {
		return tooLarge(limit)
	}
	c.body = body
	return nil
}

func tooLarge(limit int64) error {
	err := fault.Malformed("", fmt.Sprintf("the request body is larger than %d bytes", limit)).WithHint("Send at most " + strconv.FormatInt(limit, 10) + " bytes.")
	err.Kind = fault.KindTooLarge
	return err
}

// jsonBody returns the body of a request whose Content-Type must be JSON.
func (c *call) jsonBody() ([]byte, error) {
	media, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
		hint := "Send Content-Type: application/json."
		if len(c.body) == 0 { // the header alone would lead to the next refusal
			hint = "Send Content-Type: application/json, and a body: {} if no field is needed."
		}
		return nil, fault.Malformed("Content-Type", "the request needs the header Content-Type: application/json").WithHint(hint)
	}
	return c.body, nil
}

// requestID returns the caller's X-Request-Id if the options trust it and it is a valid id, else a new UUID.
func (s *Server) requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); s.opts.TrustRequestID && checkID(id) == nil {
		return id
	}
	return uuid.Must(uuid.NewV7()).String()
}

// forwarded makes the address that the proxy in front has noted last the request's RemoteAddr, if the options say that there is a proxy. The other entries of
// X-Forwarded-For can be the caller's invention.
func (s *Server) forwarded(r *http.Request) {
	all := r.Header["X-Forwarded-For"]
	if len(all) == 0 {
		return
	}
	if !s.opts.BehindProxy {
		if from, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && (from.Addr().Unmap().IsLoopback() || from.Addr().Unmap().IsPrivate()) {
			s.unnoticed.Do(func() {
				s.Logger.Warn("a proxy forwards requests, and the address of every payer is the proxy's: if the proxy is yours, set server.behind_proxy")
			})
		}
		return
	}
	list := all[len(all)-1]
	last := strings.TrimSpace(list[strings.LastIndexByte(list, ',')+1:])
	ip, err := netip.ParseAddr(strings.Trim(last, "[]"))
	if err != nil { // some proxies add the port
		p, err := netip.ParseAddrPort(last)
		if err != nil {
			return
		}
		ip = p.Addr()
	}
	r.RemoteAddr = netip.AddrPortFrom(ip.Unmap().WithZone(""), 0).String()
}

// allowOrigin says whether the page that sent the request may read the answer. Any page may use the routes for payers' clients: each request proves
// what it may see, and no cookie is ever sent. The other routes are for the origins of CORS.Origins.
func (s *Server) allowOrigin(h http.Header, r *http.Request, clients bool) {
	if len(s.opts.CORS.Origins) == 0 && !clients {
		return
	}
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	switch {
	case origin == "":
	case clients, slices.Contains(s.opts.CORS.Origins, "*"):
		h.Set("Access-Control-Allow-Origin", "*")
	case slices.Contains(s.opts.CORS.Origins, origin):
		h.Set("Access-Control-Allow-Origin", origin)
	default:
		return
	}
	h.Set("Access-Control-Expose-Headers", "*")
}

// preflight answers a browser that asks which requests it may send. Server.answer adds whether the page's origin is allowed.
func (s *Server) preflight(clients bool) answer {
	h := http.Header{}
	if len(s.opts.CORS.Origins) > 0 || clients {
		h.Set("Access-Control-Allow-Methods", strings.Join(s.opts.CORS.Methods, ", "))
		h.Set("Access-Control-Allow-Headers", "*, api-key, content-type, authorization")
		h.Set("Access-Control-Max-Age", "30")
	}
	return answer{status: http.StatusNoContent, header: h}
}
