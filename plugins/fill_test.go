package plugins_test

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
)

// recorded is a request as it arrived.
type recorded struct {
	method, uri, body string
	header            http.Header
}

// recorder answers everything with status and answer and keeps what arrives.
type recorder struct {
	*httptest.Server
	mu       sync.Mutex
	requests []recorded
	answer   func(w http.ResponseWriter, r recorded)
}

func newRecorder(t testing.TB) *recorder {
	p := &recorder{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := recorded{r.Method, r.RequestURI, string(body), r.Header}
		p.mu.Lock()
		p.requests = append(p.requests, got)
		f := p.answer
		p.mu.Unlock()
		if f != nil {
			f(w, got)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// take returns what has arrived and forgets it.
func (p *recorder) take() []recorded {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.requests
	p.requests = nil
	return all
}

// blind returns a processor adapter with one credential, "secret_key", that authenticates in the header Authorization, and places for card data of
// every kind of body.
func blind(f sdk.Func) *sdk.Adapter {
	a := scripted(f)
	a.Manifest.Authentication = []sdk.Placement{
		{Secret: "*", In: "header", Field: "Authorization"},
		{Secret: "body", In: "header", Field: "Digest", Format: "SHA-256={}"},
		{Secret: "*", Path: "/signed", In: "header", Field: "Signature", Format: `keyid="{}", signature="{}"`},
		{Secret: "secret_key", Path: "/form-key", In: "body", Field: "security_key"},
		{Secret: "secret_key", Path: "/xml-key", In: "body", Field: "order.merchant.@key"},
		{Secret: "secret_key", Path: "/json-key", In: "body", Field: "auth.key"},
		{Secret: "secret_key", Path: "/query-key", In: "query", Field: "key"},
	}
	for _, secret := range []string{"card_number", "cvc", "cavv"} {
		for _, field := range []string{"card." + secret, "cards[]." + secret, "card[" + secret + "]", "order.card." + secret, "order.card.@" + secret} {
			a.Manifest.Placements = append(a.Manifest.Placements, sdk.Placement{Secret: secret, Operation: sdk.OpAuthorize, In: "body", Field: field})
		}
		a.Manifest.Placements = append(a.Manifest.Placements,
			sdk.Placement{Secret: secret, Method: "POST", Path: "/v1/*/xml", In: "body", Field: "request/txn.card." + secret, Escapes: "xml,form"})
	}
	a.Manifest.Placements = append(a.Manifest.Placements,
		sdk.Placement{Secret: "secret_key", Path: "/merchants/*/raw", In: "path", Field: "1"},
		sdk.Placement{Secret: "*", Path: "/raw", In: "body", Field: "."},
		sdk.Placement{Secret: "secret_key", In: "body", Field: "credential"})
	return a
}

func fn(name string, args ...sdk.Expr) sdk.Expr { return sdk.Fn(name, args...) }

// sending returns an adapter's authorize that sends once.
func sending(f func(c *sdk.Call) *sdk.Send) sdk.Func {
	return func(c *sdk.Call) (*sdk.Outcome, error) {
		if _, err := c.Do(f(c)); err != nil {
			return nil, err
		}
		return authorized, nil
	}
}

func driveBlind(t testing.TB, o plugins.Options, f sdk.Func, d *port.Drive) (*port.DriveResult, error) {
	t.Helper()
	o.AllowLoopbackHTTP = true
	n, err := plugins.NewNative(map[string]*sdk.Adapter{d.Connector: blind(f)}, o)
	require.NoError(t, err)
	return n.Drive(t.Context(), d)
}

func testCard(c *sdk.Call) *sdk.Card { return c.Request.Instrument.Card }
func testSecret(c *sdk.Call) string  { return c.Account.Credentials["secret_key"] }
func bearer(c *sdk.Call) sdk.Header  { return sdk.H("Authorization", "Bearer "+testSecret(c)) }
func mime(t string) sdk.Header       { return sdk.H("Content-Type", t) }
func bytesOf(s ...string) []byte     { return []byte(strings.Join(s, "")) }
func text(s string) sdk.Expr         { return sdk.Text(s) }
func post(path string, b []byte, h ...sdk.Header) *sdk.Send {
	return &sdk.Send{Method: "POST", URL: path, Headers: h, Body: b}
}

const awkwardKey = `a"b\c&d<e>f é/+ 0123456789`

func TestFill(t *testing.T) {
	p := newRecorder(t)
	jsonType, formType, xmlType := mime("application/json"), mime("application/x-www-form-urlencoded"), mime("text/xml; charset=UTF-8")
	for name, c := range map[string]struct {
		send   func(c *sdk.Call) *sdk.Send
		body   string
		header [2]string
		uri    string
		key    string // the credential, by default secretKey
	}{
		"json": {send: func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"`, testCard(c).Number, `", "cvc" :"`, testCard(c).CVC, `"},"a":[1,-2.5e3,true,null,"\u00e9"]}`), jsonType, bearer(c))
		}, body: `{"card":{"card_number":"4111111111111111", "cvc" :"737"},"a":[1,-2.5e3,true,null,"\u00e9"]}`, header: [2]string{"Authorization", "Bearer " + secretKey}},
		"json array": {send: func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"cards":[{"cvc":"1"},{"card_number":"`, testCard(c).Number, `"}]}`), jsonType, bearer(c))
		}, body: `{"cards":[{"cvc":"1"},{"card_number":"4111111111111111"}]}`},
		"json escapes": {send: func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"credential":"`, testSecret(c), `"}`), mime("application/vnd.acme+json"))
		}, body: `{"credential":"a\"b\\c&d<e>f é/+ 0123456789"}`, key: awkwardKey},
		"form": {send: func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf("a=b&card%5Bcard_number%5D=", testCard(c).Number, "&card[cvc]=", testCard(c).CVC, "&x[]=1&x[]=2"), formType, bearer(c))
		}, body: "a=b&card%5Bcard_number%5D=4111111111111111&card[cvc]=737&x[]=1&x[]=2"},
		"form escapes": {send: func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf("credential=", testSecret(c)), formType)
		}, body: "credential=" + url.QueryEscape(awkwardKey), key: awkwardKey},
		"key in the form": {send: func(c *sdk.Call) *sdk.Send {
			return post("/form-key", bytesOf("security_key=", testSecret(c), "&card[card_number]=", testCard(c).Number), formType)
		}, body: "security_key=" + secretKey + "&card[card_number]=4111111111111111"},
		"xml": {send: func(c *sdk.Call) *sdk.Send {
			return post("/xml-key", bytesOf(`<?xml version="1.0"?><order><merchant key="`, testSecret(c), `"/><card cvc="`, testCard(c).CVC, `"><card_number>`, testCard(c).Number, `</card_number><x></x></card></order>`), xmlType)
		}, body: `<?xml version="1.0"?><order><merchant key="` + "a&#34;b\\c&amp;d&lt;e&gt;f é/+ 0123456789" + `"/><card cvc="737"><card_number>4111111111111111</card_number><x></x></card></order>`, key: awkwardKey},
		"xml in a form": {send: func(c *sdk.Call) *sdk.Send {
			return post("/v1/m/xml", bytesOf("a=b&request=", url.QueryEscape("<txn><card><card_number>"+testCard(c).Number+"</card_number></card></txn>")), formType, bearer(c))
		}, body: "a=b&request=" + url.QueryEscape("<txn><card><card_number>4111111111111111</card_number></card></txn>")},
		"multipart": {send: func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf("--b\r\nContent-Disposition: form-data; name=\"card[cvc]\"\r\n\r\n", testCard(c).CVC,
				"\r\n--b\r\nContent-Disposition: form-data; name=\"card[card_number]\"\r\nContent-Type: text/plain\r\n\r\n", testCard(c).Number, "\r\n--b--\r\n"), mime("multipart/form-data; boundary=b"), bearer(c))
		}, body: "--b\r\nContent-Disposition: form-data; name=\"card[cvc]\"\r\n\r\n737\r\n--b\r\nContent-Disposition: form-data; name=\"card[card_number]\"\r\nContent-Type: text/plain\r\n\r\n4111111111111111\r\n--b--\r\n"},
		"raw": {send: func(c *sdk.Call) *sdk.Send { return post("/raw", bytesOf(testSecret(c)), mime("text/plain")) }, body: awkwardKey, key: awkwardKey},
		"query and path": {send: func(c *sdk.Call) *sdk.Send {
			return &sdk.Send{Method: "GET", URL: "/query-key?a=b&key=" + testSecret(c)}
		}, uri: "/query-key?a=b&key=" + url.QueryEscape(awkwardKey), key: awkwardKey},
		"path": {send: func(c *sdk.Call) *sdk.Send {
			return &sdk.Send{Method: "GET", URL: "/merchants/" + testSecret(c) + "/raw"}
		}, uri: "/merchants/a%22b%5Cc&d%3Ce%3Ef%20%C3%A9%2F+%200123456789/raw", key: awkwardKey},
		"basic": {send: func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"`, testCard(c).Number, `"}}`), jsonType, sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic(testSecret(c), ""))))
		}, body: `{"card":{"card_number":"4111111111111111"}}`, header: [2]string{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(secretKey+":"))}},
		"basic with a public name": {send: func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"`, testCard(c).Number, `"}}`), jsonType, sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic(c.Account.Config["merchant_id"], testSecret(c)))))
		}, header: [2]string{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("m_1:"+secretKey))}},
		"signed": {send: func(c *sdk.Call) *sdk.Send {
			digest := c.Derive(fn(sdk.FnBase64, fn(sdk.FnSHA256, sdk.Body())))
			signature := c.Derive(fn(sdk.FnBase64, fn(sdk.FnHMACSHA256, text(testSecret(c)), text("digest: SHA-256="+digest))))
			return post("/signed", bytesOf(`{"card":{"card_number":"`, testCard(c).Number, `"}}`), jsonType, sdk.H("Digest", "SHA-256="+digest),
				sdk.H("Signature", `keyid="m_1", signature="`+signature+`"`))
		}, header: [2]string{"Digest", "SHA-256=k5U+yJWmM+7l39H0Rv6eEnCJHsLFBVnWqO7OjJWW7jA="}},
		"signed, the header as one derivation": {send: func(c *sdk.Call) *sdk.Send {
			header := c.Derive(fn(sdk.FnConcat, text(`keyid="`+testSecret(c)+`", signature="`), fn(sdk.FnHex, fn(sdk.FnHMACSHA256, text(testSecret(c)), sdk.Body())), text(`"`)))
			return post("/signed", bytesOf(`{"card":{"card_number":"`, testCard(c).Number, `"}}`), jsonType, sdk.H("Signature", header))
		}, body: `{"card":{"card_number":"4111111111111111"}}`},
		"card in base64": {send: func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"`, c.Derive(fn(sdk.FnBase64, text(testCard(c).Number))), `"}}`), jsonType, bearer(c))
		}, body: `{"card":{"card_number":"NDExMTExMTExMTExMTExMQ=="}}`},
	} {
		t.Run(name, func(t *testing.T) {
			d := authorize("scripted", p.URL)
			if c.key != "" {
				d.Account.Credentials["api_key"] = secret.New(c.key)
			}
			d.Record = true
			res, err := driveBlind(t, plugins.Options{}, sending(c.send), d)
			require.NoError(t, err)
			require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status, "%+v", res.Outcome)
			all := p.take()
			require.Len(t, all, 1)
			if c.body != "" {
				require.Equal(t, c.body, all[0].body)
			}
			if c.uri != "" {
				require.Equal(t, c.uri, all[0].uri)
			}
			if c.header[0] != "" {
				require.Equal(t, c.header[1], all[0].header.Get(c.header[0]))
			}
			requireHeld(t, sending(c.send), res.Recordings[0], "")
		})
	}
}

func TestFillRefuses(t *testing.T) {
	p := newRecorder(t)
	j := mime("application/json")
	f := mime("application/x-www-form-urlencoded")
	x := mime("application/xml")
	number := func(c *sdk.Call) []byte { return bytesOf(`{"card":{"card_number":"`, testCard(c).Number, `"}}`) }
	for name, c := range map[string]struct {
		send func(c *sdk.Call) *sdk.Send
		rule string
	}{
		"card in another field": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"description":"`, testCard(c).Number, `"}`), j, bearer(c))
		}, plugins.RuleSecret},
		"card in metadata": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf("metadata[x]=", testCard(c).Number), f, bearer(c))
		}, plugins.RuleSecret},
		"CVC where the number is": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"`, testCard(c).CVC, `"}}`), j, bearer(c))
		}, plugins.RuleSecret},
		"part of the value": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"0`, testCard(c).Number, `"}}`), j, bearer(c))
		}, plugins.RuleSecret},
		"twice in the value": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"`, testCard(c).Number, testCard(c).Number, `"}}`), j, bearer(c))
		}, plugins.RuleSecret},
		"a name in the body": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"`, testCard(c).Number, `":"card_number"}}`), j, bearer(c))
		}, plugins.RuleSecret},
		"a name with dots": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card.card_number":"`, testCard(c).Number, `"}`), j, bearer(c))
		}, plugins.RuleSecret},
		"not a string": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":`, testCard(c).Number, `}}`), j, bearer(c))
		}, plugins.RuleTemplate},
		"a name twice": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"`, testCard(c).Number, `"},"card":{}}`), j, bearer(c))
		}, plugins.RuleTemplate},
		"a name in another case": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"`, testCard(c).Number, `","CARD_number":""}}`), j, bearer(c))
		}, plugins.RuleTemplate},
		"a name escaped": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"`, testCard(c).Number, `","c\u0061rd_number":""}}`), j, bearer(c))
		}, plugins.RuleTemplate},
		"text after the body": {func(c *sdk.Call) *sdk.Send { return post("/", append(number(c), "{}"...), j, bearer(c)) }, plugins.RuleTemplate},
		"a form's name twice": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf("card[card_number]=", testCard(c).Number, "&card%5bcard_number]=1"), f, bearer(c))
		}, plugins.RuleTemplate},
		"another type": {func(c *sdk.Call) *sdk.Send { return post("/", number(c), mime("text/plain"), bearer(c)) }, plugins.RuleSecret},
		"two types":    {func(c *sdk.Call) *sdk.Send { return post("/", number(c), j, f, bearer(c)) }, plugins.RuleTemplate},
		"another charset": {func(c *sdk.Call) *sdk.Send {
			return post("/", number(c), mime("application/json; charset=utf-7"), bearer(c))
		}, plugins.RuleTemplate},
		"a document type": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`<!DOCTYPE a [<!ENTITY b "c">]><order><card><card_number>`, testCard(c).Number, "</card_number></card></order>"), x, bearer(c))
		}, plugins.RuleTemplate},
		"CDATA": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`<order><card><card_number><![CDATA[`, testCard(c).Number, "]]></card_number></card></order>"), x, bearer(c))
		}, plugins.RuleSecret},
		"an XML comment": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`<order><card><card_number><!-- -->`, testCard(c).Number, "</card_number></card></order>"), x, bearer(c))
		}, plugins.RuleTemplate},
		"card in the query": {func(c *sdk.Call) *sdk.Send {
			return &sdk.Send{Method: "GET", URL: "/?n=" + testCard(c).Number, Headers: []sdk.Header{bearer(c)}}
		}, plugins.RuleSecret},
		"card in the path": {func(c *sdk.Call) *sdk.Send { return &sdk.Send{Method: "GET", URL: "/" + testCard(c).Number} }, plugins.RuleSecret},
		"card encoded in the path": {func(c *sdk.Call) *sdk.Send {
			n := testCard(c).Number
			return &sdk.Send{Method: "GET", URL: "/%" + hexOf(n[0]) + n[1:]}
		}, plugins.RuleSecret},
		"card in a header": {func(c *sdk.Call) *sdk.Send { return post("/", nil, sdk.H("X-Card", testCard(c).Number)) }, plugins.RuleSecret},
		"card as credential": {func(c *sdk.Call) *sdk.Send {
			return post("/", nil, sdk.H("Authorization", "Bearer "+testCard(c).Number))
		}, plugins.RuleSecret},
		"card in a header's name": {func(c *sdk.Call) *sdk.Send { return post("/", nil, sdk.H(testCard(c).Number, "x")) }, plugins.RuleSecret},
		"credential elsewhere":    {func(c *sdk.Call) *sdk.Send { return post("/", bytesOf(`{"note":"`, testSecret(c), `"}`), j) }, plugins.RuleSecret},
		"credential in a header":  {func(c *sdk.Call) *sdk.Send { return post("/", nil, sdk.H("X-Key", testSecret(c))) }, plugins.RuleSecret},
		"credential and more":     {func(c *sdk.Call) *sdk.Send { return post("/", nil, sdk.H("Authorization", "Bearer x"+testSecret(c))) }, plugins.RuleSecret},
		"another scheme":          {func(c *sdk.Call) *sdk.Send { return post("/", nil, sdk.H("Authorization", "sk_author "+testSecret(c))) }, plugins.RuleSecret},
		"another operation's": {func(c *sdk.Call) *sdk.Send {
			return post("/v1/a/b/xml", bytesOf("request=", "<txn><card><card_number>"+testCard(c).Number+"</card_number></card></txn>"), f, bearer(c))
		}, plugins.RuleSecret},

		"no credential": {func(c *sdk.Call) *sdk.Send { return post("/", number(c), j) }, plugins.RuleAuthentication},
		"the author's key": {func(c *sdk.Call) *sdk.Send {
			return post("/", number(c), j, sdk.H("Authorization", "Bearer sk_author"))
		}, plugins.RuleAuthentication},
		"the author's key derived": {func(c *sdk.Call) *sdk.Send {
			return post("/", number(c), j, sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic("sk_author", ""))))
		}, plugins.RuleAuthentication},
		"the author's as user": {func(c *sdk.Call) *sdk.Send {
			return post("/", number(c), j, sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic("sk_author", testSecret(c)))))
		}, plugins.RuleAuthentication},
		"the author's beside it": {func(c *sdk.Call) *sdk.Send {
			return post("/", number(c), j, sdk.H("Authorization", "Bearer "+c.Derive(fn(sdk.FnConcat, text("sk_author"), text(testSecret(c))))))
		}, plugins.RuleSecret},
		"the author's HMAC": {func(c *sdk.Call) *sdk.Send {
			return post("/", number(c), j, sdk.H("Authorization", "Bearer "+c.Derive(fn(sdk.FnHex, fn(sdk.FnHMACSHA256, text("sk_author"), text(testSecret(c)))))))
		}, plugins.RuleAuthentication},
		"the author's second": {func(c *sdk.Call) *sdk.Send {
			return post("/", number(c), j, bearer(c), sdk.H("authorization", "Bearer sk_author"))
		}, plugins.RuleAuthentication},
		"the author's first": {func(c *sdk.Call) *sdk.Send {
			return post("/", number(c), j, sdk.H("authorization", "Bearer sk_author"), bearer(c))
		}, plugins.RuleAuthentication},
		"another header": {func(c *sdk.Call) *sdk.Send {
			return post("/", number(c), j, bearer(c), sdk.H("X-Api-Key", "sk_author"))
		}, plugins.RuleAuthentication},
		"a cookie":      {func(c *sdk.Call) *sdk.Send { return post("/", number(c), j, bearer(c), sdk.H("Cookie", "session=1")) }, plugins.RuleAuthentication},
		"a query field": {func(c *sdk.Call) *sdk.Send { return post("/?access_token=sk_author", number(c), j, bearer(c)) }, plugins.RuleAuthentication},
		"the author's in the body": {func(c *sdk.Call) *sdk.Send {
			return post("/json-key", bytesOf(`{"auth":{"key":"sk_author"},"card":{"card_number":"`, testCard(c).Number, `"}}`), j, bearer(c))
		}, plugins.RuleAuthentication},
		"a number as key in the body": {func(c *sdk.Call) *sdk.Send {
			return post("/json-key", bytesOf(`{"auth":{"key":1},"card":{"card_number":"`, testCard(c).Number, `"}}`), j, bearer(c))
		}, plugins.RuleAuthentication},
		"the author's in XML, second": {func(c *sdk.Call) *sdk.Send {
			return post("/xml-key", bytesOf(`<order><merchant key="`, testSecret(c), `"/><merchant key="a"/><card cvc="`, testCard(c).CVC, `"/></order>`), x)
		}, plugins.RuleAuthentication},
		"the author's in another case": {func(c *sdk.Call) *sdk.Send {
			return post("/xml-key", bytesOf(`<order><merchant key="`, testSecret(c), `"/><Merchant key="a"/><card cvc="`, testCard(c).CVC, `"/></order>`), x)
		}, plugins.RuleAuthentication},
		"the author's key id": {func(c *sdk.Call) *sdk.Send {
			return post("/signed", number(c), j, sdk.H("Signature", `keyid="author", signature="`+c.Derive(fn(sdk.FnHex, fn(sdk.FnHMACSHA256, text(testSecret(c)), sdk.Body())))+`"`))
		}, plugins.RuleSecret},

		"hash of the card": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"`, c.Derive(fn(sdk.FnHex, fn(sdk.FnSHA256, text(testCard(c).Number)))), `"}}`), j, bearer(c))
		}, plugins.RuleDerivation},
		"HMAC of the card": {func(c *sdk.Call) *sdk.Send {
			return post("/", nil, sdk.H("Authorization", "Bearer "+c.Derive(fn(sdk.FnHMACSHA256, text(testSecret(c)), text(testCard(c).Number)))))
		}, plugins.RuleDerivation},
		"card in basic": {func(c *sdk.Call) *sdk.Send {
			return post("/", nil, sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic(testCard(c).Number, testSecret(c)))))
		}, plugins.RuleDerivation},
		"base64 of the card": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"description":"`, c.Derive(fn(sdk.FnBase64, text(testCard(c).Number))), `"}`), j, bearer(c))
		}, plugins.RuleSecret},
		"card and text": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"`, c.Derive(text("1"+testCard(c).Number)), `"}}`), j, bearer(c))
		}, plugins.RuleDerivation},
		"the author's public key": {func(c *sdk.Call) *sdk.Send {
			return post("/", bytesOf(`{"card":{"card_number":"`, c.Derive(fn(sdk.FnBase64, fn(sdk.FnRSAOAEPSHA256, text("-----BEGIN"), text(testCard(c).Number)))), `"}}`), j, bearer(c))
		}, plugins.RuleDerivation},
		"digest of the body elsewhere": {func(c *sdk.Call) *sdk.Send {
			return post("/", number(c), j, bearer(c), sdk.H("X-Digest", c.Derive(fn(sdk.FnHex, fn(sdk.FnSHA256, sdk.Body())))))
		}, plugins.RuleSecret},
		"the body in a header": {func(c *sdk.Call) *sdk.Send {
			return post("/", number(c), j, bearer(c), sdk.H("Digest", "SHA-256="+c.Derive(fn(sdk.FnBase64, sdk.Body()))))
		}, plugins.RuleDerivation},
		"the body in the body": {func(c *sdk.Call) *sdk.Send {
			return post("/raw", bytesOf(c.Derive(fn(sdk.FnBase64, sdk.Body()))), mime("text/plain"))
		}, plugins.RuleDerivation},
		"a circle": {func(c *sdk.Call) *sdk.Send {
			first := c.Derive(text("x"))
			s := post("/", nil, sdk.H("Authorization", "Bearer "+first))
			s.Derive = []sdk.Derivation{{StandIn: first, Expr: text(first)}}
			return s
		}, plugins.RuleDerivation},
		"not declared": {func(c *sdk.Call) *sdk.Send { return post("/", nil, sdk.H("Authorization", c.Derive(text("x"))+"9")) }, plugins.RuleDerivation},
		"line break by derivation": {func(c *sdk.Call) *sdk.Send {
			return post("/", nil, sdk.H("Authorization", "Bearer "+c.Derive(fn(sdk.FnConcat, text(testSecret(c)), fn(sdk.FnUnbase64, text("DQpYOiB5"))))))
		}, plugins.RuleSecret},
	} {
		t.Run(name, func(t *testing.T) {
			counted := &observer{}
			var log logged
			d := authorize("scripted", p.URL)
			res, err := driveBlind(t, plugins.Options{Observer: counted, Logger: log.logger()}, sending(c.send), d)
			v, is := errors.AsType[*plugins.Violation](err)
			require.True(t, is, "%v %+v", err, res.Outcome)
			require.Equal(t, c.rule, v.Rule, "%v", err)
			require.False(t, res.MayHaveLeft)
			requireHeld(t, sending(c.send), benign(t, p), "adapter scripted broke rule "+strconv.Quote(c.rule)) // the words may differ with the stand-in
			require.Equal(t, []string{"violated " + c.rule}, counted.of("violated"))
			require.Empty(t, p.take())
			for _, s := range []string{cardNumber, secretKey} {
				require.NotContains(t, err.Error()+log.String(), s)
			}
		})
	}
}

func hexOf(c byte) string { return string("0123456789ABCDEF"[c>>4]) + string("0123456789ABCDEF"[c&15]) }

func withCAVV(d *port.Drive, cavv string) *port.Drive {
	d.Request.ThreeDS = &sdk.ThreeDSResult{ECI: "05"}
	d.Secrets.CAVV = secret.New(cavv)
	return d
}
