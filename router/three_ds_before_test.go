package router_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/plugins/simulator"
	"payswitch/plugins/simulator3ds"
	"payswitch/plugins/threedsecureio"
	"payswitch/sdk"
)

// Branches of the flow up to the answer to the AReq; three_ds_branches_test.go says which.

func methodLate(b *bankWorld) {
	p := b.pay("0300").ok()
	data := p["next_action"].(map[string]any)["three_ds_data"].(map[string]any)
	d := data["three_ds_method_details"].(map[string]any)
	to, fields, _ := b.bankForm(d["three_ds_method_url"].(string), map[string][]string{"threeDSMethodData": {d["three_ds_method_data"].(string)}})
	require.Equal(b.t, "Y", b.authenticate(p, "N")["trans_status"])
	require.Equal(b.t, 200, b.ours(to, fields).status) // eight seconds after
	b.ends(p, "succeeded", "", 1)
	require.Equal(b.t, "N", b.counted.asked(p["payment_id"].(string), sdk.OpAuthenticate).Authentication.MethodCompletion)
	require.Zero(b.t, b.record(p["payment_id"].(string)).Details.MethodNotifiedAt, "after the AReq it is not heard")
}

func serverOnly(b *bankWorld) {
	p := b.pay("0000").ok()
	out := b.post("/payments/"+p["payment_id"].(string)+"/3ds/authentication", `{"client_secret":"`+p["client_secret"].(string)+`","device_channel":"BRW","threeds_method_comp_ind":"N"}`).ok()
	require.Equal(b.t, "Y", out["trans_status"])
	b.ends(p, "succeeded", "", 1) // without a page of ours
}

func authenticatedOutside(b *bankWorld) {
	b.post("/account/m1/business_profile/"+b.profile, `{"authentication_connector_details":{"authentication_connectors":[],"three_ds_requestor_url":"https://shop.example"}}`).ok()
	p := b.pay("0000", "three_ds_data", `{"authentication_cryptogram":{"cavv":{"authentication_cryptogram":"AAABBEg0VhI0VniQEjRWAAAAAAA="}},
		"ds_trans_id":"c272b04f-6e7b-43a2-bb78-90f4fb94aa25","version":"2.1.0","eci":"05","transaction_status":"Y"}`).ok()
	require.Equal(b.t, "succeeded", p["status"], p)
	require.Equal(b.t, "c272b04f-6e7b-43a2-bb78-90f4fb94aa25", b.proof(p).DSTransID)
	require.Zero(b.t, b.asked("preauth"))
}

// french returns a payment with a test card of a French issuer. In France, the law demands strong authentication.
func french(digits string) string { return secure(simulator3ds.CardNumber(simulator3ds.CB, digits)) }

// keepCard saves the card for charges without the customer.
var keepCard = []string{"setup_future_usage", `"off_session"`, "customer_id", `"cus_kept"`, "customer_acceptance",
	`{"acceptance_type":"online","accepted_at":"2026-01-02T03:04:05.000Z","online":{"ip_address":"203.0.113.7","user_agent":"Mozilla"}}`}

func zeroAmount(b *bankWorld) {
	p := b.post("/payments", with(french("0100"), append(keepCard, "amount", "0")...)).ok()
	require.Equal(b.t, "Y", b.authenticate(p, "U")["trans_status"])
	b.ended(p)
	asked := b.counted.asked(p["payment_id"].(string), sdk.OpAuthenticate)
	require.Equal(b.t, "02", asked.Authentication.MessageCategory)
	require.Equal(b.t, "04", asked.Authentication.AuthenticationInd)
	require.Equal(b.t, []string{"04"}, asked.Authentication.ChallengeInds)
	require.Equal(b.t, "succeeded", b.ended(p)["status"])
}

func firstOfSeries(b *bankWorld) {
	p := b.post("/payments", with(french("2100"), keepCard...)).ok()
	b.authenticate(p, "U")
	require.Equal(b.t, []string{"04"}, b.counted.asked(p["payment_id"].(string), sdk.OpAuthenticate).Authentication.ChallengeInds, "a mandate must be challenged")
	require.NotNil(b.t, b.ends(p, "succeeded", "", 1)["payment_method_id"])
}

func exemptionByThreeDS(b *bankWorld) {
	p := b.post("/payments", with(french("0140"), "psd2_sca_exemption_type", `"transaction_risk_analysis"`)).ok()
	require.Equal(b.t, "I", b.authenticate(p, "U")["trans_status"])
	got := b.ends(p, "succeeded", "", 1)
	require.Equal(b.t, "exempted", got["external_authentication_details"].(map[string]any)["outcome"])
	require.Equal(b.t, sdk.ExemptionRiskAnalysis, b.counted.asked(p["payment_id"].(string), sdk.OpAuthorize).Exemption)
	require.NotNil(b.t, b.proof(p))
	require.Equal(b.t, map[string]any{"exemption": "transaction_risk_analysis", "route": "3ds", "reason": "requested_exemption", "passed_over": []any{}}, got["sca_exemption"])
}

func exemptionAtAuthorization(b *bankWorld) {
	b.policy(`{"exemption_policy":"rules","exemption_rules":{"transaction_risk_analysis_threshold_eur":100,"route":"authorization"}}`)
	p := b.post("/payments", with(french("2140"), "psd2_sca_exemption_type", `"transaction_risk_analysis"`)).ok()
	require.Equal(b.t, "succeeded", p["status"], p)
	require.Nil(b.t, p["external_authentication_details"])
	require.Equal(b.t, map[string]any{"exemption": "transaction_risk_analysis", "route": "authorization", "reason": "requested_exemption", "passed_over": []any{}}, p["sca_exemption"])
	require.Equal(b.t, 1, b.authorizations(p))
	require.Equal(b.t, sdk.ExemptionRiskAnalysis, b.counted.asked(p["payment_id"].(string), sdk.OpAuthorize).Exemption)
	require.Nil(b.t, b.proof(p))
	require.Zero(b.t, b.asked("preauth"), "the issuer's 3-D Secure is not asked")
	theirs := b.send("GET", "/payments/"+p["payment_id"].(string)+"?client_secret="+p["client_secret"].(string), b.publishable, "").ok()
	require.NotContains(b.t, theirs, "sca_exemption")
}

// plainly returns a payment that asks for no external 3-D Secure.
func plainly(digits string, changes ...string) string {
	return with(french(digits), append([]string{"authentication_type", "-", "request_external_three_ds_authentication", "-"}, changes...)...)
}

func exemptionSoftDeclined(b *bankWorld) {
	p := b.post("/payments", plainly("0170", "amount", "1065", "psd2_sca_exemption_type", `"low_value"`)).ok()
	require.Equal(b.t, "requires_customer_action", p["status"], p)
	require.Equal(b.t, sdk.ExemptionLowValue, b.counted.asked(p["payment_id"].(string), sdk.OpAuthorize).Exemption)
	c := &challenged{bankWorld: b, payment: p, answer: b.authenticate(p, "U")}
	require.Equal(b.t, []string{"13"}, b.counted.asked(p["payment_id"].(string), sdk.OpAuthenticate).Authentication.ChallengeInds)
	c.returns("1234")
	b.ends(p, "succeeded", "", 2)
	again := b.counted.asked(p["payment_id"].(string), sdk.OpAuthorize)
	require.Empty(b.t, again.Exemption, "authenticated instead")
	require.Equal(b.t, "05", again.ThreeDS.ECI)
}

func lowValueUsedUp(b *bankWorld) {
	b.policy(`{"exemption_policy":"rules","exemption_rules":{"low_value":"on"}}`)
	low := func() map[string]any { return b.post("/payments", with(french("2170"), "amount", "1000")).ok() }
	for range 5 {
		p := low()
		require.Equal(b.t, "succeeded", p["status"], p)
		require.Equal(b.t, map[string]any{"exemption": "low_value", "route": "authorization", "reason": "low_value", "passed_over": []any{}}, p["sca_exemption"])
		require.Equal(b.t, "exempted", p["external_authentication_details"].(map[string]any)["outcome"])
		require.Equal(b.t, "not_expected", p["external_authentication_details"].(map[string]any)["liability_shift"])
	}
	p := low()
	require.Equal(b.t, "requires_customer_action", p["status"], "five have gone without")
	require.Nil(b.t, p["sca_exemption"].(map[string]any)["exemption"])
	c := &challenged{bankWorld: b, payment: p, answer: b.authenticate(p, "U")}
	c.returns("1234")
	b.ends(p, "succeeded", "", 1)
	require.Equal(b.t, "succeeded", low()["status"], "the challenge begins the count anew")
}

func exemptionByThreeDSInstead(b *bankWorld) {
	b.policy(`{"exemption_rules":{"route":"authorization"}}`)
	b.counted.deaf.Store(true)
	p := b.post("/payments", plainly("0140", "psd2_sca_exemption_type", `"transaction_risk_analysis"`)).ok()
	require.Equal(b.t, "requires_customer_action", p["status"], p)
	require.Equal(b.t, map[string]any{"exemption": "transaction_risk_analysis", "route": "3ds", "reason": "requested_exemption", "passed_over": []any{}}, p["sca_exemption"])
	require.Equal(b.t, "I", b.authenticate(p, "U")["trans_status"])
	b.ends(p, "succeeded", "", 1)
	require.Empty(b.t, b.counted.asked(p["payment_id"].(string), sdk.OpAuthorize).Exemption)

	p = b.post("/payments", plainly("0140", "psd2_sca_exemption_type", `"transaction_risk_analysis"`, "browser_info", "-")).ok()
	require.Equal(b.t, "succeeded", p["status"], "the payer is absent")
	require.Equal(b.t, map[string]any{"exemption": nil, "route": nil, "reason": "exemption_not_taken", "passed_over": []any{}}, p["sca_exemption"])
}

// The adapter of 3dsecure.io does not support Cartes Bancaires, so a co-badged card is authenticated with its other brand.
func cobadged(b *bankWorld) {
	p := b.post("/payments", french("0100")).ok()
	require.Equal(b.t, "requires_customer_action", p["status"], p)
	require.Equal(b.t, "Visa", p["next_action"].(map[string]any)["three_ds_data"].(map[string]any)["card_network"])
	b.authenticate(p, "U")
	b.ends(p, "succeeded", "", 1)
}

func noAuthenticator(b *bankWorld) {
	for details, want := range map[string][3]string{
		`{"authentication_connectors":[],"three_ds_requestor_url":"https://shop.example"}`:            {"422", "IR_29", "No authentication_connector found"},
		`{"authentication_connectors":["gpayments"],"three_ds_requestor_url":"https://shop.example"}`: {"404", "HE_02", "Merchant connector account"},
	} {
		b.post("/account/m1/business_profile/"+b.profile, `{"authentication_connector_details":`+details+`}`).ok()
		r := b.pay("0000")
		require.Equal(b.t, want[0], strconv.Itoa(r.status), r.body)
		require.Equal(b.t, want[1], r.error()["code"])
		require.Contains(b.t, r.error()["message"], want[2])
	}
	require.Zero(b.t, b.payments(), "nothing was begun")
	require.Zero(b.t, b.asked("preauth"))
}

func processorCannot(b *bankWorld) {
	b = newBankWorld(b.t, func(adapters map[string]*sdk.Adapter) {
		plain := simulator.Adapter()
		plain.Manifest.Features.External3DS = false
		adapters["adyen"] = plain
	})
	r := b.pay("0000", "routing", `{"type":"single","data":"adyen"}`)
	require.Equal(b.t, 400, r.status, r.body)
	require.Equal(b.t, "IR_20", r.error()["code"])
	require.Equal(b.t, "adyen", r.error()["connector"])
	require.Zero(b.t, b.asked("preauth"))
}

func noAcquirer(b *bankWorld) {
	r := b.post("/payments", secure("9999999999999995"))
	require.Equal(b.t, 400, r.status, r.body)
	require.Equal(b.t, "IR_16", r.error()["code"])
	require.Contains(b.t, r.error()["message"], "Card network not found")
}

func notEnrolled(b *bankWorld) {
	p := b.pay("9000").ok()
	require.Nil(b.t, p["next_action"])
	b.ends(p, "succeeded", "", 1)
	require.Nil(b.t, b.proof(p))
	b.policy(`{"on_not_enrolled":"fail"}`)
	b.ends(b.pay("9000").ok(), "failed", "card_not_enrolled", 0)
}

func versionsOutside(b *bankWorld) {
	p := b.pay("1000").ok() // 2.1.0 alone
	b.ends(p, "succeeded", "", 1)
	require.Nil(b.t, b.proof(p))
	require.Contains(b.t, b.record(p["payment_id"].(string)).Details.Flags, "version_unsupported")
	b.policy(`{"on_not_enrolled":"fail"}`)
	b.ends(b.pay("1000").ok(), "failed", "card_not_enrolled", 0)
	b.policy(`{"allow_versions":["2.x"]}`)
	require.Equal(b.t, "requires_customer_action", b.pay("1000").ok()["status"])
}

func unreachable(b *bankWorld) {
	b = newBankWorld(b.t, func(adapters map[string]*sdk.Adapter) { adapters["gpayments"] = threedsecureio.Adapter() })
	b.authenticator("gpayments", "other", b.server.URL+"/sim/3ds")
	var asked atomic.Int64
	b.replaces("/sim/3ds/preauth", func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("APIKey") != "demo" {
			return false
		}
		asked.Add(1)
		panic(http.ErrAbortHandler) // no answer
	})
	b.ends(b.pay("0100").ok(), "failed", "authenticator_unreachable", 0)
	require.EqualValues(b.t, 2, asked.Load(), "once more")

	b.policy(`{"on_authenticator_unreachable":"failover_then_authorize_without_3ds"}`)
	b.ends(b.pay("0100").ok(), "succeeded", "", 1)

	b.policy(`{"fallback_authenticator":"gpayments"}`)
	p := b.pay("0100").ok()
	require.Equal(b.t, "Y", b.authenticate(p, "U")["trans_status"])
	got := b.ends(p, "succeeded", "", 1)
	require.Equal(b.t, "gpayments", got["external_authentication_details"].(map[string]any)["authenticator"])
}

// hangs makes the bank send no answer. The real simulator holds the request for a minute, which is too long for a test.
func hangs(b *bankWorld) {
	b = newBankWorldOf(b.t, engine.Options{AuthenticatorTime: 3 * time.Second}) // a busy machine needs one for the answers that come
	p := b.pay("8100").ok()
	b.ends(p, "failed", "authenticator_unreachable", 0)
	require.Equal(b.t, 2, b.counted.called(p["payment_id"].(string), sdk.OpPrepare), "once more")
	require.Positive(b.t, b.asked("preauth"))

	b.replaces("/sim/3ds/auth", func(_ http.ResponseWriter, r *http.Request) bool {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		return true
	})
	p = b.pay("0100").ok()
	require.Equal(b.t, "U", b.authenticate(p, "U")["trans_status"])
	b.ends(p, "succeeded", "", 1)
	require.Nil(b.t, b.proof(p), "without shift of liability")
}

func wrongCredentials(b *bankWorld) {
	asked := 0
	b.replaces("/sim/3ds/preauth", func(w http.ResponseWriter, _ *http.Request) bool {
		asked++
		http.Error(w, "API key is unknown", http.StatusUnauthorized)
		return true
	})
	b.ends(b.pay("0100").ok(), "failed", "authenticator_credentials", 0)
	require.Equal(b.t, 1, asked, "no call is repeated with a wrong key")
	require.Equal(b.t, 1, b.counted.alarmed("authenticator_refused"))
}

func methodOfAnother(b *bankWorld) {
	p := b.pay("0400").ok()
	data := p["next_action"].(map[string]any)["three_ds_data"].(map[string]any)
	b.runMethod(data)
	require.Zero(b.t, b.record(p["payment_id"].(string)).Details.MethodNotifiedAt)
	require.Equal(b.t, "Y", b.authenticate(p, "N")["trans_status"])
	b.ends(p, "succeeded", "", 1)
	require.Equal(b.t, "N", b.counted.asked(p["payment_id"].(string), sdk.OpAuthenticate).Authentication.MethodCompletion)
	require.Equal(b.t, 1, b.counted.alarmed("three_ds_id_mismatch"))
}

func areqUnanswered(b *bankWorld) {
	b.silent("/sim/3ds/auth", 1)
	p := b.pay("0100").ok()
	require.Equal(b.t, "Y", b.authenticate(p, "U")["trans_status"], "asked once more, in a new session")
	b.ends(p, "succeeded", "", 1)
	require.Equal(b.t, 2, b.asked("preauth"))

	b.silent("/sim/3ds/auth", 2)
	p = b.pay("0100").ok()
	require.Equal(b.t, "U", b.authenticate(p, "U")["trans_status"])
	b.ends(p, "succeeded", "", 1)
	require.Nil(b.t, b.proof(p), "without shift of liability")

	b.policy(`{"on_unavailable":"fail"}`)
	b.silent("/sim/3ds/auth", 2)
	p = b.pay("0100").ok()
	b.authenticate(p, "U")
	b.ends(p, "failed", "authentication_unavailable", 0)
	for _, code := range []string{"402", "403", "404", "405"} {
		b.says("/sim/3ds/auth", code)
		p = b.pay("0100").ok()
		b.authenticate(p, "U")
		b.ends(p, "failed", "authentication_unavailable", 0)
	}
}

func areqRefused(b *bankWorld) {
	for _, code := range []string{"101", "201", "203", "204", "304", "305"} {
		b.says("/sim/3ds/auth", code)
		p := b.pay("0100").ok()
		out := b.authenticate(p, "U")
		require.Equal(b.t, "U", out["trans_status"], "never left out, never Y")
		require.NotEmpty(b.t, out["error_message"])
		b.ends(p, "failed", "authentication_error", 0)
	}
}

func lowerVersion(b *bankWorld) {
	var versions []string
	b.replaces("/sim/3ds/auth", func(w http.ResponseWriter, r *http.Request) bool {
		var m map[string]any
		body := readRequest(b.t, r, &m)
		versions = append(versions, m["messageVersion"].(string))
		if m["messageVersion"] != "2.3.1" {
			r.Body = body
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"messageType":"Erro","errorCode":"102","errorComponent":"D","errorDescription":"version","errorDetail":"2.3.1","messageVersion":"2.2.0"}`))
		return true
	})
	p := b.pay("0100").ok()
	require.Equal(b.t, "Y", b.authenticate(p, "U")["trans_status"])
	b.ends(p, "succeeded", "", 1)
	require.Equal(b.t, []string{"2.3.1", "2.2.0"}, versions)
	require.Equal(b.t, "2.2.0", b.proof(p).Version)
}

func unasked(b *bankWorld) {
	for status, flag := range map[string]string{"I": "informational_unrequested", "D": "decoupled_unrequested", "S": "spc_unrequested"} {
		b.rewrites("/sim/3ds/auth", func(m map[string]any) { m["transStatus"] = status })
		p := b.pay("0100").ok()
		require.Equal(b.t, status, b.authenticate(p, "U")["trans_status"])
		b.ends(p, "succeeded", "", 1)
		require.Nil(b.t, b.proof(p), "%s proves nothing", status)
		require.Contains(b.t, b.record(p["payment_id"].(string)).Details.Flags, flag)
	}
}

func badACSURL(b *bankWorld) {
	for _, u := range []string{"javascript:alert(1)", "https://user:password@acs.example/", "//acs.example/", "https://acs.example/" + strings.Repeat("x", 3000)} {
		b.rewrites("/sim/3ds/auth", func(m map[string]any) { m["acsURL"] = u })
		p := b.pay("0170").ok()
		out := b.authenticate(p, "U")
		require.Nil(b.t, out["acs_url"], u)
		require.Equal(b.t, "U", out["trans_status"])
		b.ends(p, "failed", "authentication_protocol_error", 0)
	}
}

func withoutValue(b *bankWorld) {
	p := b.pay("0102").ok()
	b.authenticate(p, "U")
	b.ends(p, "succeeded", "", 1)
	require.Nil(b.t, b.proof(p))
	b.policy(`{"on_unavailable":"fail"}`)
	p = b.pay("0102").ok()
	b.authenticate(p, "U")
	b.ends(p, "failed", "authentication_unavailable", 0)
}

func wrongIDs(b *bankWorld) {
	for _, change := range []func(m map[string]any){
		func(m map[string]any) { delete(m, "dsTransID") },
		func(m map[string]any) { m["threeDSServerTransID"] = "00000000-0000-4000-8000-000000000000" },
	} {
		b.rewrites("/sim/3ds/auth", change)
		p := b.pay("0100").ok()
		b.authenticate(p, "U")
		b.ends(p, "failed", "authentication_protocol_error", 0)
	}
}

func tooManyTries(b *bankWorld) {
	b.post("/account/m1/business_profile/"+b.profile, `{"is_manual_retry_enabled":true,"external_three_ds_policy":{"max_authentications_per_payment":1}}`).ok()
	p := b.pay("0110").ok()
	b.authenticate(p, "U")
	b.ends(p, "failed", "authentication_failed", 0)
	r := b.post("/payments/"+p["payment_id"].(string)+"/confirm", with(secure(visaCard("0100")), "confirm", "-", "amount", "-", "currency", "-"))
	require.Equal(b.t, 429, r.status, r.body)
	require.Equal(b.t, "IR_16", r.error()["code"])
}
