package sdk

// Keep is connector data that an adapter finds again with Request.KeptText: names and texts in turn. A text of "" is not kept; where all
// are, there is none (nil).
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

// KeptText is a text of the payment's connector data that Keep made, "" where it has none of that name.
func (r *Request) KeptText(name string) string {
	j, _ := parseJSON(r.Kept().Payment)
	return j.Key(name).Str("")
}
