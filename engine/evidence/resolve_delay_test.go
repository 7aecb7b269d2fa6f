package evidence

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
)

func TestResolveDelay(t *testing.T) {
	for tries, want := range map[int]time.Duration{0: time.Minute, 1: 5 * time.Minute, 5: 5 * time.Minute, 6: time.Hour, 77: time.Hour, 78: 24 * time.Hour, 1 << 40: 24 * time.Hour} {
		require.Equal(t, want, ResolveDelay(payment.OperationPending, tries), tries)
	}
	for tries, want := range map[int]time.Duration{0: 2 * time.Second, 3: 16 * time.Second, 9: 10 * time.Minute, 1 << 40: 10 * time.Minute} {
		require.Equal(t, want, ResolveDelay(payment.OperationUnknown, tries), tries)
	}
}
