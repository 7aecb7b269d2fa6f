package sdk

// JSONSend is a request with a body of JSON; nil is none. A GET is safe to repeat.
func JSONSend(method, url string, body *Object, headers ...Header) *Send {
	s := &Send{Method: method, URL: url, Headers: headers, SafeToRepeat: method == "GET"}
	if body != nil {
		s.Headers = append([]Header{H("Content-Type", "application/json")}, headers...)
		s.Body = body.Bytes()
	}
	return s
}

// FormSend is a POST with a form as its body.
func FormSend(url string, form *Form, headers ...Header) *Send {
	return &Send{Method: "POST", URL: url, Body: form.Bytes(), Headers: append([]Header{H("Content-Type", "application/x-www-form-urlencoded")}, headers...)}
}

// Keyed is the send under the processor's idempotency key, which makes it safe to repeat. It changes s.
func (s *Send) Keyed(header string) *Send {
	s.SafeToRepeat, s.IdempotencyHeader = true, header
	return s
}

// Safe is the send declared safe to repeat: it only reads, or does no harm twice. It changes s.
func (s *Send) Safe() *Send {
	s.SafeToRepeat = true
	return s
}
