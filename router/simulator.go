package router

import (
	"net/http"
	"strings"

	"payswitch/router/simulator3ds"
)

// simulator3DS hands requests to the built-in development 3DS server over, where there is one. It is no part of the API: it has no keys of ours,
// no envelope of errors, and no place in the OpenAPI document.
func (s *Server) simulator3DS(w http.ResponseWriter, r *http.Request) bool {
	if s.opts.Simulator3DS == nil {
		return false
	}
	for _, prefix := range simulator3ds.Prefixes() {
		if strings.HasPrefix(r.URL.Path, prefix) {
			s.opts.Simulator3DS.ServeHTTP(w, r)
			return true
		}
	}
	return false
}
