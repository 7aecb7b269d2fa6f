package storetest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/staff"
	"payswitch/engine/webhook"
	"payswitch/sdk"
)

// filler sets every field of a value, nested fields too, to a non-zero value that no other field has. A column that a store forgets, or swaps
// with another, then shows.
type filler struct{ n int }

// unstored are fields that a store never sees.
var unstored = map[reflect.Type][]string{
	reflect.TypeFor[payment.Payment]():         {"Private"},
	reflect.TypeFor[payment.Attempt]():         {"Private", "Relayed", "RelayedAt", "RelayWrites"},
	reflect.TypeFor[payment.CaptureRecord]():   {"Stated"},
	reflect.TypeFor[account.Merchant]():        {"Private", "ResponseHash"},
	reflect.TypeFor[account.Profile]():         {"Private", "ResponseHash"},
	reflect.TypeFor[account.ProfileSettings](): {"WebhookHeaders", "Blocking", "Guard", "CardInfo"},
	reflect.TypeFor[account.Account]():         {"Private", "Credentials", "Environment", "Fingerprint", "Deleted"},
	reflect.TypeFor[account.Customer]():        {"Personal"},
	reflect.TypeFor[payment.Operation]():       {"Key"}, // stored, but read by a call of its own
	reflect.TypeFor[authentication.Record]():   {"Private", "Key"},
	reflect.TypeFor[method.PaymentMethod]():    {"Private"},
	reflect.TypeFor[webhook.Endpoint]():        {"Secrets"},
	reflect.TypeFor[method.Mandate]():          {"Private"},
	reflect.TypeFor[staff.User]():              {"Private"},
}

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(base.Add(time.Duration(f.n) * time.Millisecond)))
		return
	case json.RawMessage:
		v.SetBytes(fmt.Appendf(nil, `{"n":%d,"text":"<ü & \"ß\">","list":[1,null,1.50]}`, f.n))
		return
	case payment.Status:
		v.SetString(string(payment.RequiresCapture))
		return
	case payment.OperationStatus:
		v.SetString(string(payment.OperationSucceeded))
		return
	case sdk.Currency:
		v.SetString("CHF")
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d ü'\"%%_", f.n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.n)<<32 + 7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !slices.Contains(unstored[v.Type()], field.Name) {
				f.fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte{0, byte(f.n), 0xff, '\'', byte(f.n >> 8)})
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key)
			f.fill(value)
			v.SetMapIndex(key, value)
		}
	default:
		panic(fmt.Sprintf("storetest: cannot fill a %s", v.Type()))
	}
}

// filled returns a new T with every field set.
func filled[T any](f *filler) *T {
	v := new(T)
	f.fill(reflect.ValueOf(v).Elem())
	return v
}
