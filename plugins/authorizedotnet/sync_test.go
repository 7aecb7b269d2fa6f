package authorizedotnet_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/authorizedotnet"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

func details(id, status, authorized, settled string) string {
	return `{"transaction":{"transId":"` + id + `","transactionStatus":"` + status + `","responseReasonCode":4,"responseReasonDescription":"text","authAmount":` + authorized + `,"settleAmount":` + settled + `},` + ok + `}`
}

func TestSync(t *testing.T) {
	r := sdk.Request{TransactionID: "60198495566", Reference: "ref-1", Amount: usd(2499), Payment: &sdk.PaymentState{Refunded: 700}}
	for _, v := range []struct {
		status, authorized, settled string
		want                        sdk.OutcomeStatus
		totals                      *sdk.Totals
	}{
		{"authorizedPendingCapture", "24.99", "24.99", sdk.StatusAuthorized, &sdk.Totals{Authorized: 2499, Refunded: 700}},
		{"authorizedPendingCapture", "0.00", "0.00", sdk.StatusVerified, nil},
		{"capturedPendingSettlement", "24.99", "10.0", sdk.StatusCaptured, &sdk.Totals{Authorized: 2499, Captured: 1000, Refunded: 700}},
		{"settledSuccessfully", "24.99", "24.99", sdk.StatusCaptured, &sdk.Totals{Authorized: 2499, Captured: 2499, Refunded: 700}},
		{"settledSuccessfully", "24.99", "24.999", sdk.StatusUnknown, nil},
		{"settledSuccessfully", "null", "24.99", sdk.StatusUnknown, nil},
		{"voided", "24.99", "24.99", sdk.StatusVoided, nil},
		{"expired", "24.99", "24.99", sdk.StatusVoided, nil},
		{"declined", "24.99", "24.99", sdk.StatusDeclined, nil},
		{"FDSPendingReview", "24.99", "24.99", sdk.StatusReview, nil},
		{"couldNotVoid", "24.99", "24.99", sdk.StatusUnknown, nil},
		{"refundPendingSettlement", "24.99", "24.99", sdk.StatusUnknown, nil},
	} {
		p := play(t, sdk.OpSync, r, answer(200, details("60198495566", v.status, v.authorized, v.settled)))
		require.Equal(t, v.want, p.Status, v)
		require.Equal(t, v.totals, p.Totals, v)
		require.True(t, p.Sends[0].SafeToRepeat)
		require.Equal(t, "60198495566", body(t, p.Sends[0], "getTransactionDetailsRequest").Str("transId"))
	}
	p := play(t, sdk.OpSync, r, answer(200, details("60198495566", "declined", "24.99", "24.99")))
	require.Equal(t, sdk.DeclinePickUpCard, p.Decline.Reason)
	gone := play(t, sdk.OpSync, r, answer(200, failure("E00040")))
	require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{gone.Status, gone.Raw["alarm"]}, "an id that the processor gave")
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, answer(200, failure("E00011"))).Status, "not allowed to ask proves nothing")
}

func TestRefundSync(t *testing.T) {
	r := sdk.Request{TransactionID: "60198495566", RefundID: "60198495580", Reference: "ref-2", Amount: usd(700)}
	for status, want := range map[string]sdk.OutcomeStatus{"refundSettledSuccessfully": sdk.StatusRefunded, "refundPendingSettlement": sdk.StatusPending, "declined": sdk.StatusDeclined,
		"voided": sdk.StatusDeclined, "settledSuccessfully": sdk.StatusUnknown} {
		p := play(t, sdk.OpRefundSync, r, answer(200, details("60198495580", status, "7.00", "7.00")))
		require.Equal(t, want, p.Status, status)
		require.Equal(t, "60198495580", body(t, p.Sends[0], "getTransactionDetailsRequest").Str("transId"))
	}
	gone := play(t, sdk.OpRefundSync, r, answer(200, failure("E00040")))
	require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{gone.Status, gone.Raw["alarm"]}, "an id that the processor gave")
	p := play(t, sdk.OpRefundSync, r, answer(200, details("60198495580", "refundSettledSuccessfully", "24.99", "24.99")))
	require.Equal(t, usd(2499), *p.Amount, "the outcome has an amount other than the requested one")
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefundSync, r, answer(200, details("1", "refundSettledSuccessfully", "7.00", "7.00"))).Status, "another one's")
}

// list returns a page of n transactions, all submitted at one time; at most one has the invoice number.
func list(n int, at string, at0 int, invoice, id string) sdk.Exchange {
	var all []string
	for i := range n {
		number, transID := "other-"+strconv.Itoa(i), strconv.Itoa(i)
		if i == at0 {
			number, transID = invoice, id
		}
		all = append(all, `{"transId":"`+transID+`","submitTimeUTC":"`+at+`","transactionStatus":"capturedPendingSettlement","invoiceNumber":"`+number+`"}`)
	}
	return answer(200, `{"transactions":[`+strings.Join(all, ",")+`],`+ok+`}`)
}

const none = -1

func batches(n int) sdk.Exchange {
	var all []string
	for i := range n {
		all = append(all, `{"batchId":"`+strconv.Itoa(100+i)+`","settlementState":"settledSuccessfully"}`)
	}
	return answer(200, `{"batchList":[`+strings.Join(all, ",")+`],`+ok+`}`)
}

// The adapter finds a payment with a lost answer by its invoice number. Only proof shows that there is no such payment.
func TestLookup(t *testing.T) {
	const before, since = "2026-01-15T10:00:00Z", "2026-01-15T10:20:00Z"
	r := sdk.Request{Reference: "ref-1", Amount: usd(2499), Payment: &sdk.PaymentState{CreatedAt: now - 60_000}}
	invoice := func(text, reference string) sdk.Exchange {
		return answer(200, strings.Replace(text, `"authAmount"`, `"order":{"invoiceNumber":"`+reference+`"},"authAmount"`, 1))
	}
	found := invoice(details("77", "capturedPendingSettlement", "24.99", "24.99"), "ref-1")
	for _, v := range []struct {
		name    string
		answers []sdk.Exchange
		want    sdk.OutcomeStatus
	}{
		{"on the first page", []sdk.Exchange{list(3, since, 1, "ref-1", "77"), found}, sdk.StatusCaptured},
		{"on the third page", []sdk.Exchange{list(200, since, none, "", ""), list(200, since, none, "", ""), list(200, since, 5, "ref-1", "77"), found}, sdk.StatusCaptured},
		{"settled since", []sdk.Exchange{list(0, since, none, "", ""), batches(2), list(9, since, none, "", ""), list(9, since, 0, "ref-1", "77"), found}, sdk.StatusCaptured},
		{"nowhere, all read", []sdk.Exchange{list(3, since, none, "", ""), batches(0)}, sdk.StatusNotFound},
		{"nowhere, no batch at all", []sdk.Exchange{list(3, since, none, "", ""), answer(200, `{`+strings.Replace(ok, "I00001", "I00004", 1)+`}`)}, sdk.StatusNotFound},
		{"no list of batches", []sdk.Exchange{list(3, since, none, "", ""), answer(200, `{`+ok+`}`)}, sdk.StatusUnknown},
		{"nowhere, read back far enough", []sdk.Exchange{list(200, before, none, "", ""), batches(1), list(200, before, none, "", "")}, sdk.StatusNotFound},
		{"too many to tell", []sdk.Exchange{list(200, since, none, "", ""), list(200, since, none, "", ""), list(200, since, none, "", ""), batches(0)}, sdk.StatusUnknown},
		{"a batch too large to tell", []sdk.Exchange{list(3, since, none, "", ""), batches(1), list(200, since, none, "", "")}, sdk.StatusUnknown},
		{"too many batches", []sdk.Exchange{list(3, since, none, "", ""), batches(4), list(0, since, none, "", ""), list(0, since, none, "", ""), list(0, since, none, "", "")}, sdk.StatusUnknown},
		{"another one's details", []sdk.Exchange{list(3, since, 1, "ref-1", "77"), invoice(details("77", "capturedPendingSettlement", "24.99", "24.99"), "ref-9")}, sdk.StatusUnknown},
		{"two of them", []sdk.Exchange{answer(200, `{"transactions":[{"transId":"1","invoiceNumber":"ref-1"},{"transId":"2","invoiceNumber":"ref-1"}],`+ok+`}`)}, sdk.StatusUnknown},
		{"not allowed to ask", []sdk.Exchange{answer(200, failure("E00011"))}, sdk.StatusUnknown},
		{"no batches told", []sdk.Exchange{list(3, since, none, "", ""), answer(200, failure("E00011"))}, sdk.StatusUnknown},
	} {
		p := play(t, sdk.OpSync, r, v.answers...)
		require.Equal(t, v.want, p.Status, v.name)
		for _, s := range p.Sends {
			require.True(t, s.SafeToRepeat)
		}
	}
	p := play(t, sdk.OpSync, r, list(200, since, none, "", ""), list(1, since, none, "", ""), batches(1), list(1, since, none, "", ""))
	require.Equal(t, `{"limit":200,"offset":2}`, body(t, p.Sends[1], "getUnsettledTransactionListRequest").Raw("paging"))
	b := body(t, p.Sends[2], "getSettledBatchListRequest")
	require.Equal(t, []string{"2026-01-15T10:17:30Z", "2026-01-15T10:20:30Z"}, []string{b.Str("firstSettlementDate"), b.Str("lastSettlementDate")})
	require.Equal(t, "100", body(t, p.Sends[3], "getTransactionListRequest").Str("batchId"))

	r.Payment.CreatedAt = 0
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r).Status, "without a time nothing proves that there is none")
	r = sdk.Request{Reference: "ref-2", TransactionID: "77", Amount: usd(700), Payment: &sdk.PaymentState{CreatedAt: now - 60_000}}
	p = play(t, sdk.OpRefundSync, r, list(3, since, 1, "ref-2", "88"), invoice(details("88", "refundPendingSettlement", "7.00", "7.00"), "ref-2"))
	require.Equal(t, []string{"pending", "88"}, []string{string(p.Status), p.RefundID})
}

// An incomplete page, or one in another form, proves nothing.
func TestPagesWithoutEvidence(t *testing.T) {
	r := sdk.Request{Reference: "ref-1", Amount: usd(2499), Payment: &sdk.PaymentState{CreatedAt: now - 60_000}}
	whole := string(list(2, "2026-01-15T10:20:00Z", none, "", "").Body)
	require.Equal(t, sdk.StatusNotFound, play(t, sdk.OpSync, r, sdk.Exchange{Sent: true, Status: 200, Body: []byte(whole)}, batches(0)).Status)
	for n := range len(whole) {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, sdk.Exchange{Sent: true, Status: 200, Body: []byte(whole[:n])}).Status, "cut after %d bytes", n)
	}
	for name, text := range map[string]string{
		"other order":  strings.ReplaceAll(whole, `{"transId":"0",`, `{"other":1,"transId":"0",`),
		"other spaces": strings.ReplaceAll(whole, `":"`, `": "`),
		"no list":      "{" + strings.Replace(ok, "Ok", "Error", 1) + "}",
		"an HTML page": "<html>" + ok + "</html>",
	} {
		p := play(t, sdk.OpSync, r, answer(200, text))
		require.Equal(t, sdk.StatusUnknown, p.Status, name)
	}
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, answer(400, whole)).Status)
	timeless := answer(200, strings.ReplaceAll(string(list(200, "x", none, "", "").Body[3:]), `"submitTimeUTC":"x",`, ""))
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, timeless, timeless, timeless, batches(0)).Status, "a full page without times may not be the last")
	other := `{"transactions":[{"transId":"1","submitTimeUTC":"x","invoiceNumber":"ref-11","accountNumber":"ref-1x"},{"transId":"2","invoiceNumber":"xref-1"}],` + ok + `}`
	require.Equal(t, sdk.StatusNotFound, play(t, sdk.OpSync, r, answer(200, other), batches(0)).Status, "only the whole number counts")
}

func FuzzPage(f *testing.F) {
	f.Add(string(list(3, "2026-01-15T10:20:00Z", 1, "ref-1", "77").Body))
	f.Add(`{"transactions":[],` + ok + `}`)
	f.Fuzz(func(t *testing.T, text string) {
		a := authorizedotnet.Adapter()
		s := wire.NewStep(&a.Manifest, sdk.OpSync, sdk.Request{Reference: "ref-1", Amount: usd(1), Payment: &sdk.PaymentState{CreatedAt: now}})
		sends, _, err := wire.Play(a, s, answer(200, text))
		require.NoError(t, err)
		if len(sends) > 1 && strings.Contains(string(sends[1].Body), "getTransactionDetailsRequest") {
			require.Contains(t, text, `Number":"ref-1"`)
		}
	})
}

func TestWebhook(t *testing.T) {
	message := func(event, date string) string {
		return `{"eventType":"net.authorize.` + event + `","eventDate":"` + date + `","payload":{"responseCode":1,"merchantReferenceId":"ref-1","id":"60198495566"}}`
	}
	const today, yesterday, tomorrow = "2026-01-15T10:20:31.0000000Z", "2026-01-14T10:20:31.0000000Z", "2026-01-16T10:20:31.0000000Z"
	sale := message("payment.authcapture.created", today)
	p := deliver(t, true, signature(sale), sale)
	require.Len(t, p.Events, 1)
	require.Equal(t, sdk.StatusCaptured, p.Events[0].Outcome.Status)
	require.Equal(t, []string{"60198495566", "ref-1"}, []string{p.Events[0].TransactionID, p.Events[0].Reference})
	require.Equal(t, int64(now+1000), p.Events[0].Time)
	require.True(t, p.Events[0].Sync, "a message does not say how much of what currency")

	for _, date := range []string{yesterday, tomorrow, "", "x"} {
		old := message("payment.authcapture.created", date)
		p = deliver(t, true, signature(old), old)
		require.True(t, p.Events[0].Sync)
		require.Nil(t, p.Events[0].Outcome, "a message of another day is not believed: %s", date)
	}
	for _, header := range []string{signature(sale + " "), strings.Replace(signature(sale), "sha512", "sha256", 1), ""} {
		p = deliver(t, true, header, sale)
		require.Empty(t, p.Events, header)
		require.Equal(t, 401, p.Reply.Status, header)
	}
	p = deliver(t, false, "", sale) // the account has no key
	require.True(t, p.Events[0].Sync)
	require.Nil(t, p.Events[0].Outcome)

	back := message("payment.refund.created", today)
	require.Equal(t, sdk.Event{Object: "refund", RefundID: "60198495566", Reference: "ref-1", Sync: true, Time: now + 1000}, deliver(t, true, signature(back), back).Events[0])
	require.Empty(t, deliver(t, false, "", message("customer.created", today)).Events)
	require.Equal(t, 400, deliver(t, false, "", `{"eventType":"net.authorize.payment.void.created"}`).Reply.Status)
}
