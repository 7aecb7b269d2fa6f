package bluesnap_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/internal/published"
	"payswitch/sdk"
)

// TestClientKnowsNoOtherErrors: the adapter reads every card transaction error that a client library knows.
func TestClientKnowsNoOtherErrors(t *testing.T) {
	s, err := published.Load(os.DirFS("testdata"), nil)
	require.NoError(t, err)
	names := s.Values("CardTransactionErrors")
	require.Greater(t, len(names), 50)
	// Errors that mean no more than "refused", and errors that leave the result open.
	general := strings.Fields("GENERAL_PAYMENT_PROCESSING_ERROR PROCESSING_GENERAL_DECLINE")
	doubtful := strings.Fields("TRANSACTION_ALREADY_EXISTS PROCESSING_TIMEOUT SYSTEM_TECHNICAL_ERROR BLS_CONNECTION_PROBLEM")
	for _, name := range names {
		p := play(t, sdk.OpAuthorize, payment(), answer(400, `{"message":[{"errorName":"`+name+`","code":14002,"description":"no"}]}`))
		if slices.Contains(doubtful, name) {
			require.Equal(t, sdk.StatusUnknown, p.Status, name)
			continue
		}
		require.Equal(t, sdk.StatusDeclined, p.Status, name)
		require.Equal(t, slices.Contains(general, name), p.Decline.Reason == sdk.DeclineGeneric, "%s is %s", name, p.Decline.Reason)
	}
}
