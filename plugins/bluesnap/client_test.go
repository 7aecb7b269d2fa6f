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

// TestClientKnowsNoOtherErrors: every error that a client library knows of a card transaction is read.
func TestClientKnowsNoOtherErrors(t *testing.T) {
	s, err := published.Load(os.DirFS("testdata"), nil)
	require.NoError(t, err)
	names := s.Values("CardTransactionErrors")
	require.Greater(t, len(names), 50)
	// What says no more than that the payment was refused, and what only a request of another form than ours is answered with.
	general := strings.Fields("GENERAL_PAYMENT_PROCESSING_ERROR PROCESSING_GENERAL_DECLINE MISSING_SHOPPER_OR_CARD_HOLDER INVALID_HTTP_METHOD INVALID_API_VERSION " +
		"INVALID_MERCHANT_TRANSACTION_ID MISSING_CARD_TYPE XSS_EXCEPTION SHOPPER_NOT_FOUND MULTIPLE_PAYMENT_METHODS_NON_SELECTED MULTIPLE_TRANSACTIONS_FOUND " +
		"CREDIT_CARD_DETAILS_PLAIN_AND_ENCRYPTED CREDIT_CARD_ENCRYPTED_NUMBER_REQUIRED CREDIT_CARD_ENCRYPTED_SECURITY_CODE_REQUIRED TRANSACTION_ID_REQUIRED")
	for _, name := range names {
		p := play(t, sdk.OpAuthorize, payment(), answer(400, `{"message":[{"errorName":"`+name+`","code":14002,"description":"no"}]}`))
		if name == "TRANSACTION_ALREADY_EXISTS" {
			require.Equal(t, sdk.StatusUnknown, p.Status, "a payment with our reference is there")
			continue
		}
		require.Equal(t, sdk.StatusDeclined, p.Status, name)
		require.Equal(t, slices.Contains(general, name), p.Decline.Reason == sdk.DeclineGeneric, "%s is %s", name, p.Decline.Reason)
	}
}
