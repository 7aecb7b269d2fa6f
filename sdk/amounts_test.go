package sdk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnreadableAmounts shows that an unreadable amount never counts as a missing amount.
func TestUnreadableAmounts(t *testing.T) {
	const other = "the answer's amount is unreadable or not in the payment's currency"
	decimals := Decimals{"UGX": 2}
	for _, text := range []string{
		`{"m":"sixty","n":"sixty","c":"USD"}`, `{"m":{},"n":{},"c":"USD"}`, `{"m":[],"n":[],"c":"USD"}`, `{"m":true,"n":true,"c":"USD"}`, `{"m":"","n":"","c":"USD"}`,
		`{"m":"10.505","n":"10.5","c":"USD"}`, `{"m":1e3,"n":1e3,"c":"USD"}`, `{"m":-1,"n":-1,"c":"USD"}`, `{"m":"1,000","n":"1,000","c":"USD"}`,
		`{"m":"99999999999999999999","n":99999999999999999999,"c":"USD"}`, `{"m":"10","n":10,"c":"EUR"}`, `{"m":"10","n":10,"c":{}}`, `{"m":"10","n":10,"c":840}`,
	} {
		j, err := ParseJSON([]byte(text))
		require.NoError(t, err)
		require.PanicsWithError(t, other, func() { j.Stated("m", "c", "USD") }, text)
		require.PanicsWithError(t, other, func() { j.NeedMajor("m", "c", "USD") }, text)
		require.PanicsWithError(t, other, func() { decimals.Stated(j, "n", "c", "USD") }, text)
		require.PanicsWithError(t, other, func() { decimals.Need(j, "n", "c", "USD") }, text)
	}
	for _, text := range []string{`{"a":"10.50"}`, `{"a":{}}`, `{"a":[]}`, `{"a":1050}`} { // in the place of the object with the amount
		j, err := ParseJSON([]byte(text))
		require.NoError(t, err)
		require.PanicsWithError(t, other, func() { j.Stated("a.value", "a.currency", "USD") }, text)
		require.PanicsWithError(t, other, func() { decimals.Stated(j, "a.value", "a.currency", "USD") }, text)
	}
	for _, text := range []string{`{}`, `{"a":null}`, `{"a":{"value":null}}`, `{"a":{"other":1}}`, `{"c":"USD"}`} { // there is no amount
		j, err := ParseJSON([]byte(text))
		require.NoError(t, err)
		require.Nil(t, j.Stated("a.value", "a.currency", "USD"), text)
		require.Nil(t, decimals.Stated(j, "a.value", "a.currency", "USD"), text)
		require.PanicsWithError(t, ErrNoAmount.Error(), func() { j.NeedMajor("a.value", "a.currency", "USD") }, text)
		require.PanicsWithError(t, ErrNoAmount.Error(), func() { decimals.Need(j, "a.value", "a.currency", "USD") }, text)
	}
	j, err := ParseJSON([]byte(`{"m":"10.50","n":1050,"c":"usd","k":"USD","u":105000}`))
	require.NoError(t, err)
	usd := &Money{Minor: 1050, Currency: "USD"}
	require.Equal(t, usd, j.NeedMajor("m", "k", "USD"))
	require.Equal(t, usd, j.NeedMajor("m", "none", "USD"))
	require.Equal(t, usd, decimals.Need(j, "n", "c", "USD"), "in lower case")
	require.Equal(t, &Money{Minor: 1050, Currency: "UGX"}, decimals.Need(j, "u", "none", "UGX"), "in the processor's decimals")
	require.Nil(t, decimals.Need(j, "n", "c", ""), "of no currency in particular")
	require.Nil(t, j.NeedMajor("m", "k", ""), "of no currency in particular")
}

// TestNotFound shows that nothing is proved if a processor does not know its own id.
func TestNotFound(t *testing.T) {
	outcome := func(op Operation, r Request) *Outcome {
		c := &Call{Request: &r, step: &Step{Operation: op}}
		return c.NotFound()
	}
	require.Equal(t, NotFound(), outcome(OpSync, Request{Reference: "ref"}))
	require.Equal(t, NotFound(), outcome(OpRefundSync, Request{TransactionID: "pay_1"}), "a refund that has no id yet")
	for _, o := range []*Outcome{outcome(OpSync, Request{TransactionID: "pay_1"}), outcome(OpRefundSync, Request{TransactionID: "pay_1", RefundID: "re_1"})} {
		require.Equal(t, StatusUnknown, o.Status)
		require.Equal(t, AlarmOtherAccount, o.Raw["alarm"])
		require.Equal(t, "pay_1", o.TransactionID)
	}
}

func TestPositive(t *testing.T) {
	var none *Money
	require.Equal(t, []bool{false, false, false, true}, []bool{none.Positive(), (&Money{}).Positive(), (&Money{Minor: -1}).Positive(), (&Money{Minor: 1}).Positive()})
}
