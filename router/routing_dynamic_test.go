package router_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// dynamicPath returns where a profile's dynamic routing is set.
func (w *routedWorld) dynamicPath() string {
	return "/account/" + merchant + "/business_profile/" + w.profile + "/dynamic_routing"
}

// routed pays, and returns the payment's connector and how it was routed.
func (w *routedWorld) routed() (string, map[string]any) {
	w.t.Helper()
	v := w.post("/payments", with(plain, "routing", "-", "currency", `"USD"`)).ok()
	return v["connector"].(string), w.get("/payments/" + v["payment_id"].(string) + "?expand=routing").ok()["routing"].([]any)[0].(map[string]any)
}

func (w *routedWorld) shown(id string) any { return w.get("/routing/" + id).ok()["algorithm"] }

// Each kind of dynamic routing is switched on and off by itself, and answers its record.
func TestDynamicSwitches(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	path := w.dynamicPath()
	for name, c := range map[string]struct{ create, body, record, off, defaults string }{
		"success": {"/success_based/create", "", "Success rate based dynamic routing algorithm", "Success rate based routing is already disabled",
			`{"params":["PaymentMethod","PaymentMethodType","AuthenticationType","Currency","Country","CardNetwork","CardBin"],"config":{"min_aggregates_size":5,"max_aggregates_size":8,
			"default_success_rate":100,"current_block_threshold":{"max_total_count":5},"exploration_percent":20,"specificity_level":"merchant"}}`},
		"elimination": {"/elimination/create", "", "Elimination based dynamic routing algorithm", "Elimination routing is already disabled",
			`{"elimination_analyser_config":{"bucket_size":5,"bucket_leak_interval_in_secs":60}}`},
		"contract": {"/contracts/toggle", `{"config":{"constants":[0.7,0.35],"time_scale":"month"}}`, "Contract based dynamic routing algorithm",
			"Contract routing is already disabled", `{"config":{"constants":[0.7,0.35],"time_scale":"month"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			url := path + c.create + "?enable="
			w.post(url+"none", "").refused(400, "IR_16", c.off)
			w.post(url+"sometimes", c.body).refused(400, "IR_06", "unknown variant `sometimes`")
			w.post(path+c.create, c.body).refused(400, "IR_06", "enable")
			r := w.post(url+"dynamic_connector_selection", c.body).ok()
			require.Equal(t, []any{"dynamic", c.record, "", "payment", w.profile, nil}, []any{r["kind"], r["name"], r["description"], r["algorithm_for"], r["profile_id"],
				r["decision_engine_routing_id"]})
			id := r["id"].(string)
			require.JSONEq(t, c.defaults, text(t, w.shown(id)))
			w.post("/routing/"+id+"/activate", "{}").refused(400, "IR_16", "Algorithm is already active")
			w.post("/routing/"+id+"/activate", `{"transaction_type":"payout"}`).refused(400, "IR_16", "Cannot use payment's routing algorithm for payout operation")
			metrics := w.post(url+"metrics", c.body).ok()["id"].(string)
			require.NotEqual(t, id, metrics)
			w.post("/routing/"+metrics+"/activate", "{}").ok()
			require.Equal(t, metrics, w.post(url+"none", "").ok()["id"], "the configuration that was in force")
			w.post(url+"none", "").refused(400, "IR_16", c.off)
			w.post("/account/"+merchant+"/business_profile/pro_x/dynamic_routing"+c.create+"?enable=metrics", c.body).refused(404, "HE_02", "pro_x")
			w.send("POST", url+"none", w.publishable, "").refused(401, "IR_01", "")
			_, other, _ := w.merchant("of_" + name)
			w.send("POST", url+"none", other, "").refused(401, "IR_01", "")
			require.Equal(t, 400, w.send("POST", url+"none", adminKey, "").status, "the operator may, too")
		})
	}
}

// text returns the JSON of a value.
func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// A configuration is read strictly, and checked against the profile's accounts.
func TestDynamicConfigurationsRefused(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	costs := func(config string) string { return `{"config":{"exploration_percent":0},"costs":` + config + `}` }
	label := func(account string, more ...string) string {
		return with(fmt.Sprintf(`{"label":"l","target_count":5,"target_time":1900000000,"mca_id":%q}`, account), more...)
	}
	labels := func(list ...string) string { return `{"label_info":[` + strings.Join(list, ",") + `]}` }
	const success, elimination, contracts = "/success_based/create", "/elimination/create", "/contracts/toggle"
	for name, c := range map[string]struct {
		path, body string
		status     int
		message    string
	}{
		"success: all parts null":           {success, `{"params":null,"config":null,"decision_engine_configs":null}`, 422, "send at least one of its parts"},
		"success: unknown part":             {success, `{"colour":1}`, 400, "Json deserialize error: unknown field `colour`"},
		"success: unknown key":              {success, `{"config":{"colour":1}}`, 400, "unknown field `colour`"},
		"success: wrong type":               {success, `{"config":{"exploration_percent":"x"}}`, 400, "config.exploration_percent: invalid type: string"},
		"success: no object":                {success, `[]`, 400, "an object"},
		"success: unknown param":            {success, `{"params":["Colour"]}`, 400, "unknown variant `Colour`, expected one of PaymentMethod"},
		"success: level":                    {success, `{"config":{"specificity_level":"all"}}`, 400, "unknown variant `all`, expected `merchant` or `global`"},
		"success: exploration":              {success, `{"config":{"exploration_percent":101}}`, 422, "exploration_percent must be from 0 to 100"},
		"success: default rate":             {success, `{"config":{"default_success_rate":-1}}`, 422, "default_success_rate must be from 0 to 100"},
		"success: no margin":                {success, costs(`{}`), 422, "margin_percent must be more than 0"},
		"success: another account":          {success, costs(`{"margin_percent":1,"fees":[{"merchant_connector_id":"mca_x"}]}`), 422, "the profile has no account mca_x"},
		"success: negative fee":             {success, costs(`{"margin_percent":1,"fees":[{"merchant_connector_id":"` + w.stripe + `","fixed":-1}]}`), 422, "fixed must be from 0"},
		"success: guarantees":               {success, costs(`{"margin_percent":1,"guaranteed":[{"merchant_connector_id":"` + w.stripe + `","percent":101}]}`), 422, "together at most 100"},
		"success: hedging":                  {success, `{"decision_engine_configs":{"defaultHedgingPercent":101}}`, 422, "defaultHedgingPercent is out of range"},
		"success: bucket":                   {success, `{"decision_engine_configs":{"defaultBucketSize":-1}}`, 422, "defaultBucketSize is out of range"},
		"success: sub level":                {success, `{"decision_engine_configs":{"subLevelInputConfig":[{"hedgingPercent":200}]}}`, 422, "subLevelInputConfig is out of range"},
		"success: unknown engine key":       {success, `{"decision_engine_configs":{"colour":1}}`, 400, "unknown field `colour`"},
		"elimination: all parts null":       {elimination, `{"elimination_analyser_config":null}`, 422, "send at least one of its parts"},
		"elimination: unknown key":          {elimination, `{"elimination_analyser_config":{"colour":1}}`, 400, "unknown field `colour`"},
		"elimination: no bucket":            {elimination, `{"elimination_analyser_config":{"bucket_size":0}}`, 422, "bucket_size must be from 1 to 100"},
		"elimination: no leak":              {elimination, `{"elimination_analyser_config":{"bucket_leak_interval_in_secs":0}}`, 422, "bucket_leak_interval_in_secs must be from 1 to 86400"},
		"elimination: threshold":            {elimination, `{"decision_engine_configs":{"threshold":1.5}}`, 422, "threshold must be from 0 to 1"},
		"contracts: no body":                {contracts, "", 400, ""},
		"contracts: all parts null":         {contracts, `{"config":null,"label_info":null}`, 422, "send at least one of its parts"},
		"contracts: unknown key":            {contracts, `{"colour":1}`, 400, "unknown field `colour`"},
		"contracts: time scale":             {contracts, `{"config":{"time_scale":"year"}}`, 400, "unknown variant `year`, expected `day` or `month`"},
		"contracts: no target":              {contracts, labels(label(w.stripe, "target_count", "-")), 400, "missing field `target_count`"},
		"contracts: negative target":        {contracts, labels(label(w.stripe, "target_count", "-1")), 422, "target_count must not be negative"},
		"contracts: the same account twice": {contracts, labels(label(w.stripe), label(w.stripe)), 422, "Duplicate mca configuration received"},
		"contracts: another account":        {contracts, labels(label("mca_x")), 422, "Incorrect mca configuration received"},
	} {
		t.Run(name, func(t *testing.T) {
			w.post(w.dynamicPath()+c.path+"?enable=dynamic_connector_selection", c.body).refused(c.status, "IR_06", c.message)
		})
	}
	require.Empty(t, w.get("/routing").list(), "nothing was stored")
}

// A change of a configuration is a new configuration, and not active.
func TestDynamicConfigurationsMerged(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	path := w.dynamicPath()
	create := func(kind, body string) string {
		return w.post(path+kind+"?enable=dynamic_connector_selection", body).ok()["id"].(string)
	}
	patch := func(kind, id, body string) response { return w.send("PATCH", path+kind+"/config/"+id, w.secret, body) }
	label := func(account string, count int) string {
		return fmt.Sprintf(`{"label":"l","target_count":%d,"target_time":1900000000,"mca_id":%q}`, count, account)
	}
	for name, c := range map[string]struct{ kind, path, create, change, want string }{
		"success": {"/success_based/create", "/success_based", `{"params":["Currency"],"config":{"min_aggregates_size":3,"current_block_threshold":{"max_total_count":5}}}`,
			`{"params":null,"config":{"exploration_percent":7,"current_block_threshold":{"duration_in_mins":2}}}`,
			`{"params":["Currency"],"config":{"min_aggregates_size":3,"exploration_percent":7,"current_block_threshold":{"max_total_count":5,"duration_in_mins":2}}}`},
		"elimination": {"/elimination/create", "/elimination", `{"elimination_analyser_config":{"bucket_size":9}}`, `{"decision_engine_configs":{"threshold":0.35}}`,
			`{"elimination_analyser_config":{"bucket_size":9},"decision_engine_configs":{"threshold":0.35}}`},
		"contract": {"/contracts/toggle", "/contracts", `{"config":{"time_scale":"day"},"label_info":[` + label(w.stripe, 5) + `]}`,
			`{"label_info":[` + label(w.adyen, 7) + `,` + label(w.stripe, 6) + `]}`,
			`{"config":{"time_scale":"day"},"label_info":[` + label(w.adyen, 7) + `,` + label(w.stripe, 6) + `]}`},
	} {
		t.Run(name, func(t *testing.T) {
			id := create(c.kind, c.create)
			r := patch(c.path, id, c.change).ok()
			require.NotEqual(t, id, r["id"])
			require.Equal(t, "dynamic", r["kind"])
			require.JSONEq(t, c.want, text(t, w.shown(r["id"].(string))))
			require.JSONEq(t, c.create, text(t, w.shown(id)), "the one before stays")
			w.post("/routing/"+r["id"].(string)+"/activate", "{}").ok()
			patch(c.path, id, `{"colour":1}`).refused(400, "IR_06", "unknown field `colour`")
			patch(c.path, id, `{}`).refused(422, "IR_06", "send at least one of its parts")
			patch(c.path, id, "").refused(400, "IR_06", "")
			patch(c.path, "routing_none", c.change).refused(404, "HE_02", "Resource ID does not exist in our records")
			other := map[string]string{"/success_based": "/elimination", "/elimination": "/contracts", "/contracts": "/success_based"}[c.path]
			patch(other, id, map[string]string{"/success_based": `{"config":{}}`, "/elimination": `{"elimination_analyser_config":{}}`, "/contracts": `{"config":{}}`}[other]).
				refused(404, "HE_02", "Resource ID")
			_, secret, _ := w.merchant("with_" + name)
			w.send("PATCH", path+c.path+"/config/"+id, secret, c.change).refused(401, "IR_01", "")
		})
	}
}

// An account that is behind the volume of its contract comes first. A change of the contract keeps the count.
func TestContracts(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	path := w.dynamicPath() + "/contracts"
	label := func(count int, until time.Duration) string {
		return fmt.Sprintf(`{"config":{"time_scale":"day"},"label_info":[{"label":"adyen","target_count":%d,"target_time":%d,"mca_id":%q}]}`, count, time.Now().Add(until).Unix(), w.adyen)
	}
	at := func() []any { connector, how := w.routed(); return []any{connector, how["stage"]} }
	require.Equal(t, []any{"stripe", "default"}, at())
	w.post(path+"/toggle?enable=metrics", label(4, 47*time.Hour)).ok()
	require.Equal(t, []any{"stripe", "default"}, at(), "metrics routes nothing")
	id := w.post(path+"/toggle?enable=dynamic_connector_selection", label(4, 47*time.Hour)).ok()["id"].(string)
	for range 3 { // a day of 47 hours may have 2.04 of 4
		connector, how := w.routed()
		require.Equal(t, []any{"adyen", "contract", id}, []any{connector, how["stage"], how["routing_id"]})
	}
	require.Equal(t, []any{"stripe", "default"}, at(), "the share of the first day is reached")
	w.passes(25 * time.Hour)
	require.Equal(t, []any{"adyen", "contract"}, at())
	require.Equal(t, []any{"stripe", "default"}, at(), "the target is reached")
	more := w.send("PATCH", path+"/config/"+id, w.secret, label(5, 47*time.Hour)).ok()["id"].(string)
	require.Equal(t, []any{"stripe", "default"}, at(), "a change is not active")
	w.post("/routing/"+more+"/activate", "{}").ok()
	require.Equal(t, []any{"adyen", "contract"}, at(), "four of five")
	require.Equal(t, []any{"stripe", "default"}, at())
	w.passes(48 * time.Hour)
	require.Equal(t, []any{"stripe", "default"}, at(), "the contract has ended")
	w.post(path+"/toggle?enable=none", "").ok()
}

// newFaulty returns a world whose first processor is at fault while the result is true.
func newFaulty(t *testing.T) (*routedWorld, *atomic.Bool) {
	sick, broken := simulator.Adapter(), &atomic.Bool{}
	works := sick.Authorize
	sick.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		if broken.Load() {
			return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "96", Message: "down", Reason: sdk.DeclineProcessingError}}, nil
		}
		return works(c)
	}
	w := &routedWorld{world: newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": sick, "adyen": simulator.Adapter()}))}
	list := w.get("/routing/default").list()
	w.stripe, w.adyen = list[0]["merchant_connector_id"].(string), list[1]["merchant_connector_id"].(string)
	w.post("/account/m1/business_profile/"+w.profile, `{"is_account_health_enabled":false}`).ok()
	return w, broken
}

// An account whose bucket of faults is full goes to the end of the candidates.
func TestElimination(t *testing.T) {
	t.Parallel()
	w, broken := newFaulty(t)
	w.post(w.dynamicPath()+"/elimination/create?enable=dynamic_connector_selection", "").ok()
	broken.Store(true)
	for range 5 {
		connector, _ := w.routed()
		require.Equal(t, "stripe", connector)
	}
	broken.Store(false)
	connector, how := w.routed()
	require.Equal(t, "adyen", connector)
	require.Equal(t, []any{map[string]any{"merchant_connector_id": w.stripe, "reason": "elim",
		"message": "elimination routing has moved the account to the end, because of its recent faults"}}, how["left_out"])
	require.Equal(t, "stripe", w.post("/payments", with(plain, "routing", `{"type":"single","data":"stripe"}`)).ok()["connector"], "the payment names it")
	w.post("/account/"+merchant+"/connectors/"+w.adyen, `{"connector_type":"payment_processor","disabled":true}`).ok()
	connector, _ = w.routed()
	require.Equal(t, "stripe", connector, "no other account can")
	w.post("/account/"+merchant+"/connectors/"+w.adyen, `{"connector_type":"payment_processor","disabled":false}`).ok()
	w.passes(time.Minute)
	connector, _ = w.routed()
	require.Equal(t, "stripe", connector, "one fault has left the bucket")
}

// An account that has answered too few of its recent attempts goes to the end. It does so though it does not fail often enough to be taken out.
func TestEliminationByThreshold(t *testing.T) {
	t.Parallel()
	w, broken := newFaulty(t)
	id := w.post(w.dynamicPath()+"/elimination/create?enable=dynamic_connector_selection", `{"decision_engine_configs":{"threshold":0.7}}`).ok()["id"].(string)
	w.post("/routing/"+id+"/activate", "{}").ok()
	for i := range 5 {
		broken.Store(i >= 3)
		connector, _ := w.routed()
		require.Equal(t, "stripe", connector)
	}
	broken.Store(false)
	connector, _ := w.routed()
	require.Equal(t, "adyen", connector, "it has answered three of five")
}

// The engine's configuration of the v1 API sets the share that explores, and extra scores.
func TestDecisionEngineConfig(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	set := func(config string) {
		id := w.post(w.dynamicPath()+"/success_based/create?enable=dynamic_connector_selection", `{"decision_engine_configs":`+config+`}`).ok()["id"].(string)
		w.post("/routing/"+id+"/activate", "{}").ok()
	}
	set(`{"defaultHedgingPercent":100}`)
	_, how := w.routed()
	require.Equal(t, "exploration", how["stage"])
	set(`{"defaultLatencyThreshold":90,"defaultBucketSize":200,"defaultHedgingPercent":100,"subLevelInputConfig":[{"paymentMethodType":"wallet","hedgingPercent":100},
		{"paymentMethodType":"card","paymentMethod":"debit","hedgingPercent":100},{"paymentMethodType":"card","paymentMethod":"credit","hedgingPercent":0}]}`)
	_, how = w.routed()
	require.Equal(t, "success", how["stage"])
}

// The calls of the v1 API's dynamic engine rank gateways and count attempts made elsewhere.
func TestDecideGateway(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	stripe, adyen := "stripe:"+w.stripe, "adyen:"+w.adyen
	ask := fmt.Sprintf(`{"paymentInfo":{"paymentId":"p1","amount":100,"currency":"EUR","paymentType":"ORDER_PAYMENT","metadata":"m","paymentMethodType":"credit","paymentMethod":"card",
		"cardIsin":"424242"},"merchantId":%q,"eligibleGatewayList":[%q,%q],"rankingAlgorithm":"SR_BASED_ROUTING","eliminationEnabled":true}`, w.profile, stripe, adyen)
	tell := func(gateway, status, id string) response {
		return w.post("/routing/feedback", fmt.Sprintf(`{"merchantId":%q,"gateway":%q,"status":%q,"paymentId":%q}`, w.profile, gateway, status, id))
	}
	w.post("/routing/evaluate", ask).refused(501, "IR_00", "Dynamic routing of a profile that has not switched it on is not implemented")
	tell(stripe, "CHARGED", "p1").refused(501, "IR_00", "")
	id := w.post(w.dynamicPath()+"/success_based/create?enable=metrics", `{"config":{"exploration_percent":0}}`).ok()["id"].(string)
	w.post("/routing/"+id+"/activate", "{}").ok()
	require.Equal(t, map[string]any{"decided_gateway": stripe, "gateway_priority_map": map[string]any{stripe: 1.0, adyen: 1.0}, "filter_wise_gateways": nil, "priority_logic_tag": nil,
		"routing_approach": "SR_SELECTION_V3_ROUTING", "gateway_before_evaluation": stripe, "priority_logic_output": nil, "reset_approach": "NO_RESET",
		"routing_dimension": "ORDER_PAYMENT, CARD, CREDIT", "routing_dimension_level": "PM_LEVEL", "is_scheduled_outage": false, "is_dynamic_mga_enabled": false,
		"gateway_mga_id_map": nil}, w.post("/routing/evaluate", ask).ok())
	for range 5 {
		require.Equal(t, map[string]any{"message": "Gateway score updated successfully"}, tell(stripe, "FAILURE", "elsewhere").ok())
	}
	tell(adyen, "CHARGED", "elsewhere").ok()
	tell(adyen, "PENDING", "elsewhere").ok()
	got := w.post("/routing/evaluate", ask).ok()
	require.Equal(t, []any{adyen, stripe, map[string]any{stripe: 0.5, adyen: 1.0}}, []any{got["decided_gateway"], got["gateway_before_evaluation"], got["gateway_priority_map"]})
	own := w.post("/payments", with(plain, "routing", `{"type":"single","data":"stripe"}`)).ok()["payment_id"].(string)
	require.Contains(t, tell(stripe, "FAILURE", own).ok()["message"], "payswitch has counted this payment itself")
	h := w.get("/routing/health").list()
	require.Equal(t, []any{6.0, 1.0, "in", 1.0}, []any{h[0]["attempts"], h[1]["attempts"], h[0]["standing"], h[0]["recent_answered"]}, "feedback takes no account out")

	w.activated(`{"type":"single","data":"stripe"}`)
	got = w.post("/routing/evaluate", with(ask, "rankingAlgorithm", `"PL_BASED_ROUTING"`, "eligibleGatewayList", "-")).ok()
	require.Equal(t, []any{stripe, "PRIORITY_LOGIC"}, []any{got["decided_gateway"], got["routing_approach"]})
	for name, c := range map[string]struct {
		body          string
		status        int
		code, message string
	}{
		"network":          {with(ask, "rankingAlgorithm", `"NTW_BASED_ROUTING"`), 501, "IR_00", "is not implemented"},
		"unknown ranking":  {with(ask, "rankingAlgorithm", `"BEST"`), 400, "IR_06", "unknown variant `BEST`"},
		"unknown profile":  {with(ask, "merchantId", `"pro_x"`), 404, "HE_02", "pro_x"},
		"unknown gateway":  {with(ask, "eligibleGatewayList", `["stripe:mca_x"]`), 422, "IR_06", "The profile has no gateway stripe:mca_x"},
		"no gateway":       {with(ask, "eligibleGatewayList", `[]`), 400, "IR_39", ""},
		"no payment":       {with(ask, "paymentInfo", "-"), 400, "IR_06", "missing field `paymentInfo`"},
		"negative amount":  {with(ask, "paymentInfo.amount", "-1"), 400, "IR_06", ""},
		"no profile":       {with(ask, "merchantId", "-"), 400, "IR_06", "missing field `merchantId`"},
		"wrong gateways":   {with(ask, "eligibleGatewayList", `"stripe"`), 400, "IR_06", ""},
		"wrong, by switch": {with(ask, "eliminationEnabled", `"yes"`), 400, "IR_06", ""},
	} {
		t.Run(name, func(t *testing.T) { w.post("/routing/evaluate", c.body).refused(c.status, c.code, c.message) })
	}
	tell("stripe:mca_x", "CHARGED", "p").refused(422, "IR_06", "The profile has no gateway stripe:mca_x")
	tell(stripe, "PAID", "p").refused(400, "IR_06", "unknown variant `PAID`")
	_, other, _ := w.merchant("m2")
	w.send("POST", "/routing/evaluate", other, ask).refused(404, "HE_02", "")
	w.send("POST", "/routing/feedback", other, fmt.Sprintf(`{"merchantId":%q,"gateway":%q,"status":"CHARGED","paymentId":"p"}`, w.profile, stripe)).refused(404, "HE_02", "")
	w.send("POST", "/routing/evaluate", w.publishable, ask).refused(401, "IR_01", "")
}

// A simulation routes past payments by a draft, and says how sure the result is.
func TestSimulate(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	pay := func(connector, number string, times int) {
		for range times {
			w.post("/payments", with(typed(number), "routing", `{"algorithm":{"type":"priority","data":["`+connector+`"]}}`, "currency", `"USD"`)).ok()
		}
	}
	simulate := func(config string, more ...string) map[string]any {
		return w.post("/routing/simulate", with(`{"config":`+config+`}`, more...)).ok()
	}
	const exploit = `{"config":{"exploration_percent":0}}`
	none := simulate(exploit)
	require.Equal(t, []any{0.0, 0.0, []any{}, []any{}}, []any{none["payments"], none["changed"], none["accounts"], none["fees"]})
	pay("stripe", "4242424242424242", 3)
	pay("stripe", "4000000000000002", 3)
	pay("adyen", "4242424242424242", 6)
	w.post("/payments", with(plain, "confirm", "false", "routing", "-")).ok()
	named := simulate(exploit)
	require.Equal(t, []any{12.0, 0.0}, []any{named["payments"], named["changed"]}, "payments that named their accounts stay")
	require.Equal(t, map[string]any{"success_rate": 75.0, "low": 46.77, "high": 91.11}, named["actual"], "Wilson's interval")
	require.Equal(t, map[string]any{"success_rate": 0.0, "low": 0.0, "high": 0.0}, named["difference"])

	for range 4 {
		w.post("/payments", with(typed("4000000000000002"), "routing", "-", "currency", `"USD"`)).ok()
	}
	costs := `{"config":{"exploration_percent":0},"costs":{"margin_percent":10,"fees":[{"merchant_connector_id":"` + w.adyen + `","fixed":7},{"merchant_connector_id":"` + w.stripe + `","percent":9}]}}`
	r := simulate(costs)
	require.Equal(t, []any{16.0, 4.0}, []any{r["payments"], r["changed"]})
	require.Equal(t, []any{map[string]any{"currency": "USD", "actual": 312.0, "simulated": r["fees"].([]any)[0].(map[string]any)["simulated"]}}, r["fees"])
	d, simulated := r["difference"].(map[string]any), r["simulated"].(map[string]any)
	require.Greater(t, d["success_rate"], 0.0, "the other account approved more")
	require.Less(t, d["low"], d["success_rate"])
	require.Greater(t, d["high"], d["success_rate"])
	require.InDelta(t, 56.25+d["success_rate"].(float64), simulated["success_rate"].(float64), 0.02)
	counts := map[any]any{}
	for _, a := range r["accounts"].([]any) {
		a := a.(map[string]any)
		counts[a["merchant_connector_id"]] = []any{a["actual"], a["simulated"]}
	}
	require.Equal(t, map[any]any{w.stripe: []any{10.0, 6.0}, w.adyen: []any{6.0, 10.0}}, counts)
	require.Equal(t, r, simulate(costs), "the same payments give the same result")
	require.Equal(t, 4.0, simulate(exploit, "payments", "4")["payments"])

	w.post("/routing/simulate", `{}`).refused(400, "IR_06", "missing field `config`")
	w.post("/routing/simulate", `{"config":{}}`).refused(422, "IR_06", "send at least one of its parts")
	w.post("/routing/simulate", `{"config":{"colour":1}}`).refused(400, "IR_06", "unknown field `colour`")
	w.post("/routing/simulate", `{"config":{"params":[]},"payments":1001}`).refused(400, "IR_06", "")
	w.post("/routing/simulate", `{"config":{"params":["Currency"]},"profile_id":"pro_x"}`).refused(404, "HE_02", "pro_x")
}
