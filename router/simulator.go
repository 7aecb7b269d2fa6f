package router

import (
	"net/http"
	"strings"
)

// Path prefixes that Options.Simulator3DS serves. A test holds them against simulator3ds.Prefixes, as this package must not import that one.
const (
	simulatedServerPrefix = "/sim/3ds/"
	simulatedBankPrefix   = "/sim/acs/"
)

// simulator3DS passes a request to Options.Simulator3DS if the path is under one of its prefixes, and reports whether it did. The simulator answers
// like a vendor's server: it takes the vendor's keys, uses the vendor's errors, and is not part of the OpenAPI document.
func (s *Server) simulator3DS(w http.ResponseWriter, r *http.Request) bool {
	if s.opts.Simulator3DS == nil {
		return false
	}
	for _, prefix := range []string{simulatedServerPrefix, simulatedBankPrefix} {
		if strings.HasPrefix(r.URL.Path, prefix) {
			s.opts.Simulator3DS.ServeHTTP(w, r)
			return true
		}
	}
	return false
}
