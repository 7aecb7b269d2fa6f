package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// testProposals: an operation has one proposal at a time, and only the proposal that a caller has seen is deleted.
func testProposals(t *testing.T, s engine.Store) {
	p := filled[payment.Proposal](new(filler))
	p.ID, p.OperationID, p.MerchantID = "prop_1", "op_1", merchantA
	update(t, s, func(tx engine.Tx) error { return tx.InsertProposal(p) })
	other := *p
	other.ID = "prop_2"
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertProposal(&other) }), fault.ErrConflict)
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.DeleteProposal("op_1", "prop_2") }), fault.ErrNotFound)
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.DeleteProposal("op_2", "prop_1") }), fault.ErrNotFound)
	require.Equal(t, p, get(t, s, func(r engine.Reader) (*payment.Proposal, error) { return r.Proposal("op_1") }))
	update(t, s, func(tx engine.Tx) error { return tx.DeleteProposal("op_1", "prop_1") })
	require.ErrorIs(t, s.View(t.Context(), func(r engine.Reader) error { _, err := r.Proposal("op_1"); return err }), fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.InsertProposal(&other) })
}

// testClaimedIDs: an id of a processor's at an account has one owner, also if two claim it at once.
func testClaimedIDs(t *testing.T, s engine.Store) {
	claim := func(c evidence.Claim) (own bool) {
		update(t, s, func(tx engine.Tx) (err error) { own, err = tx.ClaimID(c); return err })
		return own
	}
	c := evidence.Claim{MerchantID: merchantA, AccountID: "mca", Kind: "refund", ID: "re_1", Owner: "r1"}
	require.True(t, claim(c))
	require.True(t, claim(c), "the owner again")
	for name, change := range map[string]func(*evidence.Claim){"merchant": func(c *evidence.Claim) { c.MerchantID = merchantB }, "account": func(c *evidence.Claim) { c.AccountID = "other" },
		"kind": func(c *evidence.Claim) { c.Kind = "payment" }, "id": func(c *evidence.Claim) { c.ID = "re_2" }} {
		n := c
		change(&n)
		n.Owner = "r2"
		require.True(t, claim(n), "another "+name)
	}
	c.Owner = "r2"
	require.False(t, claim(c))

	var wg sync.WaitGroup
	owns := make([]bool, 8)
	for i := range owns {
		wg.Go(func() {
			s.Update(context.Background(), func(tx engine.Tx) (err error) {
				owns[i], err = tx.ClaimID(evidence.Claim{MerchantID: merchantA, AccountID: "mca", Kind: "refund", ID: "at once", Owner: fmt.Sprint(i)})
				return err
			})
		})
	}
	wg.Wait()
	require.Len(t, slices.DeleteFunc(owns, func(own bool) bool { return !own }), 1)
}
