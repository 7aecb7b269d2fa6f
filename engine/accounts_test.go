package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// An intruder in the database cannot move one account's credentials into another.
func TestSealedRowsCannotBeSwapped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	ctx := context.Background()
	a, b := w.account("simulator", ""), w.account("simulator", "")
	require.NoError(t, w.db.Update(ctx, func(tx engine.Tx) error {
		from, err := tx.Account("m1", a.ID)
		if err != nil {
			return err
		}
		to, err := tx.Account("m1", b.ID)
		if err != nil {
			return err
		}
		to.Sealed = from.Sealed
		return tx.UpdateAccount(to)
	}))
	_, err := w.Account(ctx, w.auth, b.ID)
	require.Equal(t, "HE_00", code(t, err))
	require.ErrorContains(t, err, "belongs to another record")
	_, err = w.Account(ctx, w.auth, a.ID)
	require.NoError(t, err)
}

// Many accounts are created at once: each is on the fallback list once, labels are unique, and none is lost.
func TestAccountsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	ctx := context.Background()
	var made, taken atomic.Int64
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			_, err := w.CreateAccount(ctx, w.auth, account.AccountInput{Type: "payment_processor", Connector: "simulator", Label: "l" + strconv.Itoa(i%8)})
			var e *fault.Error
			switch {
			case err == nil:
				made.Add(1)
			case errors.As(err, &e) && e.Code == "HE_01":
				taken.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, []int64{8, 8}, []int64{made.Load(), taken.Load()})
	p, err := w.Profile(ctx, w.auth, w.profile.ID)
	require.NoError(t, err)
	accounts, err := w.Accounts(ctx, w.auth)
	require.NoError(t, err)
	var ids []string
	for _, a := range accounts {
		ids = append(ids, a.ID)
	}
	require.Len(t, ids, 8)
	require.ElementsMatch(t, ids, p.Fallback)
}

// A deleted account leaves the fallback list. An account cannot take a type that its adapter does not have.
func TestFallbackFollowsTheAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	ctx := context.Background()
	first, second := w.account("simulator", ""), w.account("simulator", "")
	fallback := func() []string {
		p, err := w.Profile(ctx, w.auth, w.profile.ID)
		require.NoError(t, err)
		return p.Fallback
	}
	require.Equal(t, []string{first.ID, second.ID}, fallback())
	_, err := w.UpdateAccount(ctx, w.auth, first.ID, account.AccountInput{Type: "payment_vas"})
	require.Equal(t, "IR_06", code(t, err), "the adapter is a processor's")
	require.NoError(t, w.DeleteAccount(ctx, w.auth, first.ID))
	require.Equal(t, []string{second.ID}, fallback())
	require.Equal(t, "HE_02", code(t, w.DeleteAccount(ctx, w.auth, first.ID)))
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{KeyEnvironment: "snd"}, nil)
	ctx := context.Background()
	name, end := "k", time.Now().Add(time.Hour)
	k, key, err := w.CreateAPIKey(ctx, w.auth, account.APIKeyInput{Name: &name, Expiration: &end})
	require.NoError(t, err)
	require.Regexp(t, `^snd_[0-9A-Za-z]{64}$`, key.Reveal())
	got, err := w.Authenticate(ctx, key)
	require.NoError(t, err)
	require.Equal(t, account.Auth{MerchantID: "m1", KeyID: k.ID}, got)

	m, err := w.Merchant(ctx, "m1")
	require.NoError(t, err)
	got, err = w.Authenticate(ctx, secret.New(m.PublishableKey))
	require.NoError(t, err)
	require.Equal(t, account.Auth{MerchantID: "m1", Publishable: true}, got)

	text := key.Reveal()
	for _, wrong := range []string{"", "x", text[:67], text + "x", text[:67] + "!", "pk_snd_00000000000000000000000000000000", string(make([]byte, 1<<16))} {
		_, err := w.Authenticate(ctx, secret.New(wrong))
		require.Equal(t, "IR_01", code(t, err))
	}
	w.pass(time.Hour)
	_, err = w.Authenticate(ctx, key)
	require.Equal(t, "IR_01", code(t, err), "expired")
	w.pass(-time.Hour)
	_, err = w.Authenticate(ctx, key)
	require.NoError(t, err)

	require.NoError(t, w.DeleteMerchant(ctx, "m1"))
	for _, gone := range []string{text, m.PublishableKey} {
		_, err = w.Authenticate(ctx, secret.New(gone))
		require.Equal(t, "IR_01", code(t, err), "the keys go with the merchant, at once")
	}
}

// A change of configuration counts for the next payment.
func TestConfigurationCountsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	ctx := context.Background()
	a := w.account("simulator", "")
	_, err := w.CreatePayment(ctx, w.auth, sale(100, "4242424242424242"))
	require.NoError(t, err)
	off, on := true, false
	_, err = w.UpdateAccount(ctx, w.auth, a.ID, account.AccountInput{Disabled: &off})
	require.NoError(t, err)
	_, err = w.CreatePayment(ctx, w.auth, sale(100, "4242424242424242"))
	require.Equal(t, "IR_39", code(t, err))
	_, err = w.UpdateAccount(ctx, w.auth, a.ID, account.AccountInput{Disabled: &on})
	require.NoError(t, err)
	_, err = w.CreatePayment(ctx, w.auth, sale(100, "4242424242424242"))
	require.NoError(t, err)
}

// An account with open operations cannot be deleted, because payswitch needs it to ask for their outcome.
func TestDeletionWaitsForOpenOperations(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.hangs.Store(true)
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(byReference)})
		ctx := t.Context()
		w.shopAccount(p.URL)
		accounts, err := w.Accounts(ctx, w.auth)
		require.NoError(t, err)
		id, other := accounts[0].ID, w.account("simulator", "").ID
		v := w.pay(sale(100, visa))
		require.Equal(t, payment.OperationUnknown, w.operations(v.Payment.ID)[0].Status)

		err = w.DeleteAccount(ctx, w.auth, id)
		require.Equal(t, "IR_16", code(t, err))
		require.ErrorContains(t, err, "Connector account "+id+" cannot be deleted while operations on it are open (1)")
		require.ErrorContains(t, err, "Disable the account (disabled: true), wait until they have ended")
		err = w.DeleteMerchant(ctx, "m1")
		require.Equal(t, "IR_16", code(t, err))
		require.ErrorContains(t, err, "Merchant account m1 cannot be deleted while operations on it are open (1)")
		_, err = w.Account(ctx, w.auth, id)
		require.NoError(t, err, "it is still there")
		profile, err := w.Profile(ctx, w.auth, w.profile.ID)
		require.NoError(t, err)
		require.Equal(t, []string{id, other}, profile.Fallback)
		require.NoError(t, w.DeleteAccount(ctx, w.auth, other), "another account has nothing to do with it")

		_, err = w.UpdateAccount(ctx, w.auth, id, account.AccountInput{Disabled: ptr(true)})
		require.NoError(t, err)
		w.running()
		w.eventually(v.Payment.ID, payment.Succeeded) // resolved though disabled
		require.NoError(t, w.DeleteAccount(ctx, w.auth, id))
		require.NoError(t, w.DeleteMerchant(ctx, "m1"))
		require.Equal(t, "HE_02", code(t, w.DeleteMerchant(ctx, "m1")))
	}, p.Server)
}

// An account can be deleted after its profile.
func TestDeleteAccountOfADeletedProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	p, err := w.CreateProfile(t.Context(), w.auth, account.ProfileInput{Name: "second"})
	require.NoError(t, err)
	a, err := w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "simulator", ProfileID: p.ID})
	require.NoError(t, err)
	require.NoError(t, w.DeleteProfile(t.Context(), w.auth, p.ID))
	require.NoError(t, w.DeleteAccount(t.Context(), w.auth, a.ID))
}

// A new merchant never gets the data of a deleted one.
func TestMerchantIDIsNotReused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	ctx := t.Context()
	w.account("simulator", "")
	v := w.pay(sale(100, visa))
	make := func(id string) error {
		_, err := w.CreateMerchant(ctx, account.MerchantInput{ID: id})
		return err
	}
	require.ErrorContains(t, make("m1"), "already exists")
	require.NoError(t, w.DeleteMerchant(ctx, "m1"))
	err := make("m1")
	require.Equal(t, "HE_01", code(t, err))
	require.ErrorContains(t, err, "choose another merchant_id")
	_, err = w.RetrievePayment(ctx, w.auth, v.Payment.ID, request.RetrieveInput{})
	require.Equal(t, "HE_02", code(t, err), "no merchant, no payment")

	require.NoError(t, make("m2"))
	_, err = w.CreateCustomer(ctx, account.Auth{MerchantID: "m2"}, method.CustomerData{ID: "c1"})
	require.NoError(t, err)
	require.NoError(t, w.DeleteMerchant(ctx, "m2"))
	require.Equal(t, "HE_01", code(t, make("m2")), "a customer is enough")

	require.NoError(t, make("m3"))
	require.NoError(t, w.DeleteMerchant(ctx, "m3"))
	require.NoError(t, make("m3"), "nothing was left of it")
}

// An account that is deleted and made again with the same id is a new account, also for the next payment.
func TestAccountMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	ctx := context.Background()
	make := func(label string) {
		_, err := w.CreateAccount(ctx, w.auth, account.AccountInput{ID: "mca_own", Type: "payment_processor", Connector: "simulator", Label: label})
		require.NoError(t, err)
	}
	make("first")
	_, err := w.CreatePayment(ctx, w.auth, sale(100, "4242424242424242"))
	require.NoError(t, err)
	require.NoError(t, w.DeleteAccount(ctx, w.auth, "mca_own"))
	make("second")
	off := true
	_, err = w.UpdateAccount(ctx, w.auth, "mca_own", account.AccountInput{Disabled: &off})
	require.NoError(t, err)
	_, err = w.CreatePayment(ctx, w.auth, sale(100, "4242424242424242"))
	require.Equal(t, "IR_39", code(t, err))
}

func TestInputsDoNotPrintSecrets(t *testing.T) {
	t.Parallel()
	in := account.ProfileInput{Name: "shop", Fields: account.Fields{"webhook_details": []byte(`{"webhook_password":"hidden"}`), "metadata": []byte(`{}`)}}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "fields", in.Fields)
	for _, text := range []string{fmt.Sprint(in), fmt.Sprintf("%+v %#v %s", in, in, in.Fields), log.String()} {
		require.NotContains(t, text, "hidden")
		require.Contains(t, text, "webhook_details")
	}
}
