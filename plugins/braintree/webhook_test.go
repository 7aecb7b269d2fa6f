package braintree_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// message returns a notification with Braintree's signature and with line breaks in the payload.
func message(xml string) sdk.Request {
	payload := base64.StdEncoding.EncodeToString([]byte(xml)) + "\n"
	payload = payload[:len(payload)/2] + "\n" + payload[len(payload)/2:]
	key := sha1.Sum([]byte("STANDINprivate"))
	mac := hmac.New(sha1.New, key[:])
	mac.Write([]byte(payload))
	form := url.Values{"bt_payload": {payload}, "bt_signature": {"other|00&pub|" + hex.EncodeToString(mac.Sum(nil))}}
	return sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(form.Encode())}}
}

func notification(kind, at, subject string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><notification><kind>` + kind + `</kind><timestamp type="datetime">` + at + `</timestamp><subject>` + subject + `</subject></notification>`
}

const (
	at0  = "2026-01-15T10:20:20Z"
	sale = `<transaction><id>abc</id><status>settled</status><type>sale</type><order-id>ref-1</order-id><customer><id>cus</id></customer><amount nil="true"/></transaction>`
)

func TestWebhook(t *testing.T) {
	yes, no := sdk.Exchange{}, sdk.Exchange{}
	yes.Verified, no.Verified = new(true), new(false)
	id := base64.RawStdEncoding.EncodeToString([]byte("transaction_abc"))

	r := message(notification("transaction_settled", at0, sale))
	p := play(t, sdk.OpWebhook, r, yes)
	require.Equal(t, []sdk.Event{{Object: "payment", TransactionID: id, Reference: "ref-1", Sync: true, Time: now - 10_000}}, p.Events)
	value, err := wire.Evaluate(p.verifies[0].Expr, r.Webhook.Body)
	require.NoError(t, err)
	require.Equal(t, p.verifies[0].Equal, string(value), "the expression gives the signature that was made with the key")

	forged := play(t, sdk.OpWebhook, r, no)
	require.Empty(t, forged.Events)
	require.Equal(t, 401, forged.Reply.Status)
	old := play(t, sdk.OpWebhook, message(notification("transaction_settled", "2026-01-14T10:20:29Z", sale)), yes)
	require.Empty(t, old.Events)
	require.Equal(t, 401, old.Reply.Status)
	require.Empty(t, play(t, sdk.OpWebhook, message(notification("transaction_settled", "2026-01-17T10:20:30Z", sale)), yes).Events, "of the day after tomorrow")

	for name, body := range map[string]string{"nothing": "", "no signature": "bt_payload=QQ", "another key": "bt_payload=QQ&bt_signature=" + url.QueryEscape("other|00"), "no payload": "bt_signature=pub%7C00"} {
		p := play(t, sdk.OpWebhook, sdk.Request{Webhook: &sdk.WebhookMessage{Body: []byte(body)}})
		require.Equal(t, 401, p.Reply.Status, name)
	}
}

func TestWebhookKinds(t *testing.T) {
	yes := sdk.Exchange{Verified: new(true)}
	encoded := func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) }
	credit := `<transaction><id>xyz</id><type>credit</type><order-id>ref-2</order-id><refunded-transaction-id>abc</refunded-transaction-id></transaction>`
	for name, v := range map[string]struct {
		kind, subject string
		want          *sdk.Event
	}{
		"settlement declined": {"transaction_settlement_declined", sale, &sdk.Event{Object: "payment", TransactionID: encoded("transaction_abc"), Reference: "ref-1", Sync: true}},
		"a refund settled":    {"transaction_settled", credit, &sdk.Event{Object: "refund", TransactionID: encoded("transaction_abc"), RefundID: encoded("refund_xyz"), Reference: "ref-2", Sync: true}},
		"a refund failed":     {"refund_failed", `<transaction><id>xyz</id></transaction>`, &sdk.Event{Object: "refund", RefundID: encoded("refund_xyz"), Sync: true}},
		"a dispute": {"dispute_opened", `<dispute><id>d1</id><transaction><id>abc</id><order-id>ref&amp;1</order-id></transaction></dispute>`,
			&sdk.Event{Object: "dispute", TransactionID: encoded("transaction_abc"), Reference: "ref&1"}},
		"a dispute with its amount": {"dispute_under_review", `<dispute><id>d1</id><amount>10.00</amount><amount-disputed>9.50</amount-disputed><currency-iso-code>USD</currency-iso-code><kind>retrieval</kind><status>open</status><reason>fraud</reason><reason-code>83</reason-code><reply-by-date>2026-05-01</reply-by-date><received-date>2026-04-01</received-date><transaction><id>abc</id></transaction></dispute>`,
			&sdk.Event{Object: "dispute", TransactionID: encoded("transaction_abc"), Dispute: &sdk.Dispute{ID: "d1", Status: sdk.DisputeChallenged,
				Amount: sdk.Money{Minor: 950, Currency: "USD"}, Stage: sdk.StagePreDispute, ConnectorStatus: "open", Reason: "fraud", ReasonCode: "83",
				RespondBy: 1777593600000, CreatedAt: 1775001600000}}},
		"a lost dispute": {"dispute_lost", `<dispute><id>d1</id><amount>10.00</amount><currency-iso-code>USD</currency-iso-code><transaction><id>abc</id></transaction></dispute>`,
			&sdk.Event{Object: "dispute", TransactionID: encoded("transaction_abc"), Dispute: &sdk.Dispute{ID: "d1", Status: sdk.DisputeLost, Amount: sdk.Money{Minor: 1000, Currency: "USD"}, ConnectorStatus: "dispute_lost"}}},
		"a won dispute": {"dispute_won", `<dispute><id>d1</id><amount>10</amount><currency-iso-code>JPY</currency-iso-code><transaction><id>abc</id></transaction></dispute>`,
			&sdk.Event{Object: "dispute", TransactionID: encoded("transaction_abc"), Dispute: &sdk.Dispute{ID: "d1", Status: sdk.DisputeWon, Amount: sdk.Money{Minor: 10, Currency: "JPY"}, ConnectorStatus: "dispute_won"}}},
		"a dispute of an unreadable amount": {"dispute_won", `<dispute><id>d1</id><amount>ten</amount><currency-iso-code>USD</currency-iso-code><transaction><id>abc</id></transaction></dispute>`,
			&sdk.Event{Object: "dispute", TransactionID: encoded("transaction_abc")}},
		"a dispute of nothing": {"dispute_opened", `<dispute/>`, nil},
		"no transaction":       {"transaction_settled", "", nil},
		"something else":       {"subscription_canceled", sale, nil},
		"a check":              {"check", `<check type="boolean">true</check>`, nil},
	} {
		p := play(t, sdk.OpWebhook, message(notification(v.kind, at0, v.subject)), yes)
		require.Equal(t, sdk.StatusHandled, p.Status, name)
		require.Equal(t, 200, p.Reply.Status, name)
		if v.want == nil {
			require.Empty(t, p.Events, name)
			continue
		}
		v.want.Time = now - 10_000
		require.Equal(t, []sdk.Event{*v.want}, p.Events, name)
	}
	for _, bad := range []string{"", "x", "<notification>", "<a></b>", "<notification", "</a>", notification("transaction_settled", "yesterday", sale)} {
		require.Equal(t, 400, play(t, sdk.OpWebhook, message(bad), yes).Reply.Status, bad)
	}
}

func FuzzWebhook(f *testing.F) {
	f.Add(notification("transaction_settled", at0, sale))
	f.Add("<a><b/></a><!-- x -->")
	f.Fuzz(func(t *testing.T, xml string) {
		p := play(t, sdk.OpWebhook, message(xml), sdk.Exchange{Verified: new(true)})
		require.Equal(t, sdk.StatusHandled, p.Status)
		for _, e := range p.Events {
			require.Contains(t, xml, "transaction")
			require.True(t, e.Sync || e.Object == "dispute")
		}
	})
}
