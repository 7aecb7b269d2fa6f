package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/card"
	"payswitch/engine/contact"
	"payswitch/engine/method"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// BenchmarkListMethods lists the 100 saved methods of one customer, in a table of 1,000,000 methods of 10,000 customers. It reads and opens
// the rows and makes their tokens. It reports the median.
func BenchmarkListMethods(b *testing.B) {
	const customers, each = 10_000, 100
	w := newWorldWith(b, engine.Options{}, plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()}), b.TempDir()+"/p.db")
	w.account("simulator", "")
	ctx := b.Context()
	_, err := w.CreateCustomer(ctx, w.auth, method.CustomerData{ID: "c"})
	require.NoError(b, err)
	for i := range each {
		number := luhn(fmt.Sprintf("400000%09d", i))
		_, err := w.CreatePaymentMethod(ctx, w.auth, method.MethodInput{CustomerID: "c", Method: "card", NetworkTransactionID: "123456789012345",
			Billing: &contact.Contact{Address: &contact.Address{Line1: "Harrison Street 1467", City: "San Francisco", Country: "US", Zip: "94122"}},
			Card:    &card.Input{Number: secret.New(number), ExpMonth: "10", ExpYear: "50", Holder: secret.New("Joseph Doe")}})
		require.NoError(b, err)
	}
	var like []*method.PaymentMethod
	require.NoError(b, w.db.View(ctx, func(r engine.Reader) (err error) { like, err = r.PaymentMethods("m1", "c", 0); return err }))
	for c := 0; c < customers; c += 50 {
		require.NoError(b, w.db.Update(ctx, func(tx engine.Tx) error {
			for n := c; n < c+50; n++ {
				for i, m := range like {
					row := *m
					row.ID, row.CustomerID, row.Fingerprint = fmt.Sprintf("pm_%016d%04d", n, i), fmt.Sprint("c", n), ""
					row.CreatedAt = row.CreatedAt.Add(-time.Hour)
					if err := tx.InsertPaymentMethod(&row); err != nil {
						return err
					}
				}
			}
			return nil
		}))
	}
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		list, err := w.CustomerMethods(ctx, w.auth, "c", method.MethodFilter{})
		took = append(took, time.Since(start))
		if err != nil || len(list) != each {
			b.Fatal(len(list), err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "median-µs")
}

// luhn returns digits with their check digit.
func luhn(digits string) string {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return digits + string(rune('0'+(10-sum%10)%10))
}
