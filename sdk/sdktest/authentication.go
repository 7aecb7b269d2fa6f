package sdktest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"payswitch/sdk"
)

// captured is the beginning of the stand-ins for captured values.
const captured = "captured"

// emvMessage holds answers with EMV's own names, for adapters whose vendor uses them.
var emvMessage = map[sdk.Operation]string{
	sdk.OpAuthenticate: `{"messageType":"ARes","messageVersion":"2.2.0","transStatus":"Y","eci":"05","authenticationValue":"vVD5sEUyriSo5+1pngYHMEhi/fg=",
 "threeDSServerTransID":"8a880dc0-d2d2-4067-bcb1-b08d1690b26e","dsTransID":"f25084f0-5b16-4c0a-ae5d-b24808a95e4b","acsTransID":"d7c1ee99-9478-44a6-b1f2-391e29c6b340"}`,
	sdk.OpResult: `{"messageType":"RReq","messageVersion":"2.2.0","transStatus":"Y","eci":"05","authenticationValue":"vVD5sEUyriSo5+1pngYHMEhi/fg=",
 "threeDSServerTransID":"8a880dc0-d2d2-4067-bcb1-b08d1690b26e","dsTransID":"f25084f0-5b16-4c0a-ae5d-b24808a95e4b","acsTransID":"d7c1ee99-9478-44a6-b1f2-391e29c6b340"}`,
}

// checkAuthentication answers with every transStatus of EMV and some invalid ones, with and without cryptogram and ECI. The authentication
// must repeat the answer and add nothing.
func (c *checker) checkAuthentication(op sdk.Operation) {
	happy := c.happy(op)
	turns, _ := c.play(c.sample(op), happy)
	if len(turns) == 0 {
		return
	}
	for _, status := range []string{"Y", "A", "N", "R", "U", "I", "C", "D", "S", "Q", "YY", "y", ""} {
		for _, bare := range []bool{false, true} {
			for at := range turns {
				c.checkStatus(op, at, status, bare)
			}
		}
	}
}

// checkStatus answers send number at with a status. bare means without cryptogram and ECI.
func (c *checker) checkStatus(op sdk.Operation, at int, status string, bare bool) {
	happy := c.happy(op)
	answered := false
	_, end := c.play(c.sample(op), func(i int, r *sdk.Result) sdk.Exchange {
		e := happy(i, r)
		if i != at || r.Send == nil {
			return e
		}
		e.Body = vary(e.Body, emvMessage[op], status, bare, r.Send.Capture)
		e.Status, answered = 200, true
		return e
	})
	if end == nil || end.Outcome == nil || end.Outcome.Authentication == nil || !answered {
		return
	}
	a, wrong := end.Outcome.Authentication, func(format string, args ...any) { c.breaks(RuleAuthentication, op, format, args...) }
	known := len(status) == 1 && strings.Contains("YNUARCDIS", status)
	switch {
	case a.TransStatus != "" && a.TransStatus != status:
		wrong("transStatus %q became %q", status, a.TransStatus)
	case a.TransStatus != "" && !known:
		wrong("the outcome repeats transStatus %q, which EMV 3-D Secure does not define: make it an error of class protocol", status)
	case a.CAVV != "" && !strings.HasPrefix(a.CAVV, captured):
		wrong("cavv is not a captured value: name its field in send.capture")
	case bare && (a.CAVV != "" || a.ECI != ""):
		wrong("the outcome has the cryptogram %q and the ECI %q, but the answer has neither", a.CAVV, a.ECI)
	case a.Error != nil && (a.TransStatus != "" || a.CAVV != ""):
		wrong("an error must not have a trans_status or a cavv")
	}
}

// vary returns an answer with another status, and with stand-ins in captured fields. It changes full if full holds a status, else EMV's own
// message.
func vary(full []byte, emv, status string, bare bool, captures []sdk.Capture) []byte {
	var body any
	if json.Unmarshal(full, &body) != nil || !holds(body, "transStatus") {
		if json.Unmarshal([]byte(emv), &body) != nil {
			return full
		}
	}
	body = replaced(body, "transStatus", status)
	if bare {
		body = replaced(replaced(body, "authenticationValue", ""), "eci", "")
	}
	for i, k := range captures {
		conceal(body, strings.Split(k.Path, "."), captured+sdk.Decimal(int64(i), 0))
	}
	out, err := json.Marshal(body)
	if err != nil {
		return full
	}
	return out
}

// replaced sets every member of a name. A value of "" removes the member.
func replaced(v any, name, value string) any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Collect(maps.Keys(v)) {
			switch {
			case k == name && value == "":
				delete(v, k)
			case k == name:
				v[k] = value
			default:
				v[k] = replaced(v[k], name, value)
			}
		}
	case []any:
		for i := range v {
			v[i] = replaced(v[i], name, value)
		}
	}
	return v
}

func holds(v any, name string) bool {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if k == name || holds(x, name) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(x any) bool { return holds(x, name) })
	}
	return false
}

// conceal puts a stand-in at a path that holds a text.
func conceal(v any, path []string, standIn string) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	if len(path) > 1 {
		conceal(m[path[0]], path[1:], standIn)
		return
	}
	if text, ok := m[path[0]].(string); ok && text != "" {
		m[path[0]] = standIn
	}
}
