package router_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPaymentLists finds payments by every filter, alone and together, in every order and page.
func TestPaymentLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const card = `"confirm":true,"payment_method":"card","payment_method_type":"credit","payment_method_data":{"card":{"card_number":"%s","card_exp_month":"10","card_exp_year":"50","card_cvc":"737"}}`
	visa, mastercard, declined := fmt.Sprintf(card, "4242424242424242"), fmt.Sprintf(card, "5555555555554444"), fmt.Sprintf(card, "4000000000000002")
	var ids []string
	for _, body := range []string{
		`"amount":500,"currency":"USD",` + visa + `,"routing":{"type":"single","data":"stripe"},"email":"Ann@Example.com","customer_id":"cus_1"`,
		`"amount":300,"currency":"GBP",` + mastercard + `,"routing":{"type":"single","data":"adyen"},"merchant_order_reference_id":"order 7"`,
		`"amount":400,"currency":"USD",` + declined + `,"authentication_type":"no_three_ds","routing":{"type":"single","data":"stripe"}`,
		`"amount":100,"currency":"USD"`,
		`"amount":300,"currency":"USD",` + visa + `,"capture_method":"manual","routing":{"type":"single","data":"adyen"}`,
	} {
		ids = append(ids, w.post("/payments", "{"+body+"}").ok()["payment_id"].(string))
	}
	stripe := w.get("/payments/" + ids[0]).ok()["merchant_connector_id"].(string)
	list := func(path, body string) (got []int, total any) {
		t.Helper()
		l := w.post(path, body).ok()
		got = []int{}
		for _, p := range l["data"].([]any) {
			got = append(got, slices.Index(ids, p.(map[string]any)["payment_id"].(string)))
		}
		require.EqualValues(t, len(got), l["count"])
		return got, l["total_count"]
	}
	for body, want := range map[string][]int{
		`{}`:                                 {4, 3, 2, 1, 0},
		`{"made_up":1,"limit":50}`:           {4, 3, 2, 1, 0},
		`{"payment_id":"` + ids[1] + `"}`:    {1},
		`{"payment_id":"other"}`:             {},
		`{"profile_id":"` + w.profile + `"}`: {4, 3, 2, 1, 0},
		`{"profile_id":"pro_other"}`:         {},
		`{"customer_id":"cus_1"}`:            {0},
		`{"amount_filter":{"start_amount":300,"end_amount":400}}`:                                {4, 2, 1},
		`{"start_time":"2020-01-01T00:00:00Z"}`:                                                  {4, 3, 2, 1, 0},
		`{"start_time":"2020-01-01T00:00:00Z","end_time":"2020-01-02T00:00:00Z"}`:                {},
		`{"connector":["stripe"]}`:                                                               {2, 0},
		`{"connector":["stripe","adyen"]}`:                                                       {4, 2, 1, 0},
		`{"merchant_connector_id":["` + stripe + `"]}`:                                           {2, 0},
		`{"currency":["GBP"]}`:                                                                   {1},
		`{"currency":["GBP","USD"]}`:                                                             {4, 3, 2, 1, 0},
		`{"status":["failed"]}`:                                                                  {2},
		`{"status":["failed","requires_capture"]}`:                                               {4, 2},
		`{"status":["succeeded"]}`:                                                               {1, 0},
		`{"status":["succeeded","failed"]}`:                                                      {2, 1, 0},
		`{"authentication_type":["no_three_ds"]}`:                                                {4, 3, 2, 1, 0},
		`{"authentication_type":["three_ds","no_three_ds"]}`:                                     {4, 3, 2, 1, 0},
		`{"payment_method":["card"]}`:                                                            {4, 2, 1, 0},
		`{"payment_method":["wallet"]}`:                                                          {},
		`{"payment_method_type":["credit"]}`:                                                     {4, 2, 1, 0},
		`{"authentication_type":["no_three_ds"],"status":["failed"]}`:                            {2},
		`{"card_network":["Mastercard"]}`:                                                        {1},
		`{"card_network":["Visa"],"currency":["USD"],"status":["requires_capture","succeeded"]}`: {4, 0},
		`{"card_discovery":["manual"]}`:                                                          {4, 2, 1, 0},
		`{"card_discovery":["saved_card"]}`:                                                      {},
		`{"merchant_order_reference_id":"order 7"}`:                                              {1},
		`{"merchant_order_reference_id":"order"}`:                                                {},
		`{"customer_email":"ann@example.com"}`:                                                   {0},
		`{"customer_email":"ann@example.co"}`:                                                    {},
		`{"order":{"on":"created","by":"asc"}}`:                                                  {0, 1, 2, 3, 4},
		`{"order":{"on":"amount","by":"asc"}}`:                                                   {3, 1, 4, 2, 0},
		`{"order":{"on":"amount","by":"desc"}}`:                                                  {0, 2, 4, 1, 3},
		`{"order":{"on":"amount"},"limit":2,"offset":1}`:                                         {2, 4},
		`{"order":{"on":"attempt_count","by":"asc"},"currency":["GBP"]}`:                         {1},
		`{"limit":2,"offset":1}`:                                                                 {3, 2},
		`{"limit":2,"offset":1,"card_network":["Visa","Mastercard"]}`:                            {2, 1},
		`{"offset":9}`:                           {},
		`{"offset":9,"payment_method":["card"]}`: {},
		`{"order":{"on":"created","by":"asc"},"card_network":["Visa"],"limit":1}`: {0},
	} {
		for _, path := range []string{"/payments/list", "/payments/profile/list"} {
			got, total := list(path, body)
			require.Equal(t, want, got, body)
			if !strings.Contains(body, "limit") && !strings.Contains(body, "offset") {
				require.EqualValues(t, len(want), total, body)
			}
		}
	}
	for body, n := range map[string]int{`{"limit":1}`: 5, `{"limit":1,"card_network":["Visa"]}`: 3, `{"limit":1,"offset":4,"currency":["USD"]}`: 4} {
		_, total := list("/payments/list", body)
		require.EqualValues(t, n, total, body)
	}
	w.post("/payments/"+ids[4]+"/capture", `{}`).ok()
	got, _ := list("/payments/list", `{"order":{"on":"modified"},"limit":1,"currency":["USD","EUR"]}`)
	require.Equal(t, []int{4}, got)
	got, _ = list("/payments/list", `{"status":["requires_capture"]}`)
	require.Empty(t, got, "never behind what the client was told")

	for _, limit := range []string{"0", "51", "-1"} {
		w.post("/payments/list", `{"limit":`+limit+`}`).refused(422, "IR_06", "limit should be in between 1 and 50")
	}
	for body, message := range map[string]string{`{"status":["done"]}`: "unknown variant `done`", `{"order":{"on":"name"}}`: "unknown variant `name`", `{"offset":-1}`: "",
		`{"currency":["usd"]}`: "unknown variant `usd`", `{"card_network":["visa"]}`: "unknown variant `visa`"} {
		w.post("/payments/list", body).refused(400, "IR_06", message)
	}
	w.send("POST", "/payments/list", w.publishable, `{}`).refused(401, "IR_01", "")
	_, other, _ := w.merchant("shop_2")
	for _, body := range []string{`{}`, `{"customer_email":"ann@example.com"}`, `{"payment_id":"` + ids[0] + `"}`} {
		require.Equal(t, 0.0, w.send("POST", "/payments/list", other, body).ok()["total_count"], body)
	}
	require.Equal(t, w.get("/payments/list").ok(), w.get("/payments/profile/list").ok())
	w.get("/payments/profile/list?starting_after=none").refused(404, "HE_02", "")
}

// TestPaymentFilters makes the calls that fill a dashboard's filters, and counts by status.
func TestPaymentFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := time.Now().UTC().Add(-time.Hour).Format(time.RFC3339)
	values := w.post("/payments/filter", `{"start_time":"`+before+`"}`).ok()
	for _, key := range []string{"connector", "currency", "status", "payment_method", "payment_method_type", "authentication_type"} {
		require.Equal(t, []any{}, values[key])
	}
	w.paid(1000)
	w.post("/payments", `{"amount":1,"currency":"EUR"}`).ok()
	values = w.post("/payments/filter", `{"start_time":"`+before+`","end_time":"2100-01-01T00:00:00Z"}`).ok()
	require.Equal(t, []any{[]any{"EUR", "USD"}, []any{"requires_payment_method", "succeeded"}, []any{"card"}, []any{"no_three_ds"}},
		[]any{values["currency"], values["status"], values["payment_method"], values["authentication_type"]})
	require.Len(t, values["connector"], 1)
	require.Empty(t, w.post("/payments/filter", `{"start_time":"2001-01-01T00:00:00Z","end_time":"2002-01-01T00:00:00Z"}`).ok()["status"])
	w.post("/payments/filter", `{}`).refused(400, "IR_06", "missing field `start_time`")

	choices := w.get("/payments/v2/filter").ok()
	require.Equal(t, choices, w.get("/payments/v2/profile/filter").ok())
	require.Contains(t, choices["connector"], "adyen")
	require.Equal(t, map[string]any{}, choices["payment_method"])
	require.Len(t, choices["status"], 17)
	account := w.get("/account/m1/connectors").list()[0]["merchant_connector_id"].(string)
	w.admin("POST", "/account/m1/connectors/"+account, `{"connector_type":"payment_processor","payment_methods_enabled":[{"payment_method":"card","payment_method_types":[
		{"payment_method_type":"debit"},{"payment_method_type":"credit"}]},{"payment_method":"wallet","payment_method_types":[{"payment_method_type":"google_pay"}]}]}`).ok()
	require.Equal(t, map[string]any{"card": []any{"credit", "debit"}, "wallet": []any{"google_pay"}}, w.get("/payments/v2/filter").ok()["payment_method"])

	for _, path := range []string{"/payments/aggregate", "/payments/profile/aggregate"} {
		counts := w.get(path + "?start_time=" + before).ok()["status_with_count"].(map[string]any)
		require.Len(t, counts, 17)
		require.Equal(t, []any{1.0, 1.0, 0.0}, []any{counts["succeeded"], counts["requires_payment_method"], counts["failed"]})
		require.Equal(t, 0.0, w.get(path + "?start_time=" + before + "&end_time=" + before).ok()["status_with_count"].(map[string]any)["succeeded"])
		w.get(path).refused(400, "IR_06", "missing field `start_time`")
		w.send("GET", path+"?start_time="+before, w.publishable, "").refused(401, "IR_01", "")
	}
}
