package dashboard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/port"
	"payswitch/engine/routed"
	"payswitch/engine/staff"
	"payswitch/plugins/simulator"
)

// allStates lists every state of every page: those that states makes up, and those that the real engine brings about.
func allStates(t testing.TB) []state {
	return append(states(), settingStates(t)...)
}

// settingStates are pages of settings as the real engine brings them about.
func settingStates(t testing.TB) []state {
	w := newWorld(t)
	var out []state
	add := func(name, method, path string, pairs ...string) {
		t.Helper()
		out = append(out, state{name, w.drawn(method, path, pairs...)})
	}
	profile := "/m/acme/profiles/" + w.profile().ID
	add("setup-empty", http.MethodGet, "/m/acme/setup")
	add("connectors-empty", http.MethodGet, "/m/acme/connectors")
	add("3ds-empty", http.MethodGet, "/m/acme/3ds")
	add("connectors-new", http.MethodGet, "/m/acme/connectors/new?connector=adyen")
	add("connectors-wrong", http.MethodPost, "/m/acme/connectors", "connector", "adyen", "credential.api_key", "k")
	add("3ds-new", http.MethodGet, "/m/acme/3ds/new?connector=netcetera")
	add("simulator-empty", http.MethodGet, "/m/acme/simulator")
	add("keys-empty", http.MethodGet, "/m/acme/keys")
	add("keys-made", http.MethodPost, "/m/acme/keys", "name", "shop", "expiration", "90")
	add("keys-wrong", http.MethodPost, "/m/acme/keys", "name", "", "expiration", "90")
	w.post("/m/acme/keys", "name", "a name that is as long as names of keys may be, with no end of it", "expiration", "1", "description", "The nightly job")
	add("keys", http.MethodGet, "/m/acme/keys")
	connector := w.done("/m/acme/connectors", "connector", "adyen", "credential.api_key", "k", "credential.key1", "k", "connector_label", "an_account_with_a_label_as_long_as_labels_may_be_0123456789abcdef")
	w.done("/m/acme/connectors", "connector", "simulator")
	add("connectors", http.MethodGet, "/m/acme/connectors")
	add("connector", http.MethodGet, connector)
	add("connector-saved", http.MethodPost, connector, "connector_label", "main", "credential.api_key", "other")
	add("connector-wrong", http.MethodPost, connector, "connector_label", "")
	w.done("/m/acme/3ds", "connector", "threedsecureio", "credential.api_key", "k")
	add("3ds", http.MethodGet, "/m/acme/3ds")
	add("checkout", http.MethodGet, "/m/acme/checkout")
	add("profiles", http.MethodGet, "/m/acme/profiles")
	add("profile", http.MethodGet, profile)
	add("profile-saved", http.MethodPost, profile+"/3ds", "authentication_connectors", "threedsecureio", "three_ds_requestor_url", "https://shop.example")
	add("profile-wrong", http.MethodPost, profile+"/general", "profile_name", "", "return_url", "nothing")
	add("profile-links-wrong", http.MethodPost, profile+"/links", "theme", "the colour of the sea", "seller_name", "Dr. Maximiliane Wolkenstein-Trostburg von und zu Rodenegg")
	w.done(connector+"/switch", "on", "") // payments go to the simulator, and nothing leaves this machine
	paid := "/m/acme/payments/" + w.pay(6540).Payment.ID
	add("sheet-void", http.MethodGet, paid+"/void")
	add("sheet-refund", http.MethodGet, paid+"/refund")
	add("setup", http.MethodGet, "/m/acme/setup")
	edit := "/m/acme/routing/" + w.profile().ID + "/edit"
	add("routing-edit", http.MethodGet, edit)
	at := draftOf(t, get(t, w.server, edit))
	accounts, err := w.engine.Accounts(t.Context(), w.auth)
	require.NoError(t, err)
	add("routing-wrong", http.MethodPost, edit, "algorithm", at, "do", "add", "name", "large", "lhs", "amount", "comparison", "greater_than", "value", "much", "to", accounts[0].ID)
	for _, name := range []string{"large", "a rule with a name that is as long as a person may find useful"} {
		at = draftOf(t, w.post(edit, "algorithm", at, "do", "add", "name", name, "lhs", "amount", "comparison", "greater_than", "value", "5000", "to", accounts[0].ID))
	}
	add("routing-tried", http.MethodPost, edit, "algorithm", at, "do", "try", "payments", "100")
	add("routing-none", http.MethodGet, "/m/acme/routing")
	w.done(edit, "algorithm", at, "do", "save", "name", "by amount", "description", "Large ones go elsewhere")
	kept, err := w.engine.Routings(t.Context(), w.auth, routed.ForPayment, 10, 0)
	require.NoError(t, err)
	w.done("/m/acme/routing/"+w.profile().ID+"/activate", "id", kept[0].ID)
	add("routing", http.MethodGet, "/m/acme/routing")
	w.done("/m/acme/routing/" + w.profile().ID + "/deactivate")
	add("simulator", http.MethodGet, "/m/acme/simulator")
	add("simulator-wrong", http.MethodPost, "/m/acme/simulator", "ending", "approved", "amount", "all", "currency", "USD")
	add("links-empty", http.MethodGet, "/m/acme/links")
	add("links-wrong", http.MethodPost, "/m/acme/links", "amount", "much", "currency", "USD", "return_url", "nothing")
	link := w.done("/m/acme/links", "key", linkKey, "amount", "123456.789", "currency", "KWD", "return_url", "https://shop.example/done", "description", "قهوة عربية, and a description that is as long as a person writes it for a customer who reads it")
	ended := w.done("/m/acme/links", "key", linkKey+"2", "amount", "1200", "currency", "JPY", "return_url", "https://shop.example/done")
	_, err = w.engine.CancelPayment(t.Context(), w.auth, "pay_link_"+linkKey+"2", "")
	require.NoError(t, err)
	add("links", http.MethodGet, "/m/acme/links")
	add("link", http.MethodGet, link)
	add("link-ended", http.MethodGet, ended)
	add("collect-links-empty", http.MethodGet, "/m/acme/collect-links")
	add("collect-links-wrong", http.MethodPost, "/m/acme/collect-links", "customer_id", "nobody")
	_, err = w.engine.CreateCustomer(t.Context(), w.auth, method.CustomerData{ID: "cus_with_an_id_as_long_as_ids_of_customers_may_be_0123456789abcd"})
	require.NoError(t, err)
	collect := w.done("/m/acme/collect-links", "key", linkKey, "customer_id", "cus_with_an_id_as_long_as_ids_of_customers_may_be_0123456789abcd")
	add("collect-links", http.MethodGet, "/m/acme/collect-links")
	add("collect-link", http.MethodGet, collect)
	add("events-empty", http.MethodGet, "/m/acme/events")
	add("webhooks-empty", http.MethodGet, "/m/acme/webhooks")
	add("webhooks-wrong", http.MethodPost, "/m/acme/webhooks/"+w.profile().ID, "url", "https://internal.example", "event_types", "payment_made")
	add("webhooks-made", http.MethodPost, "/m/acme/webhooks/"+w.profile().ID, "url", "https://shop.example/an/address/that/is/as/long/as/addresses/of/endpoints/are/in/the/worst/case?with=query")
	endpoint := w.endpoint()
	w.shop.status.Store(http.StatusInternalServerError)
	w.pay(6540)
	failed := w.delivered(1, false)
	add("events", http.MethodGet, "/m/acme/events")
	add("events-failed", http.MethodGet, "/m/acme/events?state=failed")
	add("events-none", http.MethodGet, "/m/acme/events?state=delivered")
	add("event", http.MethodGet, "/m/acme/events/"+failed.EventID)
	add("webhooks", http.MethodGet, "/m/acme/webhooks")
	add("endpoint", http.MethodGet, endpoint)
	add("endpoint-tested", http.MethodPost, endpoint+"/test")
	add("endpoint-again", http.MethodPost, endpoint+"/again")
	add("endpoint-wrong", http.MethodPost, endpoint, "url", "nothing")
	add("endpoint-rotated", http.MethodPost, endpoint+"/rotate", "overlap", "0")
	w.shop.status.Store(http.StatusOK)
	w.done("/m/acme/events/"+failed.EventID+"/again", "endpoint_id", failed.EndpointID)
	add("event-delivered", http.MethodGet, "/m/acme/events/"+failed.EventID)
	disputed := w.disputed(700, "opened", `,"reason":"goods_not_received","reason_code":"13.1","respond_by":4000000000`)
	add("dispute", http.MethodGet, disputed)
	add("dispute-wrong", http.MethodPost, disputed+"/evidence", "key", "k1", "uncategorized_text", "paid with 4242424242424242")
	add("dispute-over", http.MethodPost, disputed+"/files")
	require.Equal(t, http.StatusSeeOther, w.attach(disputed, "a-receipt-with-a-name-that-is-as-long-as-people-give-to-files-that-a-scanner-has-made.pdf", []byte("%PDF-1.7")).Code)
	add("dispute-files", http.MethodGet, disputed)
	w.done(disputed+"/evidence", "key", "k2", "uncategorized_text", "The customer has the goods.")
	add("dispute-answered", http.MethodGet, disputed+"?did=evidence")
	add("dispute-doubt", http.MethodGet, w.path(w.done(w.disputed(900000603, "opened", "")+"/accept", "key", "k3")))
	refused := w.disputed(900000601, "opened", "")
	w.post(refused+"/accept", "key", "k4")
	add("dispute-refused", http.MethodGet, refused)
	add("dispute-lost", http.MethodGet, w.disputed(600, "lost", ""))
	add("decisions-empty", http.MethodGet, "/decisions")
	first, second := w.doubt(), w.doubt()
	add("decisions", http.MethodGet, "/decisions")
	add("decision", http.MethodGet, "/decisions/"+first)
	add("decision-wrong", http.MethodPost, "/decisions/"+first, "outcome", "succeeded", "amount", "all", "reference", "", "why", "")
	w.done("/decisions/"+second, "outcome", "not_done", "why", "The processor's page shows nothing, and its support has said the same on the telephone.")
	add("decision-made", http.MethodGet, "/decisions/"+second)
	w.done("/decisions/"+first, "outcome", "declined", "why", "Refused there.")
	add("decisions-decided", http.MethodGet, "/decisions")
	require.Equal(t, http.StatusOK, w.post(profile+"/decisions", "second_person", "on", "limits", "1000.00 USD").Code)
	proposed := w.doubt()
	add("decision-propose", http.MethodGet, "/decisions/"+proposed)
	w.done("/decisions/"+proposed, "outcome", "succeeded", "amount", "9000000.31", "reference", "ch_0197d2a1c57b7d0e8a4b5b7e0f3d2c1b", "why", "The processor's page shows it as captured, at 14:02.")
	add("decision-own", http.MethodGet, "/decisions/"+proposed)
	add("decision-own-wrong", http.MethodPost, "/decisions/"+proposed+"/confirm", "proposal", "prop_1")
	add("decisions-proposed", http.MethodGet, "/decisions")
	w.person.UserID, w.person.Name = "user_bob", "Dr. Maximiliane Wolkenstein-Trostburg von und zu Rodenegg"
	add("decision-second", http.MethodGet, "/decisions/"+proposed)
	w.person.SecondFactorAt = time.Time{}
	add("keys-step-up", http.MethodGet, "/m/acme/keys")
	w.as(staff.Grant{Role: staff.Operator}, staff.Grant{Role: staff.Admin})
	add("adapters", http.MethodGet, "/adapters")
	add("adapter", http.MethodGet, "/adapters/adyen")
	w.server.Bundles = &shelf{}
	info, _ := w.server.Adapters.Adapter("adyen")
	info.BuiltIn, info.Hash = false, strings.Repeat("ab", 32)
	a := &account.Account{ID: "mca_1", MerchantID: "acme", Label: "main", Connector: "adyen"}
	c := &call{Request: httptest.NewRequest(http.MethodGet, "/adapters/adyen", nil), server: w.server, Session: w.person}
	out = append(out, state{"adapter-waits", c.adapterOf(info, []*account.Account{a}, []*port.Violation{{At: noon, Rule: "foreign_host", Place: "host evil.example", Operation: "authorize", AdapterHash: info.Hash}},
		nil, fault.Unprocessable("sha256", "sha256 is not the hash of the installed adapter"))}, state{"adapters-none", c.adapterList(nil, nil, nil, nil)})
	given := someBundle()
	out = append(out, state{"adapters-given", c.adapterList(w.server.Adapters.Adapters(), nil, []port.Bundle{given.Bundle}, nil)}, state{"bundle", c.bundleOf(given, nil)})
	older := someBundle()
	older.Older, older.Further, older.InstalledAt, older.InstalledBy = true, "", noon, "Grace Hopper <grace@example.com>"
	refusedOne := someBundle()
	refusedOne.Refused, refusedOne.Signer = "the adapter is signed by a key that is not trusted here", ""
	inUse := someBundle()
	inUse.InUse, inUse.Further, inUse.InstalledAt, inUse.InstalledBy = true, "", noon, "the host"
	out = append(out, state{"bundle-older", c.bundleOf(older, nil)}, state{"bundle-refused", c.bundleOf(refusedOne, nil)}, state{"bundle-in-use", c.bundleOf(inUse, nil)},
		state{"adapters-refused", c.adapterList(nil, nil, nil, fault.Unprocessable("bundle", "the bundle's SHA256SUMS do not match its files: the bundle was changed"))},
		state{"adapter-kept", c.adapterOf(info, nil, nil, []port.Bundle{inUse.Bundle, older.Bundle}, nil)})
	out = append(out, state{"system", c.systemOf(someSystem(false))}, state{"system-bad", c.systemOf(someSystem(true))},
		state{"settings", c.settingsOf([]Setting{{"admin.api_key", "(set)", true}, {"dashboard.listen", "127.0.0.1:8081", true}, {"dashboard.public_url", "https://a-dashboard-with-a-long-name.shop.example", false},
			{"storage.dsn", "sqlite:/var/lib/payswitch/a/folder/whose/name/is/as/long/as/names/of/folders/are/payswitch.db", false}})})
	out = append(out, state{"logs-all", c.logsOf(LogFilter{Before: 7}, someLines(3), noon, true)}, state{"logs-all-empty", c.logsOf(LogFilter{}, nil, time.Time{}, false)})
	c.Merchant = &account.Merchant{ID: "acme"}
	out = append(out, state{"logs", c.logsOf(LogFilter{}, someLines(listRows+1), noon, true)}, state{"logs-empty", c.logsOf(LogFilter{}, nil, time.Time{}, false)}, state{"logs-none", c.logsOf(LogFilter{Text: "قهوة", Status: "5"}, nil, noon, false)})
	add("setup-all", http.MethodGet, "/setup")
	return out
}

// someBundle returns a bundle that waits for its installation, and that asks for more than the build in use.
func someBundle() *port.BundleView {
	m := simulator.Adapter().Manifest
	return &port.BundleView{Bundle: port.Bundle{SHA256: strings.Repeat("ab", 32), Name: "acme", Version: "0.1.0", GivenAt: noon, GivenBy: "Ada Lovelace <ada@example.com>"}, Module: strings.Repeat("cd", 32),
		Manifest: &m, Signer: "0123456789ABCDEF", Replaces: "acme 0.2.0, sha256 " + strings.Repeat("ef", 32), Further: "host api.acme.example; credential api_key"}
}

// someSystem returns an installation, in order or with much that is wrong.
func someSystem(bad bool) SystemState {
	now := time.Now()
	st := SystemState{Version: "v1.2.3", Revision: "0123456789abcdef0123456789abcdef01234567", Program: "go1.26.0, linux/amd64, adapter ABI 7", Node: "node_1", Started: now.Add(-50 * time.Hour),
		Nodes:    []Node{{"a-node-with-a-name-that-is-as-long-as-names-of-nodes-may-be-0123", "v1.2.3", now.Add(-time.Hour), now}, {"node_2", "v1.2.2", now.Add(-time.Hour), now.Add(-time.Hour)}},
		Database: Database{Address: "sqlite:/var/lib/payswitch/payswitch.db", Size: 7 << 30, WAL: 4 << 20, Free: 90 << 30, Batch: "3.1", Commit: "1.2ms"},
		Loops:    []Loop{{"Questions about unknown outcomes", 0}, {"Payments that expire", 2 * time.Second}},
		Queues: []Queue{{Name: "Operations with an unknown outcome", URL: "/decisions", Advice: "payswitch keeps asking the processors. A person decides where a processor cannot say."},
			{Name: "Endpoints that do not take their events", Advice: "The page Webhooks of a merchant says which endpoint fails."}},
		Processors: []Processor{{"adyen", "a-long-prefix-of-a-merchant-checkout-live.adyenpayments.com", 120345, 12, 412 * time.Millisecond}}, Checked: []string{"disk: 90000 MB are free", "clock: not behind the database"}}
	if bad {
		st.Nodes, st.Processors, st.Database.Commit = nil, nil, ""
		st.Database.Size, st.Database.WAL, st.Database.Free = -1, -1, -1
		st.Findings = []Finding{{"3 operations have an unknown result, the oldest (op_0197d2a1c57b7d0e8a4b5b7e0f3d2c1b at adyen) for 1h12m0s", "payswitch operations list --unknown, then Resolve an operation by hand in OPERATIONS.md"},
			{"others on this machine may use /var/lib/payswitch/payswitch.db (-rw-r--r--)", "chmod go= /var/lib/payswitch/payswitch.db"}}
		st.Loops[1].Late = 2 * time.Hour
		st.Queues[0].N, st.Queues[0].More, st.Queues[0].Oldest, st.Queues[1].N, st.Queues[1].Oldest = 500, true, 72*time.Hour, 2, time.Hour
	}
	return st
}

// TestSystemNamesWhatWaits: the first page of an operator says what waits, with the way to it, and does not call that nothing.
func TestSystemNamesWhatWaits(t *testing.T) {
	t.Parallel()
	s := newServer(t, staff.Operator)
	c := &call{Request: httptest.NewRequest(http.MethodGet, "/system", nil), server: s}
	c.Session, _ = s.Sessions.Of(c.Request)
	st := someSystem(false)
	require.Contains(t, fmt.Sprint(c.systemOf(st).Blocks), "Nothing needs you")
	st.Queues[0].N = 2
	blocks := c.systemOf(st).Blocks
	require.NotContains(t, fmt.Sprint(blocks), "Nothing needs you")
	require.Equal(t, "Operations with an unknown outcome: 2", blocks[0].Heading)
	require.Equal(t, []Link{{"/decisions", "Open the list"}}, blocks[0].Links)
}

// someLines are lines of a log: requests with every class of status, and others.
func someLines(n int) (out []LogLine) {
	for i := range n {
		l := LogLine{Seq: uint64(1000 - i), At: noon, Level: "INFO", Message: "request", Attrs: []LogAttr{{"component", "router"}, {"request_id", "0197d2a1-c57b-7d0e-8a4b-5b7e0f3d2c1b"}, {"method", "POST"},
			{"route", "/payments/{payment_id}/incremental_authorization"}, {"status", []string{"200", "422", "503"}[i%3]}, {"took", "412ms"}, {"merchant_id", "acme"}, {"payment_id", "pay_0197d2a1c57b7d0e8a4b5b7e0f3d2c1b"}}}
		if i%4 == 3 {
			l = LogLine{Seq: uint64(1000 - i), At: noon, Level: "ERROR", Message: "events for a webhook endpoint were given up: it took none for three days", Attrs: []LogAttr{{"merchant_id", "acme"}, {"endpoint_id", strings.Repeat("we_0123456789", 9)}}}
		}
		out = append(out, l)
	}
	return out
}
