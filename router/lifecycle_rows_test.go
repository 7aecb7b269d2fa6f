package router_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// rowsOfLifecycle says which tests hold the rows of the authorization life cycle, relays and card options in the v1 API: the sections of its
// contract. A test of the name TestLifecycle… has a step for each row of a section. The tests are in this package and in engine. Rows that are not
// built stand at the end.
const rowsOfLifecycle = `
1  Incremental authorization                            TestLifecycleIncrementalAuthorization
2  Extended authorization                               TestLifecycleExtendedAuthorization
3  Overcapture                                          TestLifecycleOvercapture
4  Partial authorization                                TestLifecyclePartialAuthorization
5  Multiple capture                                     TestLifecycleMultipleCapture
6  Card installments                                    TestLifecycleInstallments
7  Relay                                                TestLifecycleRelay
8  Card issuers                                         TestLifecycleCardIssuers
9  Extended card info                                   TestLifecycleExtendedCardInfo
10 Which authentication service                         TestLifecycleAuthenticationService
11 Other flows                                          TestLifecycleOtherFlows
12 Simulator                                            TestLifecycleSimulator
Incremental: request_incremental_authorization          TestIncrementalAuthorization TestHoldFields
Incremental: incremental_authorization_allowed          TestIncrementalAuthorization
Incremental: authorization_count, the items             TestIncrementalAuthorization TestUnknownRaise
Incremental: checks in order, amounts                   TestIncrementalAuthorization
Incremental: success, refusal, pending                  TestIncrementalAuthorization TestUnknownRaise TestRaiseWithoutAnAnswer TestRaiseThatActedLate
Incremental: repeated, later capture                    TestIncrementalAuthorization
Incremental: redacted customer, no event                TestNoRaiseForADeletedCustomer TestHoldEvents
Extended: fields, profile switch                        TestExtendedAuthorization TestHoldFields
Extended: checks in order                               TestExtendedAuthorization
Extended: at once, later, with the authorization        TestExtendedAuthorization
Extended: capture while it waits, expires_on            TestExtendedAuthorization TestHoldFields
Overcapture: enable_overcapture, profile switch         TestOvercapture TestHoldFields
Overcapture: at once, later, less, several captures     TestOvercapture
Overcapture: without it                                 TestOvercapture
Partial authorization: flag                             TestPartialAuthorization TestHoldFields
Partial authorization: automatic, manual, several       TestPartialAuthorization
Partial authorization: without the flag                 TestUnwantedPartialAuthorization
Partial authorization: cancel, extend, increment        TestPartialAuthorization TestHoldFields
Partial authorization: event                            TestHoldEvents
Multiple capture: connectors                            TestMultipleCapturesNotTaken
Multiple capture: checks in order, amounts              TestMultipleCaptures
Multiple capture: rows, captures[], force_sync          TestMultipleCaptures TestPendingCaptures
Multiple capture: status, cancel, refund                TestMultipleCaptures TestPendingCaptures
Installments: options, data, failures                   TestInstallments TestInstallmentsOfARetry TestInstallmentsRefused
Installments: interest                                  TestInstallments
Installments: method list                               TestOfferedInstallments
Relay: keys, types, answer, status                      TestRelay
Relay: profile header, checks in order                  TestRelayRefused TestRelayProfile
Relay: idempotency                                      TestRelayIsSentOnce
Relay: force_sync, unknown id                           TestRelay TestRelayRefused
Relay: unreferenced refund, both routes                 TestUnreferencedRefund TestRelayRefused TestUnreferencedRefundIsSentAgain
Relay: processor events                                 TestRelayMessages
Card issuers                                            TestCardIssuers TestCardIssuersAtOnce TestBlockedIssuers
Extended card info                                      TestExtendedCardInfo TestHoldFields
Which authentication service                            TestAuthenticationServiceKeys
Other flows: MIT with the card alone                    TestCardOnly
Other flows: clear-PAN retry                            TestClearPANRetry
Other flows: billing                                    TestBillingOfTheMethod
Other flows: partner_merchant_identifier_details        TestPartnerDetails TestPaymentFields
Other flows: iframe redirection, its return             TestIFrameRedirection
Simulator: archipel, cybersource                        TestSimulatedAnswers TestIncrementalAuthorization
Simulator: paypal, stripe, adyen                        TestIncrementalAuthorization TestExtendedAuthorization TestOvercapture TestSimulatedAnswers
Simulator: checkout, nuvei, worldpay, worldpayvantiv    TestPartialAuthorization TestSimulatedAnswers
Simulator: peachpayments, bankofamerica                 TestCardOnly TestRelay TestBillingOfTheMethod

Decided otherwise: a raise without an answer (or with a 5xx) is processing, not failure, until the processor's report shows the result. A GET of a relay with force_sync asks
about raises and voids too. What cannot be kept of a card is masked in the data of an unreferenced refund.
Not built: a retry with the card number in place of a network token. No call of the API gives payswitch both for one payment or saved method.
`

// TestLifecycleRowsHaveTests holds that the tests of rowsOfLifecycle exist.
func TestLifecycleRowsHaveTests(t *testing.T) {
	t.Parallel()
	rowsHaveTests(t, rowsOfLifecycle, "*_test.go", "../engine/*_test.go")
}

// rowsHaveTests holds that the tests that rows names exist in the files of the patterns. Every line names a test, up to the empty line after the rows.
func rowsHaveTests(t *testing.T, rows string, patterns ...string) {
	t.Helper()
	built, _, _ := strings.Cut(strings.TrimSpace(rows), "\n\n")
	for row := range strings.Lines(built) {
		require.Contains(t, row, " Test", "a row without a test")
	}
	var source strings.Builder
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			source.Write(b)
		}
	}
	all := source.String()
	for name := range strings.FieldsSeq(rows) {
		if strings.HasPrefix(name, "Test") {
			require.Contains(t, all, "\nfunc "+name+"(")
		}
	}
}

// TestHoldFields: where the fields of holds may be sent, and what keeps, changes or clears them.
func TestHoldFields(t *testing.T) {
	t.Parallel()
	w := simulators(t, "checkout", "paypal")
	const raise, extend, over, part = "request_incremental_authorization", "request_extended_authorization", "enable_overcapture", "enable_partial_authorization"
	draft := func(changes ...string) map[string]any {
		return w.held("stripe", append([]string{"confirm", "false"}, changes...)...)
	}

	// The confirm may ask for raises. Its own capture method counts alone.
	p := w.payment(draft(), "/confirm", `{"request_incremental_authorization":true}`).ok()
	require.Equal(t, []any{"requires_capture", true}, []any{p["status"], p["incremental_authorization_allowed"]})
	e := w.payment(draft(), "/confirm", `{"request_incremental_authorization":true,"capture_method":"automatic"}`).refused(400, "IR_19", "Payment method type not supported")
	require.Equal(t, "incremental authorization is not supported when capture_method is automatic", e["reason"])
	w.payment(draft(raise, "true"), "/confirm", `{"capture_method":"automatic"}`).ok()
	w.payment(draft(), "/confirm", `{"request_incremental_authorization":"yes"}`).refused(400, "IR_06", "expected a boolean")

	// A longer hold may be asked for by an update. The day count of other switches is no field.
	p = draft("extended_authorization_days", "30")
	require.NotNil(t, p["expires_on"])
	require.Nil(t, w.payment(p, "", `{"request_extended_authorization":true}`).ok()[extend], "not before the confirm")
	p = w.payment(p, "/confirm", `{`+tableCard+`}`).ok() // an update without a card forgets the one there was
	require.Equal(t, []any{true, true}, []any{p[extend], p["extended_authorization_applied"]})
	require.NotNil(t, p["expires_on"])
	require.Nil(t, w.payment(draft(), "/confirm", `{}`).ok()[extend], "nobody asked")
	require.Nil(t, w.payment(draft(extend, "true"), "/cancel", `{}`).ok()[extend], "never confirmed")

	// Overcapture: an update measures it by the payment's capture method. A confirm does not read it.
	require.Equal(t, true, w.payment(draft(), "", `{"enable_overcapture":true}`).ok()[over])
	w.payment(draft("capture_method", `"automatic"`), "", `{"enable_overcapture":true}`).refused(400, "IR_16", "Invalid overcapture request: supported only with manual capture")
	require.Nil(t, w.payment(draft(), "/confirm", `{"enable_overcapture":true}`).ok()[over])

	// Shipping counts for the net amount alone: a hold of more than the highest amount can be captured.
	p = w.held("stripe", "amount", "999999999", "shipping_cost", "50")
	require.Equal(t, "succeeded 999999999 1000000049 0 1000000049", money(w.payment(p, "/capture", `{}`).ok()))
	p = w.held("stripe", "amount", "999999999", over, "true")
	w.payment(p, "/capture", `{"amount_to_capture":1000000000}`).refused(400, "IR_16", "less than or equal to 999999999")

	// The amount of a capture is checked before the capture method.
	p = w.held("adyen")
	w.payment(p, "/capture", `{}`).ok()
	w.payment(p, "/capture", `{"amount_to_capture":0}`).refused(422, "IR_05", "positive integer")
	w.payment(p, "/capture", `{"amount_to_capture":7000}`).refused(422, "IR_06", "amount_to_capture is greater than amount")
	e = w.payment(p, "/capture", `{"amount_to_capture":6000}`).refused(400, "IR_14", "capture_method of manual")
	require.Equal(t, "capture_method", e["param"])

	// Partial authorization: each request that has the field overrides it.
	p = draft(part, "true")
	require.Equal(t, true, w.payment(p, "", `{"description":"x"}`).ok()[part], "an update without it keeps it")
	require.Equal(t, false, w.payment(p, "", `{"enable_partial_authorization":false}`).ok()[part])
	require.Equal(t, true, w.payment(p, "/confirm", `{"enable_partial_authorization":true,`+tableCard+`}`).ok()[part])

	// What the issuer approved in part can be held for longer.
	p = w.held("checkout", part, "true", extend, "true", "payment_method_data", cardOf("5518207720770101", "12", "2027", "152"))
	require.Equal(t, "partially_authorized_and_requires_capture 6000 6000 3000 -", money(p))
	w.payment(p, "/extend_authorization", "").refused(400, "IR_20", "extend_authorization flow not supported") // past the check of the status

	// The key of extended first digits is stored like any, and without effect.
	key := w.profile + "_enable_extended_card_bin"
	for _, value := range []string{"true", "false"} {
		w.admin("POST", "/configs", `{"key":"`+key+`","value":"`+value+`"}`).ok()
		shown := w.held("stripe")["payment_method_data"].(map[string]any)["card"].(map[string]any)
		require.Contains(t, shown, "card_extended_bin")
		require.Nil(t, shown["card_extended_bin"])
		w.admin("DELETE", "/configs/"+key, "").ok()
	}
}

// TestHoldEvents: a partial approval has its event, and a raise has none.
func TestHoldEvents(t *testing.T) {
	t.Parallel()
	w := simulators(t, "checkout")
	types := func(p map[string]any) (out []string) {
		w.t.Helper()
		for _, e := range w.post("/events/profile/list", `{"object_id":"`+p["payment_id"].(string)+`"}`).ok()["events"].([]any) {
			out = append(out, e.(map[string]any)["event_type"].(string))
		}
		return out
	}
	w.delivers(t)
	w.post("/account/m1/business_profile/"+w.profile+"/webhook_endpoints", `{"url":"https://shop.test/hook","event_types":[]}`).ok()
	p := w.held("checkout", "enable_partial_authorization", "true", "payment_method_data", cardOf("5518207720770101", "12", "2027", "152"))
	require.Eventually(t, func() bool { return slices.Equal(types(p), []string{"payment_partially_authorized"}) }, 10*time.Second, 5*time.Millisecond)
	p = w.held("stripe", "request_incremental_authorization", "true")
	w.payment(p, "/incremental_authorization", `{"amount":8000}`).ok()
	w.payment(p, "/capture", `{}`).ok()
	require.Eventually(t, func() bool { return len(types(p)) >= 2 }, 10*time.Second, 5*time.Millisecond)
	require.ElementsMatch(t, []string{"payment_authorized", "payment_succeeded"}, types(p), "a raise has no event of its own")
}

// TestRelayProfile: the profile of a relay is that of the header, else the merchant's default profile. A connector without the operation is named.
func TestRelayProfile(t *testing.T) {
	t.Parallel()
	lame := simulator.Adapter()
	lame.Manifest.Operations = nil // derived from what the adapter can do
	lame.Capture = nil
	w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": simulator.Adapter(), "adyen": lame}))
	const refund = `{"amount":500,"currency":"USD"}`
	other := w.post("/account/m1/business_profile", `{"profile_name":"other"}`).ok()["profile_id"].(string)
	require.Equal(t, w.profile, w.relay("stripe", "refund", refund).ok()["profile_id"])
	made := w.relay("stripe", "refund", refund, "X-Profile-Id", other).ok()
	require.Equal(t, other, made["profile_id"])
	require.Equal(t, made, w.get("/relay/"+made["id"].(string)).ok(), "without the header a merchant reads all relays")
	w.send("GET", "/relay/"+made["id"].(string), w.secret, "", "X-Profile-Id", other).ok()
	w.send("GET", "/relay/"+made["id"].(string), w.secret, "", "X-Profile-Id", w.profile).refused(404, "IR_37", "relay not found")
	const capture = `{"authorized_amount":2000,"amount_to_capture":1500,"currency":"USD"}`
	w.relay("adyen", "capture", capture).refused(501, "IR_00", "capture at adyen is not implemented")
	require.Equal(t, "success", w.relay("stripe", "capture", capture).ok()["status"])
}

// TestClearPANRetry: the switch is kept with the other switches of retries. A card that the payer typed was no network token, so it is charged once.
func TestClearPANRetry(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	profile := "/account/m1/business_profile/" + w.profile
	const name = "is_clear_pan_retries_enabled"
	require.Equal(t, false, w.get(profile).ok()[name], "off by default")
	w.post(profile, `{"is_clear_pan_retries_enabled":1}`).refused(400, "IR_06", "expected a boolean")
	declined := w.post("/payments", with(plain, "routing", "-", "currency", `"USD"`, numberOf, softCard)).ok()
	w.admin("POST", "/gsm", fmt.Sprintf(`{"connector":"stripe","flow":"Payment","sub_flow":"Authorize","code":%q,"message":%q,"status":"failure","decision":"do_default",`+
		`"step_up_possible":false,"clear_pan_possible":true}`, declined["error_code"], declined["error_message"])).ok()
	for _, on := range []bool{true, false} {
		set := w.post(profile, fmt.Sprintf(`{"is_clear_pan_retries_enabled":%v,"is_auto_retries_enabled":true,"max_auto_retries_enabled":2,"is_network_tokenization_enabled":true}`, on)).ok()
		require.Equal(t, []any{on, true, 2.0, true}, []any{set[name], set["is_auto_retries_enabled"], set["max_auto_retries_enabled"], set["is_network_tokenization_enabled"]})
		require.Equal(t, on, w.get(profile).ok()[name])
		p := w.post("/payments", with(plain, "routing", "-", "currency", `"USD"`, numberOf, softCard)).ok()
		id := p["payment_id"].(string)
		require.Equal(t, []any{"failed", 1.0}, []any{p["status"], p["attempt_count"]}, on)
		list := w.get("/payments/" + id + "?expand_attempts=true").ok()["attempts"].([]any)
		require.Len(t, list, 1)
		a := list[0].(map[string]any)
		require.Equal(t, []any{id + "_1", "stripe"}, []any{a["attempt_id"], a["connector"]})
	}
	// No payment has a network token, so none can be declined: each way to give one is refused, and a kept card has none.
	before := w.payments()
	token := w.post("/payments", with(plain, "routing", "-", "payment_method", `"network_token"`, "payment_method_type", `"network_token"`,
		"payment_method_data", `{"network_token":{"network_token":"4895370012003478"}}`))
	require.Equal(t, []any{400, "IR_39", "payment_method"}, []any{token.status, token.error()["code"], token.error()["param"]}, token.body)
	mit := w.post("/payments", with(plain, "routing", "-", "payment_method", "-", "payment_method_type", "-", "payment_method_data", "-", "off_session", "true", "customer_id", `"cus_1"`,
		"recurring_details", `{"type":"network_transaction_id_and_network_token_details","data":{"network_token":"4895370012003478"}}`))
	require.Equal(t, []any{400, "IR_39", "recurring_details.type"}, []any{mit.status, mit.error()["code"], mit.error()["param"]}, mit.body)
	require.Contains(t, mit.error()["hint"], "network_transaction_id_and_card_details")
	require.Equal(t, before, w.payments())
}

// TestSimulatedAnswers: what single connectors answer, in the simulator too.
func TestSimulatedAnswers(t *testing.T) {
	t.Parallel()
	w := simulators(t, "archipel", "cybersource", "checkout", "paypal")
	card := func(p map[string]any) map[string]any {
		return p["payment_method_data"].(map[string]any)["card"].(map[string]any)
	}
	facts := func(p map[string]any) []any {
		c := card(p)
		return []any{c["card_isin"], c["card_type"], c["card_issuer"], c["card_issuing_country"], c["card_network"]}
	}
	known := cardOf("5185570141917102", "12", "2030", "123")
	at := w.held("archipel", "payment_method_data", known)
	require.Equal(t, []any{"518557", "DEBIT", "MASTERCARD INTERNATIONAL", "UNITEDSTATES", "Visa"}, facts(at))
	require.Equal(t, []any{"518557", nil, nil, nil, "Mastercard"}, facts(w.held("stripe", "payment_method_data", known)), "archipel's alone")
	for _, p := range []map[string]any{at, w.held("archipel"), w.held("archipel", "capture_method", `"automatic"`)} {
		c := card(p)
		require.Equal(t, []any{nil, nil, nil}, []any{c["payment_checks"], c["authentication_data"], c["auth_code"]})
		require.Equal(t, card(w.get("/payments/"+p["payment_id"].(string)).ok()), c)
	}

	p := w.held("cybersource", "request_incremental_authorization", "true")
	require.JSONEq(t, `{"avs_response":{"code":"Y","codeRaw":"Y"},"card_verification":null}`, mustJSON(t, card(p)["payment_checks"]))
	for amount, want := range map[string]string{
		"900000001": `{"avs_response":{"code":"Y","codeRaw":"Y"},"card_verification":{"resultCode":"N","resultCodeRaw":"N"}}`,
		"900000002": `{"avs_response":{"code":"Z","codeRaw":"Z"},"card_verification":null}`,
		"900000003": `{"avs_response":{"code":"A","codeRaw":"A"},"card_verification":null}`,
		"900000004": `{"avs_response":{"code":"N","codeRaw":"N"},"card_verification":{"resultCode":"N","resultCodeRaw":"N"}}`,
		"900000005": `{"avs_response":{"code":"U","codeRaw":"U"},"card_verification":{"resultCode":"U","resultCodeRaw":"U"}}`,
		"900000007": `null`,
	} {
		require.JSONEq(t, want, mustJSON(t, card(w.held("cybersource", "amount", amount))["payment_checks"]), amount)
	}
	raised := w.payment(p, "/incremental_authorization", `{"amount":8000}`).ok()
	require.Equal(t, "requires_capture 8000 8000 8000 -", money(raised))

	// Captures: at once at checkout, one after the other; later at adyen, of any kind. So are adyen's refunds.
	p = w.held("checkout", "capture_method", `"manual_multiple"`)
	require.Equal(t, "partially_captured_and_capturable 6000 6000 4000 2000", money(w.payment(p, "/capture", `{"amount_to_capture":2000}`).ok()))
	require.Equal(t, "succeeded 6000 6000 0 6000", money(w.payment(p, "/capture", `{"amount_to_capture":4000}`).ok()))
	for _, body := range []string{`{}`, `{"amount_to_capture":2000}`} {
		p = w.held("adyen")
		require.Equal(t, "processing 6000 6000 6000 -", money(w.payment(p, "/capture", body).ok()), body)
		require.Equal(t, "processing 6000 6000 6000 -", money(w.get("/payments/"+p["payment_id"].(string)+"?force_sync=true").ok()), body)
	}
	p = w.held("adyen", "capture_method", `"automatic"`)
	refund := w.post("/refunds", `{"payment_id":"`+p["payment_id"].(string)+`","amount":100}`).ok()
	require.Equal(t, "pending", refund["status"])
	require.Equal(t, "pending", w.get("/refunds/" + refund["refund_id"].(string) + "?force_sync=true").ok()["status"])

	// The second raise at paypal is refused like the first, and neither changes what can be captured.
	p = w.held("paypal", "request_incremental_authorization", "true")
	for n := range 2 {
		soon := w.payment(p, "/incremental_authorization", `{"amount":8000}`).ok()
		require.Equal(t, []any{"requires_capture 6000 6000 6000 -", float64(n + 1)}, []any{money(soon), soon["authorization_count"]})
	}
}
