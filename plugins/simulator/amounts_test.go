package simulator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

const magic = 900_000_000

// reasons by amount: a second, independent copy of the README's table.
var reasons = []sdk.DeclineReason{"generic_decline", "do_not_honor", "insufficient_funds", "lost_card", "stolen_card", "pick_up_card", "expired_card",
	"incorrect_number", "incorrect_cvc", "incorrect_expiry", "incorrect_address", "invalid_amount", "limit_exceeded", "transaction_not_allowed",
	"restricted_card", "closed_account", "issuer_unavailable", "processing_error", "suspected_fraud", "security_violation", "authentication_required",
	"authentication_failed", "stop_recurring", "duplicate_transaction", "currency_not_supported", "card_not_supported", "try_again_later",
	"invalid_merchant", "blocked", "abandoned"}

func amountOf(reason sdk.DeclineReason) int64 {
	for i, r := range reasons {
		if r == reason {
			return magic + 101 + int64(i)
		}
	}
	return 0
}

func TestEveryDeclineReason(t *testing.T) {
	require.ElementsMatch(t, declaredReasons(t), reasons, "every reason of package sdk has its amount")
	for _, reason := range reasons {
		o := do(t, sdk.OpAuthorize, 0, request(visa, amountOf(reason), sdk.CaptureAutomatic))
		require.Equal(t, sdk.StatusDeclined, o.Status, reason)
		require.Equal(t, reason, o.Decline.Reason)
		require.NotEmpty(t, o.Decline.Code)
		require.Regexp(t, `^message - [A-Z].*\., decline_code - [a-z_]+$`, o.Decline.Message)
	}
	o := do(t, sdk.OpAuthorize, 0, request("4000 0000 0000 9995", amountOf(sdk.DeclineFraud), sdk.CaptureAutomatic))
	require.Equal(t, sdk.DeclineInsufficientFunds, o.Decline.Reason, "the card comes before the amount")
}

// The result of a payment of each amount: at once, and in later syncs. ":reason" at the end is that of a decline.
func TestPaymentAmounts(t *testing.T) {
	const none = "not_found"
	rows := map[int64]struct{ now, after1, after4, after5 string }{
		1: {"captured", "captured", "captured", "captured"}, 2: {"captured", "captured", "captured", "captured"}, 3: {"captured", "captured", "captured", "captured"},
		4: {"captured", "captured", "captured", "captured"}, 5: {"captured", "captured", "captured", "captured"}, 6: {"captured", "captured", "captured", "captured"},
		7: {"captured", "captured", "captured", "captured"}, 8: {"captured", "captured", "captured", "captured"},
		20: {"pending", "pending", "pending", "captured"},
		21: {"pending", "pending", "pending", "declined:do_not_honor"},
		22: {"review", "review", "review", "captured"},
		30: {"unknown", "captured", "captured", "captured"},
		31: {"unknown", none, none, none},
		32: {"unknown", "declined:do_not_honor", "declined:do_not_honor", "declined:do_not_honor"},
		33: {"unknown", none, "captured", "captured"},
	}
	require.ElementsMatch(t, simulator.Codes(sdk.OpAuthorize), keys(rows))
	for code, row := range rows {
		first := request(visa, magic+code, sdk.CaptureAutomatic)
		o := do(t, sdk.OpAuthorize, 0, first)
		require.Equal(t, row.now, said(o), code)
		if o.Status == sdk.StatusUnknown {
			require.Empty(t, o.TransactionID, "a lost answer has no transaction id")
		}
		lost := later(first, nil)
		known := later(first, o)
		for _, r := range []sdk.Request{known, lost, resolving(lost, sdk.OpAuthorize)} {
			if row.now == "captured" {
				r.Payment.Authorized, r.Payment.Captured = 0, 0 // as if the answer had been lost
			}
			require.Equal(t, row.after1, said(do(t, sdk.OpSync, time.Second, r)), code)
			require.Equal(t, row.after4, said(do(t, sdk.OpSync, 4*time.Second, r)), code)
			end := do(t, sdk.OpSync, 5*time.Second, r)
			require.Equal(t, row.after5, said(end), code)
			if end.Status == sdk.StatusCaptured {
				require.Equal(t, "sim_pay_1_1", end.TransactionID)
				require.Equal(t, end.Amount.Minor, end.Totals.Captured)
			}
			if o.Status == sdk.StatusCaptured {
				require.Equal(t, o, end, "a sync reports the outcome of the answer")
			}
		}
		manual := request(visa, magic+code, sdk.CaptureManual)
		if end := do(t, sdk.OpSync, 5*time.Second, later(manual, nil)); row.after5 == "captured" {
			require.Equal(t, "authorized", said(end), code)
			require.Zero(t, end.Totals.Captured)
		}
	}
}

func TestChecks(t *testing.T) {
	for code, want := range map[int64]*sdk.Checks{
		1: {CVC: "fail", AddressLine1: "pass", PostalCode: "pass"}, 2: {CVC: "pass", AddressLine1: "fail", PostalCode: "pass"},
		3: {CVC: "pass", AddressLine1: "pass", PostalCode: "fail"}, 4: {CVC: "fail", AddressLine1: "fail", PostalCode: "fail"},
		5: {CVC: "unavailable", AddressLine1: "unavailable", PostalCode: "unavailable"},
		6: {CVC: "unchecked", AddressLine1: "unchecked", PostalCode: "unchecked"}, 7: nil,
	} {
		require.Equal(t, want, do(t, sdk.OpAuthorize, 0, request(visa, magic+code, sdk.CaptureAutomatic)).Checks, code)
	}
}

func TestHalfApproved(t *testing.T) {
	o := do(t, sdk.OpAuthorize, 0, request(visa, magic+8, sdk.CaptureManual))
	require.Equal(t, usd((magic+8)/2), *o.Amount)
	require.Equal(t, sdk.Totals{Authorized: (magic + 8) / 2}, *o.Totals)
}

func said(o *sdk.Outcome) string {
	if o.Decline != nil {
		return string(o.Status) + ":" + string(o.Decline.Reason)
	}
	return string(o.Status)
}

func keys[V any](m map[int64]V) (all []int64) {
	for k := range m {
		all = append(all, k)
	}
	return all
}
