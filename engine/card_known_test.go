package engine_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// witness records the card facts that the engine gives the host in each operation.
type witness struct {
	port.Connectors
	mu    sync.Mutex
	cards map[sdk.Operation]*card.Facts
}

func (w *witness) Drive(ctx context.Context, d *port.Drive) (*port.DriveResult, error) {
	w.mu.Lock()
	w.cards[d.Operation] = d.Card
	w.mu.Unlock()
	return w.Connectors.Drive(ctx, d)
}

// The host needs the card's facts to mask its number. So the engine sends them in every operation of the payment: later operations do not
// have the number.
func TestTheHostKnowsTheCardInEveryOperation(t *testing.T) {
	t.Parallel()
	told := &witness{Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulatorAdapter()}), cards: map[sdk.Operation]*card.Facts{}}
	w := newWorldWith(t, engine.Options{}, told, filepath.Join(t.TempDir(), "p.db"))
	w.account("simulator", "")
	captured := w.pay(sale(1000, "4111111111111111", manual))
	_, err := w.CapturePayment(t.Context(), w.auth, captured.Payment.ID, &request.CaptureInput{})
	require.NoError(t, err)
	w.get(captured.Payment.ID, request.RetrieveInput{ForceSync: true})
	voided := w.pay(sale(1000, "4111111111111111", manual))
	_, err = w.CancelPayment(t.Context(), w.auth, voided.Payment.ID, "")
	require.NoError(t, err)
	for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpCapture, sdk.OpVoid} {
		require.NotNil(t, told.cards[op], op)
		require.Equal(t, "411111", told.cards[op].BIN)
		require.Equal(t, "1111", told.cards[op].LastFour)
		require.Equal(t, 16, told.cards[op].Length)
	}
}
