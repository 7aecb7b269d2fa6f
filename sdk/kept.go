package sdk

// Keep returns connector data for Request.KeptText in later operations. pairs are names and texts in turn. Keep leaves out texts that are
// "", and returns nil if all are.
//
//	o.ConnectorData = sdk.Keep("order_id", order, "capture_id", capture)
func Keep(pairs ...string) *ConnectorData {
	o := NewObject()
	for i := 0; i+1 < len(pairs); i += 2 {
		o.OptStr(pairs[i], pairs[i+1])
	}
	if o.b == nil {
		return nil
	}
	return &ConnectorData{Version: 1, Payment: o.String()}
}

// KeptText returns a text of the payment's connector data that Keep made, "" for an unknown name.
func (r *Request) KeptText(name string) string {
	j, _ := parseJSON(r.Kept().Payment)
	return j.Key(name).Str("")
}
