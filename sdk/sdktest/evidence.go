package sdktest

import (
	"strings"

	"payswitch/sdk"
)

// An unhappy answer with its name in reports.
type unhappy struct {
	name string
	e    sdk.Exchange
	// refusal means that the answer may prove a refusal: the outcome may be declined.
	refusal bool
	// absent means that the answer may prove that the processor does not know the object: the outcome may be not_found.
	absent bool
}

var htmlPage = []byte("<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Service Unavailable</h1></body></html>")

// unhappyAnswers returns answers of a failing processor, or of a failing proxy before the processor. full is a good answer, which
// unhappyAnswers cuts short.
func unhappyAnswers(full []byte) []unhappy {
	answer := func(name string, status int, contentType, body string) unhappy {
		return unhappy{name: name, e: sdk.Exchange{Sent: true, Status: status, Body: []byte(body), Headers: []sdk.Header{sdk.H("Content-Type", contentType)}}}
	}
	const js = "application/json"
	all := []unhappy{
		{name: "time-out after sending", e: sdk.Exchange{Sent: true, Failure: "timeout"}},
		{name: "reset after sending", e: sdk.Exchange{Sent: true, Failure: "reset"}},
		{name: "answer too large", e: sdk.Exchange{Sent: true, Failure: "too_large"}},
		{name: "unreadable answer", e: sdk.Exchange{Sent: true, Failure: "unreadable"}},
		{name: "time-out with a status", e: sdk.Exchange{Sent: true, Status: 200, Failure: "timeout"}},
		{name: "time-out before sending", e: sdk.Exchange{Failure: "timeout"}},
		{name: "no connection", e: sdk.Exchange{Failure: "connect"}},
		{name: "refused by the host", e: sdk.Exchange{Failure: "refused"}},
		answer("500 empty", 500, "", ""), answer("500 {}", 500, js, "{}"), answer("503 HTML", 503, "text/html", string(htmlPage)),
		answer("502 text", 502, "text/plain", "Bad Gateway"), answer("504 JSON", 504, js, `{"message":"Endpoint request timed out"}`),
		answer("200 empty", 200, js, ""), answer("204 empty", 204, "", ""), answer("200 HTML", 200, "text/html", string(htmlPage)),
		answer("200 HTML that claims to be JSON", 200, js, string(htmlPage)), answer("200 {}", 200, js, "{}"), answer("200 null", 200, js, "null"),
		answer("200 []", 200, js, "[]"), answer("200 text", 200, js, `"approved"`), answer("200 number", 200, js, "1"),
		answer("200 cut", 200, js, `{"id":"tx_1","status":"succeed`), answer("302", 302, "text/html", ""),
		answer("200 wrong types", 200, js, `{"id":{},"status":[],"state":7,"result":null,"amount":"x","success":{},"approved":[],"response_code":{},"resultCode":false}`),
		answer("400 empty", 400, "", ""), answer("403 HTML", 403, "text/html", string(htmlPage)), answer("404 HTML", 404, "text/html", string(htmlPage)),
		answer("429 text", 429, "text/plain", "slow down"),
	}
	for _, status := range []int{400, 401, 404, 422} {
		u := answer("an error of no known form", status, js, `{"message":"no"}`)
		u.refusal, u.absent = true, status == 404
		all = append(all, u)
	}
	for _, n := range []int{1, len(full) / 2, len(full) - 1} {
		if n > 0 && n < len(full) {
			all = append(all, answer("answer cut short", 200, js, string(full[:n])))
		}
	}
	if len(full) > 2 {
		all = append(all, answer("the right answer with status 500", 500, js, string(full)))
	}
	return all
}

// checkEvidence answers each send of an operation with every answer that proves nothing. Earlier sends get good answers.
func (c *checker) checkEvidence(op sdk.Operation) {
	happy := c.happy(op)
	turns, _ := c.play(c.sample(op), happy)
	for at, t := range turns {
		for _, u := range unhappyAnswers(t.answer.Body) {
			asked, end := c.play(c.sample(op), func(i int, r *sdk.Result) sdk.Exchange {
				switch {
				case i < at:
					return happy(i, r)
				case r.Verify != nil:
					no := false
					return sdk.Exchange{Verified: &no}
				}
				return u.e // later sends, such as a query, get the same answer
			})
			if end != nil && end.Outcome != nil && len(asked) > at {
				c.checkUndecided(op, u, end.Outcome)
			}
		}
	}
}

// checkUndecided reports an outcome that the answer does not prove.
func (c *checker) checkUndecided(op sdk.Operation, u unhappy, o *sdk.Outcome) {
	switch o.Status {
	case sdk.StatusUnknown, sdk.StatusPending:
		return
	case sdk.StatusDeclined:
		if u.refusal && u.e.Status >= 400 {
			return
		}
	case sdk.StatusNotFound:
		if u.absent {
			return
		}
	case sdk.StatusVoided:
		if u.e.Status == 204 { // some processors confirm a cancellation with 204
			return
		}
	case sdk.StatusDisputed:
		if u.e.Status == 204 && op.Answers() { // some processors confirm an answer to a dispute with 204
			return
		}
	case sdk.StatusPrepared, sdk.StatusAuthenticated:
		if provenError(u, o.Authentication) {
			return
		}
	case sdk.StatusHandled: // cancel_challenge needs no answer
		if op == sdk.OpCancelChallenge {
			return
		}
	}
	c.breaks(RuleEvidence, op, "%s became %s", describe(u), o.Status)
}

// provenError reports whether an authentication is nothing but an error that the answer may prove: one of the authenticator, or the refusal of
// the account's credentials.
func provenError(u unhappy, a *sdk.AuthenticationOutcome) bool {
	if a == nil || a.Error == nil || a.TransStatus != "" || a.CAVV != "" || len(a.Ranges) > 0 || a.NotEnrolled || a.Pending || a.Gone {
		return false
	}
	return u.refusal || a.Error.Class == sdk.ErrorCredentials && (u.e.Status == 401 || u.e.Status == 403)
}

func describe(u unhappy) string {
	if u.name == "an error of no known form" {
		return "a " + sdk.Decimal(int64(u.e.Status), 0) + " with an error of no known form"
	}
	return strings.TrimSpace(u.name)
}

// checkWebhook sends unsigned messages. The adapter must not believe them.
func (c *checker) checkWebhook() {
	for _, body := range []string{"", "{}", "null", "[]", `{"id":"tx_1","type":"payment.captured","status":"captured"`, string(htmlPage), "a=b&c=d", "\xff\xfe"} {
		in := c.sample(sdk.OpWebhook)
		if in.Request.Webhook == nil {
			return
		}
		w := *in.Request.Webhook
		if w.Body = []byte(body); body == "" {
			w.Body = nil
		}
		w.BodyLength = len(w.Body)
		in.Request.Webhook = &w
		_, _ = c.play(in, c.happy(sdk.OpWebhook)) // the result is free, but the module must not trap
	}
	no := false
	verifies := 0
	_, end := c.play(c.sample(sdk.OpWebhook), func(_ int, r *sdk.Result) sdk.Exchange {
		if r.Verify != nil {
			verifies++
			return sdk.Exchange{Verified: &no}
		}
		return sdk.Exchange{Failure: "connect"}
	})
	if a := c.manifest.Authenticator; a != nil && a.PushAuthentication != sdk.PushProofHMAC {
		return // the host accepts such messages only at the authentication's own URL
	}
	if end != nil && end.Outcome != nil && statesOutcome(end.Outcome) {
		if verifies > 0 {
			c.breaks(RuleEvidence, sdk.OpWebhook, "the adapter believes a message with a wrong signature")
		} else {
			c.breaks(RuleEvidence, sdk.OpWebhook, "the adapter believes a message without verifying its signature: verify the signature, or set sync in the event")
		}
	}
}

// statesOutcome reports whether an event states an outcome instead of asking for a query.
func statesOutcome(o *sdk.Outcome) bool {
	for _, e := range o.Events {
		if !e.Sync && e.Outcome != nil {
			return true
		}
	}
	return false
}
