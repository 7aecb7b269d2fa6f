package plugins_test

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/approval"
	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/testdata/hostile"
	"payswitch/sdk"
)

// attack drives the hostile adapter in one mode, in the sandbox or natively.
type attack struct {
	*recorder
	host    port.Connectors
	counted *observer
}

// onHostile runs a test in the sandbox and natively.
func onHostile(t *testing.T, test func(t *testing.T, a *attack)) {
	dir := t.TempDir()
	put(t, dir, "hostile.wasm", module(t, "payswitch/plugins/testdata/hostile/wasm"))
	counted := &observer{}
	o := plugins.Options{Directory: dir, CacheDir: cacheDir(), Observer: counted}
	sandboxed := newHost(t, o)
	o.AllowLoopbackHTTP = true
	native, err := plugins.NewNative(map[string]*sdk.Adapter{"hostile": hostile.Adapter()}, o)
	require.NoError(t, err)
	for name, host := range map[string]port.Connectors{"sandbox": sandboxed, "native": native} {
		t.Run(name, func(t *testing.T) { test(t, &attack{newRecorder(t), host, counted}) })
	}
}

func (a *attack) drive(mode string, change func(d *port.Drive)) (*port.DriveResult, error) {
	a.take()
	d := authorize("hostile", a.URL)
	d.Account.Config = map[string]string{"mode": mode}
	if change != nil {
		change(d)
	}
	return a.host.Drive(context.Background(), d)
}

// refused requires that a broken rule kept every request from leaving.
func (a *attack) refused(t *testing.T, rule, mode string, change func(d *port.Drive)) {
	t.Helper()
	before := len(a.counted.of("violated"))
	res, err := a.drive(mode, change)
	v, is := errors.AsType[*plugins.Violation](err)
	require.True(t, is, "%v %+v %v", err, res.Outcome, a.take())
	require.Equal(t, rule, v.Rule, "%v", err)
	require.False(t, res.MayHaveLeft)
	require.Empty(t, a.take())
	require.Equal(t, []string{"violated " + rule}, a.counted.of("violated")[before:])
	for _, s := range []string{cardNumber, secretKey} {
		require.NotContains(t, fmt.Sprintf("%v %+v", err, res), s)
	}
}

const (
	form = "raw:POST /form\nContent-Type: application/x-www-form-urlencoded\n\nsecurity_key={K}&ccnumber={N}"
	// jsonHead and xmlHead begin requests whose header proves this account.
	jsonHead = "raw:POST /json\nContent-Type: application/json\nAuthorization: Bearer {K}\n"
	xmlHead  = "raw:POST /xml\nContent-Type: application/xml\nAuthorization: Bearer {K}\n"
	cardJSON = `"card":{"number":"{N}"}`
	cardXML  = "<card><number>{N}</number></card>"
)

// A request with a card names this account alone, in every way in which processors read names.
func TestHostileRequests(t *testing.T) {
	plugins.Sequential(t)
	author := hostile.AuthorKey
	escaped := url.QueryEscape
	basic := base64.StdEncoding.EncodeToString([]byte("author_of_it:" + author))
	attacks := map[string]string{
		// The declared field under another name.
		"PHP, a dot":              form + "&security.key=" + author,
		"PHP, a leading plus":     form + "&+security_key=" + author,
		"PHP, a space":            form + "&security+key=" + author,
		"PHP, a bracket":          form + "&security[key=" + author,
		"PHP, an array":           form + "&security_key[]=" + author,
		"PHP, a map":              form + "&security_key[0]=" + author,
		"a hyphen":                form + "&security-key=" + author,
		"no separator":            form + "&securityKey=" + author,
		"full-width letters":      form + "&" + escaped("ｓｅｃｕｒｉｔｙ_key") + "=" + author,
		"a long s":                form + "&" + escaped("\u017fecurity_key") + "=" + author,
		"in the query":            strings.Replace(form, "/form", "/form?security_key="+author, 1),
		"in the query, folded":    strings.Replace(form, "/form", "/form?security.key="+author, 1),
		"in a header":             strings.Replace(form, "\n\n", "\nSecurity_Key: "+author+"\n\n", 1),
		"a header folded":         jsonHead + "Authorization_: Bearer " + author + "\n\n{" + cardJSON + "}",
		"JSON, one name":          jsonHead + "\n{" + `"auth":{"key":"{K}"},"auth.key":"` + author + `",` + cardJSON + "}",
		"JSON, camel case":        jsonHead + "\n{" + `"auth":{"key":"{K}"},"authKey":"` + author + `",` + cardJSON + "}",
		"JSON, an object":         jsonHead + "\n{" + `"auth":{"key":{"a":"` + author + `"}},` + cardJSON + "}",
		"JSON, a list":            jsonHead + "\n{" + `"auth":{"key":["` + author + `"]},` + cardJSON + "}",
		"JSON, escaped name":      jsonHead + "\n{" + `"auth":{"key":"{K}"},"\u0061uth_key":"` + author + `",` + cardJSON + "}",
		"XML, an element in it":   xmlHead + "\n<order><secure><a>" + author + "</a></secure>" + cardXML + "</order>",
		"XML, its parent twice":   xmlHead + `` + "\n<order><merchant id=\"{K}\"/><merchant><a/></merchant>" + cardXML + "</order>",
		"XML, in another case":    xmlHead + "\n<order><secure>{K}</secure><Secure>" + author + "</Secure>" + cardXML + "</order>",
		"XML, with a hyphen":      xmlHead + "\n<order><secure>{K}</secure><se-cure>" + author + "</se-cure>" + cardXML + "</order>",
		"XML, twice":              xmlHead + "\n<order><secure>{K}</secure><secure>" + author + "</secure>" + cardXML + "</order>",
		"a placement's, literal":  jsonHead + "\n{" + `"merchant":{"id":"the author"},` + cardJSON + "}",
		"a placement's, a letter": jsonHead + "\n{" + `"merchant":{"id":"{K}"},"merchant_id":"the author",` + cardJSON + "}",

		// Undeclared fields.
		"api_key":                jsonHead + "\n{" + `"api_key":"short",` + cardJSON + "}",
		"apiKey, nested":         jsonHead + "\n{" + `"options":{"x":[{"gatewayApiKey":"short"}]},` + cardJSON + "}",
		"user name and password": form + "&username=author&password=short",
		"in brackets":            form + "&auth[user]=author",
		"in brackets, password":  form + "&gateway[password]=author",
		"merchantAuthentication": jsonHead + "\n{" + `"merchantAuthentication":{"name":"author","number":"7"},` + cardJSON + "}",
		"XML login":              xmlHead + "\n<order><login>author</login>" + cardXML + "</order>",
		"XML attribute":          xmlHead + "\n<order password=\"short\">" + cardXML + "</order>",
		"a number":               jsonHead + "\n{" + `"pin":4711,` + cardJSON + "}",
		"X-Login":                jsonHead + "X-Login: author\n\n{" + cardJSON + "}",
		"X-User":                 jsonHead + "X-User: author\n\n{" + cardJSON + "}",
		"Subscription-Key":       jsonHead + "Ocp-Apim-Subscription-Key: short\n\n{" + cardJSON + "}",
		"idempotent by name":     jsonHead + "X-Api-Key-Idempotency-Key: short\n\n{" + cardJSON + "}",
		"key in the query":       strings.Replace(jsonHead, "/json", "/json?key=short", 1) + "\n{" + cardJSON + "}",
		"login in the query":     strings.Replace(jsonHead, "/json", "/json?a[login]=short", 1) + "\n{" + cardJSON + "}",

		// Values that only the author can have written.
		"a key by its beginning": jsonHead + "\n{" + `"note":"sk_live_abcdefghijklmnop",` + cardJSON + "}",
		"a key with escapes":     jsonHead + "\n{" + `"note":"\u0073k_live_abcdefghijklmnop",` + cardJSON + "}",
		"a random key":           jsonHead + "\n{" + `"note":"Zk3vQ9xW7rT1yU5iO8pA2sD4",` + cardJSON + "}",
		"a random key, hex":      form + "&note=9f86d081884c7d659a2feaa0c55ad015",
		"a header's value":       jsonHead + "\n{" + `"note":"Bearer abcdefghijklmnop",` + cardJSON + "}",
		"a key in a header":      jsonHead + "X-Trace: Zk3vQ9xW7rT1yU5iO8pA2sD4\n\n{" + cardJSON + "}",
		"a key in the query":     strings.Replace(jsonHead, "/json", "/json?trace=Zk3vQ9xW7rT1yU5iO8pA2sD4", 1) + "\n{" + cardJSON + "}",
		"a key in the path":      "raw:POST /note/Zk3vQ9xW7rT1yU5iO8pA2sD4\nContent-Type: application/json\nAuthorization: Bearer {K}\nCapture: session\n\n{}",
		"another content type":   jsonHead + "Content_Type: text/plain\n\n{" + cardJSON + "}",
		"a document's field":     "raw:POST /chain\nContent-Type: application/x-www-form-urlencoded\nAuthorization: Bearer {K}\n\nrequest={\"number\":\"{N}\"}&Request.=1",
		"within a document":      "raw:POST /chain\nContent-Type: application/x-www-form-urlencoded\nAuthorization: Bearer {K}\n\nrequest={\"number\":\"{N}\",\"api_key\":\"x\"}",
		"behind many":            form + strings.Repeat("&a[]=X-{R}", 200) + "&note=Zk3vQ9xW7rT1yU5iO8pA2sD4",
		"a login in base64":      jsonHead + "\n{" + `"note":"` + basic + `",` + cardJSON + "}",
		"a key in XML":           xmlHead + "\n<order><note>Zk3vQ9xW7rT1yU5iO8&#112;A2sD4</note>" + cardXML + "</order>",

		// A request without a card whose answer is captured.
		"captured, nobody's":          "raw:POST /open\nCapture: session\n",
		"captured, the author's":      "raw:POST /open\nCapture: session\nAuthorization: Bearer " + author + "\n",
		"captured, the author beside": "raw:POST /open\nCapture: session\nAuthorization: Bearer {K}\nContent-Type: application/x-www-form-urlencoded\n\ngrant_type=password&username=author&password=x",
		"captured, of no kind":        "raw:POST /open\nCapture: session\nAuthorization: Bearer {K}\nContent-Type: text/plain\n\nusername=author&password=x",
		"captured, of no type":        "raw:POST /open\nCapture: session\nAuthorization: Bearer {K}\n\nusername=author&password=x",

		// The author's text in place of the account's.
		"a default as user":    "default_user",
		"a listed value, user": "enum_user",
	}
	onHostile(t, func(t *testing.T, a *attack) {
		for name, mode := range attacks {
			t.Run(name, func(t *testing.T) { a.refused(t, plugins.RuleAuthentication, mode, nil) })
		}
		for name, mode := range map[string]string{
			"a zero byte":            form + "&security_key%00x=" + author,
			"JSON sent as a form":    "raw:POST /form\nContent-Type: application/x-www-form-urlencoded\nAuthorization: Bearer {K}\n\n{\"x\":\"&ccnumber={N}&a=\"}",
			"XML, text and elements": xmlHead + "\n<order><secure>{K}</secure>author<a/>" + cardXML + "</order>",
			"XML, text around":       xmlHead + "\n<order><secure>{K}</secure><note>" + author + "<a/></note>" + cardXML + "</order>",
			"XML, the card twice":    xmlHead + "\n<order><secure>{K}</secure>" + cardXML + "<card><number>1</number></card></order>",
		} {
			t.Run(name, func(t *testing.T) { a.refused(t, plugins.RuleTemplate, mode, nil) })
		}
		for name, honest := range map[string]string{
			"form":  form + "&order_id=1&metadata[login_count]=3&token=tok_1&authorizationType=Final&transaction.key_figure=7",
			"json":  jsonHead + "\n{" + `"auth":{"key":"{K}"},"merchant":{"id":"{K}"},"authenticationValue":"x","lines":[{"key":"size","value":"L"}],"tokenType":"none",` + cardJSON + "}",
			"xml":   xmlHead + "\n<order><secure>{K}</secure><merchant id=\"{K}\"/><line>a</line><line>b</line>" + cardXML + "</order>",
			"chain": "raw:POST /chain\nContent-Type: application/x-www-form-urlencoded\nAuthorization: Bearer {K}\n\nrequest={\"number\":\"{N}\"}&a=b",
			"capture": "raw:POST /open\nCapture: session\nAuthorization: Bearer {K}\nContent-Type: application/x-www-form-urlencoded\n\n" +
				"grant_type=client_credentials",
			"what the merchant said": jsonHead + "\n{" + `"username":"bob7","note":"4fzzpqR2x9mK17ab33ffzz00","id":"0b9af4c2-5d2a-4c53-8a3f-6d3c7e6c2a10",` + cardJSON + "}",
		} {
			t.Run("honest "+name, func(t *testing.T) {
				_, err := a.drive(honest, func(d *port.Drive) {
					d.Request.Metadata = map[string]string{"customer": "bob7", "cart": "4fzzpqR2x9mK17ab33ffzz00"}
				})
				require.NoError(t, err)
				require.Len(t, a.take(), 1)
			})
		}
	})
}

// The host never uses a token that was fetched with other credentials than this account's.
func TestHostileTokens(t *testing.T) {
	const formType = "Content-Type: application/x-www-form-urlencoded\n"
	onHostile(t, func(t *testing.T, a *attack) {
		a.answer = func(w http.ResponseWriter, _ recorded) {
			_, _ = io.WriteString(w, `{"access_token":"a token of 20 bytes"}`)
		}
		for name, target := range map[string]string{
			"the author's key":       formType + "Authorization: Bearer " + hostile.AuthorKey + "\n\ngrant_type=client_credentials",
			"no key":                 formType + "\ngrant_type=client_credentials",
			"the author's in a form": formType + "\ngrant_type=client_credentials&client_id=author&client_secret=x",
			"both":                   formType + "Authorization: Bearer {K}\n\ngrant_type=client_credentials&client_id=author&client_secret=x",
			"both, by header":        formType + "Authorization: Bearer {K}\nX-Client-Id: author\nX-Client-Secret: x\n\ngrant_type=client_credentials",
			"a body of no kind":      "Authorization: Bearer {K}\nContent-Type: text/plain\n\nclient_id=author",
		} {
			t.Run(name, func(t *testing.T) {
				a.refused(t, plugins.RuleAuthentication, "token", func(d *port.Drive) { d.Account.Config["target"] = target })
			})
		}
		_, err := a.drive("token", func(d *port.Drive) {
			d.Account.Config["target"] = formType + "Authorization: Bearer {K}\n\ngrant_type=client_credentials"
		})
		require.NoError(t, err)
		all := a.take()
		require.Len(t, all, 2)
		require.Equal(t, "Bearer a token of 20 bytes", all[1].header.Get("Authorization"))
	})
}

// rsaConfig returns a key pair of the merchant; the public key is in the account's config.
func rsaConfig(t *testing.T) (public string) {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(&k.PublicKey)
	return pemOf("PUBLIC KEY", der, err)
}

// The course of an operation does not depend on a secret's value: not on the CVC's digits or length, and not on the credential.
func TestHostileOracles(t *testing.T) {
	plugins.Sequential(t)
	public := rsaConfig(t)
	der, err := x509.MarshalPKCS8PrivateKey(must(rsa.GenerateKey(rand.Reader, 2048)))
	private := pemOf("PRIVATE KEY", der, err)
	var cvcs []string
	for i := range 40 {
		cvcs = append(cvcs, fmt.Sprintf("%03d", i*25))
	}
	keys := []string{secretKey, "aGVsbG8=", "68656c6c6f", "a\x01b\x02_0123456789", " padded ", private, "--b", "x\uFFFEy", strings.Repeat("k", 900), strings.Repeat("k", 40_000),
		strings.Trim(strings.ReplaceAll(strings.ReplaceAll(private, "-----BEGIN PRIVATE KEY-----\n", ""), "-----END PRIVATE KEY-----\n", ""), "\n")}
	multipart := "raw:POST /note\nContent-Type: multipart/form-data; boundary=b\n\n--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n{K}\r\n--b--\r\n"
	onHostile(t, func(t *testing.T, a *attack) {
		come := func(t *testing.T, mode string, change func(d *port.Drive)) string {
			res, err := a.drive(mode, func(d *port.Drive) {
				d.Account.Config["merchant_rsa"], d.OperationID, d.Request.Reference = public, "op_same", "same"
				d.Seed = [32]byte{1}
				change(d)
			})
			told, encodeErr := json.Marshal(struct {
				Outcome    *sdk.Outcome
				Exchanges  int
				Violations []port.Violation
			}{res.Outcome, len(res.Exchanges), res.Violations})
			require.NoError(t, encodeErr)
			return fmt.Sprint(err, string(told), " left: ", len(a.take()))
		}
		for name, mode := range map[string]string{"unbase64": "decode_cvc:unbase64", "unbase64url": "decode_cvc:unbase64url", "unhex": "decode_cvc:unhex",
			"OAEP, as long as the key takes": "length", "unhex of the number": "unhex_number"} {
			t.Run("CVC, "+name, func(t *testing.T) {
				seen := map[string]int{}
				for _, cvc := range append(cvcs, "0000", "1234", "12") {
					seen[come(t, mode, func(d *port.Drive) { d.Secrets.CVC = secret.New(cvc) })]++
				}
				require.Len(t, seen, 1, "%v", seen)
			})
		}
		t.Run("number", func(t *testing.T) {
			seen := map[string]int{}
			for _, n := range []string{"4111111111111111", "411111111111111", "4111111111111129", "411111111111111112"} {
				seen[come(t, "unhex_number", func(d *port.Drive) { d.Secrets.Number = secret.New(n) })]++
			}
			require.Len(t, seen, 1, "%v", seen)
		})
		for name, mode := range map[string]string{
			"RSA key in pieces": "splice:rsa_sha256", "EC key in pieces": "splice:ecdsa_sha256", "OAEP key in pieces": "splice:rsa_oaep_sha256",
			"RSA key": "sign:rsa_sha256", "EC key": "sign:ecdsa_sha256", "OAEP key": "sign:rsa_oaep_sha256", "HMAC key in pieces": "hmac_spliced",
			"base64": "decode:unbase64", "base64url": "decode:unbase64url", "hex": "decode:unhex", "bytes": "bytes:unbase64", "bytes of hex": "bytes:unhex", "limit": "many",
			"header":   "raw:POST /note\nContent-Type: application/json\nAuthorization: Bearer {K}\n\n{}",
			"a space":  "raw:POST /note\nContent-Type: application/json\nAuthorization: {K}\n\n{}",
			"XML":      "raw:POST /note\nContent-Type: application/xml\n\n<doc><note>{K}</note></doc>",
			"boundary": multipart, "form": "raw:POST /note\nContent-Type: application/x-www-form-urlencoded\n\nnote={K}",
		} {
			t.Run("key, "+name, func(t *testing.T) {
				seen := map[string]int{}
				for _, k := range keys {
					seen[come(t, mode, func(d *port.Drive) { d.Account.Credentials["api_key"] = secret.New(k) })]++
				}
				require.Len(t, seen, 1, "%v", seen)
			})
		}
		for name, mode := range map[string]string{"a default as key": "default_rsa", "a key in pieces": "spliced_rsa"} {
			t.Run(name, func(t *testing.T) {
				a.refused(t, plugins.RuleDerivation, mode, func(d *port.Drive) { d.Account.Config["merchant_rsa"] = public })
			})
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A webhook's signature is compared with a signature of the message under a whole credential, so a guess must be of the whole
// credential.
func TestHostileGuesses(t *testing.T) {
	plugins.Sequential(t)
	const body = `{"id":"t_1"}`
	sum := func(key, text string) string {
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(text))
		return hex.EncodeToString(mac.Sum(nil))
	}
	hashed := func(text string) string { h := sha256.Sum256([]byte(text)); return hex.EncodeToString(h[:]) }
	right := map[string]string{"credential": secretKey, "within": "a" + secretKey + "b", "hash": hashed(secretKey), "salted": hashed("salt" + secretKey),
		"basic": base64.StdEncoding.EncodeToString([]byte("u:" + secretKey)), "decoded": "", "behind_a_signature": sum(secretKey, body) + secretKey,
		"own_key": sum("the author's", secretKey), "part_of_key": sum(secretKey+"x", body), "no_message": sum(secretKey, "nothing that was sent"),
		"nothing": sum(secretKey, ""), "body": body, "unkeyed": hashed(body), "public_key": sum(hostile.AuthorKey, body)}
	onHostile(t, func(t *testing.T, a *attack) {
		webhook := func(guess string) func(d *port.Drive) {
			return func(d *port.Drive) {
				d.Operation, d.Secrets = sdk.OpWebhook, card.Secrets{}
				d.Request = sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(body), Headers: []sdk.Header{sdk.H("Guess", guess)}}}
			}
		}
		for mode, guess := range right {
			for what, g := range map[string]string{"right": guess, "wrong": "x"} {
				t.Run(mode+", "+what, func(t *testing.T) { a.refused(t, plugins.RuleVerify, mode, webhook(g)) })
			}
		}
		res, err := a.drive("honest", webhook(sum(secretKey, body)))
		require.NoError(t, err)
		require.Empty(t, res.Outcome.Raw)
		res, err = a.drive("honest", webhook(sum(secretKey, body+" ")))
		require.NoError(t, err)
		require.Equal(t, "wrong", res.Outcome.Raw["error"])
	})
}

// A manifest's default never names a host. An update that changes a host needs a new approval, and sends nothing there before.
func TestHostileHosts(t *testing.T) {
	onHostile(t, func(t *testing.T, a *attack) {
		live := func(d *port.Drive) { d.Account.Environment, d.Account.BaseURL = "live", "" }
		for _, mode := range []string{"honest", "default_user"} {
			res, err := a.drive(mode, live)
			require.ErrorContains(t, err, `the account's metadata lacks "region"`)
			require.False(t, res.MayHaveLeft)
		}
	})
	p := newProcessor(t)
	build := func(region string, values ...string) (port.Connectors, *sdk.Manifest) {
		b := hostile.Adapter()
		for i := range b.Manifest.Config {
			if f := &b.Manifest.Config[i]; f.Name == "region" {
				if f.Default = region; len(values) > 0 {
					f.Type, f.Values = "enum", values
				}
			}
		}
		native, err := plugins.NewNative(map[string]*sdk.Adapter{"hostile": b}, plugins.Options{AllowLoopbackHTTP: true})
		require.NoError(t, err)
		return native, &b.Manifest
	}
	_, m := build("eu")
	approved := &approval.OperatorDecisions{Approvals: []approval.Approval{{Hash: "the first build", Reach: approval.ReachOf(m)}}}
	drive := func(op sdk.Operation, native port.Connectors) error {
		d := authorize("hostile", p.URL)
		d.Operation, d.Account.Operator, d.Account.Config = op, approved, map[string]string{"mode": "honest"}
		_, err := native.Drive(t.Context(), d)
		return err
	}
	same, _ := build("eu")
	require.NoError(t, drive(sdk.OpAuthorize, same))
	require.EqualValues(t, 1, p.arrivals.Load())
	for want, native := range map[string]port.Connectors{
		"config region as region (text; default evil)":                 first(build("evil")),
		"config region as region (enum: eu, evil; default eu)":         first(build("eu", "eu", "evil")),
		"config region as region (enum: " + hostile.AuthorKey + "; de": first(build("eu", hostile.AuthorKey)),
	} {
		err := drive(sdk.OpAuthorize, native)
		require.ErrorIs(t, err, port.ErrNotApproved)
		require.ErrorContains(t, err, want)
	}
	require.EqualValues(t, 1, p.arrivals.Load())
}

func first[A, B any](a A, _ B) A { return a }
