package router_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/router"
)

func BenchmarkDecodePayment(b *testing.B) {
	body := []byte(full)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if err := router.DecodePayment(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPaymentJSON(b *testing.B) {
	v := sample(payment.Succeeded)
	b.ReportAllocs()
	for b.Loop() {
		router.PaymentJSON(v)
	}
}

func BenchmarkPaymentEvent(b *testing.B) {
	v := sample(payment.Succeeded)
	for b.Loop() {
		if _, err := (router.Presenter{}).PaymentEvent("evt_1", "payment_succeeded", time.Now(), v); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSurface measures the work of package router for a payment: its engine answers at once.
func BenchmarkSurface(b *testing.B) {
	v := sample(payment.Succeeded)
	f := &fake{create: func() (*change.View, error) { return v, nil }}
	w := &world{t: b, handler: f.server(b, router.Options{}, discard{})}
	for b.Loop() {
		w.send("POST", "/payments", "key", full)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// FuzzPayment: the reader never panics, never returns an internal error, and accepts only valid JSON.
func FuzzPayment(f *testing.F) {
	f.Add(full)
	f.Add(plain)
	f.Add(`{"metadata":{"a":[1,-0.5e+3,"\ud83d\ude00",null,true]},"routing":{"type":"priority","data":["a"]}}`)
	f.Add(`{"three_ds_data":{"authentication_cryptogram":{"cavv":{"authentication_cryptogram":"x"}},"transaction_status":"Y"}}`)
	f.Add(`{"mandate_data":{"mandate_type":{"multi_use":{"amount":1,"currency":"USD"}}},"order_details":[{"product_name":"x","quantity":1,"amount":1}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		err := router.DecodePayment([]byte(body))
		if err == nil {
			require.True(t, json.Valid([]byte(body)), "taken and no JSON: %q", body)
			return
		}
		var e *fault.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, "IR_06", e.Code)
		require.Equal(t, fault.KindInvalid, e.Kind)
		require.Less(t, len(e.Message), 4000)
	})
}

// FuzzRequest: no request to any URL gets an internal error, and every answer matches openapi.yaml.
func FuzzRequest(f *testing.F) {
	w := newWorld(f)
	id := w.post("/payments", with(plain, "capture_method", `"manual"`)).ok()["payment_id"].(string)
	for _, path := range []string{"/payments", "/payments/" + id, "/payments/" + id + "/confirm", "/payments/" + id + "/capture", "/payments/" + id + "/3ds/authentication",
		"/payments/list?limit=2", "/payments/" + id + "?force_sync=true", "/payments/redirect/a/b/c/d", "/payments/a/b/redirect/complete/stripe/d?x=%zz", "/sim/redirect?return_url=x"} {
		f.Add("POST", path, full)
		f.Add("GET", path, "")
	}
	f.Fuzz(func(t *testing.T, method, path, body string) {
		r, err := newRequest(method, path, body)
		if err != nil {
			t.Skip()
		}
		r.Header.Set("api-key", w.secret)
		rec := record(w.server, r)
		require.Less(t, rec.Code, 500, "%s %s %s: %s", method, path, body, rec.Body)
	})
}
