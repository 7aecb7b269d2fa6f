package router

import (
	"net/http"

	"payswitch/engine/fault"
)

const (
	healthPath = "/health"
	livePath   = "/health/live"
)

// live answers 200 as long as the process serves requests. A restart would not mend what else may be wrong.
func (s *Server) live(*call) (answer, error) {
	return answer{header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, body: []byte("alive")}, nil
}

// health answers 200 when payments can be served, else 503.
func (s *Server) health(*call) (answer, error) {
	if s.opts.Ready != nil {
		if err := s.opts.Ready(); err != nil {
			return answer{}, &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "not ready", Err: err}
		}
	}
	return answer{header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, body: []byte("health is good")}, nil
}
