package sdk

// JSONSend returns a request with a JSON body; a nil body means no body. A GET is safe to repeat.
func JSONSend(method, url string, body *Object, headers ...Header) *Send {
	s := &Send{Method: method, URL: url, Headers: headers, SafeToRepeat: method == "GET"}
	if body != nil {
		s.Headers = append([]Header{H("Content-Type", "application/json")}, headers...)
		s.Body = body.Bytes()
	}
	return s
}

// FormSend returns a POST with a form as its body.
func FormSend(url string, form *Form, headers ...Header) *Send {
	return &Send{Method: "POST", URL: url, Body: form.Bytes(), Headers: append([]Header{H("Content-Type", "application/x-www-form-urlencoded")}, headers...)}
}

// Keyed sets the name of the processor's idempotency header, which makes the request safe to repeat. It changes and returns s.
func (s *Send) Keyed(header string) *Send {
	s.SafeToRepeat, s.IdempotencyHeader = true, header
	return s
}

// Safe declares the request safe to repeat: it only reads, or a second arrival does no harm. It changes and returns s.
func (s *Send) Safe() *Send {
	s.SafeToRepeat = true
	return s
}

// KeyedOnce sets the name of the processor's idempotency header on a request that must not be repeated: the processor asks for a key, but does
// not promise to act only once. It changes and returns s.
func (s *Send) KeyedOnce(header string) *Send {
	s.SafeToRepeat, s.IdempotencyHeader = false, header
	return s
}
