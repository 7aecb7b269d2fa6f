package router_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// Branches of the flow from the challenge on; three_ds_branches_test.go says which.

// noResult is the error of postauth before there is a result.
const noResult = "305"

func tabClosed(b *bankWorld) {
	b.background()
	c := b.challenge("0170")
	b.says("/sim/3ds/postauth", noResult)
	c.due(time.Minute)
	b.booked(c.payment["payment_id"].(string)) // nothing yet
	b.waits(c.payment)
	c.due(15 * time.Minute)
	b.ends(c.payment, "failed", "authentication_abandoned", 0)
}

func bankTimeOut(b *bankWorld) {
	c := b.challenge("0170")
	_, fields, page := b.bankForm(c.answer["acs_url"].(string), url.Values{"creq": {c.answer["challenge_request"].(string)},
		"threeDSSessionData": {c.answer["three_ds_session_data"].(string)}})
	require.Contains(b.t, page, `id="otp"`)
	b.passes(11 * time.Minute)
	fields.Set("otp", "1234")
	to, fields, _ := b.bankForm("/sim/acs/challenge/submit", fields)
	b.ours(to, fields)
	b.ends(c.payment, "failed", "authentication_timeout", 0)
}

func creqLate(b *bankWorld) {
	c := b.challenge("0170")
	b.passes(31 * time.Second)
	to, fields, _ := b.bankForm(c.answer["acs_url"].(string), url.Values{"creq": {c.answer["challenge_request"].(string)}})
	require.Contains(b.t, to, "/3ds/c/", "the bank has ended it")
	b.ours(to, fields)
	b.ends(c.payment, "failed", "authentication_abandoned", 0)
}

func erroAlone(b *bankWorld) {
	b.background()
	c := b.challenge("0177")
	b.says("/sim/3ds/postauth", noResult)
	c.returns("1234")
	b.waits(c.payment)
	c.due(31 * time.Second)
	b.ends(c.payment, "failed", "authentication_protocol_error", 0)
}

func forgedCRes(b *bankWorld) {
	c, other := b.challenge("0170"), b.challenge("0170")
	id := c.payment["payment_id"].(string)
	theirs := b.counted.asked(other.payment["payment_id"].(string), "authenticate").Authentication
	mine := b.counted.asked(id, "authenticate").Authentication
	cres := func(server, acs string) url.Values {
		return url.Values{"cres": {encode64(`{"messageType":"CRes","messageVersion":"2.3.1","threeDSServerTransID":"` + server + `","acsTransID":"` + acs +
			`","challengeCompletionInd":"Y","transStatus":"Y"}`)}}
	}
	server, acs := c.answer["three_ds_server_trans_id"].(string), c.answer["acs_trans_id"].(string)
	before := b.asked("postauth")
	forged := cres(server, acs)
	forged.Set("threeDSSessionData", "forged")
	for _, fields := range []url.Values{{}, {"cres": {"garbage"}}, cres("00000000-0000-4000-8000-000000000000", acs), cres(server, "00000000-0000-4000-8000-000000000000"), forged} {
		b.ours(mine.NotificationURL, fields)
	}
	b.ours(theirs.NotificationURL, cres(server, acs)) // at another payment's URL
	b.ours(publicURL+"/3ds/c/"+strings.TrimPrefix(mine.MethodNotificationURL, publicURL+"/3ds/m/"), cres(server, acs))
	b.ours(publicURL+"/3ds/c/"+strings.TrimPrefix(mine.ResultURL, publicURL+"/3ds/r/"), cres(server, acs))
	b.waits(c.payment)
	b.waits(other.payment)
	require.Equal(b.t, before, b.asked("postauth"), "they cause no call")
	require.NotZero(b.t, b.counted.alarmed("three_ds_id_mismatch"))
	require.NotZero(b.t, b.counted.alarmed("three_ds_session_mac"))

	b.ours(mine.NotificationURL, cres(server, acs)) // right, but before the code was entered
	time.Sleep(50 * time.Millisecond)
	b.waits(c.payment)
	c.returns("1234")
	b.ends(c.payment, "succeeded", "", 1)
}

func cresSaysNo(b *bankWorld) {
	c := b.challenge("0170")
	c.returns("1234", `"transStatus":"Y"`, `"transStatus":"N"`)
	b.ends(c.payment, "succeeded", "", 1)
}

func neverAResult(b *bankWorld) {
	b.background()
	c := b.challenge("0170")
	b.says("/sim/3ds/postauth", noResult)
	c.returns("1234")
	b.booked(c.payment["payment_id"].(string))
	c.due(16 * time.Minute)
	b.ends(c.payment, "failed", "authentication_timeout", 0)
}

func resultGone(b *bankWorld) {
	c := b.challenge("0173") // the browser is not sent back
	_, fields, _ := b.bankForm(c.answer["acs_url"].(string), url.Values{"creq": {c.answer["challenge_request"].(string)}})
	fields.Set("otp", "1234")
	b.bankForm("/sim/acs/challenge/submit", fields)
	b.passes(6 * time.Minute)
	b.ends(c.payment, "failed", "authentication_result_lost", 0)
}

func unavailableAfterChallenge(b *bankWorld) {
	b.policy(`{"on_unavailable_after_challenge":"authorize_without_shift"}`)
	c := b.challenge("0170")
	c.returns("3333")
	got := b.ends(c.payment, "succeeded", "", 1)
	require.Nil(b.t, b.proof(c.payment))
	require.Equal(b.t, "not_expected", got["external_authentication_details"].(map[string]any)["liability_shift"])
}

func resultOfAnother(b *bankWorld) {
	c := b.challenge("0170")
	b.rewrites("/sim/3ds/postauth", func(m map[string]any) { m["acsTransID"] = "00000000-0000-4000-8000-000000000000" })
	c.returns("1234")
	require.Eventually(b.t, func() bool { return b.counted.alarmed("three_ds_id_mismatch") > 0 }, 20*time.Second, 5*time.Millisecond)
	b.waits(c.payment)
	b.heals()
	b.ends(c.payment, "succeeded", "", 1)
}

func unfinalResult(b *bankWorld) {
	for _, status := range []string{"C", "D", "I", "S", "X"} {
		c := b.challenge("0170")
		b.rewrites("/sim/3ds/postauth", func(m map[string]any) { m["transStatus"] = status })
		c.returns("1234")
		b.ends(c.payment, "failed", "authentication_protocol_error", 0)
	}
}

func decoupled(b *bankWorld) {
	b.policy(`{"decoupled":"on"}`)
	b.background()
	p := b.pay("0180").ok()
	out := b.authenticate(p, "U")
	require.Equal(b.t, "D", out["trans_status"], out)
	require.Nil(b.t, out["acs_url"])
	require.Equal(b.t, "requires_customer_action", out["status"])
	asked := b.counted.asked(p["payment_id"].(string), "authenticate").Authentication
	require.Equal(b.t, 15, asked.DecoupledMinutes)
	page := b.send("GET", strings.TrimPrefix(p["next_action"].(map[string]any)["three_ds_data"].(map[string]any)["three_ds_authorize_url"].(string), publicURL), "", "",
		"Sec-Fetch-Dest", "iframe")
	require.Contains(b.t, page.body, "poll_status", "the payer may leave the page; nothing is given up")
	b.waits(p)
	wait := b.get("/payments/" + p["payment_id"].(string)).ok()["next_action"].(map[string]any)
	require.Equal(b.t, "wait_screen_information", wait["type"], "there is nothing to run")
	require.InDelta(b.t, 15.5*60e9, wait["display_to_timestamp"].(float64)-wait["display_from_timestamp"].(float64), 1e6)
	require.Equal(b.t, map[string]any{"delay_in_secs": 10., "frequency": 94.}, wait["poll_config"])
	b.due(p["payment_id"].(string), time.Minute)
	got := b.ends(p, "succeeded", "", 1)
	require.Equal(b.t, "challenge", got["external_authentication_details"].(map[string]any)["authentication_flow"])
	require.Equal(b.t, "05", b.proof(p).ECI)
}

func decoupledLate(b *bankWorld) {
	b.policy(`{"decoupled":"on"}`)
	b.background()
	b.says("/sim/3ds/postauth", noResult)
	p := b.pay("0180").ok()
	require.Equal(b.t, "D", b.authenticate(p, "U")["trans_status"])
	b.due(p["payment_id"].(string), 15*time.Minute)
	b.booked(p["payment_id"].(string))
	b.waits(p)
	b.due(p["payment_id"].(string), time.Minute)
	b.ends(p, "failed", "authentication_timeout", 0)
}

// soft returns a payment without authentication whose issuer demands one.
func (b *bankWorld) soft(digits string, changes ...string) response {
	return b.pay(digits, append([]string{"authentication_type", `"no_three_ds"`, "request_external_three_ds_authentication", "-", "amount", "1065"}, changes...)...)
}

func stepUp(b *bankWorld) {
	p := b.soft("0170").ok()
	require.Equal(b.t, "requires_customer_action", p["status"], p)
	require.EqualValues(b.t, 2, p["attempt_count"])
	attempts := b.get("/payments/" + p["payment_id"].(string) + "?expand_attempts=true").ok()["attempts"].([]any)
	require.Equal(b.t, []any{"no_three_ds", "three_ds"}, []any{attempts[0].(map[string]any)["authentication_type"], attempts[1].(map[string]any)["authentication_type"]})
	c := &challenged{bankWorld: b, payment: p, answer: b.authenticate(p, "U")}
	require.Equal(b.t, []string{"13"}, b.counted.asked(p["payment_id"].(string), "authenticate").Authentication.ChallengeInds, "as the issuer demands")
	c.returns("1234")
	b.ends(p, "succeeded", "", 2)
	require.Equal(b.t, "05", b.proof(p).ECI)
}

func stepUpOnce(b *bankWorld) {
	p := b.soft("0150").ok()
	require.Equal(b.t, "requires_customer_action", p["status"], p)
	require.Equal(b.t, "U", b.authenticate(p, "U")["trans_status"])
	got := b.ended(p)
	require.Equal(b.t, "failed", got["status"], got)
	require.Equal(b.t, 2, b.authorizations(p))
}

func stepUpAway(b *bankWorld) {
	p := b.soft("0170", "browser_info", "-").ok()
	require.Equal(b.t, "failed", p["status"], p)
	require.Equal(b.t, "authentication_required", p["error_code"])
	require.Equal(b.t, 1, b.authorizations(p))
	require.Zero(b.t, b.asked("preauth"))
}

func amountChanged(b *bankWorld) {
	c := b.challenge("0170")
	for _, p := range []map[string]any{b.pay("0170").ok(), c.payment} { // before and after the AReq
		r := b.post("/payments/"+p["payment_id"].(string), `{"amount":1}`)
		require.Equal(b.t, 400, r.status, r.body)
		require.Equal(b.t, "IR_16", r.error()["code"])
	}
	c.returns("1234")
	require.EqualValues(b.t, 6540, b.ends(c.payment, "succeeded", "", 1)["amount"])
}

func declined(b *bankWorld) {
	p := b.pay("0100", "amount", "900000101").ok()
	require.Equal(b.t, "Y", b.authenticate(p, "U")["trans_status"])
	got := b.ended(p)
	require.Equal(b.t, "failed", got["status"])
	require.NotContains(b.t, got["error_code"], "authentication")
	require.Equal(b.t, 1, b.authorizations(p))
	require.EqualValues(b.t, "consumed", b.record(p["payment_id"].(string)).State, "no other authorization can have it")
}

func processorTimeOut(b *bankWorld) {
	b.background()
	p := b.pay("0100", "amount", "900000030").ok()
	require.Equal(b.t, "Y", b.authenticate(p, "U")["trans_status"])
	b.ends(p, "succeeded", "", 1) // unknown until it was asked for
}

func askedAtOnce(b *bankWorld) {
	p := b.pay("0170").ok()
	answers := make([]string, 20)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i], _ = b.authenticate(p, "U")["challenge_request"].(string) })
	}
	wg.Wait()
	for _, a := range answers {
		require.Equal(b.t, answers[0], a)
	}
	require.NotEmpty(b.t, answers[0])
	require.Equal(b.t, 1, b.asked("auth"), "one AReq")
}

func allAtOnce(b *bankWorld) {
	b.background()
	c := b.challenge("0170")
	to, fields := c.confirms("1234")
	authorize := strings.TrimPrefix(c.data["three_ds_authorize_url"].(string), publicURL)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { b.send("GET", authorize, "", "", "Sec-Fetch-Dest", "document") })
	}
	for range 5 {
		wg.Go(func() { b.ours(to, fields) })
		wg.Go(func() { b.get("/payments/" + c.payment["payment_id"].(string) + "?force_sync=true") })
	}
	wg.Go(func() { b.due(c.payment["payment_id"].(string), 0) })
	wg.Wait()
	b.ends(c.payment, "succeeded", "", 1)
	r := b.send("GET", authorize, "", "", "Sec-Fetch-Dest", "document")
	require.Equal(b.t, http.StatusSeeOther, r.status)
	require.Contains(b.t, r.header.Get("Location"), "status=succeeded")
}

// threeRI charges a saved card whose first payment was authenticated.
func threeRI(b *bankWorld) {
	b.policy(`{"three_ri_for_mit":"on"}`)
	p := b.post("/payments", with(french("2100"), keepCard...)).ok()
	b.authenticate(p, "U")
	method, _ := b.ends(p, "succeeded", "", 1)["payment_method_id"].(string)
	require.NotEmpty(b.t, method)
	again := b.post("/payments", `{"amount":700,"currency":"EUR","confirm":true,"off_session":true,"mit_category":"recurring","customer_id":"cus_kept",
		"recurring_details":{"type":"payment_method_id","data":"`+method+`"}}`).ok()
	b.ends(again, "succeeded", "", 1)
	asked := b.counted.asked(again["payment_id"].(string), "authenticate").Authentication
	require.Equal(b.t, "3RI", string(asked.DeviceChannel))
	require.NotNil(b.t, asked.Prior)
	require.Equal(b.t, &sdk.RecurringTerms{Expiry: "20401231", FrequencyDays: 1}, asked.Recurring)
	require.NotNil(b.t, b.proof(again))
	require.Nil(b.t, again["next_action"])
}
