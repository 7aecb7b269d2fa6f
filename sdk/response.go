package sdk

import (
	"errors"
	"strconv"
)

// Response is the answer to a send, whatever its status.
type Response struct {
	Status  int      // HTTP status, 100 to 599
	Headers []Header // in order, with repeats
	Body    []byte   // raw; it must not be changed

	json *JSON // what JSON has read
}

// Header returns the value of the first header of that name, whatever its case; "" if there is none.
func (r *Response) Header(name string) string { return HeaderValue(r.Headers, name) }

// OK says that the status is 200 to 299.
func (r *Response) OK() bool { return r.Status >= 200 && r.Status <= 299 }

// Refuses says that the status is one by which a server refuses a request without having acted on it: 400 to 499, but neither 408 (it gave
// up waiting) nor 409 (a conflict, perhaps with the first sending of this very request). What was refused, and so declined, the
// processor's own error code has to say besides.
func (r *Response) Refuses() bool {
	return r.Status >= 400 && r.Status <= 499 && r.Status != 408 && r.Status != 409
}

// Undecided is the error for an answer that proves nothing: why, its status, and the texts at the paths, as JSON.Text reads them. They are
// to be the processor's codes of what went wrong: no personal data.
func (r *Response) Undecided(why string, codes ...string) error {
	why += ": HTTP " + strconv.Itoa(r.Status)
	for _, path := range codes {
		if code := r.JSON().Text(path); code != "" {
			why += " " + code
		}
	}
	return errors.New(why)
}

// JSON returns a reader of the body, which is parsed once. A body that is not one whole JSON text is read as missing: see JSON.Exists.
func (r *Response) JSON() JSON {
	if r.json == nil {
		j, _ := parseJSON(textOf(r.Body))
		r.json = &j
	}
	return *r.json
}

// H returns a header line.
func H(name, value string) Header { return Header{Name: name, Value: value} }

// HeaderValue returns the value of the first header (or query or form pair) of that name, whatever its case; "" if there is none.
func HeaderValue(headers []Header, name string) string {
	for i := range headers {
		if equalFold(headers[i].Name, name) {
			return headers[i].Value
		}
	}
	return ""
}

// equalFold compares ASCII texts without regard to case.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		x, y := a[i], b[i]
		if x != y && (x|32 != y|32 || x|32 < 'a' || x|32 > 'z') {
			return false
		}
	}
	return true
}
