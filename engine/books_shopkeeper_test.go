package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
)

// shopkeeper plays a merchant with two processors and its own 3-D Secure. Payments go on at the other processor after a decline; payers pay by links, by
// saved cards and by mandates; people say what became of operations.
type shopkeeper struct {
	*gambler
	luck     *luck
	branches []*branch
	acs      *authenticator
	pages    sync.Map          // the challenge pages' way back, by payment
	frails   map[*world]*frail // what can kill a node
	stated   map[string]bool   // payments whose status a person has set
	alarms   map[string]int    // of all nodes
}

// frail are connectors whose node dies at its next drive: 1 before it, 2 after it.
type frail struct {
	port.Connectors
	at atomic.Int32
}

func (m *frail) Drive(ctx context.Context, d *port.Drive) (*port.DriveResult, error) {
	if m.at.CompareAndSwap(1, 0) {
		runtime.Goexit()
	}
	r, err := m.Connectors.Drive(ctx, d)
	if m.at.CompareAndSwap(2, 0) {
		runtime.Goexit()
	}
	return r, err
}

// A merchant has two processors, and payments that can be charged at either. Whatever happens, no payer pays twice for one payment, and no charge passes its
// mandate. The processors' books, the payments and the merchant's events say the same.
func TestBooksOfTwoProcessors(t *testing.T) {
	t.Parallel()
	for _, seed := range booksSeeds(t, nil, 6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			l := &luck{Rand: rand.New(rand.NewPCG(seed, 5))}
			s := &shopkeeper{luck: l, frails: map[*world]*frail{}, stated: map[string]bool{}, alarms: map[string]int{}}
			s.gambler = &gambler{Rand: rand.New(rand.NewPCG(seed, 4)), t: t, wanted: map[string][]int64{}, adapters: map[string]*sdk.Adapter{"threedsecureio": pushing()}}
			for _, name := range []string{"east", "west"} {
				b := newBranch(t, name, l)
				s.branches, s.adapters[name] = append(s.branches, b), b.adapter()
			}
			s.acs = s.newACS()
			inBubble(t, func(t *testing.T) { s.t = t; s.plays() }, s.branches[0].Server, s.branches[1].Server)
		})
	}
}

// newACS is an authenticator that lets payers pass, asks them, or refuses them, by chance.
func (s *shopkeeper) newACS() *authenticator {
	a := newAuthenticator()
	a.authenticate = func(r *sdk.Request) *sdk.AuthenticationOutcome {
		if r.Authentication.NotificationURL != "" {
			s.pages.Store(r.PaymentID, r.Authentication.NotificationURL)
		}
		return s.says("Y", "Y", "C", "C", "C", "N", "A", "")
	}
	a.result = func(*sdk.Request) *sdk.AuthenticationOutcome { return s.says("Y", "Y", "N", "pending", "") }
	return a
}

// says is one of the answers of the authenticator: a status, none in time, or pending.
func (s *shopkeeper) says(of ...string) *sdk.AuthenticationOutcome {
	switch is := of[s.luck.below(int64(len(of)))]; is {
	case "":
		time.Sleep(time.Duration(s.luck.below(20)) * time.Second)
		return nil
	case "pending":
		return &sdk.AuthenticationOutcome{Pending: true}
	default:
		return status(is)
	}
}

// node opens a node on a database.
func (s *shopkeeper) node(file string, o engine.Options) *world {
	m := &frail{Connectors: withAuthenticators{plugins.NativeConnectors(s.adapters), map[string]*authenticator{"threedsecureio": s.acs}}}
	w := newWorldAt(s.t, o, m, file, s.offset)
	require.NoError(s.t, w.AfterRestore(context.Background()))
	s.frails[w] = m
	return w
}

func (s *shopkeeper) options() engine.Options { return (*world)(nil).options() }

func (s *shopkeeper) opens(file string, o engine.Options) {
	s.nodes = []*world{s.node(file, o), s.node(file, o)}
	for _, w := range s.nodes {
		w.running()
	}
}

// settlesIn makes the accounts and the profile.
func (s *shopkeeper) settlesIn() {
	w := s.nodes[0]
	hidden, _ := json.Marshal(map[string]string{"merchant_secret": hookSecret})
	for _, b := range s.branches {
		a, err := w.CreateAccount(s.t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: b.name, Label: b.name, Credentials: apiKey("a1"),
			Metadata: json.RawMessage(`{"saved_cards_without_cvc":true,` + acquirerOne[1:]), Fields: account.Fields{"connector_webhook_details": hidden}})
		require.NoError(s.t, err)
		b.at, err = w.SetEgress(s.t.Context(), w.auth, a.ID, account.EgressInput{BaseURL: b.URL})
		require.NoError(s.t, err)
		s.note("%s: silent %v, keeps %v, over %v, totals %v", b.name, b.silent, b.keeps, b.over, b.totals)
	}
	_, err := w.CreateAccount(s.t.Context(), w.auth, account.AccountInput{Type: "authentication_processor", Connector: "threedsecureio", Label: "3ds"})
	require.NoError(s.t, err)
	w.setProfile(`{"authentication_connector_details":{"authentication_connectors":["threedsecureio"],"three_ds_requestor_url":"https://shop.test"},
		"is_auto_retries_enabled":true,"max_auto_retries_enabled":3,"is_manual_retry_enabled":true,"is_connector_agnostic_mit_enabled":true}`)
	if s.IntN(2) == 0 {
		w.needsTwo(`{"required":true}`)
	}
}

func (s *shopkeeper) plays() {
	s.opens(filepath.Join(s.t.TempDir(), "p.db"), s.options())
	s.settlesIn()
	defer func() {
		if s.t.Failed() || os.Getenv("BOOKS_LOG") != "" {
			s.noting.Lock()
			defer s.noting.Unlock()
			s.t.Log(strings.Join(s.notes, "\n"))
		}
	}()
	for _, b := range s.branches {
		b.with(func() { b.how = func(r *acquirerCall) string { return s.fails(b, r) } })
	}
	for range 60 {
		s.moves()
	}
	s.note("all faults end")
	for _, b := range s.branches {
		b.arrives()
		b.with(func() { b.how, b.odd = func(*acquirerCall) string { return "" }, false })
	}
	s.acs.mu.Lock()
	s.acs.authenticate, s.acs.result = always("Y"), always("N")
	s.acs.mu.Unlock()
	time.Sleep(10 * time.Minute)
	calm := s.options()
	calm.ResolveEvery = time.Hour // days without news
	s.startsAgain(calm)
	for range 8 * 24 / 4 {
		s.decide(1)
		s.mail(s.world(), 9, false)
		time.Sleep(4 * time.Hour)
	}
	s.people()
	s.check()
}

// fails draws how a request to a branch fails, and notes it.
func (s *shopkeeper) fails(b *branch, r *acquirerCall) string {
	how := ""
	if s.luck.once(4) {
		how = []string{"drop", "drop done", "drop done", "500", "500 done", "429", "refuse", "later", "later", "slow"}[s.luck.below(10)]
	}
	switch {
	case r.Do == "authorize" && s.luck.once(6):
		if how = []string{"elsewhere", "elsewhere", "soft"}[s.luck.below(3)]; how == "soft" && r.Proven {
			how = ""
		}
	case r.Do == "complete" && how == "refuse", how == "later" && r.Do != "capture" && r.Do != "refund", how == "slow" && r.key == "":
		how = ""
	}
	s.note("    %s: %s %s %s %d %q", b.name, r.Do, r.Reference, r.Dispute, r.Amount, how)
	if how == "slow" {
		late := *r
		b.slow, how = append(b.slow, &late), "drop"
	}
	return how
}

// moves does one thing.
func (s *shopkeeper) moves() {
	w := s.world()
	if len(s.payments) < 3 {
		s.buys(w)
		return
	}
	switch n := s.IntN(60); {
	case n < 34:
		s.acts(w)
	case n < 37:
		s.dies()
	case n < 39:
		s.answers(w)
	case n < 43:
		s.mail(w, 1+s.IntN(4), s.IntN(3) == 0)
	case n < 45:
		s.decide(3)
	case n < 48:
		s.states(w, s.IntN(2) == 0)
	case n == 48:
		s.sets(w)
	case n < 54:
		s.passes([]time.Duration{time.Second, 20 * time.Second, 20 * time.Second, 3 * time.Minute, 3 * time.Minute, time.Hour}[s.IntN(6)])
	case n < 57:
		s.repeats(w)
	case n == 57 && s.IntN(2) == 0:
		by := time.Duration(1+s.IntN(180)) * time.Minute * time.Duration(1-2*s.IntN(2))
		if s.offset += by; s.offset.Abs() > 6*time.Hour {
			by, s.offset = by-s.offset, 0
		}
		s.note("the clock jumps by %s", by)
		for _, w := range s.nodes {
			w.jump(by)
		}
	case n == 58 && s.IntN(2) == 0:
		s.note("both nodes start again")
		s.startsAgain(s.options())
	case n == 59 && s.IntN(2) == 0:
		s.backup()
	default:
		s.acts(w)
	}
}

// backup takes a copy of the database, or goes back to the one there is, once.
func (s *shopkeeper) backup() {
	switch {
	case s.copy == "":
		s.copy = s.nodes[0].copied()
		s.note("a back-up is taken")
	case !s.restored:
		s.restored, s.asked = true, nil // the copy does not know the answers
		for _, w := range s.nodes {
			require.NoError(s.t, w.Close(context.Background()))
		}
		s.opens(s.copy, s.options())
		s.payments = slices.DeleteFunc(s.payments, s.lost)
		s.note("the back-up is restored")
	}
}

// lost reports whether the database does not have a payment.
func (s *shopkeeper) lost(id string) bool {
	_, err := s.nodes[0].RetrievePayment(context.Background(), s.nodes[0].auth, id, request.RetrieveInput{})
	return err != nil
}

func (s *shopkeeper) startsAgain(o engine.Options) {
	for _, w := range s.nodes {
		require.NoError(s.t, w.Close(context.Background()))
	}
	s.opens(s.nodes[0].file, o)
}

// passes lets time pass. What is on its way to a branch arrives within 20 seconds: later the branch would be wrong about what it does not know.
func (s *shopkeeper) passes(d time.Duration) {
	s.note("%s pass", d)
	time.Sleep(min(d, 20*time.Second))
	for _, b := range s.branches {
		b.arrives()
	}
	time.Sleep(d - min(d, 20*time.Second))
}

// dies kills a node within a request, before or after what it asks of a processor. Another node opens in its place.
func (s *shopkeeper) dies() {
	i := s.IntN(2)
	w, m := s.nodes[i], s.frails[s.nodes[i]]
	m.at.Store(int32(1 + s.IntN(2)))
	s.note("a node is about to die")
	dies(func() { s.acts(w) })
	m.at.Store(0)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = w.Close(ctx)
	s.nodes[i] = s.node(w.file, s.options())
	s.nodes[i].running()
}

// atOnce does things at the same time, at both nodes.
func (s *shopkeeper) atOnce(what string, do ...func(w *world) error) {
	errs := make([]error, len(do))
	var wg sync.WaitGroup
	for i, f := range do {
		w := s.nodes[i%2]
		wg.Go(func() { errs[i] = f(w) })
	}
	wg.Wait()
	for i, err := range errs {
		s.did(fmt.Sprintf("%s (%d)", what, i+1), err)
	}
}

// short is the end of an id.
func short(id string) string { return id[max(0, len(id)-4):] }

// bought notes a payment.
func (s *shopkeeper) bought(id string) {
	s.noting.Lock()
	defer s.noting.Unlock()
	if !slices.Contains(s.payments, id) {
		s.payments = append(s.payments, id)
	}
}

// buys makes a payment: at once, or as a draft with a link.
func (s *shopkeeper) buys(w *world) {
	in := sale(100+s.Int64N(900), s.one(visa, "5555555555554444"), func(in *request.Input) {
		in.Currency, in.SessionExpiry = sdk.Currency(s.one("USD", "USD", "EUR")), ptr[int64](2*24*3600)
		in.CaptureMethod = payment.CaptureMethod(s.one("automatic", "automatic", "manual", "manual", "manual_multiple"))
		in.Partial = ptr(s.IntN(2) == 0)
		if in.CaptureMethod == payment.CaptureManual {
			in.Overcapture, in.Incremental, in.Extended = ptr(s.IntN(2) == 0), ptr(s.IntN(2) == 0), ptr(s.IntN(2) == 0)
		}
		switch s.IntN(8) {
		case 0, 1:
			external(in)
		case 2:
			browser(in)
		case 3:
			threeDS(in)
		}
		switch s.IntN(6) {
		case 0, 1, 2:
			offSession(in)
			agreed(in)
			in.CustomerID = "c1"
			if s.IntN(3) > 0 {
				in.MandateData = &request.MandateInput{Terms: payment.MandateTerms{SingleUse: s.IntN(2) == 0, Amount: 100 + s.Int64N(500), Currency: in.Currency}}
			}
		case 3, 4:
			in.Confirm, in.PaymentLink, in.CustomerID = nil, ptr(true), s.one("", "c1")
			if in.Currency == "USD" {
				in.Plans = []request.Plans{{PaymentMethod: "card", Plans: []payment.InstallmentPlan{{Count: 3, Frequency: "month", Rate: 100}}}}
			}
		}
	})
	s.asks(w, func(w *world, a account.Auth) {
		again := *in
		v, err := w.CreatePayment(context.Background(), a, &again)
		s.did(fmt.Sprintf("pay %d %s %s, confirm %v, %s", *in.Amount, in.Currency, in.CaptureMethod, in.Confirm != nil, in.AuthenticationType), err)
		if v != nil {
			s.note("  is %s: %s", v.Payment.ID, v.Payment.Status)
			s.bought(v.Payment.ID)
		}
	})
}

// charges charges a saved card or a mandate without the payer, once or twice at once.
func (s *shopkeeper) charges(v *change.View) {
	amount := 1 + s.Int64N(700)
	in := func() *request.Input {
		change := func(in *request.Input) {
			if in.Currency, in.CaptureMethod = v.Payment.Currency, "automatic"; amount%2 == 0 {
				in.CaptureMethod, in.Incremental, in.Overcapture = "manual", ptr(true), ptr(true)
			}
		}
		if m := v.Payment.Details.MandateID; m != "" {
			return mit(amount, "", byMandate(m), change)
		}
		return mit(amount, v.Attempt.Details.MethodID, change)
	}
	if v.Payment.Details.MandateID == "" && v.Attempt.Details.MethodID == "" {
		return
	}
	do := func(w *world) error {
		v, err := w.CreatePayment(context.Background(), w.auth, in())
		if v != nil {
			s.bought(v.Payment.ID)
			s.note("  is %s: %s", v.Payment.ID, v.Payment.Status)
		}
		return err
	}
	s.atOnce(fmt.Sprintf("charge %d by %q", amount, v.Payment.Details.MandateID), []func(*world) error{do, do}[:1+s.IntN(2)]...)
}

// pays lets the payer of a draft, or of a payment that failed, pay: in one tab or in two.
func (s *shopkeeper) pays(v *change.View) {
	id := v.Payment.ID
	card, secretly, installments := s.one(visa, "5555555555554444"), s.IntN(3) == 0, len(v.Payment.Details.Plans) > 0 && s.IntN(2) == 0
	saved, updates := "", s.IntN(8) == 0
	if c := v.Payment.CustomerID; c != "" && s.IntN(2) == 0 {
		if list := s.nodes[0].methods(c); len(list) > 0 {
			saved = list[s.IntN(len(list))].ID
		}
	}
	do := func(w *world) error {
		in := &request.Input{PaymentMethod: "card", Card: typedCard(card), HasMethodData: true, ReturnURL: "https://shop.test/done", Browser: v.Payment.Private.Browser}
		a := w.auth
		if !secretly {
			a = w.pk
			in.ClientSecret, in.Shown = v.Payment.Private.ClientSecret, &sdk.Money{Minor: v.Payment.NetAmount, Currency: v.Payment.Currency}
		}
		if installments {
			in.Installment = &request.Installment{Count: 3, Frequency: "month"}
		}
		if saved != "" {
			in.Card, in.HasMethodData, in.PaymentToken, in.CardCVC = nil, false, saved, secret.New("737")
		}
		if updates {
			in.ClientSecret, in.Shown, in.Confirm = "", nil, ptr(true)
			_, err := w.UpdatePayment(context.Background(), w.auth, id, in)
			return err
		}
		_, err := w.ConfirmPayment(context.Background(), a, id, in)
		return err
	}
	tabs := []func(*world) error{do, do}[:1+s.IntN(2)]
	if s.IntN(4) == 0 {
		amount := 100 + s.Int64N(900)
		tabs = append(tabs, func(w *world) error {
			_, err := w.UpdatePayment(context.Background(), w.auth, id, &request.Input{Amount: &amount})
			return err
		})
	}
	s.atOnce(short(id)+" pays", tabs...)
}

// suits is what somebody may do next with a payment.
func (s *shopkeeper) suits(v *change.View) string {
	switch f := v.Payment.Status.Facts(); {
	case s.IntN(6) == 0 && len(s.payments) < 10:
		return "buy"
	case s.IntN(6) == 0:
		return s.one("buy", "charge", "capture", "raise", "extend", "cancel", "refund", "take back", "sync", "pay", "return", "revoke")
	case f.Confirm:
		return s.one("pay", "pay", "pay", "cancel")
	case v.Payment.Status == payment.Failed:
		return s.one("pay", "sync", "buy")
	case v.Payment.Status == payment.RequiresCustomerAction:
		return s.one("authenticate", "authenticate", "authenticate", "return", "return", "return", "cancel", "sync")
	case f.Capture:
		return s.one("capture", "capture", "capture", "capture", "raise", "extend", "cancel", "charge")
	case f.Refund:
		return s.one("refund", "refund", "refund", "take back", "charge", "charge", "revoke", "answer", "answer", "relay")
	}
	return s.one("sync", "cancel", "buy", "charge")
}

// acts is one request of the merchant or the payer about a payment.
func (s *shopkeeper) acts(w *world) {
	id, ctx := s.one(s.payments...), context.Background()
	v := s.get(id)
	amount := 1 + s.Int64N(max(1, v.Payment.NetAmount))
	if s.IntN(3) == 0 && v.Payment.Capturable > 0 {
		amount = v.Payment.Capturable
	}
	does := s.suits(v)
	said := func(err error) { s.did(fmt.Sprintf("%s %s %d (%s)", short(id), does, amount, v.Payment.Status), err) }
	switch does {
	case "buy":
		s.buys(w)
	case "charge":
		s.charges(v)
	case "pay":
		s.pays(v)
	case "authenticate":
		s.authenticates(v)
	case "return":
		s.returns()
	case "answer":
		s.answers(w)
	case "capture":
		if s.IntN(5) == 0 {
			amount += v.Payment.Capturable // more than what is held
		}
		s.wants(id, "capture", amount)
		s.asks(w, func(w *world, a account.Auth) {
			_, err := w.CapturePayment(ctx, a, id, &request.CaptureInput{Amount: &amount})
			said(err)
		})
	case "raise":
		amount += v.Payment.NetAmount
		s.asks(w, func(w *world, a account.Auth) {
			_, err := w.IncrementAuthorization(ctx, a, id, request.IncrementInput{Amount: amount})
			said(err)
		})
	case "extend":
		s.asks(w, func(w *world, a account.Auth) { _, err := w.ExtendAuthorization(ctx, a, id); said(err) })
	case "cancel":
		s.asks(w, func(w *world, a account.Auth) { _, err := w.CancelPayment(ctx, a, id, ""); said(err) })
	case "refund":
		s.refund(w, id, amount, v.Payment.Status)
	case "relay":
		in := relay.Input{ResourceID: v.Attempt.TransactionID, AccountID: v.Attempt.AccountID, Type: relay.Refund}
		in.Data.Refund = &relay.RefundData{Amount: amount, Currency: v.Payment.Currency}
		if in.ResourceID != "" {
			s.asks(w, func(w *world, a account.Auth) { _, err := w.CreateRelay(ctx, a, in); said(err) })
		}
	case "take back":
		s.asks(w, func(w *world, a account.Auth) { _, err := w.CancelCaptured(ctx, a, id, ""); said(err) })
	case "sync":
		_, err := w.RetrievePayment(ctx, w.auth, id, request.RetrieveInput{ForceSync: true})
		said(err)
	case "revoke":
		if m := v.Payment.Details.MandateID; m != "" && s.IntN(4) == 0 {
			s.did("revoke "+m, w.RevokeMandate(ctx, w.auth, m))
		}
	}
}

// get reads a payment.
func (s *shopkeeper) get(id string) *change.View {
	return s.nodes[0].get(id, request.RetrieveInput{Attempts: true, Captures: true})
}

// authenticates goes on with an authentication of payswitch: the request to the issuer, or the payer's way back from the issuer's page, once or twice.
func (s *shopkeeper) authenticates(v *change.View) {
	id, ctx := v.Payment.ID, context.Background()
	if v.Attempt.Private.Invoke == nil {
		return
	}
	do := func(w *world) error {
		_, err := w.AuthenticatePayment(ctx, w.auth, id, browserInput(v))
		return err
	}
	if page, ok := s.pages.Load(id); ok && s.IntN(3) > 0 {
		do = func(w *world) error {
			_, err := w.ChallengeNotified(ctx, token(page.(string)), cres("server-x", "Y"), "")
			return err
		}
	}
	all := []func(*world) error{do, do}[:1+s.IntN(2)]
	if s.IntN(5) == 0 {
		all = append(all, func(w *world) error { _, err := w.CancelPayment(ctx, w.auth, id, ""); return err })
	}
	s.atOnce(short(id)+" authenticates", all...)
}

// returns lets a payer act at a branch's page, or come back from there.
func (s *shopkeeper) returns() {
	for _, b := range s.branches {
		b.with(func() {
			for _, h := range b.transactions() {
				if h.Waits && s.IntN(2) == 0 {
					b.acted(h, s.IntN(3) > 0)
					s.note("the payer acted: %s", h)
				}
			}
		})
	}
	for _, id := range s.payments {
		v := s.get(id)
		n := v.Attempt.Details.NextAction
		if n == nil || s.IntN(3) == 0 {
			continue
		}
		_, back, _ := strings.Cut(n.URL, "?")
		whole := s.IntN(3) > 0
		do := func(w *world) error {
			_, err := w.PaymentReturn(context.Background(), request.ReturnInput{PaymentID: id, MerchantID: "m1", Connector: v.Attempt.Connector, Token: filepath.Base(back), Complete: whole,
				Return: sdk.Return{Method: "GET"}})
			return err
		}
		all := []func(*world) error{do, do}[:1+s.IntN(2)]
		if s.IntN(4) == 0 {
			all = append(all, func(w *world) error { _, err := w.CancelPayment(context.Background(), w.auth, id, ""); return err })
		}
		s.atOnce(short(id)+" comes back", all...)
	}
}
