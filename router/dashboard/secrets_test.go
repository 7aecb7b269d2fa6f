package dashboard

import (
	"context"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/router"
)

// reruns replays nothing.
type reruns struct{}

func (reruns) Replay(context.Context, string, string) ([]Replay, error) { return nil, nil }

var links = regexp.MustCompile(`(?:href|hx-get|action)="(/[^"#]*)`)

// TestSecretsOnEveryPage brings about something for each page to show, with marked secrets in it. It walks from link to link as a person of every role
// together, must come to every page, and finds no mark.
func TestSecretsOnEveryPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.as(staff.Grant{Role: staff.Operator}, staff.Grant{Role: staff.Admin})
	w.server.Bundles, w.server.Replayer, w.server.System, w.server.Logs, w.server.Presenter = &shelf{}, reruns{}, installationOf{}, installationOf{}, router.Presenter{}
	w.server.routes = nil
	fresh, err := New(w.server.Deps, w.server.opts)
	require.NoError(t, err)
	w.server = fresh

	marks := []string{marked, hookSecret, "5555555555554444", "5555 5555", `"987"`, "=987"} // examples have another card
	w.done("/m/acme/connectors", "connector", "simulator", "credential.api_key", marked, "credential.key1", marked)
	w.done("/m/acme/connectors", "connector", "adyen", "credential.api_key", marked, "credential.key1", marked)
	w.done("/m/acme/3ds", "connector", "threedsecureio", "credential.api_key", marked)
	accounts, err := w.engine.Accounts(t.Context(), w.auth)
	require.NoError(t, err)
	for _, a := range accounts {
		if a.Connector == "adyen" {
			w.done("/m/acme/connectors/"+a.ID+"/switch", "on", "")
		}
	}
	key := w.post("/m/acme/keys", "name", "shop", "expiration", "90").Body.String()
	shown := regexp.MustCompile(`(?:dev|snd|prd)_[0-9A-Za-z]{20,}`).FindString(key)
	require.NotEmpty(t, shown)
	endpoint := w.post("/m/acme/webhooks/"+w.profile().ID, "url", "https://shop.example/hooks").Body.String()
	marks = append(marks, shown, shownSecret(endpoint))
	other := func(in *request.Input) {
		in.Card.Number, in.Card.CVC = secret.New("5555555555554444"), secret.New("987")
	}
	w.pay(6540, other, func(in *request.Input) {
		in.CustomerID, in.SetupFutureUsage = "cus_1", "off_session"
		in.MandateData = &request.MandateInput{Acceptance: &payment.Acceptance{Type: "online", Online: true, IP: "203.0.113.9", UserAgent: "t"}, Terms: payment.MandateTerms{Amount: 6540, Currency: "USD"}}
	})
	held := w.pay(6540, other, func(in *request.Input) {
		in.CaptureMethod, in.Incremental, in.Extended = payment.CaptureManual, new(true), new(true)
	})
	paid := w.pay(6540, other)
	marks = append(marks, paid.Payment.Private.ClientSecret, held.Payment.Private.ClientSecret)
	w.done("/m/acme/payments/"+paid.Payment.ID+"/refund", "amount", "1.00", "key", "k1", "reason", "damaged")
	one := w.disputed(700, "opened", "")
	require.Equal(t, http.StatusUnprocessableEntity, w.post(one+"/evidence", "key", "k2", "uncategorized_text", "card 5555 5555 5555 4444").Code)
	w.done(one+"/evidence", "key", "k3", "uncategorized_text", "The customer has the goods.")
	w.done("/m/acme/links", "key", linkKey, "amount", "10", "currency", "USD", "return_url", "https://shop.example/done")
	w.done("/m/acme/collect-links", "key", linkKey, "customer_id", "cus_1")
	w.doubt()
	w.delivered(1, true)
	require.Equal(t, http.StatusSeeOther, w.give([]byte("bundle")).Code)

	came := map[string]bool{}
	seen, left := map[string]bool{}, []string{"/", "/m/acme/", "/setup", "/m/acme/payments.csv", "/m/acme/events/" + w.delivered(1, true).EventID + "/resend"}
	for len(left) > 0 {
		path := strings.ReplaceAll(left[0], "&amp;", "&")
		left = left[1:]
		if seen[path] || strings.HasPrefix(path, "/assets/") || strings.HasPrefix(path, "/confirm") || len(seen) > 600 {
			continue
		}
		seen[path] = true
		rec := get(t, w.server, path)
		_, pattern := w.server.mux.Handler(asked(path))
		came[pattern] = true
		require.Less(t, rec.Code, http.StatusInternalServerError, path)
		text := rec.Body.String()
		plain := html.UnescapeString(text)
		for _, mark := range marks {
			if strings.HasSuffix(pattern, "/simulator") { // it lists the test cards
				continue
			}
			require.False(t, strings.Contains(text, mark) || strings.Contains(plain, mark), "%s shows %s", path, mark)
		}
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			left = append(left, m[1])
		}
		if to := rec.Header().Get("Location"); to != "" {
			left = append(left, to)
		}
	}
	var missed []string
	for _, r := range w.server.routes {
		if r.method == http.MethodGet && !came["GET "+r.pattern] {
			missed = append(missed, r.pattern)
		}
	}
	require.Empty(t, missed, "the walk has to come to every page")
	require.Less(t, len(seen), 600)
	for _, a := range w.audit.acts {
		for _, v := range a.Details {
			for _, mark := range marks {
				require.NotContains(t, v, mark)
			}
		}
	}
}

// asked returns a request of a page.
func asked(path string) *http.Request {
	r, err := http.NewRequest(http.MethodGet, "http://dashboard.example"+path, nil)
	if err != nil {
		panic(err)
	}
	return r
}

// TestCustomerActsAreAudited: what a person does to a customer, and an event sent again, are lines of the audit.
func TestCustomerActsAreAudited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	w.pay(6540, func(in *request.Input) {
		in.CustomerID, in.SetupFutureUsage = "cus_1", "off_session"
		in.Acceptance = &payment.Acceptance{Type: "online", Online: true}
		in.Card.Number = secret.New("4242424242424242")
	})
	page := w.page("/m/acme/customers/cus_1")
	remove := regexp.MustCompile(`/m/acme/customers/cus_1/methods/[^/"]+/remove`).FindString(page)
	require.NotEmpty(t, remove)
	w.done(remove)
	w.done("/m/acme/customers/cus_1/forget")
	var acts []string
	for _, a := range w.audit.acts {
		acts = append(acts, a.Action+" "+a.Target)
	}
	require.Subset(t, acts, []string{"customer.remove cus_1", "customer.forget cus_1"})
}
