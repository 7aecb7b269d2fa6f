package dashboard

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

// page is the content of one page: a struct with all that its template shows.
type page interface {
	// file returns the name of the template in pages/, without .html.
	file() string
	// Title names the page in the browser's tab.
	Title() string
}

// labelled is a cell of a table whose text may be cut to one line. Its part is "cut".
type labelled struct{ Label, Text string }

// pages are the templates, by the name of their page. Each has the base and all parts in it. The first use of a page parses its template,
// because all of them together take 3.6 MB.
type pages struct {
	byName map[string]func() (*template.Template, error)
}

// readPages reads the base and lists the pages. A page's file defines "main", and "part:ID" for each element that the script may ask for alone.
func readPages() (*pages, error) {
	base, err := template.New("base.html").Option("missingkey=error").Funcs(template.FuncMap{"passkey": newPasskeyForm, "formkey": rand.Text, "qr": func(s string) template.URL { return template.URL(s) }}).Funcs(template.FuncMap{"cell": func(label, text string) labelled { return labelled{label, text} }}).ParseFS(files, "pages/base.html", "pages/parts/*.html")
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	entries, err := fs.ReadDir(files, "pages")
	if err != nil {
		return nil, err
	}
	p := &pages{map[string]func() (*template.Template, error){}}
	for _, f := range entries {
		name, isPage := strings.CutSuffix(f.Name(), ".html")
		if !isPage || name == "base" {
			continue
		}
		p.byName[name] = sync.OnceValues(func() (*template.Template, error) {
			return template.Must(base.Clone()).ParseFS(files, path.Join("pages", f.Name()))
		})
	}
	return p, nil
}

// frame is what the base template shows around a page.
type frame struct {
	Title, Version string
	Script, Style  string // addresses
	Theme          string // light, dark, or "": as the browser prefers
	Live           bool
	Nav            []navGroup
	Person         string
	Merchant       string // its name, or its id without a name
	At             string // the path of the merchant's pages, "" on pages of the installation
	Merchants      []Link // those that the person may switch to
	Page           page
}

// write answers with a page, or with the one part of it that the script asked for.
func (p *pages) write(c *call, status int, content page) error {
	body, err := p.render(c, content)
	if err != nil {
		return err
	}
	return sendPage(c, status, body)
}

// sendPage answers with a page that was rendered.
func sendPage(c *call, status int, body []byte) error {
	h := c.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Vary", "HX-Request, HX-Target")
	return send(c.w, c.Request, status, body)
}

func (p *pages) render(c *call, content page) ([]byte, error) {
	read := p.byName[content.file()]
	if read == nil {
		return nil, fmt.Errorf("dashboard: there is no template pages/%s.html", content.file())
	}
	t, err := read()
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	var b bytes.Buffer
	if id, partial := c.partial(); partial && t.Lookup("part:"+id) != nil {
		err := t.ExecuteTemplate(&b, "part:"+id, content)
		return b.Bytes(), err
	}
	err = t.ExecuteTemplate(&b, "base", c.frame(content))
	return b.Bytes(), err
}

// frame returns what stands around a page.
func (c *call) frame(content page) *frame {
	s := c.server
	f := &frame{Title: content.Title(), Version: s.opts.Version, Script: s.assets.address("app.js"), Style: s.assets.address("app.css"), Live: s.opts.Live,
		Page: content}
	if c.Session != nil {
		f.Theme = c.Session.Theme
	}
	if _, alone := content.(alone); alone {
		return f
	}
	if c.Session != nil {
		f.Person = c.Session.Name
		if f.Person == "" {
			f.Person = c.Session.Email
		}
		f.Nav = c.nav()
		ids, _ := c.Session.Merchants()
		for _, id := range ids {
			if c.Merchant == nil || id != c.Merchant.ID {
				f.Merchants = append(f.Merchants, Link{"/m/" + id + "/", id})
			}
		}
	}
	if c.Session != nil && c.around() != "" {
		f.At, f.Merchant = "/m/"+c.around(), c.around()
	}
	return f
}

// send writes a body, packed if the browser can unpack it.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) error {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	if len(body) > 1<<10 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		body = gzipped(body)
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	_, err := w.Write(body)
	if err != nil {
		return nil // the browser has gone: there is no one to answer
	}
	return nil
}
