package router

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/julienschmidt/httprouter"
)

// route is one endpoint. Its pattern may have {name} segments; the first segment is always fixed.
type route struct {
	method  string
	pattern string
	who     access
	handle  handler
	token   bool  // takes the SDK token of a payment; routes of one payment take it without this
	body    int64 // the most bytes of a body; 0 for Options.MaxBody

	guard    *guard   // of an open route
	segments []string // of pattern, without the leading slash; none for /
	// behind are routes of other methods that win over this one where both fit. A path such as /refunds/list then has the methods of these routes
	// alone.
	behind []*route
}

// mux finds the route of a request, and the methods that a path has if the request's method is not among them. It never redirects.
//
// httprouter refuses /payments/list next to /payments/{id}. So all routes with the same method, first segment and number of segments share one
// registration in httprouter, and match chooses among them: the leftmost fixed segment that differs decides.
type mux struct{ tree *httprouter.Router }

// group holds the routes of one registration. It is a ResponseWriter because a handle of httprouter can return its routes only through one.
type group struct {
	http.ResponseWriter
	routes []*route
}

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}

func newMux(routes []route) mux {
	groups := map[[2]string][]*route{}
	for i := range routes {
		r := &routes[i]
		if r.pattern != indexPath {
			r.segments = strings.Split(r.pattern[1:], "/")
		}
		key := [2]string{r.method, shape(r.segments)}
		groups[key] = append(groups[key], r)
	}
	for i := range routes {
		for k := range routes {
			r, other := &routes[i], &routes[k]
			if r.method != other.method && len(r.segments) == len(other.segments) && slices.Compare(openSegments(other), openSegments(r)) < 0 && r.matches(other.segments) {
				r.behind = append(r.behind, other)
			}
		}
	}
	m := mux{httprouter.New()}
	for key, candidates := range groups {
		slices.SortStableFunc(candidates, func(a, b *route) int { return slices.Compare(openSegments(a), openSegments(b)) })
		m.tree.Handle(key[0], key[1], func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) { w.(*group).routes = candidates })
	}
	return m
}

// shape returns the pattern of a group in the syntax of httprouter: only the first segment is fixed, as in /payments/:1/:2.
func shape(segments []string) string {
	if len(segments) == 0 {
		return indexPath
	}
	s := "/" + segments[0]
	for i := range segments[1:] {
		s += "/:" + strconv.Itoa(i+1)
	}
	return s
}

func openSegments(r *route) []int {
	open := make([]int, len(r.segments))
	for i, s := range r.segments {
		if s[0] == '{' {
			open[i] = 1
		}
	}
	return open
}

// find returns the route of a request and the segments of the path. If no route matches, it returns the methods that the path has.
func (m mux) find(method, path string) (*route, []string, []string) {
	if path == configsPath+"/" {
		path = configsPath // the v1 API has the slash
	}
	found, segments := m.match(method, path)
	allows := func(r *route) bool { return true }
	if found != nil {
		at := slices.IndexFunc(found.behind, func(r *route) bool { return r.matches(segments) })
		if at < 0 {
			return found, segments, nil
		}
		open := openSegments(found.behind[at])
		allows = func(r *route) bool { return slices.Equal(openSegments(r), open) }
	}
	var allowed []string
	for _, other := range methods {
		if r, _ := m.match(other, path); r != nil && other != method && allows(r) {
			allowed = append(allowed, other)
		}
	}
	return nil, nil, allowed
}

func (m mux) match(method, path string) (*route, []string) {
	handle, params, _ := m.tree.Lookup(method, path)
	if handle == nil {
		return nil, nil
	}
	var g group
	handle(&g, nil, nil)
	var segments []string
	if path != indexPath {
		segments = append(segments, g.routes[0].segments[0])
	}
	for _, p := range params {
		segments = append(segments, p.Value)
	}
	for _, r := range g.routes {
		if r.matches(segments) {
			return r, segments
		}
	}
	return nil, nil
}

func (r *route) matches(segments []string) bool {
	for i, s := range r.segments {
		if segments[i] == "" || s[0] != '{' && s != segments[i] {
			return false
		}
	}
	return true
}

// param returns the value of the {name} segment, "" if the pattern has no such segment.
func (r *route) param(segments []string, name string) string {
	for i, s := range r.segments {
		if s[0] == '{' && s[1:len(s)-1] == name {
			return segments[i]
		}
	}
	return ""
}
