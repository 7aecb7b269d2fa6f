package router

import (
	"bytes"
	_ "embed" // openapi.yaml
	"net/http"
)

//go:generate go run ./internal/mergeapi

//go:embed openapi.yaml
var openAPIDocument []byte

// openAPI serves openapi.yaml with the version of this program in it.
func (s *Server) openAPI(*call) (answer, error) {
	doc := bytes.Replace(openAPIDocument, []byte("version: dev\n"), []byte("version: "+s.opts.Version+"\n"), 1)
	return answer{header: http.Header{"Content-Type": {"application/yaml"}}, body: doc}, nil
}
