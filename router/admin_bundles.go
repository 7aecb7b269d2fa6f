package router

import (
	"mime"

	"payswitch/engine/approval"
	"payswitch/engine/fault"
	"payswitch/engine/port"
)

// maxBundle is the largest size of an adapter's bundle, in bytes.
const maxBundle = 32 << 20

// bundleRoutes returns the routes of bundles of adapters. Only the admin key opens them.
func (s *Server) bundleRoutes() []route {
	return []route{
		{method: "GET", pattern: "/adapters/bundles", who: admin, handle: s.listBundles},
		{method: "POST", pattern: "/adapters/bundles", who: admin, handle: s.giveBundle, body: maxBundle},
		{method: "GET", pattern: "/adapters/bundles/{bundle_sha256}", who: admin, handle: s.retrieveBundle},
		{method: "POST", pattern: "/adapters/bundles/{bundle_sha256}/install", who: admin, handle: s.installBundle},
	}
}

// byAdmin names the caller with the admin key, as the person who uploads and installs a bundle.
const byAdmin = "the admin key"

func (s *Server) bundles() (port.Bundles, error) {
	if s.Bundles == nil {
		return nil, fault.NotImplemented("The installation of adapters")
	}
	return s.Bundles, nil
}

func (s *Server) listBundles(c *call) (answer, error) {
	q := c.query()
	q.only("name")
	name := q.text("name")
	if q.err != nil {
		return answer{}, q.err
	}
	b, err := s.bundles()
	if err != nil {
		return answer{}, err
	}
	list, err := b.Bundles(c.ctx(), name)
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().int("count", int64(len(list))).key("data")
	return listOfAnswers(w, list, func(w *writer, b port.Bundle) { writeBundle(w.open(), b).close() }).close().answer(), nil
}

// writeBundle writes the members of a kept bundle.
func writeBundle(w *writer, b port.Bundle) *writer {
	w.str("bundle_sha256", b.SHA256).str("name", b.Name).str("version", b.Version).time("given_at", b.GivenAt).str("given_by", b.GivenBy)
	return w.time("installed_at", b.InstalledAt).text("installed_by", b.InstalledBy)
}

// giveBundle examines the bundle in the body, and keeps it.
func (s *Server) giveBundle(c *call) (answer, error) {
	if media, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); err != nil || media != "application/octet-stream" {
		return answer{}, fault.Malformed("Content-Type", "the request needs the header Content-Type: application/octet-stream").WithHint("Send Content-Type: application/octet-stream.")
	}
	b, err := s.bundles()
	if err != nil {
		return answer{}, err
	}
	return bundleAnswer(b.Give(c.ctx(), c.body, byAdmin))
}

func (s *Server) retrieveBundle(c *call) (answer, error) {
	b, err := s.bundles()
	if err != nil {
		return answer{}, err
	}
	return bundleAnswer(b.Bundle(c.ctx(), c.param("bundle_sha256")))
}

var installFields = closedObject(at("allow_older", boolean, func(r *port.Replacing) *bool { return &r.Older }),
	at("replace_builtin", boolean, func(r *port.Replacing) *bool { return &r.BuiltIn }))

func (s *Server) installBundle(c *call) (answer, error) {
	var may port.Replacing
	if len(c.body) > 0 {
		if err := decode(c, installFields, &may); err != nil {
			return answer{}, err
		}
	}
	b, err := s.bundles()
	if err != nil {
		return answer{}, err
	}
	return bundleAnswer(b.Install(c.ctx(), c.param("bundle_sha256"), byAdmin, may))
}

func bundleAnswer(v *port.BundleView, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	w := writeBundle(new(writer).open(), v.Bundle).str("sha256", v.Module).text("signed_by", v.Signer).text("replaces", v.Replaces).text("reaches_further", v.Further)
	w.bool("in_use", v.InUse).bool("older", v.Older).bool("replaces_builtin", v.BuiltIn).text("refused", v.Refused)
	return writeReach(w.key("reach"), approval.ReachOf(v.Manifest)).close().answer(), nil
}
