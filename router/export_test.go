package router

import (
	"regexp"
	"time"

	"payswitch/engine/change"
)

// Routes lists method and pattern of every route.
func (s *Server) Routes() [][2]string {
	var list [][2]string
	for _, r := range s.routes() {
		list = append(list, [2]string{r.method, r.pattern})
	}
	return list
}

// OpenRoute is a line of openRoutes.
type OpenRoute struct{ Pattern, By, Why string }

// OpenRoutes returns the lines of openRoutes.
func OpenRoutes() []OpenRoute {
	var list []OpenRoute
	for _, g := range openRoutes {
		list = append(list, OpenRoute{g.pattern, string(g.by), g.why})
	}
	return list
}

// OpenPatterns returns the patterns that the mux serves without a key, with their methods.
func (s *Server) OpenPatterns() map[string][]string {
	found := map[string][]string{}
	for _, r := range s.routes() {
		path := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(r.pattern, "x")
		if served, _, _ := s.mux.find(r.method, path); served.who == open && served.guard != nil || served.who != open && served.guard == nil {
			if served.who == open {
				found[served.pattern] = append(found[served.pattern], r.method)
			}
			continue
		}
		panic(r.pattern + " is served without its guard")
	}
	return found
}

// GuardRoutes checks one route against openRoutes.
func GuardRoutes(pattern, who string) error {
	return guardRoutes([]route{{method: "GET", pattern: pattern, who: map[string]access{"open": open, "secret": secretField}[who]}}, openRoutes)
}

// FrameAncestors returns the value of frame-ancestors for origins.
func FrameAncestors(origins ...string) string { return frameAncestors(origins) }

func init() { lingerTime = time.Minute } // a busy machine may need more than ten seconds for the 100 MiB that a test sends

// Linger changes the limits for the rest of a body. The returned function restores them.
func Linger(d time.Duration, bytes int64) (restore func()) {
	oldTime, oldBytes := lingerTime, lingerBytes
	lingerTime, lingerBytes = d, bytes
	return func() { lingerTime, lingerBytes = oldTime, oldBytes }
}

// Find returns the pattern for a request, "" for none, and its parameters by name.
func (s *Server) Find(method, path string) (pattern string, params map[string]string) {
	r, segments, _ := s.mux.find(method, path)
	if r == nil {
		return "", nil
	}
	params = map[string]string{}
	for i, segment := range r.segments {
		if segment[0] == '{' {
			params[segment[1:len(segment)-1]] = segments[i]
		}
	}
	return r.pattern, params
}

// PaymentJSON returns a payment as answers show it.
func PaymentJSON(v *change.View) []byte { return paymentJSON(v).body }

// PaymentKeys returns the keys a payment request may have.
func PaymentKeys() []string { return paymentFields.keys() }

// DecodePayment reads a payment request as a handler does.
func DecodePayment(body []byte) error {
	r := newReader(body)
	if err := paymentFields.into(r, &paymentRequest{}); err != nil {
		return err
	}
	return r.end()
}

// SetWriteTime changes how long a caller may take to read an answer. The returned function restores the old time.
func SetWriteTime(d time.Duration) (back func()) {
	old := writeTime
	writeTime = d
	return func() { writeTime = old }
}

// Enter admits a request of new work.
func (a *Admission) Enter() (leave func(), ok bool) { return a.enter() }

// Remedies are the param and the hint of the codes that the router completes.
var Remedies = func() map[string][2]string {
	all := map[string][2]string{}
	for code, r := range remedies {
		all[code] = [2]string{r.param, r.hint}
	}
	return all
}()

// Headers are the headers of a request as adapters read them.
var Headers = headers
