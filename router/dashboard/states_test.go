package dashboard

import (
	"net/url"
	"strings"
	"time"

	"payswitch/engine/routing/health"
	"payswitch/engine/timeline"
	"payswitch/sdk"
)

// state is a page as it may be: TestPages renders each, TestPagesInABrowser looks at each.
type state struct {
	name string
	page page
}

// states lists every state of every page. A new page adds its states here, empty and full, with what is long, foreign and wrong.
func states() []state {
	return append(peopleStates(), []state{
		{"start", &startPage{Merchants: []Link{{"/m/acme/", "acme"}, {"/m/" + long + "/", long}}}},
		{"start-empty", &startPage{Empty: Empty{Heading: "No merchant yet", Text: "This installation has no merchant that you have a role at."}}},
		{"problem", &problemPage{Heading: "Not found", Text: "Payment does not exist in our records", Hint: "It may belong to another merchant.", Code: "HE_02",
			Link: &Link{"/m/acme/", "Back to the overview"}}},
		{"home", &homePage{At: "/m/acme", Payments: someRows(10), Problems: []string{"Today's figures could not be read. Try again."},
			Needs: []need{{chip("conflicted"), "2 payments that a person has to look at", Link{"/n", "Show them"}}, {chip("requires_capture"), "50+ payments whose money is held", Link{"/n", "Show them"}}},
			Fares: &Table{Caption: "How the processors fare", Columns: columns("Account", "Processor", "State", "Success rate", "95 % answer within"),
				Rows: []Row{{URL: "/c", Cells: []Cell{{Text: long}, {Text: "Adyen"}, {Chip: new(standingChip(health.Out))}, {Text: "48.1 %"}, {Text: "2.5 s"}}}}},
			Today: []figure{{"Payments", digits(10234), digits(9870), Link{"/t", ""}}, {"Success rate", "94 %", "–", Link{"/t", ""}}}}},
		{"payments", &paymentsPage{List: "/m/acme/payments", Fields: readFilters(nil).fields(), Payments: someRows(10), CSV: "/m/acme/payments.csv",
			News: "/m/acme/payments/new?since=1-1", Pager: Pager{Older: "/m/acme/payments?after=1-1"}}},
		{"payments-filtered", filtered("status=failed&status=expired&amount=>100&email=ada@shop.example", someRows(3),
			Pager{Newest: "/m/acme/payments", Older: "/m/acme/payments?after=1-1", Note: "Searched back to 3 May 2026, 12:02, 3 found. Older goes on from there."})},
		{"payments-wrong", filtered("amount=lots&from=yesterday&currency=dollars", nil, Pager{})},
		{"payments-empty", &paymentsPage{List: "/m/acme/payments", Fields: readFilters(nil).fields(), Empty: noPayment}},
		{"news", &newsPage{"7", "/m/acme/payments"}},
		{"payment", onePaymentPage()},
		{"payment-doubt", doubtPage()},
		{"payment-new", &paymentPage{ID: "pay_1", Back: "/m/acme/payments", Amount: Money{100, "EUR"}, Status: chip("requires_payment_method"),
			Sentence: "The payment of 1.00 EUR waits for the customer to choose how to pay. No money has moved.", Zone: "UTC", Sums: []sum{{"Asked for", "", Money{100, "EUR"}}}}},
		{"sheet-problem", &sheetPage{Heading: "Refund up to 65.40 USD", Action: "/x", Back: "/y", Button: "Refund", Problem: errLost, Fields: []Field{
			{Name: "amount", Label: "Amount in USD", Kind: "text", Value: "6540", Problem: "The refund amount exceeds the amount captured"}}}},
		{"sheet-refused", &sheetPage{Heading: "Capture 0.00 USD", Back: "/y", Refused: true, Problem: "This Payment could not be captured because it has a status of failed"}},
		{"refunds", &refundsPage{Path: "/m/acme/refunds", Filters: choices("", refundStatuses...), Refunds: onePaymentPage().Refunds, Pager: Pager{Older: "/o"}}},
		{"refunds-empty", &refundsPage{Path: "/m/acme/refunds", Filters: choices("", refundStatuses...), Empty: Empty{Heading: "No refund", Text: "A refund gives back."}}},
		{"disputes", &disputesPage{Path: "/m/acme/disputes", Filters: choices("won", disputeStatuses...), Disputes: onePaymentPage().Disputes}},
		{"disputes-empty", &disputesPage{Path: "/m/acme/disputes", Filters: choices("", disputeStatuses...), Empty: Empty{Heading: "No dispute", Text: "It appears here."}}},
		{"customers", &customersPage{Customers: []customerRow{{"/c", "cus_0197d2a1c57b7d0e8a4b5b7e0f3d2c1b", "كريم عبد العزيز", "k···@shop.example", at(0)},
			{"/c", long, "Dr. Maximiliane Wolkenstein-Trostburg von und zu Rodenegg", "", at(0)}}, Pager: Pager{Note: "Older customers are found by their id, in the search above."}}},
		{"customers-empty", &customersPage{Empty: Empty{Heading: "No customer yet", Text: "A customer appears here when a payment names one."}}},
		{"customer", &customerPage{ID: long, Name: "كريم عبد العزيز", Back: "/m/acme/customers", Facts: []Fact{{"E-mail", "k@shop.example"}}, Forget: "/f", Done: customerDone["remove"],
			Methods:  []methodRow{{ID: "pm_1", Text: "Visa ··4242", Expires: "10/2050", Last: at(0), Network: "yes", Marks: []string{"default", "chargeable without the customer"}, Remove: "/r"}},
			Mandates: []mandateRow{{ID: "man_1", Kind: "single use", Method: "Visa ··4242", Status: chip("active"), Most: &Money{123456789, "KWD"}, Time: at(0), Revoke: "/v"}},
			Payments: someRows(3), More: "/more"}},
		{"customer-gone", &customerPage{ID: "cus_1", Name: "cus_1", Back: "/m/acme/customers", Gone: true}},
		{"replay", &replayPage{Operation: "op_1", Kind: "authorize at adyen", Back: "/m/acme/payments/pay_1#op_1", Other: Link{"?with=now", "Replay with the build in use"}, Runs: []shownReplay{
			{Replay: Replay{Recorded: strings.Repeat("ab", 32), Replayed: strings.Repeat("cd", 32), Steps: []ReplayStep{{"send POST https://processor.example/v1/payments/authorise", false}},
				Differences: []Difference{{"step 1: body, field amount", "6540", "65.40"}}}, Time: at(0), Chip: chip("failed")},
			{Replay: Replay{Recorded: strings.Repeat("ab", 32), Problem: "This build is gone."}, Time: at(0), Chip: chip("failed")}}}},
		{"replay-none", &replayPage{Operation: "op_1", Kind: "authorize at adyen", Back: "/"}},
		{"home-empty", &homePage{At: "/m/acme", Empty: Empty{Heading: "No payment yet", Text: "The first payment appears here."}}},
	}...)
}

// long is an id of the greatest length that ids have.
const long = "a_merchant_with_an_id_that_is_as_long_as_ids_may_be_0123456789ab"

var noon = time.Date(2026, 5, 3, 12, 2, 7, 331_000_000, time.UTC)

func at(d time.Duration) Time { return Time{noon.Add(d), time.UTC} }

// someRows returns rows of a list with what is hard to show.
func someRows(n int) []paymentRow {
	kinds := []paymentRow{
		{Amount: Money{654000, "USD"}, Status: chip("succeeded"), Method: "Visa ··4242", Customer: "a···@shop.example", At: "adyen"},
		{Amount: Money{1200, "JPY"}, Status: chip("failed"), Method: "Mastercard ··4444", Customer: "كريم عبد العزيز", At: "stripe",
			Reason: "The card was refused: the issuer does not allow this kind of purchase, and the customer should ask the bank"},
		{Amount: Money{123456789, "KWD"}, Status: chip("processing"), Method: "American Express ··0005", Customer: "cus_0197d2a1c57b7d0e8a4b5b7e0f3d2c1b", At: "a_connector_with_a_long_name"},
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

// filtered returns a list with filters.
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

// onePaymentPage returns a payment with all that its page can show.
func onePaymentPage() *paymentPage {
	exchange := shownExchange{Exchange: timeline.Exchange{Method: "POST", URL: "https://processor.example/v1/payments/authorise", Status: 200, Sent: true, Known: true,
		Headers: []sdk.Header{{Name: "Authorization", Value: "Bearer ‹credential api_key›"}}, Body: `{"number":"‹card number ··4242›","cvc":"‹card code›","amount":6540}`,
		Answered: []sdk.Header{{Name: "Content-Type", Value: "application/json"}}, Answer: `{"result":"` + strings.Repeat("a_long_answer_without_any_place_to_break_", 8) + `"}`},
		Time: at(time.Second), Ms: "412 ms", Line: "POST https://processor.example/v1/payments/authorise · 200"}
	return &paymentPage{ID: "pay_0197d2a1c57b7d0e8a4b5b7e0f3d2c1b", Back: "/m/acme/payments", Amount: Money{123456789, "KWD"}, Status: chip("succeeded"),
		Sentence: "The customer paid 123,456.789 KWD with Visa ··4242 at adyen. 1.000 KWD was given back.", Done: did["refund"],
		Bar: []barPart{{"kept", 0, 700}, {"back", 700, 300}}, Sums: []sum{{"Asked for", "", Money{123456789, "KWD"}}, {"Captured", "kept", Money{123456789, "KWD"}},
			{"Refunded", "back", Money{-1000, "KWD"}}, {"Left", "", Money{123455789, "KWD"}}},
		Actions: []Link{{"/m/acme/payments/p/refund", "Refund"}}, Not: []Fact{{"Refund", "Reached maximum refund attempts"}},
		Facts:    []Fact{{"Method", "Visa ··4242"}, {"Processor's id", strings.Repeat("0123456789", 12)}, {"Description", "قهوة عربية"}},
		Customer: Link{"/m/acme/customers/c", "Dr. Maximiliane Wolkenstein-Trostburg von und zu Rodenegg"},
		ThreeDS:  []Fact{{"Version", "2.2.0"}, {"Result", "authenticated"}, {"ECI", "05"}, {"Liability", "issuer"}},
		Refunds:  []refundRow{{ID: "ref_1", URL: "#refunds", Time: at(0), Amount: Money{-1000, "KWD"}, Status: chip("succeeded"), Reason: "damaged", At: "adyen"}},
		Disputes: []disputeRow{{ID: "dp_1", URL: "#disputes", Time: at(0), Amount: Money{1000, "KWD"}, Status: chip("opened"), Stage: chip("dispute"), At: "adyen",
			Reason: "the customer says the goods never came", Until: at(time.Hour)}},
		Timeline: []*Moment{{ID: "created", At: at(0), Text: "payment created: 123,456.789 KWD"},
			{ID: "op_1", At: at(time.Second), Gap: "+ 1.0 s", Text: "authorize 123,456.789 KWD at adyen", Took: "412 ms", Chip: new(chip("succeeded")), Open: true,
				Facts: []Fact{{"Operation", "op_1"}}, Exchanges: []shownExchange{exchange}, Replay: "/replay"},
			{ID: "evt_1", At: at(2 * time.Second), Text: "event payment_succeeded", Chip: new(chip("delivered")), Facts: []Fact{{"To we_1", "delivered at the first try"}},
				Resend: "/m/acme/events/evt_1/resend"}},
		Zone: "CEST", Left: 3, Logs: "/m/acme/logs?q=pay_1", Raw: "{\n  \"payment_id\": \"pay_1\"\n}"}
}

// doubtPage returns a payment whose outcome is unknown.
func doubtPage() *paymentPage {
	return &paymentPage{ID: "pay_2", Back: "/m/acme/payments", Amount: Money{1200, "JPY"}, Status: chip("processing"),
		Sentence: "The result of 1,200 JPY at stripe is not known yet. payswitch asks until it is known: do not charge the customer again.",
		Doubt:    []Fact{{"In doubt", "authorize at stripe: the connection was lost after the request had left"}, {"Asked next", "3 May 2026, 12:05:00.000 UTC"}},
		Decide:   &Link{"/decisions/op_1", "Look at the evidence, and decide"},
		Sums:     []sum{{"Asked for", "", Money{1200, "JPY"}}}, Actions: []Link{{"/m/acme/payments/pay_2/ask", "Ask the processor now"}}, Zone: "UTC",
		Timeline: []*Moment{{ID: "op_2", At: at(0), Text: "authorize 1,200 JPY at stripe", Chip: new(chip("unknown")), Open: true}}, Poll: "/m/acme/payments/pay_2?seen=x"}
}
