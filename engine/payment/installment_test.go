package payment_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
)

func TestInstallmentInterest(t *testing.T) {
	for _, row := range []struct {
		count           int
		rate, principal int64
		want            int64
	}{
		{3, 500, 6000, 610}, {6, 500, 6000, 1093}, {12, 500, 6000, 2124}, {12, 0, 6000, 0}, {1, 500, 6000, 300}, {1, 1, 1, 1}, {3, 500, 0, 0},
		{255, 1_000_000, 999_999_999, 25_499_999_974_501 - 999_999_999},
	} {
		require.Equal(t, row.want, payment.InstallmentPlan{Count: row.count, Rate: row.rate}.Interest(row.principal), "%+v", row)
	}
}

// FuzzInterest: the parts repay the principal with its interest, and one unit less would not.
func FuzzInterest(f *testing.F) {
	f.Add(uint8(3), uint32(500), uint32(6000))
	f.Fuzz(func(t *testing.T, count uint8, rate, principal uint32) {
		if count == 0 || rate == 0 || rate > 1_000_000 {
			return
		}
		plan := payment.InstallmentPlan{Count: int(count), Rate: int64(rate)}
		// left is what is owed after n parts of (principal + interest − less) / n.
		left := func(less int64) *big.Rat {
			part := big.NewRat(int64(principal)+plan.Interest(int64(principal))-less, int64(count))
			owed, grow := big.NewRat(int64(principal), 1), big.NewRat(10_000+int64(rate), 10_000)
			for range count {
				owed.Mul(owed, grow).Sub(owed, part)
			}
			return owed
		}
		require.LessOrEqual(t, left(0).Sign(), 0)
		require.Positive(t, left(1).Sign())
		require.GreaterOrEqual(t, plan.Interest(int64(principal)), int64(0))
		require.GreaterOrEqual(t, plan.Part(int64(principal))*int64(count), int64(principal))
	})
}
