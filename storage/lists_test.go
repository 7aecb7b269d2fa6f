package storage_test

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/contact"
	"payswitch/engine/facet"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	lists "payswitch/engine/request"
	"payswitch/engine/search"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
	"payswitch/sdk"
	"payswitch/storage"
)

// listWorld is a store with payments of two merchants, and a copy of them in memory.
type listWorld struct {
	t      *testing.T
	db     *storageWithFiller
	rand   *rand.Rand
	filler *facet.Filler
	search *search.Search
	vault  *vault.Vault
	all    map[string][]*listed // by merchant, in the order of insertion
	alarms []string
	mu     sync.Mutex
	now    time.Time
}

type listed struct {
	p *payment.Payment
	a *payment.Attempt
}

// storageWithFiller runs the filler before some reads of the search.
type storageWithFiller struct {
	engine.Store
	before func()
}

func (s *storageWithFiller) View(ctx context.Context, f func(engine.Reader) error) error {
	if s.before != nil {
		s.before()
	}
	return s.Store.View(ctx, f)
}

func (w *listWorld) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *listWorld) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *listWorld) Alarm(kind alarm.Kind) { w.alarms = append(w.alarms, string(kind)) }

type listMetrics struct {
	port.Metrics
	*listWorld
}

func (m listMetrics) Alarm(kind alarm.Kind) { m.listWorld.Alarm(kind) }

// newListWorld opens a store with a clock of its own. Blocks have four payments, so that a few payments fill several.
func newListWorld(t *testing.T, seed uint64, open func(clock func() time.Time) engine.Store) *listWorld {
	t.Logf("seed %d", seed)
	w := &listWorld{t: t, rand: rand.New(rand.NewPCG(seed, 1)), all: map[string][]*listed{}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	w.db, w.vault = &storageWithFiller{Store: open(w.clock)}, listVault(t, filepath.Join(t.TempDir(), "vault.db"))
	w.filler = facet.NewFiller(facet.Deps{Store: port.Narrow[facet.FillReader, facet.Tx](w.db.Store), Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Node: "n",
		Email: search.Emails(w.vault)})
	w.filler.Block, w.filler.Enough, w.filler.Patience = 4+w.rand.IntN(6), 1+w.rand.IntN(3), time.Minute
	w.filler.Group = 1 + w.rand.IntN(3)
	w.search = &search.Search{Deps: search.Deps{Store: port.Narrow[change.Reader, change.Tx](engine.Store(w.db)), Window: 1 + w.rand.IntN(9), Distrust: w.filler.Distrust, Vault: w.vault,
		Changes: &change.Changes{Deps: change.Deps{Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Metrics: listMetrics{listWorld: w}}}}}
	return w
}

// listVault opens a vault in a store of its own, so that the store of the lists signs no rows.
func listVault(t testing.TB, file string) *vault.Vault {
	db, err := storage.Open(t.Context(), "sqlite:"+file, storage.Options{Migrate: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	v, err := engine.OpenVault(t.Context(), db, secret.New(base64.StdEncoding.EncodeToString(make([]byte, 32))))
	require.NoError(t, err)
	return v
}

// sealEmail seals a payment's private part, with a customer who has the e-mail address unless it is empty.
func sealEmail(t testing.TB, v *vault.Vault, p *payment.Payment, email string) {
	p.Private = &payment.Private{}
	if email != "" {
		p.Private.Customer = &contact.Customer{Email: email}
	}
	require.NoError(t, v.SealPayment(p))
}

var listMerchants = []string{"m1", "m2"}

func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// vary changes what lists filter by.
func (w *listWorld) vary(l *listed) {
	r := w.rand
	p, a := l.p, l.a
	p.Status = oneOf(r, payment.Succeeded, payment.Succeeded, payment.Processing, payment.Failed, payment.RequiresCapture)
	p.Currency, p.Amount = oneOf[sdk.Currency](r, "EUR", "EUR", "JPY"), oneOf[int64](r, 0, 100, 100, 200, 1<<40)
	p.ProfileID, p.AttemptCount = oneOf(r, "pro_1", "pro_1", "pro_2"), 1+r.IntN(2)
	p.Details.AuthenticationType, p.Details.OrderReference = oneOf(r, payment.AuthenticationType("three_ds"), "no_three_ds", ""), oneOf(r, "", "o1", "o2", fmt.Sprint("o", r.IntN(50)))
	a.Connector, a.AccountID = oneOf(r, "", "stripe", "stripe", "adyen"), oneOf(r, "mca_1", "mca_2")
	a.Details.PaymentMethod, a.Details.PaymentMethodType = oneOf(r, "", "card", "card", "wallet"), oneOf(r, "credit", "debit")
	a.Details.CardDiscovery = oneOf(r, "", "manual", "saved_card")
	sealEmail(w.t, w.vault, p, oneOf(r, "", "ann@example.com", "Ann@Example.com", "bob@example.com"))
	if a.Details.Card = nil; r.IntN(3) > 0 {
		a.Details.Card = &card.Facts{Network: oneOf[sdk.CardNetwork](r, "Visa", "JCB"), LastFour: "4242"}
	}
}

// insert adds a payment, sometimes one from before.
func (w *listWorld) insert() {
	m := oneOf(w.rand, listMerchants...)
	created := w.clock()
	if w.rand.IntN(8) == 0 {
		created = created.Add(-time.Duration(w.rand.IntN(600)) * time.Second)
	}
	id := fmt.Sprintf("pay_%d", len(w.all["m1"])+len(w.all["m2"]))
	l := &listed{p: &payment.Payment{MerchantID: m, ID: id, AttemptID: id + "_1", CreatedAt: created, ModifiedAt: created},
		a: &payment.Attempt{MerchantID: m, PaymentID: id, ID: id + "_1", Number: 1, CreatedAt: created}}
	w.vary(l)
	require.NoError(w.t, w.db.Update(w.t.Context(), func(tx engine.Tx) error {
		l.p.Version, l.a.Version = 0, 0
		if err := tx.InsertPayment(l.p); err != nil {
			return err
		}
		return tx.InsertAttempt(l.a)
	}))
	w.all[m] = append(w.all[m], l)
}

// change changes a payment. Sometimes the filler reads between the change and its commit, which comes later by up to 50 s.
func (w *listWorld) change() {
	m := oneOf(w.rand, listMerchants...)
	if len(w.all[m]) == 0 {
		return
	}
	recent := w.all[m][max(0, len(w.all[m])-8):]
	l := oneOf(w.rand, oneOf(w.rand, w.all[m], recent, recent)...)
	w.vary(l)
	slow, filled := w.rand.IntN(4) == 0, make(chan error, 1)
	require.NoError(w.t, w.db.Update(w.t.Context(), func(tx engine.Tx) error {
		if err := tx.UpdatePayment(l.p); err != nil {
			return err
		}
		if err := tx.UpdateAttempt(l.a); err != nil {
			return err
		}
		if slow {
			slow = false
			w.advance(time.Duration(w.rand.IntN(50)) * time.Second)
			reading := &writesSignalled{Store: w.filler.Store, writes: make(chan struct{}, 1000)}
			f := facet.NewFiller(facet.Deps{Store: reading, Log: w.filler.Log, Node: "n", Email: w.filler.Email})
			f.Block, f.Enough, f.Patience, f.Group = w.filler.Block, w.filler.Enough, w.filler.Patience, w.filler.Group
			ended := make(chan struct{})
			go func() { defer close(ended); filled <- f.Fill(w.t.Context()) }()
			select {
			case <-reading.writes: // it has read, and waits for this transaction
			case <-ended:
			}
			return nil
		}
		filled <- nil
		return nil
	}))
	require.NoError(w.t, <-filled)
}

// writesSignalled is a store that signals when a write begins.
type writesSignalled struct {
	facet.Store
	writes chan struct{}
}

func (s *writesSignalled) Update(ctx context.Context, f func(facet.Tx) error) error {
	s.writes <- struct{}{}
	return s.Store.Update(ctx, f)
}

// filter makes a filter: often of one field.
func (w *listWorld) filter() (profile string, f lists.PaymentFilter) {
	r := w.rand
	for range oneOf(r, 0, 1, 1, 1, 2, 3) {
		switch r.IntN(15) {
		case 0:
			f.Statuses = oneOf(r, []string{"failed"}, []string{"succeeded"}, []string{"succeeded", "failed"}, []string{"review"}, []string{"review", "failed"},
				[]string{"failed", "requires_capture", "failed"}, []string{"succeeded", "requires_capture"}, []string{"failed", "failed"})
		case 1:
			f.Currencies = oneOf(r, []string{"JPY"}, []string{"EUR", "JPY"}, []string{"KWD"})
		case 2:
			f.Connectors = oneOf(r, []string{"adyen"}, []string{"stripe"}, []string{"none"}, []string{""}, []string{"adyen", ""})
		case 3:
			f.Accounts = []string{"mca_2"}
		case 4:
			n := oneOf[int64](r, 0, 1, 100, 200, 1<<40)
			f.MinAmount = &n
		case 5:
			n := oneOf[int64](r, 0, 99, 100, 200, 1<<41)
			f.MaxAmount = &n
		case 6:
			f.Methods = []string{"wallet"}
		case 7:
			f.MethodTypes = []string{"debit"}
		case 8:
			f.AuthenticationTypes = oneOf(r, []string{"three_ds"}, []string{"no_three_ds"}, []string{"no_three_ds", "three_ds"})
		case 9:
			f.Networks = oneOf(r, []string{"JCB"}, []string{"JCB", "Visa"})
		case 10:
			f.Discoveries = []string{"manual"}
		case 11:
			f.OrderReference = oneOf(r, "o1", fmt.Sprint("o", r.IntN(50)))
		case 12:
			f.From = w.clock().Add(-time.Duration(r.IntN(900_000)) * time.Millisecond)
			if r.IntN(2) == 0 {
				f.To = f.From.Add(time.Duration(r.IntN(900_000_000)) * time.Microsecond)
			}
		case 13:
			if f.ProfileID = "pro_2"; r.IntN(2) == 0 {
				f.ProfileID, profile = "", "pro_1"
			}
		case 14:
			f.Email = oneOf(r, "ANN@example.com", "bob@example.com", "eve@example.com")
		}
	}
	f.Order, f.Ascending = oneOf(r, lists.OrderCreated, "", lists.OrderAmount, lists.OrderAttempts, lists.OrderModified), r.IntN(3) == 0
	f.Limit = 1 + r.IntN(12)
	f.Offset = oneOf(r, 0, 0, r.IntN(10))
	return profile, f
}

// naive finds what a list must answer.
func (w *listWorld) naive(m, profile string, f lists.PaymentFilter) (ids []string, total int) {
	type found struct {
		l *listed
		n int
	}
	var list []found
	has := func(wanted []string, v string) bool { return len(wanted) == 0 || slices.Contains(wanted, v) }
	for n, l := range w.all[m] {
		p, a, network := l.p, l.a, ""
		if a.Details.Card != nil {
			network = string(a.Details.Card.Network)
		}
		email := ""
		if c := p.Private.Customer; c != nil {
			email = c.Email
		}
		if (f.Email == "" || strings.EqualFold(f.Email, email)) && has(f.Statuses, string(p.Status)) && has(f.Currencies, string(p.Currency)) && has(f.Connectors, a.Connector) && has(f.Accounts, a.AccountID) &&
			has(f.Methods, a.Details.PaymentMethod) && has(f.MethodTypes, a.Details.PaymentMethodType) && has(f.AuthenticationTypes, cmp.Or(string(p.Details.AuthenticationType), "no_three_ds")) &&
			has(f.Networks, network) && has(f.Discoveries, a.Details.CardDiscovery) && (f.MinAmount == nil || p.Amount >= *f.MinAmount) &&
			(f.MaxAmount == nil || p.Amount <= *f.MaxAmount) && (f.OrderReference == "" || f.OrderReference == p.Details.OrderReference) &&
			(f.From.IsZero() || !p.CreatedAt.Before(f.From)) && (f.To.IsZero() || !p.CreatedAt.After(f.To)) &&
			(f.ProfileID == "" || f.ProfileID == p.ProfileID) && (profile == "" || profile == p.ProfileID) {
			list = append(list, found{l, n})
		}
	}
	value := func(p *payment.Payment) int64 {
		return map[lists.PaymentOrder]int64{lists.OrderAmount: p.Amount, lists.OrderAttempts: int64(p.AttemptCount), lists.OrderModified: p.ModifiedAt.UnixMilli()}[f.Order]
	}
	slices.SortFunc(list, func(x, y found) int {
		order := slices.Compare([]int64{value(x.l.p), x.l.p.CreatedAt.UnixMilli(), int64(x.n)}, []int64{value(y.l.p), y.l.p.CreatedAt.UnixMilli(), int64(y.n)})
		if !f.Ascending {
			return -order
		}
		return order
	})
	ids = []string{}
	for i, x := range list {
		if i >= f.Offset && i < f.Offset+f.Limit {
			ids = append(ids, x.l.p.ID)
		}
	}
	return ids, len(list)
}

// compare compares lists with what they must answer.
func (w *listWorld) compare(times int) {
	w.t.Helper()
	w.db.before = func() {
		if w.rand.IntN(3) == 0 {
			require.NoError(w.t, w.filler.Fill(w.t.Context()))
		}
	}
	defer func() { w.db.before = nil }()
	for range times {
		m := oneOf(w.rand, listMerchants...)
		profile, f := w.filter()
		auth := account.Auth{MerchantID: m, ProfileID: profile}
		want, all := w.naive(m, profile, f)
		found, total, err := w.search.FindPage(w.t.Context(), auth, f)
		require.NoError(w.t, err)
		got := []string{}
		for _, l := range found {
			got = append(got, l.Payment.ID)
		}
		require.Equal(w.t, want, got, "%s %s %+v", m, profile, f)
		require.Equal(w.t, all, total, "%s %s %+v", m, profile, f)

		counts, err := w.search.CountPayments(w.t.Context(), auth, f.From, f.To)
		require.NoError(w.t, err)
		sum := 0
		for _, c := range counts {
			_, n := w.naive(m, profile, lists.PaymentFilter{Statuses: []string{string(c.Status)}, From: f.From, To: f.To})
			require.EqualValues(w.t, n, c.N, "%s of %s %s %+v", c.Status, m, profile, f)
			sum += n
		}
		_, all = w.naive(m, profile, lists.PaymentFilter{From: f.From, To: f.To})
		require.Equal(w.t, all, sum)
		values, err := w.search.PaymentValues(w.t.Context(), auth, f.From, f.To)
		require.NoError(w.t, err)
		for _, c := range []string{"", "EUR", "JPY", "KWD"} {
			_, n := w.naive(m, profile, lists.PaymentFilter{Currencies: []string{c}, From: f.From, To: f.To})
			require.Equal(w.t, n > 0, slices.Contains(values.Currencies, c))
		}
	}
}

// perform inserts rows, changes rows, fills blocks and lets time pass, in a random order. It compares lists with a naive search all the time.
func (w *listWorld) perform(steps int, insert, change func(), compare func(times int)) {
	for range steps {
		switch w.rand.IntN(10) {
		case 0, 1, 2:
			insert()
		case 3, 4, 5:
			change()
		case 6:
			w.advance(time.Duration(w.rand.IntN(3)) * time.Millisecond)
		case 7:
			w.advance(time.Duration(w.rand.IntN(60)) * time.Second)
		case 8:
			require.NoError(w.t, w.filler.Fill(w.t.Context()))
		case 9:
			compare(3)
		}
	}
	compare(20)
}

// run performs steps on payments, and expects blocks in the end.
func (w *listWorld) run(steps int) {
	blocks := 0
	w.perform(steps, w.insert, w.change, w.compare)
	for _, m := range listMerchants {
		require.NoError(w.t, w.db.View(w.t.Context(), func(r engine.Reader) error {
			mark, err := r.FacetMark(facet.Payments, m)
			if err == nil {
				blocks += int(mark.Blocks)
			}
			return err
		}))
	}
	require.Greater(w.t, blocks, 4)
	require.Empty(w.t, w.alarms)
}

// onBoth runs a test on SQLite and on PostgreSQL.
func onBoth(t *testing.T, test func(t *testing.T, open func(clock func() time.Time) engine.Store)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, func(clock func() time.Time) engine.Store { return open(t, storage.Options{Clock: clock}) })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, func(clock func() time.Time) engine.Store { return openPostgres(t, storage.Options{Clock: clock}) })
	})
}

// one returns the number of payments that a list of one filter finds.
func (w *listWorld) one(f lists.PaymentFilter) int {
	w.t.Helper()
	f.Limit = 50
	found, total, err := w.search.FindPage(w.t.Context(), account.Auth{MerchantID: "m1"}, f)
	require.NoError(w.t, err)
	require.Len(w.t, found, total)
	return total
}

// paid inserts n payments in EUR that have failed, and lets the filler take them.
func (w *listWorld) paid(n int) {
	w.t.Helper()
	for len(w.all["m1"]) < n {
		w.insert()
	}
	for _, l := range w.all["m1"] {
		l.p.Status, l.p.Currency = payment.Failed, "EUR"
		require.NoError(w.t, w.db.Update(w.t.Context(), func(tx engine.Tx) error { return tx.UpdatePayment(l.p) }))
	}
	w.advance(10 * time.Minute)
	require.NoError(w.t, w.filler.Fill(w.t.Context()))
	require.Equal(w.t, len(w.all["m1"]), w.one(lists.PaymentFilter{Statuses: []string{"failed"}}))
}

// TestListsAfterASlowCommit lets the filler read while a transaction is under way that changes a young payment: the payment has no mark of that change.
func TestListsAfterASlowCommit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(clock func() time.Time) engine.Store) {
		w := newListWorld(t, 1, open)
		w.paid(12)
		l := w.all["m1"][0]
		created := w.clock()
		l = &listed{p: l.p.Clone(), a: l.a}
		l.p.ID, l.p.AttemptID, l.p.CreatedAt, l.p.Version = "pay_young", "pay_young_1", created, 0
		sealEmail(t, w.vault, l.p, "")
		a := *l.a
		a.ID, a.PaymentID, a.Version = "pay_young_1", "pay_young", 0
		require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
			l.p.Version, a.Version = 0, 0
			return errors.Join(tx.InsertPayment(l.p), tx.InsertAttempt(&a))
		}))
		w.advance(facet.Young)
		ended := make(chan error, 1)
		reading := &writesSignalled{Store: w.filler.Store, writes: make(chan struct{}, 1000)}
		w.filler.Store = reading
		first := true
		require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
			l.p.Status = payment.Succeeded
			if err := tx.UpdatePayment(l.p); err != nil || !first {
				return err
			}
			first = false
			w.advance(facet.Settle - time.Second)
			done := make(chan struct{})
			go func() { defer close(done); ended <- w.filler.Fill(t.Context()) }()
			select {
			case <-done:
			case <-reading.writes:
			}
			return nil
		}))
		require.NoError(t, <-ended)
		require.Equal(t, 1, w.one(lists.PaymentFilter{Statuses: []string{"succeeded"}}))
		w.advance(time.Hour)
		require.NoError(t, w.filler.Fill(t.Context()))
		require.Equal(t, 1, w.one(lists.PaymentFilter{Statuses: []string{"succeeded"}}))
	})
}

// TestListsAfterTheClockWentBack: changes then have a time before those that the filler has read.
func TestListsAfterTheClockWentBack(t *testing.T) {
	t.Parallel()
	w := newListWorld(t, 1, func(clock func() time.Time) engine.Store { return open(t, storage.Options{Clock: clock}) })
	w.paid(12)
	w.advance(-5 * time.Minute)
	l := w.all["m1"][3]
	l.p.Status = payment.Succeeded
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.UpdatePayment(l.p) }))
	require.Equal(t, 1, w.one(lists.PaymentFilter{Statuses: []string{"succeeded"}}))
	require.NoError(t, w.filler.Fill(t.Context()))
	w.advance(time.Hour)
	require.Equal(t, 1, w.one(lists.PaymentFilter{Statuses: []string{"succeeded"}}))
	require.Empty(t, w.alarms)
}

// TestListsOfAnExceptionalStatus: the store's index has the page, and the blocks have the number, also of payments that no block has yet or that have changed.
func TestListsOfAnExceptionalStatus(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(clock func() time.Time) engine.Store) {
		w := newListWorld(t, 5, open)
		for step := range 60 {
			w.insert()
			w.advance(7 * time.Second)
			if step%3 == 0 {
				w.change()
			}
			if step%5 > 0 {
				continue
			}
			require.NoError(t, w.filler.Fill(t.Context()))
			for _, f := range []lists.PaymentFilter{{Limit: 3}, {Limit: 50, Order: lists.OrderCreated}, {Limit: 2, Offset: 1}, {Limit: 50, From: w.clock().Add(-time.Minute)}} {
				f.Statuses = []string{"failed"}
				want, all := w.naive("m1", "", f)
				found, total, err := w.search.FindPage(t.Context(), account.Auth{MerchantID: "m1"}, f)
				require.NoError(t, err)
				got := []string{}
				for _, l := range found {
					got = append(got, l.Payment.ID)
				}
				require.Equal(t, want, got)
				require.Equal(t, all, total)
			}
		}
		require.Empty(t, w.alarms)
	})
}

// TestListsThatIndexAndBlocksTellApart: the blocks have a failed payment that has succeeded since. The list is right, and raises an alarm.
func TestListsThatIndexAndBlocksTellApart(t *testing.T) {
	t.Parallel()
	w := newListWorld(t, 6, func(clock func() time.Time) engine.Store { return open(t, storage.Options{Clock: clock}) })
	w.paid(30)
	l := w.all["m1"][0]
	status := func() (c facet.Column) {
		require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) (err error) {
			c, err = r.FacetColumn(facet.Payments, "m1", facet.Status, 0)
			return err
		}))
		return c
	}
	before := status()
	l.p.Status = payment.Succeeded
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.UpdatePayment(l.p) }))
	w.advance(time.Hour)
	require.NoError(t, w.filler.Fill(t.Context()))
	require.NotEqual(t, before, status())
	failed := w.one(lists.PaymentFilter{Statuses: []string{"failed"}})
	require.Empty(t, w.alarms)
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.PutFacet(facet.Payments, "m1", before) }))
	require.Equal(t, failed, w.one(lists.PaymentFilter{Statuses: []string{"failed"}}))
	require.Equal(t, []string{"lists_differ"}, w.alarms)
}

// earlierRelease is a store as a release without indexes writes to it.
type earlierRelease struct{ facet.Store }

type earlierTx struct{ facet.Tx }

func (s earlierRelease) Update(ctx context.Context, f func(facet.Tx) error) error {
	return s.Store.Update(ctx, func(tx facet.Tx) error { return f(earlierTx{tx}) })
}

func (t earlierTx) PutFacet(l facet.List, merchantID string, c facet.Column) error {
	if c.Kind >= facet.FirstIndex {
		return nil
	}
	return t.Tx.PutFacet(l, merchantID, c)
}

// TestListsWithSpoiledBlocks changes blocks as an intruder or a broken disk does. Lists stay right, the switch raises an alarm, and the
// filler makes the blocks again.
func TestListsWithSpoiledBlocks(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(tx engine.Tx, c facet.Column) error{
		"no bytes": func(tx engine.Tx, c facet.Column) error {
			c.Summary, c.Data = nil, nil
			return tx.PutFacet(facet.Payments, "m1", c)
		},
		"short data": func(tx engine.Tx, c facet.Column) error {
			c.Data = append(c.Data, 1)
			return tx.PutFacet(facet.Payments, "m1", c)
		},
		"other kind": func(tx engine.Tx, c facet.Column) error {
			c.Kind = facet.Status
			c.Block = 0
			return tx.PutFacet(facet.Payments, "m1", c)
		},
		"unknown payment": func(tx engine.Tx, c facet.Column) error {
			c.Kind = facet.Seq
			return tx.PutFacet(facet.Payments, "m1", c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newListWorld(t, 1, func(clock func() time.Time) engine.Store { return open(t, storage.Options{Clock: clock}) })
			w.paid(30)
			require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
				c, err := tx.FacetColumn(facet.Payments, "m1", facet.Amount, 0)
				if err != nil {
					return err
				}
				for k := range facet.Status {
					if c.Kind = k; k != facet.Created || name == "short data" || name == "no bytes" {
						if err := spoil(tx, c); err != nil {
							return err
						}
					}
				}
				return nil
			}))
			low := int64(1)
			for _, f := range []lists.PaymentFilter{{Statuses: []string{"failed"}}, {MinAmount: &low}, {}} {
				f.Limit, f.Ascending = 50, true
				want, all := w.naive("m1", "", f)
				found, total, err := w.search.FindPage(t.Context(), account.Auth{MerchantID: "m1"}, f)
				require.NoError(t, err)
				require.Equal(t, all, total)
				require.Len(t, found, len(want))
			}
			require.NotEmpty(t, w.alarms)
			require.NoError(t, w.filler.Fill(t.Context()))
			require.NoError(t, w.filler.Fill(t.Context()))
			w.alarms = nil
			w.compare(10)
			require.Empty(t, w.alarms)
		})
	}
}

// TestOneFillerWrites gives the blocks to one of two nodes, until it is gone.
func TestOneFillerWrites(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(clock func() time.Time) engine.Store) {
		w := newListWorld(t, 1, open)
		w.paid(5)
		w.insert()
		w.advance(time.Hour)
		other := facet.NewFiller(w.filler.Deps)
		other.Node, other.Block, other.Enough = "other", w.filler.Block, 1
		lease := func(owner string) bool {
			var mine bool
			require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) (err error) {
				mine, err = tx.LeaseFacets(owner, tx.Now().Add(time.Minute))
				return err
			}))
			return mine
		}
		require.True(t, lease("n"))
		require.False(t, lease("other"))
		require.True(t, lease("n"))
		mark := func() (m *facet.Mark) {
			require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) (err error) { m, err = r.FacetMark(facet.Payments, "m1"); return err }))
			return m
		}
		before := mark().Version
		for len(w.all["m1"]) < 9 {
			w.insert()
		}
		w.advance(-time.Hour)
		w.advance(time.Hour)
		require.True(t, lease("n"))
		require.NoError(t, other.Fill(t.Context()))
		require.Equal(t, before, mark().Version, "the other node has the lease")
		w.advance(10 * time.Minute)
		require.NoError(t, other.Fill(t.Context()))
		require.Greater(t, mark().Version, before)
		w.compare(5)
		m := mark()
		m.Version--
		require.ErrorIs(t, w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.PutFacetMark(m) }), fault.ErrConflict)
		m = &facet.Mark{MerchantID: "m1", List: facet.Payments}
		require.ErrorIs(t, w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.PutFacetMark(m) }), fault.ErrConflict)
	})
}

// TestListsAreExact changes payments at random while the filler reads them at random moments. Every list answers what a naive search finds.
func TestListsAreExact(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(clock func() time.Time) engine.Store) {
		newListWorld(t, rand.Uint64(), open).run(300)
	})
}
