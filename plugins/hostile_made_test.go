package plugins_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
)

// made begins the same requests as jsonHead and form. Their text may hold derivations of the author's key.
var (
	madeJSON = "made" + jsonHead[len("raw"):]
	madeForm = "made" + form[len("raw"):]
)

// A derivation of the author's own text counts as the author's text, at any place.
func TestHostileDerivations(t *testing.T) {
	plugins.Sequential(t)
	onHostile(t, func(t *testing.T, a *attack) {
		for name, mode := range map[string]string{
			"the key as it is":    madeJSON + "\n{" + `"api_key":"{T}",` + cardJSON + "}",
			"joined of two parts": madeJSON + "\n{" + `"password":"{J}",` + cardJSON + "}",
			"in a header":         madeJSON + "X-Login: {T}\n\n{" + cardJSON + "}",
			"behind a scheme":     madeJSON + "X-Api-Key: Bearer {T}\n\n{" + cardJSON + "}",
			"in a plain field":    madeJSON + "\n{" + `"note":"{T}",` + cardJSON + "}",
			"within a text":       madeJSON + "\n{" + `"note":"a {T} b",` + cardJSON + "}",
			"in a form":           madeForm + "&login={T}",
			"in the query":        "made:POST /json?key={T}\nContent-Type: application/json\nAuthorization: Bearer {K}\n\n{" + cardJSON + "}",
		} {
			t.Run(name, func(t *testing.T) { a.refused(t, plugins.RuleDerivation, mode, nil) })
		}
		for name, mode := range map[string]string{
			"in base64, where any derivation may stand": madeJSON + "X-Api-Key: {B}\n\n{" + cardJSON + "}",
			"as the key of a signature":                 madeJSON + "X-Api-Key: {S}\n\n{" + cardJSON + "}",
			"in base64, for a captured answer":          "made:POST /json\nAuthorization: Bearer {K}\nX-Api-Key: {B}\nCapture: session\n",
		} {
			t.Run(name, func(t *testing.T) { a.refused(t, plugins.RuleAuthentication, mode, nil) })
		}
		for name, mode := range map[string]string{
			"a digest with the account's key": madeJSON + "X-Api-Key: {D}\n\n{" + cardJSON + "}",
			"an account's id in the path":     "raw:POST /v1/eu%2Fshop/charges\nContent-Type: application/json\nAuthorization: Bearer {K}\n\n{" + cardJSON + "}",
		} {
			t.Run("honest "+name, func(t *testing.T) {
				_, err := a.drive(mode, nil)
				require.NoError(t, err)
				require.Len(t, a.take(), 1)
			})
		}
	})
}

// The host reads the path, the query and the parts of a multipart body as the most lenient server does.
func TestHostileForms(t *testing.T) {
	plugins.Sequential(t)
	const head = "\nContent-Type: application/json\nAuthorization: Bearer {K}\n\n{" + cardJSON + "}"
	part := func(disposition, value string) string {
		return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + value + "\r\n"
	}
	body := "raw:POST /form\nContent-Type: multipart/form-data; boundary=b\n\n" + part(`name="security_key"`, "{K}") + part(`name="ccnumber"`, "{N}")
	onHostile(t, func(t *testing.T, a *attack) {
		for _, path := range []string{"%2e%2e", "%2E.", "..%2f..%2fx", "..%5cx", "..;", "..;x=1", "%252e%252e", "x%2f..", "."} {
			t.Run(path, func(t *testing.T) { a.refused(t, plugins.RuleURL, "raw:POST /v1/"+path+"/charges"+head, nil) })
		}
		t.Run("a query with a semicolon", func(t *testing.T) {
			a.refused(t, plugins.RuleAuthentication, "raw:POST /json?a=1;key=author"+head, nil)
		})
		for name, mode := range map[string]string{
			"half a line break":        body + part(`name="x"`, "1\n--b\nContent-Disposition: form-data; name=\"security_key\"\n\nauthor") + "--b--\r\n",
			"the other half":           body + part(`name="x"`, "1\r--b\rContent-Disposition: form-data; name=\"security_key\"\r\rauthor") + "--b--\r\n",
			"a name in another coding": body + part(`name*=utf-8''a%62`, "author") + "--b--\r\n",
			"a name in parts":          body + part(`name*0="a"; name*1="b"`, "author") + "--b--\r\n",
			"a name in a parameter":    body + part(`name="a"; y="; name=security_key"`, "author") + "--b--\r\n",
			"a file with a path":       body + part(`name="a"; filename="../x"`, "author") + "--b--\r\n",
			"a file with a quote":      body + part(`name="a"; filename="x\"; name=\"security_key"`, "author") + "--b--\r\n",
			"a file without a name":    body + part(`name="a"; filename=""`, "author") + "--b--\r\n",
			"a file and more":          body + part(`name="a"; filename="x"; y="z"`, "author") + "--b--\r\n",
			"a card in a file":         "raw:POST /form\nContent-Type: multipart/form-data; boundary=b\n\n" + part(`name="security_key"`, "{K}") + part(`name="ccnumber"; filename="x"`, "{N}") + "--b--\r\n",
			"a line in a line":         body + part("name=\"a\";\n name=security_key", "author") + "--b--\r\n",
		} {
			t.Run(name, func(t *testing.T) { a.refused(t, plugins.RuleTemplate, mode, nil) })
		}
		_, err := a.drive(body+part(`name="x"`, "one\n-- two --\r\nthree")+"--b--\r\n", nil)
		require.NoError(t, err)
		require.Len(t, a.take(), 1)
	})
}
