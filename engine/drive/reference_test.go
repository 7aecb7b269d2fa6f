package drive

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/ids"
	"payswitch/sdk"
)

// TestReferenceOfALongID: also a reference without room for its id is the same whenever it is made. The processor then knows the repetition of a payment that
// was lost with a database. It differs between merchants, and between a payment and a capture.
func TestReferenceOfALongID(t *testing.T) {
	t.Parallel()
	for _, rule := range []sdk.ReferenceRule{{}, {MaxLength: 12}, {Characters: sdk.ReferenceAlphanumeric}, {Characters: sdk.ReferenceAlphanumeric, MaxLength: 16}} {
		for _, id := range []string{"1001_1", strings.Repeat("a", 30) + "_1"} {
			reference := ForAttempt.Reference(rule, "shop", id, 1)
			require.Equal(t, reference, ForAttempt.Reference(rule, "shop", id, 2), "%s %+v", id, rule)
			require.NotEqual(t, reference, ForAttempt.Reference(rule, "other", id, 1), "%s %+v", id, rule)
			require.NotEqual(t, reference, ForCapture.Reference(rule, "shop", id, 1), "%s %+v", id, rule)
			require.LessOrEqual(t, len(reference), max(rule.MaxLength, 36))
			if rule.Characters == sdk.ReferenceAlphanumeric {
				require.Empty(t, strings.Trim(reference, ids.Alphabet))
			}
			if rule.MaxLength > 0 {
				require.LessOrEqual(t, len(reference), rule.MaxLength)
			}
		}
	}
	made := ids.At("pay_", time.Now()) + "_1"
	require.Equal(t, made, ForAttempt.Reference(sdk.ReferenceRule{}, "shop", made, 1), "an id of payswitch is the reference itself")
}
