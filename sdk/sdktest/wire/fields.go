package wire

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// fields holds the values of a request by path ("url", "headers.content-type", "body.card.number"). Texts have JSON's quotes, which
// distinguishes them from numbers.
type fields map[string]string

// SendFields returns the values of a request by path, such as "url.page" for its query, "headers.content-type" and "body.card.number". Texts have JSON's
// quotes, which distinguishes them from numbers.
func SendFields(s *sdk.Send) (map[string]string, error) { return fieldsOf(s) }

// Fields returns the values of a case's request by path, as SendFields does.
func (r *Request) Fields() (map[string]string, error) { return r.fields() }

// bodyKind returns the kind of a send's body by its content type.
func bodyKind(s *sdk.Send) string {
	if len(s.Body) == 0 {
		return "none"
	}
	media, _, err := mime.ParseMediaType(sdk.HeaderValue(s.Headers, "Content-Type"))
	switch {
	case err != nil:
		return "text"
	case media == "application/x-www-form-urlencoded":
		return "form"
	case strings.HasPrefix(media, "multipart/"):
		return "multipart"
	case strings.HasSuffix(media, "json"):
		return "json"
	case strings.HasSuffix(media, "xml"):
		return "xml"
	}
	return "text"
}

// fieldsOf returns the fields of a send.
func fieldsOf(s *sdk.Send) (fields, error) {
	f := fields{"method": quote(s.Method)}
	if err := f.addURL(s.URL); err != nil {
		return nil, err
	}
	for _, h := range s.Headers {
		path := "headers." + strings.ToLower(h.Name)
		if _, twice := f[path]; twice {
			return nil, fmt.Errorf("header %s stands twice", h.Name)
		}
		f[path] = quote(headerValue(h.Name, h.Value))
	}
	return f, f.addBody(bodyKind(s), s.Body, sdk.HeaderValue(s.Headers, "Content-Type"))
}

// fields returns the fields of a case's request.
func (r *Request) fields() (fields, error) {
	f := fields{"method": quote(r.Method)}
	if err := f.addURL(r.URL); err != nil {
		return nil, err
	}
	for name, value := range r.Headers {
		f["headers."+strings.ToLower(name)] = quote(headerValue(name, value))
	}
	switch {
	case r.BodyKind == "none":
		return f, nil
	case r.BodyKind == "json" || r.Raw == "":
		f.addValue("body", r.Body)
		return f, nil
	}
	return f, f.addBody(r.BodyKind, []byte(r.Raw), r.Headers["content-type"])
}

// headerValue drops the parameters of content types, which repeat facts about the body.
func headerValue(name, value string) string {
	if strings.EqualFold(name, "Content-Type") {
		if media, _, err := mime.ParseMediaType(value); err == nil {
			return media
		}
	}
	return value
}

func (f fields) addURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil {
		return err
	}
	f["url"] = quote(u.Scheme + "://" + u.Host + u.EscapedPath())
	return f.addPairs("url.", u.RawQuery)
}

// addPairs adds a query or form. A repeated name gets a number.
func (f fields) addPairs(prefix, text string) error {
	pairs, ok := sdk.ParseForm(text)
	if !ok {
		return errors.New("the form or query has a broken escape")
	}
	for _, p := range pairs {
		path := prefix + p.Name
		for n := 2; f[path] != ""; n++ {
			path = prefix + p.Name + "#" + strconv.Itoa(n)
		}
		f[path] = quote(p.Value)
	}
	return nil
}

func (f fields) addBody(kind string, body []byte, contentType string) error {
	switch kind {
	case "none":
		return nil
	case "json":
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return fmt.Errorf("body: %w", err)
		}
		if _, err := d.Token(); err != io.EOF {
			return errors.New("body: more than one JSON text")
		}
		f.addValue("body", v)
		return nil
	case "form":
		return f.addPairs("body.", string(body))
	case "xml":
		v, err := parseXML(body)
		f.addValue("body", v)
		return err
	case "multipart":
		return f.addMultipart(body, contentType)
	}
	f["body"] = quote(string(body))
	return nil
}

func (f fields) addMultipart(body []byte, contentType string) error {
	_, parameters, _ := mime.ParseMediaType(contentType)
	boundary := parameters["boundary"]
	if first, _, ok := bytes.Cut(body, []byte("\r\n")); ok && boundary == "" {
		boundary = strings.TrimPrefix(string(first), "--")
	}
	r := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := r.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("body: %w", err)
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return fmt.Errorf("body: %w", err)
		}
		f["body."+part.FormName()] = quote(string(value))
	}
}

func (f fields) addValue(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			f[path] = "{}"
		}
		for k, x := range v {
			f.addValue(path+"."+k, x)
		}
	case []any:
		if len(v) == 0 {
			f[path] = "[]"
		}
		for i, x := range v {
			f.addValue(path+"["+strconv.Itoa(i)+"]", x)
		}
	case string:
		f[path] = quote(v)
	case nil:
		f[path] = "null"
	case json.Number:
		f[path] = v.String()
	default:
		f[path] = fmt.Sprint(v)
	}
}

func quote(s string) string {
	b := sdk.NewArray().Str(s).String()
	return b[1 : len(b)-1]
}

// paths returns the names of both, in order.
func paths(a, b fields) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// parseXML reads elements as objects: attributes under "@name", and text under "#text" if there is more than text. Repeated elements become
// an array. Prefixes of name spaces stay.
func parseXML(body []byte) (any, error) {
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Strict = true
	root := map[string]any{}
	for {
		t, err := d.RawToken()
		if err == io.EOF {
			return root, nil
		}
		if err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
		if start, ok := t.(xml.StartElement); ok {
			v, err := element(d, start)
			if err != nil {
				return nil, err
			}
			root[name(start.Name)] = v
		}
	}
}

func name(n xml.Name) string {
	if n.Space != "" {
		return n.Space + ":" + n.Local
	}
	return n.Local
}

func element(d *xml.Decoder, start xml.StartElement) (any, error) {
	m := map[string]any{}
	for _, a := range start.Attr {
		m["@"+name(a.Name)] = a.Value
	}
	text := ""
	for {
		t, err := d.RawToken()
		if err != nil {
			return nil, fmt.Errorf("body: element %s: %w", name(start.Name), err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			v, err := element(d, t)
			if err != nil {
				return nil, err
			}
			k := name(t.Name)
			switch had := m[k].(type) {
			case nil:
				m[k] = v
			case []any:
				m[k] = append(had, v)
			default:
				m[k] = []any{had, v}
			}
		case xml.CharData:
			text += string(t)
		case xml.EndElement:
			text = strings.TrimSpace(text)
			if len(m) == 0 {
				return text, nil
			}
			if text != "" {
				m["#text"] = text
			}
			return m, nil
		}
	}
}
