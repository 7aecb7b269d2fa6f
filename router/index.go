package router

import (
	"encoding/json"
	"mime"
	"strconv"
	"strings"
)

const (
	indexPath         = "/"
	openAPIPath       = "/openapi.yaml"
	featureMatrixPath = "/feature_matrix"
)

// index is what GET / answers: the same page or object to every caller, made once by New.
type index struct{ page, object answer }

// newIndex makes the answers of GET /. They hold what the other open routes show already, and nothing of a merchant.
func newIndex(o *Options) (*index, error) {
	page, err := fixedPage("index.html", map[string]any{"Version": o.Version, "Health": indexLink(healthPath), "OpenAPI": indexLink(openAPIPath),
		"FeatureMatrix": indexLink(featureMatrixPath), "TestCards": o.Simulator3DS != nil, "Cards": indexLink(simulatedServerPrefix + "cards")})
	if err != nil {
		return nil, err
	}
	object, err := json.Marshal(map[string]any{"name": "payswitch", "version": o.Version,
		"links": map[string]string{"health": healthPath, "openapi": openAPIPath, "feature_matrix": featureMatrixPath}})
	if err != nil {
		return nil, err
	}
	i := &index{page: page, object: jsonAnswer(object)}
	for _, a := range []answer{i.page, i.object} {
		a.header.Set("Vary", "Accept")
	}
	return i, nil
}

// indexLink makes a path relative to /, so that the link also works behind a proxy that serves payswitch under a prefix.
func indexLink(path string) string { return strings.TrimPrefix(path, "/") }

// showIndex answers / with a page for browsers and an object for clients that accept other types. A request without Accept gets the 404 of an
// unknown URL: such requests come from probes and from clients with a wrong URL, and both should notice.
func (s *Server) showIndex(c *call) (answer, error) {
	switch {
	case len(c.r.Header.Values("Accept")) == 0:
		return answer{}, errUnknownURL
	case c.wantsPage():
		return s.index.page, nil
	}
	return s.index.object, nil
}

// wantsPage reports whether the caller is a browser that shows a page: its Accept names text/html, and prefers no JSON.
func (c *call) wantsPage() bool {
	accept := c.r.Header.Values("Accept")
	html := quality(accept, "text/html")
	return html > 0 && html >= quality(accept, "application/json")
}

// quality returns the weight (0 to 1) that Accept headers give to a media type by its full name; 0 if they do not name it. Wildcards do not count.
func quality(accept []string, media string) float64 {
	best := 0.0
	for _, header := range accept {
		for item := range strings.SplitSeq(header, ",") {
			name, params, err := mime.ParseMediaType(item)
			if err != nil || name != media {
				continue
			}
			q := 1.0
			if given, ok := params["q"]; ok {
				if q, err = strconv.ParseFloat(given, 64); err != nil {
					q = 0
				}
			}
			best = max(best, q)
		}
	}
	return best
}
