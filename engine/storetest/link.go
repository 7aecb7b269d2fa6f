package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/paylink"
)

// linkRoom tests paylink.Reader and paylink.Tx.
var linkRoom = room{
	name:  "link",
	kinds: linkKinds,
	cases: []testCase{
		{"lists of links", testLinkLists},
		{"the kinds of links are apart", testLinkKinds},
	},
}

var linkKinds = []kind{{
	name: "link",
	make: func(f *filler) any {
		v := filled[paylink.Link](f)
		v.MerchantID, v.Kind = merchantA, paylink.ForPayment
		return v
	},
	empty:  func() any { return &paylink.Link{MerchantID: merchantA, ID: "l"} },
	insert: func(tx engine.Tx, v any) error { return tx.InsertLink(v.(*paylink.Link)) },
	read: func(r engine.Reader, v any) (any, error) {
		return r.Link(v.(*paylink.Link).MerchantID, v.(*paylink.Link).Kind, v.(*paylink.Link).ID)
	},
	update:    func(tx engine.Tx, v any) error { return tx.UpdateLinkStatus(v.(*paylink.Link)) },
	fixed:     []string{"MerchantID", "Kind", "ID", "ProfileID", "Subject", "CreatedAt", "ExpiresAt"},
	versioned: true,
}}

func testLinkLists(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	insert := func(n int, change func(l *paylink.Link)) {
		l := &paylink.Link{MerchantID: merchantA, Kind: paylink.ForPayment, ID: fmt.Sprintf("l%d", n), ProfileID: "pro_1", Subject: "pay", CreatedAt: base.Add(time.Duration(n) * time.Second)}
		if change != nil {
			change(l)
		}
		update(t, s, func(tx engine.Tx) error { return tx.InsertLink(l) })
	}
	insert(1, nil)
	insert(3, nil)
	insert(2, func(l *paylink.Link) { l.ProfileID = "pro_2" })
	insert(4, func(l *paylink.Link) { l.Kind = paylink.ForCollect })
	insert(5, func(l *paylink.Link) { l.MerchantID = merchantB })
	insert(6, func(l *paylink.Link) { l.CreatedAt = base.Add(3 * time.Second) })
	list := func(profile string, f paylink.Filter) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*paylink.Link, error) {
			return r.Links(merchantA, profile, paylink.ForPayment, f)
		}),
			func(l *paylink.Link) string { return l.ID })
	}
	require.Equal(t, []string{"l6", "l3", "l2", "l1"}, list("", paylink.Filter{}), "newest first; of two at a time, the row that came last")
	require.Equal(t, []string{"l6", "l3"}, list("", paylink.Filter{Limit: 2}))
	require.Equal(t, []string{"l2"}, list("pro_2", paylink.Filter{}))
	at := func(s int) time.Time { return base.Add(time.Duration(s) * time.Second) }
	require.Equal(t, []string{"l2"}, list("", paylink.Filter{Created: at(2)}))
	require.Equal(t, []string{"l1"}, list("", paylink.Filter{CreatedLT: at(2)}))
	require.Equal(t, []string{"l2", "l1"}, list("", paylink.Filter{CreatedLTE: at(2)}))
	require.Equal(t, []string{"l6", "l3"}, list("", paylink.Filter{CreatedGT: at(2)}))
	require.Equal(t, []string{"l6", "l3", "l2"}, list("", paylink.Filter{CreatedGTE: at(2)}))
	require.Equal(t, []string{"l2"}, list("", paylink.Filter{CreatedGT: at(1), CreatedLT: at(3)}))
	requireMissing(t, s, map[string]func(tx engine.Tx) error{
		"of another merchant": func(tx engine.Tx) error { _, err := tx.Link(merchantA, paylink.ForPayment, "l5"); return err },
		"update of another": func(tx engine.Tx) error {
			return tx.UpdateLinkStatus(&paylink.Link{MerchantID: merchantA, Kind: paylink.ForPayment, ID: "l5", Version: 1})
		},
	})
	update(t, s, func(tx engine.Tx) error { return tx.DeleteMerchant(merchantA) })
	require.Empty(t, list("", paylink.Filter{}), "they go with the merchant")
}

func testLinkKinds(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA)
	of := func(k paylink.Kind) *paylink.Link {
		return &paylink.Link{MerchantID: merchantA, Kind: k, ID: "same", CreatedAt: base}
	}
	update(t, s, func(tx engine.Tx) error { return tx.InsertLink(of(paylink.ForPayment)) })
	_, err := read(s, func(r engine.Reader) (*paylink.Link, error) { return r.Link(merchantA, paylink.ForCollect, "same") })
	require.ErrorIs(t, err, fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.InsertLink(of(paylink.ForCollect)) })
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertLink(of(paylink.ForCollect)) }), fault.ErrConflict)
}
