package router

import (
	"bytes"
	"net/http"
)

//go:generate go run ./internal/mergeapi

// openAPI serves openapi.yaml with the version of this program in it.
func (s *Server) openAPI(*call) (answer, error) {
	text, err := openAPIDocument()
	if err != nil {
		return answer{}, err
	}
	doc := bytes.Replace(text, []byte("version: dev\n"), []byte("version: "+s.opts.Version+"\n"), 1)
	return answer{header: http.Header{"Content-Type": {"application/yaml"}}, body: doc}, nil
}
