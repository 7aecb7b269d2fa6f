package dashboard

import (
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
