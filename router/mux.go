package router

import (
	"slices"
	"strings"
)

// route is one line of the surface. Pattern has {name} segments; its first segment is always fixed.
type route struct {
	method  string
	pattern string
	who     access
	handle  handler

	segments []string // of pattern, without the leading slash
}

// mux finds the route of a request by first segment and number of segments, then by the fixed segments, leftmost first. Neither
// httprouter nor net/http can hold our surface (/payments/redirect/{id}/{merchant}/{attempt} beside
// /payments/{id}/{merchant}/authorize/{connector}); this also never redirects and tells 404 from 405.
type mux map[muxKey][]*route

type muxKey struct {
	method, first string
	segments      int
}

var methods = []string{"GET", "POST", "PUT", "DELETE"}

func newMux(routes []route) mux {
	m := mux{}
	for i := range routes {
		r := &routes[i]
		r.segments = strings.Split(r.pattern[1:], "/")
		key := muxKey{r.method, r.segments[0], len(r.segments)}
		m[key] = append(m[key], r)
	}
	for _, candidates := range m {
		slices.SortStableFunc(candidates, func(a, b *route) int { return slices.Compare(openSegments(a), openSegments(b)) })
	}
	return m
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

// find returns the route of a request and the path's segments; without a route, the methods that the path does have.
func (m mux) find(method, path string) (*route, []string, []string) {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if r := m.match(method, segments); r != nil {
		return r, segments, nil
	}
	var allowed []string
	for _, other := range methods {
		if other != method && m.match(other, segments) != nil {
			allowed = append(allowed, other)
		}
	}
	return nil, nil, allowed
}

func (m mux) match(method string, segments []string) *route {
	for _, r := range m[muxKey{method, segments[0], len(segments)}] {
		if r.matches(segments) {
			return r
		}
	}
	return nil
}

func (r *route) matches(segments []string) bool {
	for i, s := range r.segments {
		if segments[i] == "" || s[0] != '{' && s != segments[i] {
			return false
		}
	}
	return true
}

// param is the value of the {name} segment, "" when the pattern has none.
func (r *route) param(segments []string, name string) string {
	for i, s := range r.segments {
		if s[0] == '{' && s[1:len(s)-1] == name {
			return segments[i]
		}
	}
	return ""
}
