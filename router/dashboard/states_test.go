package dashboard

import (
	"net/url"
	"time"
)

// state is a page as it may be: TestPages renders each, TestPagesInABrowser looks at each.
type state struct {
	name string
	page page
}

// states lists every state of every page. A new page adds its states here, empty and full, with what is long, foreign and wrong.
func states() []state {
	return []state{
		{"start", &startPage{Merchants: []Link{{"/m/acme/", "acme"}, {"/m/" + long + "/", long}}}},
		{"start-empty", &startPage{Empty: Empty{Heading: "No merchant yet", Text: "This installation has no merchant that you have a role at."}}},
		{"problem", &problemPage{Heading: "Not found", Text: "Payment does not exist in our records", Hint: "It may belong to another merchant.", Code: "HE_02",
			Link: &Link{"/m/acme/", "Back to the overview"}}},
		{"home", &homePage{At: "/m/acme", Payments: someRows(10)}},
		{"payments", &paymentsPage{List: "/m/acme/payments", Fields: readFilters(nil).fields(), Payments: someRows(50), CSV: "/m/acme/payments.csv",
			News: "/m/acme/payments/new?since=1-1", Pager: Pager{Older: "/m/acme/payments?after=1-1"}}},
		{"payments-filtered", filtered("status=failed&status=expired&amount=>100&email=ada@shop.example", someRows(3),
			Pager{Newest: "/m/acme/payments", Older: "/m/acme/payments?after=1-1", Note: "Searched back to 3 May 2026, 12:02, 3 found. Older goes on from there."})},
		{"payments-wrong", filtered("amount=lots&from=yesterday&currency=dollars", nil, Pager{})},
		{"payments-empty", &paymentsPage{List: "/m/acme/payments", Fields: readFilters(nil).fields(), Empty: noPayment}},
		{"news", &newsPage{"7", "/m/acme/payments"}},
		{"home-empty", &homePage{At: "/m/acme", Empty: Empty{Heading: "No payment yet", Text: "The first payment appears here."}}},
	}
}

// long is an id of the greatest length that ids have.
const long = "a_merchant_with_an_id_that_is_as_long_as_ids_may_be_0123456789ab"

var noon = time.Date(2026, 5, 3, 12, 2, 7, 331_000_000, time.UTC)

func at(d time.Duration) Time { return Time{noon.Add(d), time.UTC} }

// someRows returns rows of a list with what is hard to show.
func someRows(n int) []paymentRow {
	kinds := []paymentRow{
		{Amount: Money{654000, "USD"}, Status: chip("succeeded"), Method: "visa ··4242", Customer: "a···@shop.example", At: "adyen"},
		{Amount: Money{1200, "JPY"}, Status: chip("failed"), Method: "mastercard ··4444", Customer: "كريم عبد العزيز", At: "stripe",
			Reason: "The card was refused: the issuer does not allow this kind of purchase, and the customer should ask the bank"},
		{Amount: Money{123456789, "KWD"}, Status: chip("processing"), Method: "amex ··0005", Customer: "cus_0197d2a1c57b7d0e8a4b5b7e0f3d2c1b", At: "a_connector_with_a_long_name"},
		{Amount: Money{999_999_999, "USD"}, Status: chip("conflicted"), At: "worldpay"},
		{Amount: Money{1, "USD"}, Status: chip("requires_customer_action"), Customer: "Dr. Maximiliane Wolkenstein-Trostburg von und zu Rodenegg"},
	}
	var out []paymentRow
	for i := range n {
		row := kinds[i%len(kinds)]
		row.ID, row.Time = "pay_0197d2a1c57b7d0e8a4b5b7e0f3d2c1b", at(-time.Duration(i)*time.Minute)
		row.URL = "/m/acme/payments/" + row.ID
		out = append(out, row)
	}
	return out
}

// filtered is a list with filters.
func filtered(query string, rows []paymentRow, pager Pager) *paymentsPage {
	values, err := url.ParseQuery(query)
	if err != nil {
		panic(err)
	}
	f := readFilters(values)
	f.query(time.UTC)
	return &paymentsPage{List: "/m/acme/payments", Fields: f.fields(), Tags: f.tags("/m/acme/payments"), Payments: rows, Pager: pager, Wrong: len(f.problems) > 0,
		CSV: "/m/acme/payments.csv"}
}
