package router

// Routes are method and pattern of every route.
func (s *Server) Routes() [][2]string {
	var list [][2]string
	for _, r := range s.routes() {
		list = append(list, [2]string{r.method, r.pattern})
	}
	return list
}

// Find is the pattern that a request is routed to, "" for none, with its parameters by name.
func (s *Server) Find(method, path string) (pattern string, params map[string]string) {
	r, segments, _ := s.mux.find(method, path)
	if r == nil {
		return "", nil
	}
	params = map[string]string{}
	for i, segment := range r.segments {
		if segment[0] == '{' {
			params[segment[1:len(segment)-1]] = segments[i]
		}
	}
	return r.pattern, params
}

// PaymentKeys are the keys a payment request may have.
func PaymentKeys() []string { return paymentFields.keys() }

// DecodePayment reads a payment request as a handler does.
func DecodePayment(body []byte) error {
	r := &reader{data: body}
	if err := r.start(); err != nil {
		return err
	}
	if err := paymentFields.into(r, &paymentRequest{}); err != nil {
		return err
	}
	return r.end()
}
