package plugins

import (
	"slices"
	"strconv"
	"strings"

	"payswitch/plugins/scrub"
	"payswitch/sdk"
)

// Values of Placement.Secret that name no credential field.
const (
	secretNumber = scrub.SecretNumber
	secretCVC    = scrub.SecretCVC
	secretCAVV   = scrub.SecretCAVV
	secretToken  = scrub.SecretToken
	secretBody   = scrub.SecretBody
	secretAny    = "*"
)

// placeholder marks the position of a credential in a Placement.Format.
const placeholder = "{}"

// schemes are the texts that may stand before a credential in a header whose placement has no format.
var schemes = [][]string{{"", ""}, {"Bearer ", ""}, {"Basic ", ""}}

var alone = [][]string{{"", ""}}

// place is a placement, prepared for look-ups.
type place struct {
	sdk.Placement
	authentication bool
	outer          string   // the form field that holds a document; "" if the body is the document
	segments       []string // of the field's path in its document
	folded         string   // the field's name, or its path in the document, folded by appendFolded
	formats        [][]string
}

// placesOf returns the placements of a manifest, those of authentication first.
func placesOf(m *sdk.Manifest) []place {
	all := make([]place, 0, len(m.Authentication)+len(m.Placements))
	for i, p := range slices.Concat(m.Authentication, m.Placements) {
		l := place{Placement: p, authentication: i < len(m.Authentication), formats: alone}
		field := p.Field
		if _, outer, chained := strings.Cut(string(p.Escapes), ","); chained && outer == kindForm {
			l.outer, field, _ = strings.Cut(field, "/")
		}
		l.segments, l.folded = segmentsOf(field), scrub.Folded(field)
		switch {
		case p.Format != "":
			l.formats = [][]string{strings.Split(p.Format, placeholder)}
		case p.In == sdk.InHeader:
			l.formats = schemes
		}
		all = append(all, l)
	}
	return all
}

// segmentsOf splits a field path: "items[].card" becomes items, [], card.
func segmentsOf(field string) (all []string) {
	for s := range strings.SplitSeq(strings.ReplaceAll(field, "[]", ".[]"), ".") {
		if s != "" {
			all = append(all, s)
		}
	}
	return all
}

// fits reports whether a placement applies to a request of an operation. It ignores the host.
func (p *place) fits(op sdk.Operation, method, path string) bool {
	return (p.Operation == "" || p.Operation == op) && (p.Method == "" || p.Method == method) && (p.Path == "" || fitsPath(p.Path, path))
}

// fitsPath reports whether a path matches a pattern, in which * stands for one segment.
func fitsPath(pattern, path string) bool {
	for {
		var want, got string
		var more, also bool
		want, pattern, more = strings.Cut(pattern, "/")
		got, path, also = strings.Cut(path, "/")
		if more != also || want != got && (want != "*" || got == "") {
			return false
		}
		if !more {
			return true
		}
	}
}

// Kinds of bodies, which are also the names of escapes.
const (
	kindJSON      = "json"
	kindForm      = "form"
	kindXML       = "xml"
	kindMultipart = "multipart"
	kindRaw       = "raw"
)

// inDocument reports whether the placement applies to a document of that kind: the body, or the content of the form field outer.
func (p *place) inDocument(kind, outer string) bool {
	if p.In != sdk.InBody || p.outer != outer {
		return false
	}
	if inner, _, chained := strings.Cut(string(p.Escapes), ","); chained {
		return inner == kind
	}
	return p.Escapes == "" || p.Escapes == sdk.Escapes(kind)
}

// step is one part of a value's path in a document: the name of a member, or an index in an array.
type step struct {
	name  string
	index int // -1 for a member
}

func member(name string) step { return step{name: name, index: -1} }

// isPath reports whether a value's path is the placement's. A member's name counts as a whole, with any dots in it.
func isPath(path []step, segments []string) bool {
	if len(path) != len(segments) {
		return false
	}
	for i := range path {
		if path[i].index < 0 {
			if path[i].name != segments[i] {
				return false
			}
		} else if segments[i] != "[]" && segments[i] != strconv.Itoa(path[i].index) {
			return false
		}
	}
	return true
}
