package cybersource

import (
	"strings"

	"payswitch/sdk"
)

const (
	httpDate     = "Mon, 02 Jan 2006 15:04:05 GMT" // RFC 1123, as the guide has it
	digestPrefix = "SHA-256="

	signedNames     = "host date (request-target) v-c-merchant-id"
	signedNamesBody = "host date (request-target) digest v-c-merchant-id"
)

func signatureHeader(key, names, signature string) string {
	return `keyid="` + key + `", algorithm="HmacSHA256", headers="` + names + `", signature="` + signature + `"`
}

// send sends a request with its HTTP Signature: an HMAC-SHA256, under the shared secret, over the named headers, one on each line, as
// name, colon, space and value. The host of the URL is what the Host header will be. GETs have no body and no digest.
func send(c *sdk.Call, method, path string, body *sdk.Object, capture ...sdk.Capture) *sdk.Response {
	_, address, _ := strings.Cut(c.Account.BaseURL, "://")
	host, prefix, _ := strings.Cut(address, "/")
	if prefix != "" {
		prefix = "/" + prefix
	}
	merchant, date := c.Account.Credentials[merchantAccount], c.Now().Format(httpDate)
	lines := "host: " + host + "\ndate: " + date + "\n(request-target): " + strings.ToLower(method) + " " + prefix + path
	s := &sdk.Send{Method: method, URL: path, SafeToRepeat: method == "GET" || path == searchesPath, Capture: capture,
		Headers: []sdk.Header{sdk.H("Accept", "application/hal+json;charset=utf-8"), sdk.H("Date", date), sdk.H("v-c-merchant-id", merchant)}}
	names := signedNames
	if body != nil {
		digest := digestPrefix + c.Derive(sdk.Fn(sdk.FnBase64, sdk.Fn(sdk.FnSHA256, sdk.Body())))
		lines, names = lines+"\ndigest: "+digest, signedNamesBody
		s.Body = body.Bytes()
		s.Headers = append(s.Headers, sdk.H("Content-Type", "application/json;charset=utf-8"), sdk.H("Digest", digest))
	}
	key := sdk.Fn(sdk.FnUnbase64, sdk.Text(c.Account.Credentials[apiSecret]))
	signature := c.Derive(sdk.Fn(sdk.FnBase64, sdk.Fn(sdk.FnHMACSHA256, key, sdk.Text(lines+"\nv-c-merchant-id: "+merchant))))
	s.Headers = append(s.Headers, sdk.H("Signature", signatureHeader(c.Account.Credentials[apiKey], names, signature)))
	return sdk.Must(c.Do(s))
}
