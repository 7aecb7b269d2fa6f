package sdk

import (
	"errors"
	"strconv"
)

// Response is the answer to a send, with any status.
type Response struct {
	Status  int      // HTTP status, 100 to 599
	Headers []Header // in order, with repeats
	Body    []byte   // raw; do not change it

	json *JSON // parsed by JSON, nil before
}

// Header returns the value of the first header of that name in any case, "" if there is no such header.
func (r *Response) Header(name string) string { return HeaderValue(r.Headers, name) }

// OK reports whether the status is 200 to 299.
func (r *Response) OK() bool { return r.Status >= 200 && r.Status <= 299 }

// Refuses reports whether the status refuses a request without acting on it: 400 to 499, except 408 (the server gave up waiting) and 409 (a
// conflict, perhaps with an earlier copy of this request). A decline also needs the processor's own error code.
func (r *Response) Refuses() bool {
	return r.Status >= 400 && r.Status <= 499 && r.Status != 408 && r.Status != 409
}

// Reason returns the reason of a refusal whose status says more than its code: DeclineInvalidMerchant for 401 and 403, which refuse the login, and
// DeclineTryLater for 429, too many requests. It returns otherwise for any other status.
func (r *Response) Reason(otherwise DeclineReason) DeclineReason {
	switch r.Status {
	case 401, 403:
		return DeclineInvalidMerchant
	case 429:
		return DeclineTryLater
	}
	return otherwise
}

// Undecided returns the error for an answer that proves nothing: the reason why, the status, and the texts at the paths codes, as JSON.Text
// reads them. Name paths of the processor's error codes, never of personal data.
func (r *Response) Undecided(why string, codes ...string) error {
	why += ": HTTP " + strconv.Itoa(r.Status)
	for _, path := range codes {
		if code := r.JSON().Text(path); code != "" {
			why += " " + code
		}
	}
	return errors.New(why)
}

// JSON returns the body's value and parses the body once. A body that is not one whole JSON text is a missing value: see JSON.Exists.
func (r *Response) JSON() JSON {
	if r.json == nil {
		j, _ := parseJSON(textOf(r.Body))
		r.json = &j
	}
	return *r.json
}

// H returns a header line.
func H(name, value string) Header { return Header{Name: name, Value: value} }

// HeaderValue returns the value of the first header of that name in any case, "" if there is no such header. It serves query and form
// pairs as well.
func HeaderValue(headers []Header, name string) string {
	for i := range headers {
		if equalFold(headers[i].Name, name) {
			return headers[i].Value
		}
	}
	return ""
}

// lower returns an ASCII text in lower case. strings.ToLower would make a module 3 KB larger.
//
//go:noinline
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c-'A' < 26 {
			b[i] = c | 32
		}
	}
	return string(b)
}

// equalFold compares ASCII texts and ignores case.
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
