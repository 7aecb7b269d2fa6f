package fault

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInternal checks which failures of a store ask the caller to try again.
func TestInternal(t *testing.T) {
	for _, err := range []error{ErrLocked, ErrAway, ErrOutcome} {
		e := Internal(fmt.Errorf("commit: %w", err), "write")
		require.Equal(t, KindUnavailable, e.Kind, err)
		require.ErrorIs(t, e, err)
		require.NotContains(t, e.Message, "nothing was done")
	}
	require.Equal(t, KindInternal, Internal(errors.New("disk full"), "write").Kind)
}
