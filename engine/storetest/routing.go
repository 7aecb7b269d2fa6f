package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/routed"
	"payswitch/engine/routing"
	"payswitch/engine/routing/health"
)

// routingRoom tests routing.ConfigReader and routing.ConfigTx: configurations, error rules and config keys.
var routingRoom = room{
	name:  "routing",
	kinds: routingKinds,
	cases: []testCase{
		{"lists of configurations", testRoutingLists},
		{"error rules", testErrorRules},
		{"config keys", testConfigKeys},
		{"account health", testAccountHealth},
	},
}

var routingKinds = []kind{{
	name:   "routing configuration",
	make:   func(f *filler) any { v := filled[routing.Config](f); v.MerchantID = merchantA; return v },
	empty:  func() any { return &routing.Config{MerchantID: merchantA, ID: "c"} },
	insert: func(tx engine.Tx, v any) error { return tx.InsertRoutingConfig(v.(*routing.Config)) },
	read: func(r engine.Reader, v any) (any, error) {
		return r.RoutingConfig(v.(*routing.Config).MerchantID, v.(*routing.Config).ID)
	},
}}

func testRoutingLists(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	insert := func(n int, change func(c *routing.Config)) {
		c := &routing.Config{MerchantID: merchantA, ID: fmt.Sprintf("c%d", n), ProfileID: "pro_1", Kind: "single", TransactionType: "payment",
			Algorithm: []byte(`{}`), CreatedAt: base, ModifiedAt: base.Add(time.Duration(n) * time.Second)}
		if change != nil {
			change(c)
		}
		update(t, s, func(tx engine.Tx) error { return tx.InsertRoutingConfig(c) })
	}
	insert(1, nil)
	insert(3, nil)
	insert(2, func(c *routing.Config) { c.ProfileID = "pro_2" })
	insert(4, func(c *routing.Config) { c.TransactionType = "payout" })
	insert(5, func(c *routing.Config) { c.MerchantID = merchantB })
	insert(6, func(c *routing.Config) { c.ModifiedAt = base.Add(3 * time.Second) })
	insert(7, func(c *routing.Config) { c.TransactionType = "" }) // a program of the merchant
	list := func(profile, kind string, limit, offset int) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*routing.Config, error) {
			return r.RoutingConfigs(merchantA, profile, routed.TransactionType(kind), limit, offset)
		}),
			func(c *routing.Config) string { return c.ID })
	}
	require.Equal(t, []string{"c6", "c3", "c2", "c1"}, list("", "payment", 0, 0), "the latest change first; of two changes at a time, the row that came last")
	require.Equal(t, []string{"c3", "c2"}, list("", "payment", 2, 1))
	require.Equal(t, []string{"c6", "c3", "c1"}, list("pro_1", "payment", 10, 0))
	require.Equal(t, []string{"c4"}, list("", "payout", 10, 0))
	require.Empty(t, list("pro_3", "payment", 10, 0))
	require.Equal(t, 5, get(t, s, func(r engine.Reader) (int, error) { return r.CountRoutingConfigs(merchantA) }))
	update(t, s, func(tx engine.Tx) error { return tx.DeleteRoutingConfig(merchantA, "c1") })
	require.Equal(t, 4, get(t, s, func(r engine.Reader) (int, error) { return r.CountRoutingConfigs(merchantA) }))
	requireMissing(t, s, map[string]func(tx engine.Tx) error{
		"gone":          func(tx engine.Tx) error { return tx.DeleteRoutingConfig(merchantA, "c1") },
		"of another":    func(tx engine.Tx) error { return tx.DeleteRoutingConfig(merchantA, "c5") },
		"read another":  func(tx engine.Tx) error { _, err := tx.RoutingConfig(merchantA, "c5"); return err },
		"with no owner": func(tx engine.Tx) error { _, err := tx.RoutingConfig("", "c2"); return err },
	})
	update(t, s, func(tx engine.Tx) error { return tx.DeleteMerchant(merchantA) })
	require.Zero(t, get(t, s, func(r engine.Reader) (int, error) { return r.CountRoutingConfigs(merchantA) }), "they go with the merchant")
	require.Equal(t, 1, get(t, s, func(r engine.Reader) (int, error) { return r.CountRoutingConfigs(merchantB) }))
}

func testErrorRules(t *testing.T, s engine.Store) {
	f := new(filler)
	r := filled[routing.ErrorRule](f)
	key := r.ErrorKey
	update(t, s, func(tx engine.Tx) error { return tx.InsertErrorRule(r) })
	read := func(k routing.ErrorKey) (*routing.ErrorRule, error) {
		return read(s, func(r engine.Reader) (*routing.ErrorRule, error) { return r.ErrorRule(k) })
	}
	got, err := read(key)
	require.NoError(t, err)
	require.Equal(t, r, got)
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertErrorRule(r) }), fault.ErrConflict)
	other := filled[routing.ErrorRule](f)
	other.ErrorKey = key
	update(t, s, func(tx engine.Tx) error { return tx.UpdateErrorRule(other) })
	got, err = read(key)
	require.NoError(t, err)
	require.Equal(t, other, got)
	for _, change := range []func(k *routing.ErrorKey){func(k *routing.ErrorKey) { k.Connector = "" }, func(k *routing.ErrorKey) { k.Flow = "" }, func(k *routing.ErrorKey) { k.SubFlow = "" },
		func(k *routing.ErrorKey) { k.Code = "" }, func(k *routing.ErrorKey) { k.Message = "" }} {
		k := key
		change(&k)
		_, err := read(k)
		require.ErrorIs(t, err, fault.ErrNotFound, "every part of the key counts")
		requireMissing(t, s, map[string]func(tx engine.Tx) error{
			"delete": func(tx engine.Tx) error { return tx.DeleteErrorRule(k) },
			"update": func(tx engine.Tx) error { return tx.UpdateErrorRule(&routing.ErrorRule{ErrorKey: k}) },
		})
	}
	first := &routing.ErrorRule{ErrorKey: routing.ErrorKey{Connector: "a"}}
	update(t, s, func(tx engine.Tx) error { return tx.InsertErrorRule(first) })
	require.Equal(t, []*routing.ErrorRule{first, other}, get(t, s, func(r engine.Reader) ([]*routing.ErrorRule, error) { return r.ErrorRules() }))
	update(t, s, func(tx engine.Tx) error { return tx.DeleteErrorRule(key) })
	_, err = read(key)
	require.ErrorIs(t, err, fault.ErrNotFound)
}

func testConfigKeys(t *testing.T, s engine.Store) {
	f := new(filler)
	k, other := filled[routing.ConfigKey](f), filled[routing.ConfigKey](f)
	other.Name = k.Name
	update(t, s, func(tx engine.Tx) error { return tx.InsertConfigKey(k) })
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertConfigKey(other) }), fault.ErrConflict)
	of := func() *routing.ConfigKey {
		return get(t, s, func(r engine.Reader) (*routing.ConfigKey, error) { return r.ConfigKey(k.Name) })
	}
	require.Equal(t, k, of())
	update(t, s, func(tx engine.Tx) error { return tx.UpdateConfigKey(other) })
	require.Equal(t, other, of())
	update(t, s, func(tx engine.Tx) error { return tx.DeleteConfigKey(k.Name) })
	requireMissing(t, s, map[string]func(tx engine.Tx) error{
		"read":   func(tx engine.Tx) error { _, err := tx.ConfigKey(k.Name); return err },
		"update": func(tx engine.Tx) error { return tx.UpdateConfigKey(k) },
		"delete": func(tx engine.Tx) error { return tx.DeleteConfigKey(k.Name) },
	})
}

func testAccountHealth(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	var now time.Time
	put := func(m, account, node, counts string, at, end time.Duration) {
		update(t, s, func(tx engine.Tx) error {
			now = tx.Now().Truncate(time.Millisecond)
			return tx.PutHealth(&health.Row{MerchantID: m, AccountID: account, Node: node, Counts: []byte(counts), SavedAt: now.Add(at), ExpiresAt: now.Add(end)})
		})
	}
	list := func(since time.Duration) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*health.Row, error) { return r.HealthSince(now.Add(since)) }), func(r *health.Row) string {
			return r.MerchantID + " " + r.AccountID + " " + r.Node + " " + string(r.Counts)
		})
	}
	put(merchantA, "mca_1", "n1", `{"a":1}`, -time.Hour, time.Hour)
	put(merchantA, "mca_1", "n2", `{"a":2}`, -2*time.Hour, time.Hour)
	put(merchantB, "mca_1", "n1", `{"a":3}`, -time.Minute, -time.Second)
	require.Equal(t, []string{merchantA + ` mca_1 n2 {"a":2}`, merchantA + ` mca_1 n1 {"a":1}`, merchantB + ` mca_1 n1 {"a":3}`}, list(-3*time.Hour))
	require.Len(t, list(-90*time.Minute), 2, "the earlier ones are left out")
	put(merchantA, "mca_1", "n2", `{"a":4}`, -time.Second, time.Hour)
	require.Equal(t, []string{merchantA + ` mca_1 n2 {"a":4}`}, list(-30*time.Second), "a later row takes the place of an earlier one")
	volume := func(node string, day, attempts int64, at, end time.Duration) {
		update(t, s, func(tx engine.Tx) error {
			return tx.PutVolume(&health.Volume{MerchantID: merchantA, AccountID: "mca_1", Node: node, Day: day, Attempts: attempts, SavedAt: now.Add(at), ExpiresAt: now.Add(end)})
		})
	}
	volumes := func(since time.Duration) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*health.Volume, error) { return r.VolumesSince(now.Add(since)) }), func(v *health.Volume) string {
			return fmt.Sprint(v.MerchantID, " ", v.AccountID, " ", v.Node, " ", v.Day, ": ", v.Attempts)
		})
	}
	volume("n1", 20000, 3, -time.Hour, time.Hour)
	volume("n1", 20001, 4, -time.Hour, -time.Second)
	volume("n2", 20000, 5, -2*time.Hour, time.Hour)
	require.Equal(t, []string{merchantA + " mca_1 n2 20000: 5", merchantA + " mca_1 n1 20000: 3", merchantA + " mca_1 n1 20001: 4"}, volumes(-3*time.Hour))
	volume("n2", 20000, 6, -time.Second, time.Hour)
	require.Equal(t, []string{merchantA + " mca_1 n2 20000: 6"}, volumes(-time.Minute), "a later count takes the place of an earlier one")
	update(t, s, func(tx engine.Tx) error { _, err := tx.DeleteExpired(); return err })
	require.Len(t, list(-3*time.Hour), 2)
	require.Len(t, volumes(-3*time.Hour), 2)
	update(t, s, func(tx engine.Tx) error { return tx.DeleteMerchant(merchantA) })
	require.Empty(t, list(-3*time.Hour), "they go with the merchant")
	require.Empty(t, volumes(-3*time.Hour))
}
