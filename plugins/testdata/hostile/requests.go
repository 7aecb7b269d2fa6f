package hostile

import (
	"strings"

	"payswitch/sdk"
)

// The attacks on requests need more than the honest manifest: places in every kind of body, an access token, and config fields
// with defaults of the author.

// AuthorRSA is a public key; the author has the private one.
const AuthorRSA = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo
4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0/IzW7yWR7QkrmBL7jTKEn5u
+qKhbwKfBstIs+bMY2Zkp18gnTxKLxoS2tFczGkPLPgizskuemMghRniWaoLcyeh
kd3qqGElvW/VDL5AaWTg0nLVkjRo9z+40RQzuVaE8AkAFmxZzow3x+VJYKdjykkJ
0iT9wCS0DRTXu269V264Vf/3jvredZiKRkgwlL9xNAwxXFg0x/XFw005UWVRIkdg
cKWTjpBP2dPwVZ4WWC+9aGVd+Gyn1o0CLelf4rEjGoXbAAEgAqeGUxrcIlbjXfbc
mwIDAQAB
-----END PUBLIC KEY-----`

func requestConfig() []sdk.Field {
	return []sdk.Field{
		{Name: "author", Label: "Client id", Type: "text", Optional: true, Default: AuthorKey},
		{Name: "author_enum", Label: "Client id", Type: "enum", Values: []string{AuthorKey}, Default: AuthorKey},
		{Name: "author_rsa", Label: "The processor's public key", Type: "text", Optional: true, Default: AuthorRSA},
		{Name: "merchant_rsa", Label: "The merchant's public key", Type: "text", Optional: true},
		{Name: "region", Label: "Region", Type: "text", Optional: true, Default: "evil"},
	}
}

func requestAuthentication() []sdk.Placement {
	return []sdk.Placement{
		{Secret: "secret_key", Path: "/form", In: "body", Field: "security_key"},
		{Secret: "secret_key", Path: "/json", In: "body", Field: "auth.key"},
		{Secret: "secret_key", Path: "/xml", In: "body", Field: "order.merchant.@id"},
		{Secret: "secret_key", Path: "/xml", In: "body", Field: "order.secure"},
		{Secret: "access_token", Operation: sdk.OpAccessToken, Path: "/token", In: "response", Field: "access_token"},
	}
}

func requestPlacements() []sdk.Placement {
	return []sdk.Placement{
		{Secret: "card_number", Path: "/form", In: "body", Field: "ccnumber"},
		{Secret: "card_number", Path: "/json", In: "body", Field: "card.number"},
		{Secret: "cvc", Path: "/json", In: "body", Field: "card.cvc"},
		{Secret: "card_number", Path: "/xml", In: "body", Field: "order.card.number"},
		{Secret: "card_number", Path: "/chain", In: "body", Field: "request/number", Escapes: "json,form"},
		{Secret: "secret_key", Path: "/json", In: "body", Field: "merchant.id"},
		{Secret: "secret_key", Path: "/note", In: "body", Field: "note"},
		{Secret: "secret_key", Path: "/note", In: "body", Field: "doc.note"},
		{Secret: "*", Path: "/note", In: "header", Field: "X-Note"},
		{Secret: "*", Path: "/json", In: "header", Field: "X-Api-Key"},
		{Secret: "card_number", Path: "/v1/*/charges", In: "body", Field: "card.number"},
	}
}

// requests runs the attacks on requests; mine is false for another mode.
func requests(c *sdk.Call, mode, arg string) (o *sdk.Outcome, err error, mine bool) {
	config, card, key := c.Account.Config, c.Request.Instrument.Card, c.Account.Credentials["secret_key"]
	bearer := sdk.H("Authorization", "Bearer "+key)
	json := func(path, field, value string, headers ...sdk.Header) (*sdk.Outcome, error, bool) {
		o, err := send(c, c.Account.BaseURL+path, sdk.NewObject().Obj("card", sdk.NewObject().Str(field, value)), headers...)
		return o, err, true
	}
	fn, text := sdk.Fn, sdk.Text
	switch mode {
	case "raw": // a request written by the test: method and path, headers, an empty line, the body
		o, err := raw(c, strings.NewReplacer("{K}", key, "{N}", card.Number, "{C}", card.CVC, "{R}", c.ID("")).Replace(arg))
		return o, err, true
	case "made": // the same, with derivations of the author's key: plain, joined, encoded, as the key of a signature; and an honest digest
		o, err := raw(c, strings.NewReplacer("{K}", key, "{N}", card.Number, "{T}", c.Derive(text(AuthorKey)),
			"{J}", c.Derive(fn(sdk.FnConcat, text("sk_live_of"), text("_the_author"))), "{B}", c.Derive(fn(sdk.FnBase64, text(AuthorKey))),
			"{S}", c.Derive(fn(sdk.FnHex, fn(sdk.FnHMACSHA256, text(AuthorKey), text("x")))),
			"{D}", c.Derive(fn(sdk.FnHex, fn(sdk.FnSHA256, fn(sdk.FnConcat, text(key), text("x")))))).Replace(arg))
		return o, err, true

	// The author's text in place of the account's.
	case "default_user":
		return json("/json", "number", card.Number, sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic(config["author"], key))))
	case "enum_user":
		return json("/json", "number", card.Number, sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic(config["author_enum"], key))))
	case "default_rsa":
		return json("/json", "number", c.Derive(fn(sdk.FnBase64, fn(sdk.FnRSAOAEPSHA256, text(config["author_rsa"]), text(card.Number)))), bearer)
	case "spliced_rsa":
		half := len(config["merchant_rsa"]) / 2
		whole := fn(sdk.FnConcat, text(config["merchant_rsa"][:half]), text(config["merchant_rsa"][half:]))
		return json("/json", "number", c.Derive(fn(sdk.FnBase64, fn(sdk.FnRSAOAEPSHA256, whole, text(card.Number)))), bearer)
	case "token": // uses the token that accessToken has fetched
		return json("/json", "number", card.Number, sdk.H("Authorization", "Bearer "+c.Account.Credentials["access_token"]))

	// Expressions that would fail depending on a secret's value.
	case "decode_cvc":
		joined := fn(sdk.FnConcat, text(card.CVC), text("="))
		return json("/json", "cvc", c.Derive(fn(sdk.FnBase64, fn(sdk.FnRSAOAEPSHA256, text(config["merchant_rsa"]), fn(arg, joined)))), bearer)
	case "unhex_number":
		return json("/json", "number", c.Derive(fn(sdk.FnBase64, fn(sdk.FnUnhex, text(card.Number)))), bearer)
	case "length":
		long := fn(sdk.FnConcat, text(card.CVC), text(strings.Repeat("x", 187)))
		return json("/json", "cvc", c.Derive(fn(sdk.FnBase64, fn(sdk.FnRSAOAEPSHA256, text(config["merchant_rsa"]), long))), bearer)
	case "many":
		all := make([]sdk.Expr, 0, 50)
		for range cap(all) {
			all = append(all, text(key))
		}
		e := fn(sdk.FnConcat, all...)
		for range 6 {
			e = fn(sdk.FnHex, e)
		}
		return json("/note", "x", "y", sdk.H("X-Note", c.Derive(fn(sdk.FnHex, fn(sdk.FnSHA256, e)))))
	case "splice":
		pem := fn(sdk.FnConcat, text("-----BEGIN PRIVATE KEY-----\n"), text(key), text("\n-----END PRIVATE KEY-----\n"))
		return json("/note", "x", "y", sdk.H("X-Note", c.Derive(fn(sdk.FnBase64, fn(arg, pem, text("x"))))))
	case "sign":
		return json("/note", "x", "y", sdk.H("X-Note", c.Derive(fn(sdk.FnBase64, fn(arg, text(key), text("x"))))))
	case "decode":
		return json("/note", "x", "y", sdk.H("X-Note", c.Derive(fn(sdk.FnHex, fn(sdk.FnHMACSHA256, fn(arg, text(key)), text("x"))))))
	case "bytes":
		return json("/note", "x", "y", sdk.H("X-Note", c.Derive(fn(arg, text(key)))))
	case "hmac_spliced":
		return json("/note", "x", "y", sdk.H("X-Note", c.Derive(fn(sdk.FnHex, fn(sdk.FnHMACSHA256, fn(sdk.FnConcat, text("AWS4"), text(key)), text("x"))))))
	}
	return nil, nil, false
}

// raw sends a written-out request.
func raw(c *sdk.Call, request string) (*sdk.Outcome, error) {
	head, body, _ := strings.Cut(request, "\n\n")
	lines := strings.Split(strings.TrimRight(head, "\n"), "\n")
	method, path, _ := strings.Cut(lines[0], " ")
	s := &sdk.Send{Method: method, URL: c.Account.BaseURL + path, Body: []byte(body)}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Capture" {
			s.Capture = append(s.Capture, sdk.Capture{Path: value, Name: "session"})
			continue
		}
		s.Headers = append(s.Headers, sdk.H(name, value))
	}
	if _, err := c.Do(s); err != nil {
		return nil, err
	}
	return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "t_1"}, nil
}

// accessToken fetches a token with the request in the config field target, written as for raw.
func accessToken(c *sdk.Call) (*sdk.Outcome, error) {
	key := c.Account.Credentials["secret_key"]
	head, body, _ := strings.Cut(strings.ReplaceAll(c.Account.Config["target"], "{K}", key), "\n\n")
	s := &sdk.Send{Method: "POST", URL: c.Account.BaseURL + "/token", Body: []byte(body), Capture: []sdk.Capture{{Path: "access_token", Name: "access_token"}}}
	for line := range strings.SplitSeq(head, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			s.Headers = append(s.Headers, sdk.H(name, value))
		}
	}
	r, err := c.Do(s)
	if err != nil {
		return nil, err
	}
	return &sdk.Outcome{Status: sdk.StatusToken, Token: &sdk.AccessToken{Value: r.JSON().Str("access_token"), ExpiresIn: 600}}, nil
}

// guess is a webhook operation that compares the value in the config field mode with the message.
func guess(c *sdk.Call) (*sdk.Outcome, error) {
	fn, text, key := sdk.Fn, sdk.Text, sdk.Text(c.Account.Credentials["secret_key"])
	var e sdk.Expr
	switch c.Account.Config["mode"] {
	case "credential":
		e = key
	case "within":
		e = text("a" + c.Account.Credentials["secret_key"] + "b")
	case "hash":
		e = fn(sdk.FnHex, fn(sdk.FnSHA256, key))
	case "salted":
		e = fn(sdk.FnHex, fn(sdk.FnSHA256, fn(sdk.FnConcat, text("salt"), key)))
	case "basic":
		e = sdk.Basic("u", c.Account.Credentials["secret_key"])
	case "decoded":
		e = fn(sdk.FnHex, fn(sdk.FnUnbase64, key))
	case "behind_a_signature":
		e = fn(sdk.FnConcat, fn(sdk.FnHex, fn(sdk.FnHMACSHA256, key, sdk.Body())), key)
	case "own_key":
		e = fn(sdk.FnHex, fn(sdk.FnHMACSHA256, text("the author's"), key))
	case "part_of_key":
		e = fn(sdk.FnHex, fn(sdk.FnHMACSHA256, fn(sdk.FnConcat, key, text("x")), sdk.Body()))
	case "no_message":
		e = fn(sdk.FnHex, fn(sdk.FnHMACSHA256, key, text("nothing that was sent")))
	case "nothing":
		e = fn(sdk.FnHex, fn(sdk.FnHMACSHA256, key, text("")))
	case "body":
		e = sdk.Body()
	case "unkeyed":
		e = fn(sdk.FnHex, fn(sdk.FnSHA256, sdk.Body()))
	case "public_key":
		e = fn(sdk.FnHex, fn(sdk.FnHMACSHA256, text(c.Account.Config["author"]), sdk.Body()))
	case "honest":
		e = fn(sdk.FnHex, fn(sdk.FnHMACSHA256, key, sdk.Body()))
	}
	ok, err := c.Verify(e, sdk.HeaderValue(c.Request.Webhook.Headers, "Guess"))
	if err != nil {
		return nil, err
	}
	if !ok {
		return sdk.Refuse(401, "wrong"), nil
	}
	return sdk.Handled(), nil
}
