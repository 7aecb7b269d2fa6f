package sdk

// Response is the answer to a send, whatever its status.
type Response struct {
	Status  int      // HTTP status, 100 to 599
	Headers []Header // in order, with repeats
	Body    []byte   // raw; it must not be changed
}

// Header returns the value of the first header of that name, whatever its case; "" if there is none.
func (r *Response) Header(name string) string { return HeaderValue(r.Headers, name) }

// OK says that the status is 200 to 299.
func (r *Response) OK() bool { return r.Status >= 200 && r.Status <= 299 }

// JSON returns a reader of the body. A body that is not one whole JSON text is read as missing: see JSON.Exists.
func (r *Response) JSON() JSON {
	j, _ := parseJSON(textOf(r.Body))
	return j
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
