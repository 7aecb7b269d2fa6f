package router

import "testing"

// BenchmarkCardsIn searches the body of an ordinary payment for card numbers.
func BenchmarkCardsIn(b *testing.B) {
	body := []byte(`{"amount":1000,"currency":"EUR","confirm":true,"return_url":"https://example.com/return?order=1","payment_method":"card",
"description":"Order 4711","metadata":{"order":"0198c6f8-4539-7921-8123-456789abcdef","at":"2026-10-05T12:30:45.000Z"},"email":"ada@example.com",
"billing":{"address":{"line1":"1 High Street","city":"London","zip":"N1 1AA","country":"GB","first_name":"Ada","last_name":"Lovelace"}},
"browser_info":{"user_agent":"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.6422.112 Safari/537.36"},
"payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"2050","card_cvc":"123"}}}`)
	r := newReader(body)
	if err := paymentFields.into(r, &paymentRequest{}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if found, err := r.cardsIn(1); err != nil || len(found) > 0 {
			b.Fatal(found, err)
		}
	}
}
