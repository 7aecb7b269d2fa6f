package router_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/stretchr/testify/require"

	"payswitch/router"
)

// document is openapi.yaml, read and validated.
var document = sync.OnceValues(func() (*openapi3.T, error) {
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("image/svg+xml", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("text/javascript", openapi3filter.FileBodyDecoder)
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(context.Background(), openapi3.DisableExamplesValidation())
})

// checked compares every answer of s, and every request that s accepts, with openapi.yaml. It also checks that errors about a field name it.
func checked(t testing.TB, s *router.Server) http.Handler {
	doc, err := document()
	require.NoError(t, err)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		r.Body = io.NopCloser(bytes.NewReader(body))
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, r)
		if pattern, params := s.Find(r.Method, r.URL.Path); pattern != "" {
			r.Body = io.NopCloser(bytes.NewReader(body))
			check(t, doc, pattern, params, r, rec.Result())
		}
		requireParam(t, r, rec.Code, rec.Body.Bytes())
		maps.Copy(w.Header(), rec.Header())
		w.WriteHeader(rec.Code)
		w.Write(rec.Body.Bytes())
	})
}

func check(t testing.TB, doc *openapi3.T, pattern string, params map[string]string, r *http.Request, got *http.Response) {
	t.Helper()
	item := doc.Paths.Value(pattern)
	require.NotNil(t, item, "%s is not in openapi.yaml", pattern)
	operation := item.GetOperation(r.Method)
	require.NotNil(t, operation, "%s %s is not in openapi.yaml", r.Method, pattern)
	options := &openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Options: options,
		Route: &routers.Route{Spec: doc, Path: pattern, PathItem: item, Method: r.Method, Operation: operation}}
	if got.StatusCode == 200 {
		require.NoError(t, openapi3filter.ValidateRequest(context.Background(), in), "%s %s accepted what openapi.yaml does not", r.Method, pattern)
	}
	answer := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: got.StatusCode, Header: got.Header, Body: got.Body, Options: options}
	require.NoError(t, openapi3filter.ValidateResponse(context.Background(), answer), "%s %s answered otherwise than openapi.yaml says", r.Method, pattern)
}

// TestOpenAPIHasEveryRoute: openapi.yaml describes exactly the routes that exist.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	t.Parallel()
	doc, err := document()
	require.NoError(t, err)
	var served, described []string
	for _, r := range newWorld(t).server.Routes() {
		served = append(served, r[0]+" "+r[1])
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			described = append(described, method+" "+path)
			require.NotEmpty(t, operation.Summary, path)
			require.NotEmpty(t, operation.OperationID, path)
		}
	}
	sort.Strings(served)
	sort.Strings(described)
	require.Equal(t, served, described)
}

func TestOpenAPIHasEveryRequestField(t *testing.T) {
	t.Parallel()
	doc, err := document()
	require.NoError(t, err)
	described := slices.Sorted(maps.Keys(doc.Components.Schemas["PaymentRequest"].Value.Properties))
	require.Equal(t, slices.Sorted(slices.Values(router.PaymentKeys())), described)
}

// TestOpenAPIIsGenerated: openapi.yaml is up to date with api/.
func TestOpenAPIIsGenerated(t *testing.T) {
	t.Parallel()
	before := readFile(t, "openapi.yaml")
	cmd := exec.Command("go", "run", "./internal/mergeapi", "-")
	after, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, before, string(after), "run go generate ./router")
}

func TestOpenAPIServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *router.Options) { o.Version = "1.2.3" })
	r := w.send("GET", "/openapi.yaml", "", "")
	require.Equal(t, "application/yaml", r.header.Get("Content-Type"))
	require.True(t, strings.Contains(r.body, "version: 1.2.3\n"))
	require.NotContains(t, r.body, "version: dev")
}
