package dashboard

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/paylink"
	"payswitch/engine/request"
	"payswitch/engine/staff"
)

// notMaking are the forms that make nothing, with the reason why a second click is harmless. TestFormsOnce holds that every other form is sent once.
var notMaking = map[string]string{
	"/login": "session", "/login/passkey": "session", "/passkey": "question", "/enter/{link}": "the link is used up", "/logout": "ends",
	"/confirm": "session", "/confirm/passkey": "session", "/enrol/app": "takes the place of the last one", "/enrol/code": "takes the place of the last one",
	"/enrol/passkey/ask": "question", "/enrol/passkey": "the question is used up", "/me": "sets", "/me/{act}": "sets, ends, or takes the place of the last one",
	"/m/{m}/payments":              "finds",
	"/m/{m}/payments/{id}/capture": "has a key, see TestDashboardMoney", "/m/{m}/payments/{id}/refund": "has a key", "/m/{m}/payments/{id}/cancel": "has a key", "/m/{m}/payments/{id}/void": "has a key",
	"/m/{m}/payments/{id}/raise": "has a key, see TestRaiseAndExtend", "/m/{m}/payments/{id}/extend": "has a key",
	"/m/{m}/payments/{id}/ask": "asks", "/m/{m}/disputes/{id}/ask": "asks", "/m/{m}/disputes/{id}/evidence": "has a key, see TestDisputeAnswered",
	"/m/{m}/disputes/{id}/files": "takes the place of the last one", "/m/{m}/disputes/{id}/files/remove": "ends",
	"/m/{m}/customers/{id}/methods/{thing}/remove": "ends", "/m/{m}/customers/{id}/mandates/{thing}/revoke": "ends", "/m/{m}/customers/{id}/forget": "ends",
	"/m/{m}/connectors/{id}": "sets", "/m/{m}/connectors/{id}/switch": "sets", "/m/{m}/connectors/{id}/delete": "ends",
	"/m/{m}/profiles/{p}/links/preview": "shows", "/m/{m}/profiles/{p}/{part}": "sets", "/m/{m}/keys/{id}/revoke": "ends", "/m/{m}/webhooks/{p}/{id}": "sets",
	"/m/{m}/routing/{p}/activate": "sets", "/m/{m}/routing/{p}/deactivate": "sets", "/m/{m}/collect-links/{id}/end": "ends",
	"/adapters/{name}/approve": "sets", "/adapters/bundles": "a bundle is named by its content", "/adapters/bundles/{sha256}/install": "sets",
	"/decisions/{id}/confirm": "the proposal is used up", "/decisions/{id}/withdraw": "the proposal is used up",
}

var shownFormKey = regexp.MustCompile(`name="(form_key|key)" value="([A-Z0-9]{20,})"`)

// TestFormsOnce sends each form that makes something twice at the same time, as a double click does. One thing is made, and both answers show it.
func TestFormsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Admin}, staff.Grant{Role: staff.Operator})
	w.done("/m/acme/connectors", "connector", "simulator")
	dispute := w.disputed(700, "opened", `,"respond_by":4000000000`)
	require.Equal(t, http.StatusOK, w.post("/m/acme/webhooks/"+w.profile().ID, "url", "https://shop.example/hooks").Code)
	w.pay(300)
	w.delivered(1, true)
	profile, doubt, ctx := w.profile().ID, w.doubt(), t.Context()
	endpoints, err := w.engine.Webhooks.Endpoints(ctx, w.auth, profile)
	require.NoError(t, err)
	endpoint := "/m/acme/webhooks/" + profile + "/" + endpoints[0].ID
	event := w.delivered(1, true)
	attempts := func() int {
		list, err := w.engine.Webhooks.EventAttempts(ctx, w.auth, event.EventID)
		require.NoError(t, err)
		return len(list)
	}
	customer := "cus_1"
	w.pay(100, func(in *request.Input) { in.CustomerID = customer })
	edit := "/m/acme/routing/" + profile + "/edit"
	draft := draftOf(t, get(t, w.server, edit))
	acted := func(action string) func() int {
		return func() (n int) {
			for _, a := range w.audit.acts {
				if a.Action == action {
					n++
				}
			}
			return n
		}
	}
	links := func(kind paylink.Kind) func() int {
		return func() int {
			list, err := w.engine.StandingLinks(ctx, w.auth, kind, paylink.Filter{Limit: 50})
			require.NoError(t, err)
			return len(list)
		}
	}
	covered := map[string]bool{}
	for _, x := range []struct {
		pattern, page, to string // the page with the form, and where it goes
		pairs             []string
		count             func() int
	}{
		{"/setup", "/setup", "/setup", []string{"merchant_id", "second"}, acted("merchant.create")},
		{"/m/{m}/keys", "/m/acme/keys", "/m/acme/keys", []string{"name", "shop", "expiration", "1"}, func() int {
			list, err := w.engine.APIKeys(ctx, w.auth, 0, 0)
			require.NoError(t, err)
			return len(list)
		}},
		{"/m/{m}/profiles", "/m/acme/profiles", "/m/acme/profiles", []string{"profile_name", "second"}, func() int {
			list, err := w.engine.Profiles(ctx, w.auth)
			require.NoError(t, err)
			return len(list)
		}},
		{"/m/{m}/connectors", "/m/acme/connectors/new?connector=simulator", "/m/acme/connectors", []string{"connector", "simulator", "connector_label", "again"}, w.accounts},
		{"/m/{m}/3ds", "/m/acme/3ds/new?connector=threedsecureio", "/m/acme/3ds", []string{"connector", "threedsecureio", "connector_label", "auth", credentialPrefix + "api_key", "k"}, w.accounts},
		{"/m/{m}/webhooks/{p}", "/m/acme/webhooks", "/m/acme/webhooks/" + profile, []string{"url", "https://shop.example/more"}, func() int {
			list, err := w.engine.Webhooks.Endpoints(ctx, w.auth, profile)
			require.NoError(t, err)
			return len(list)
		}},
		{"/m/{m}/webhooks/{p}/{id}/{act}", endpoint, endpoint + "/rotate", []string{"overlap", "24h"}, acted("endpoint.rotate")},
		{"/m/{m}/webhooks/{p}/{id}/{act}", endpoint, endpoint + "/test", nil, acted("endpoint.test")},
		{"/m/{m}/events/again", "/m/acme/events/" + event.EventID + "/resend", "/m/acme/events/again", nil, acted("events.resend")}, // its own page needs events that failed
		{"/m/{m}/events/{event}/again", "/m/acme/events/" + event.EventID, "/m/acme/events/" + event.EventID + "/again", []string{"endpoint_id", endpoints[0].ID}, attempts},
		{"/m/{m}/events/{event}/resend", "/m/acme/events/" + event.EventID + "/resend", "/m/acme/events/" + event.EventID + "/resend", nil, acted("event.resend")},
		{"/m/{m}/routing/{p}/edit", edit, edit, []string{"algorithm", draft, "do", "save", "name", "mine"}, acted("routing.create")},
		{"/m/{m}/links", "/m/acme/links", "/m/acme/links", []string{"amount", "10.00", "currency", "USD", "return_url", "https://shop.example/done"}, links(paylink.ForPayment)},
		{"/m/{m}/collect-links", "/m/acme/collect-links", "/m/acme/collect-links", []string{"customer_id", customer, "return_url", "https://shop.example/done"}, links(paylink.ForCollect)},
		{"/m/{m}/simulator", "/m/acme/simulator", "/m/acme/simulator", []string{"ending", "approved", "amount", "1.00", "currency", "USD"}, func() int {
			list, err := w.engine.ListPayments(ctx, w.auth, request.ListInput{Limit: 50})
			require.NoError(t, err)
			return len(list)
		}},
		{"/decisions/{id}", "/decisions/" + doubt, "/decisions/" + doubt, []string{"outcome", "not_done", "why", "seen at the processor"}, acted("operation.decide")},
		{"/m/{m}/disputes/{id}/accept", dispute, dispute + "/accept", nil, acted("dispute.accept")},
	} {
		covered[x.pattern] = true
		status, html := w.get(x.page)
		require.Equal(t, http.StatusOK, status, x.page)
		pairs := x.pairs
		for _, name := range []string{"form_key", "key"} { // links and the simulator have a key that becomes the id of what they make
			for _, key := range shownFormKey.FindAllStringSubmatch(html, -1) {
				if key[1] == name {
					pairs = append([]string{name, key[2]}, pairs...)
					break
				}
			}
		}
		require.Greater(t, len(pairs), len(x.pairs), "%s shows no key", x.page)
		before := x.count()
		answers := make([]*httptest.ResponseRecorder, 2)
		var done sync.WaitGroup
		for i := range answers {
			done.Go(func() { answers[i] = w.post(x.to, pairs...) })
		}
		done.Wait()
		require.Less(t, answers[0].Code, 400, "%s: %s", x.to, mainOf(answers[0].Body.String()))
		require.Equal(t, before+1, x.count(), "%s was done twice", x.to)
		require.Equal(t, answers[0].Code, answers[1].Code, "%s: %s", x.to, mainOf(answers[1].Body.String()))
		require.Equal(t, answers[0].Header().Get("Location"), answers[1].Header().Get("Location"), x.to)
		require.Equal(t, mainOf(answers[0].Body.String()), mainOf(answers[1].Body.String()), "%s: the second answer shows what the first one made", x.to)
	}
	for _, r := range newStaffWorld(t, nil).server.routes {
		made := covered[r.pattern] || strings.Contains(r.pattern, "/team")
		if r.method == http.MethodPost && !made {
			require.NotEmpty(t, notMaking[r.pattern], "%s makes something or makes nothing: say which", r.pattern)
		}
	}

	// A form with a problem may be sent again. The answer is for its session alone: another one makes a key of its own, and never sees this one.
	key := shownFormKey.FindStringSubmatch(w.page("/m/acme/keys"))[2]
	send := func(name string) *httptest.ResponseRecorder {
		return w.post("/m/acme/keys", "form_key", key, "name", name, "expiration", "1")
	}
	require.Equal(t, http.StatusUnprocessableEntity, send("").Code)
	first := send("one")
	require.Equal(t, http.StatusOK, first.Code, mainOf(first.Body.String()))
	require.Equal(t, first.Body.String(), send("one").Body.String())
	w.person.ID = "another"
	require.NotEqual(t, first.Body.String(), send("one").Body.String())
}

// accounts counts the merchant's connector accounts.
func (w *world) accounts() int {
	w.t.Helper()
	list, err := w.engine.Accounts(context.Background(), account.Auth{MerchantID: "acme"})
	require.NoError(w.t, err)
	return len(list)
}

// TestInviteOnce: a double click on the invitation makes one link, and both answers show it.
func TestInviteOnce(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	v, _, _ := w.signedIn("ad@example.com", staff.Grant{MerchantID: "acme", Role: staff.Admin})
	key := shownFormKey.FindStringSubmatch(v.get("/m/acme/team").Body.String())
	require.NotNil(t, key)
	one := v.do(http.MethodPost, "/m/acme/team", "form_key", key[2], "email", "eve@example.com", "name", "Eve", "role", "viewer")
	require.Equal(t, http.StatusOK, one.Code, mainOf(one.Body.String()))
	link := regexp.MustCompile(`/enter/[\w-]{20,}`).FindString(one.Body.String())
	require.NotEmpty(t, link)
	two := v.do(http.MethodPost, "/m/acme/team", "form_key", key[2], "email", "eve@example.com", "name", "Eve", "role", "viewer")
	require.Equal(t, http.StatusOK, two.Code)
	require.Contains(t, two.Body.String(), link)
	require.Equal(t, http.StatusOK, w.visitor().get(link).Code, "the link that both answers show opens")
}
