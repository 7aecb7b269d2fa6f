package engine_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/disputed"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/facet"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/method"
	"payswitch/engine/paylink"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/engine/risk"
	"payswitch/engine/routed"
	"payswitch/engine/routing"
	"payswitch/engine/routing/health"
	"payswitch/engine/scheme"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
	"payswitch/storage"
)

// tamperWorld has rows in every table: two merchants with accounts, keys, customers, saved cards, mandates, authentications and payments in
// various states.
type tamperWorld struct {
	*secureWorld
	*intruder
	texts []secret.Value // the keys of the callers
	hash  []byte         // of the request with the idempotency keys
}

// twoSends returns the shop's adapter with a query before the charge.
func twoSends() *sdk.Adapter {
	a := shop(byReference)
	charge := a.Authorize
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		if _, err := c.Do(&sdk.Send{Method: "GET", URL: "/pay?reference=none", SafeToRepeat: true}); err != nil {
			return nil, err
		}
		return charge(c)
	}
	return a
}

func newTamperWorld(t *testing.T) *tamperWorld {
	p := newProcessor(t)
	p.hangs.Store(true)
	p.forgets.Store(true)
	b := &bank{external: true, rule: byReference}
	native := plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter(), "bank": b.adapter(), "shop": twoSends(), "threedsecureio": pushing()})
	a := newAuthenticator()
	a.authenticate = challenged
	o := quick
	o.PublicURL = "https://switch.test"
	s := &secureWorld{world: newWorldWith(t, o, withAuthenticators{native, map[string]*authenticator{"threedsecureio": a}}, filepath.Join(t.TempDir(), "p.db")), a: a, bank: b}
	w := &tamperWorld{secureWorld: s, hash: []byte("request")}
	_, err := w.CreateMerchant(t.Context(), account.MerchantInput{ID: "m2"})
	require.NoError(t, err)
	for _, id := range []string{"m1", "m2"} {
		w.auth = account.Auth{MerchantID: id}
		w.fillMerchant(p.URL)
	}
	require.NoError(t, w.db.PutBundle(t.Context(), port.Bundle{SHA256: "00ff", Name: "acme", Version: "1.0.0", GivenBy: "Ada"}, []byte("bundle")))
	require.NoError(t, w.db.NoteNode(t.Context(), storage.Running{Name: "node_1", Version: "v1", Started: time.Now()}))
	require.NoError(t, w.db.PutAdapter(t.Context(), storage.Adapter{Name: "acme", Version: "1.0.0", SHA256: "00ff", Pin: "{}", InstalledAt: time.Now()}, []byte("module")))
	w.intruder = s.world.intruder()
	w.forget()
	return w
}

// fillMerchant gives a merchant every kind of row.
func (w *tamperWorld) fillMerchant(processor string) {
	t, ctx := w.t, w.t.Context()
	w.endpoint(w.auth.MerchantID)
	m, err := w.Merchant(ctx, w.auth.MerchantID)
	require.NoError(t, err)
	w.profile, err = w.Profile(ctx, w.auth, m.DefaultProfile)
	require.NoError(t, err)
	bank := w.account("bank", `{"acquirer_details":{"acquirer_bin":"412345","acquirer_merchant_id":"MID1","acquirer_country_code":"DK"}}`)
	sim := w.account("simulator", "")
	w.shopAccount(processor)
	_, err = w.CreateAccount(ctx, w.auth, account.AccountInput{Type: "authentication_processor", Connector: "threedsecureio", Label: "3ds"})
	require.NoError(t, err)
	w.setProfile(`{"return_url":"https://shop.test/back","webhook_details":{"webhook_url":"https://shop.test/hook"},
		"authentication_connector_details":{"authentication_connectors":["threedsecureio"],"three_ds_requestor_url":"https://shop.test"}}`)
	_, text, err := w.CreateAPIKey(ctx, w.auth, account.APIKeyInput{Name: ptr("k"), Description: ptr("d"), Expiration: ptr(time.Now().Add(time.Hour))})
	require.NoError(t, err)
	cid := "c_" + w.auth.MerchantID
	_, err = w.CreateCustomer(ctx, w.auth, method.CustomerData{ID: cid, Name: ptr("Ana"), Metadata: []byte(`{"of":"` + cid + `"}`)})
	require.NoError(t, err)
	_, ephemeral, err := w.CreateEphemeralKey(ctx, w.auth, cid)
	require.NoError(t, err)
	w.texts = append(w.texts, text, ephemeral)

	at := func(connector string) func(*request.Input) {
		return func(in *request.Input) {
			in.Routing = &routed.Preference{Choices: []routed.Choice{{Connector: connector}}}
		}
	}
	saved := w.pay(sale(1000, visa, at("simulator"), offSession, agreed, customer(cid), func(in *request.Input) {
		in.MandateData = &request.MandateInput{Terms: payment.MandateTerms{Amount: 500, Currency: "USD"}}
	}))
	require.NotNil(t, saved.Method)
	_, err = w.CreateRefund(ctx, w.auth, &request.RefundInput{PaymentID: saved.Payment.ID, RefundID: "ref_" + w.auth.MerchantID, Amount: ptr[int64](100), Reason: "size",
		Metadata: []byte(`{"of":"` + cid + `"}`)})
	require.NoError(t, err)
	held := w.pay(sale(700, visa, at("simulator"), manual, customer(cid)))
	require.Equal(t, payment.RequiresCapture, held.Payment.Status)
	w.pay(sale(300, visa, func(in *request.Input) { in.Confirm = nil }, customer(cid)))
	v := w.pay(sale(6540, visa, at("bank"), external))
	require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
	w.authenticated(v)
	open := w.pay(sale(100, visa, at("shop")))
	require.Equal(t, payment.Processing, open.Payment.Status)

	_, finish, _, err := w.BeginIdempotent(ctx, ptr(w.auth), "key_"+w.auth.MerchantID, w.hash)
	require.NoError(t, err)
	require.NoError(t, finish(ctx, idempotency.Answer{Status: 200, Body: []byte("answer")}))
	require.NoError(t, w.db.Update(ctx, func(tx engine.Tx) error {
		ops, err := tx.Operations(w.auth.MerchantID, open.Payment.ID)
		if err != nil {
			return err
		}
		return errors.Join(
			tx.InsertEvidence(drive.Evidence{OperationID: ops[0].ID, MerchantID: w.auth.MerchantID, At: tx.Now(), Source: "webhook", Outcome: []byte(`{"status":"captured"}`), Note: "told"}),
			tx.PutCustomerAccount(&method.CustomerAccount{MerchantID: w.auth.MerchantID, CustomerID: cid, AccountID: sim.ID, Version: 1, Data: "cus_" + cid}),
			tx.InsertViolation(&port.Violation{MerchantID: w.auth.MerchantID, AccountID: bank.ID, At: tx.Now(), Rule: "r", Place: "p"}, 10),
			tx.InsertRestore(tx.Now()),
			tx.InsertRoutingConfig(&routing.Config{MerchantID: w.auth.MerchantID, ID: "routing_" + w.auth.MerchantID, ProfileID: "pro", Kind: "single",
				TransactionType: "payment", Name: "n", Description: "d", Algorithm: []byte(`{"type":"single","data":"stripe"}`), CreatedAt: tx.Now(), ModifiedAt: tx.Now()}),
			tx.InsertErrorRule(&routing.ErrorRule{ErrorKey: routing.ErrorKey{Connector: "stripe", Flow: "Payment", SubFlow: "Authorize", Code: w.auth.MerchantID, Message: "m"},
				Details: routing.ErrorDetails{Decision: "retry"}, CreatedAt: tx.Now(), ModifiedAt: tx.Now()}),
			tx.InsertConfigKey(&routing.ConfigKey{Name: "key_" + w.auth.MerchantID, Value: "v", ModifiedAt: tx.Now()}),
			tx.InsertDispute(&disputed.Record{MerchantID: w.auth.MerchantID, ID: "dp_" + w.auth.MerchantID, PaymentID: saved.Payment.ID, AttemptID: saved.Attempt.ID,
				ProfileID: w.profile.ID, AccountID: sim.ID, Connector: "simulator", Stage: sdk.StageDispute, Status: sdk.DisputeOpened, Currency: "USD", Amount: 100,
				ProcessorID: "du_1", CreatedAt: tx.Now(), ModifiedAt: tx.Now(), Details: disputed.Details{Reason: "fraud"}}),
			tx.InsertLink(&paylink.Link{MerchantID: w.auth.MerchantID, Kind: paylink.ForPayment, ID: "plink_" + w.auth.MerchantID, ProfileID: w.profile.ID,
				Subject: saved.Payment.ID, Status: "s", CreatedAt: tx.Now(), ExpiresAt: tx.Now().Add(time.Hour), Details: paylink.Details{URL: "https://switch.test/l"}}),
			w.fillStaff(tx),
			tx.InsertBlocked(&risk.Entry{MerchantID: w.auth.MerchantID, Data: "400001", Kind: risk.KindBIN, Metadata: "a=b", CreatedAt: tx.Now()}),
			tx.InsertProposal(&payment.Proposal{MerchantID: w.auth.MerchantID, ID: "prop_" + w.auth.MerchantID, OperationID: "op_" + w.auth.MerchantID, ProposedAt: time.Now(),
				Details: payment.ProposalDetails{Outcome: payment.FoundNotDone, By: "Ada", Why: "the statement"}}),
			tx.InsertRelay(&relay.Relay{MerchantID: w.auth.MerchantID, ID: "relay_1", ProfileID: "pro", AccountID: "mca", Connector: "sim", Type: relay.Refund, Status: relay.Pending,
				ResourceID: "tx", ReferenceID: "re", CreatedAt: tx.Now(), ModifiedAt: tx.Now()}),
			tx.InsertIssuer(&risk.Issuer{ID: "issuer_" + w.auth.MerchantID, Name: "Bank " + w.auth.MerchantID, Folded: "bank " + w.auth.MerchantID, CreatedAt: tx.Now(), ModifiedAt: tx.Now()}),
			tx.InsertBlockJob(&risk.Job{MerchantID: w.auth.MerchantID, ID: "blkbatch_" + w.auth.MerchantID, Status: risk.JobInitiated, Total: 1, Succeeded: 1, Failed: 1, Parts: 1,
				CreatedAt: tx.Now(), ModifiedAt: tx.Now()}),
			tx.InsertBlockPart(&risk.Part{MerchantID: w.auth.MerchantID, JobID: "blkbatch_" + w.auth.MerchantID, Number: 1, Entries: "[]", CreatedAt: tx.Now()}),
			tx.PutFacetMark(&facet.Mark{MerchantID: w.auth.MerchantID, List: facet.Payments, Blocks: 1, UpTo: tx.Now(), Late: tx.Now(), ReadAt: tx.Now(), Complete: true}),
			tx.PutFacet(facet.Payments, w.auth.MerchantID, facet.Column{Kind: facet.Amount, Summary: []byte(w.auth.MerchantID), Data: []byte(w.auth.MerchantID)}),
			tx.CountGuardFailures(w.auth.MerchantID, []string{"counter"}, 0, tx.Now().Add(time.Hour)),
			tx.CountDecline(w.auth.MerchantID, "card", scheme.Decline{At: tx.Now()}, 0),
			tx.PutVolume(&health.Volume{MerchantID: w.auth.MerchantID, AccountID: sim.ID, Node: "n", Day: 20000, Attempts: 3, SavedAt: tx.Now(), ExpiresAt: tx.Now().Add(time.Hour)}),
			tx.PutHealth(&health.Row{MerchantID: w.auth.MerchantID, AccountID: sim.ID, Node: "n", Counts: []byte("{}"), SavedAt: tx.Now(), ExpiresAt: tx.Now().Add(time.Hour)}),
			tx.CountLowValue(w.auth.MerchantID, "card", 100, tx.Now().Add(time.Hour)),
			tx.CountExemption(w.auth.MerchantID, "424242", "low_value", true, tx.Now().Add(time.Hour)),
		)
	}))
}

// fillStaff inserts the rows of a person who uses the dashboard.
func (w *tamperWorld) fillStaff(tx engine.Tx) error {
	id, later := w.auth.MerchantID, tx.Now().Add(time.Hour)
	return errors.Join(
		tx.InsertStaffUser(&staff.User{ID: "user_" + id, EmailHash: []byte("e-mail " + id), State: staff.Active, Sealed: []byte("sealed " + id), CreatedAt: tx.Now(),
			ModifiedAt: tx.Now(), Details: staff.UserDetails{Grants: []staff.Grant{{MerchantID: id, Role: staff.Viewer}}}}),
		tx.InsertStaffLogin(&staff.Login{ID: "sess_" + id, UserID: "user_" + id, Hash: []byte("login " + id), CreatedAt: tx.Now(), SeenAt: tx.Now(), EndsAt: later,
			Details: staff.LoginDetails{Stage: staff.NeedSecond, Address: id}}),
		tx.InsertStaffOnce(&staff.Once{Hash: []byte("once " + id), Kind: "invite", UserID: "user_" + id, Data: id, CreatedAt: tx.Now(), EndsAt: later}),
		tx.PutStaffTries(&staff.Tries{Key: []byte("tries " + id), Level: 9, At: tx.Now(), Until: later}),
		tx.InsertStaffEntry(&staff.Entry{ID: "aud_" + id, At: tx.Now(), UserID: "user_" + id, SessionID: "sess_" + id, Action: "login", MerchantID: id, Target: id,
			Details: map[string]string{"with": id}}),
		tx.EnsureStaffChain(),
		tx.PutStaffChain(&staff.Chain{Lines: 1, Hash: "hash " + id}),
	)
}

// row is a database row by column.
type row map[string]any

func (r row) text(column string) string { return fmt.Sprint(r[column]) }

func (r row) auth() account.Auth { return account.Auth{MerchantID: r.text("merchant_id")} }

// read reads from the store as a use case does.
func (w *tamperWorld) read(f func(r engine.Reader) error) error { return w.db.View(w.t.Context(), f) }

// uses maps each table to a use of its rows. A use returns the error that its caller gets. A row that every use case changes is read from
// the store instead.
func (w *tamperWorld) uses() map[string]func(ctx context.Context, r row) error {
	authenticate := func(ctx context.Context) error {
		var errs []error
		for _, text := range w.texts {
			_, err := w.Authenticate(ctx, text)
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	}
	return map[string]func(ctx context.Context, r row) error{
		"merchants": func(ctx context.Context, r row) error {
			_, err := w.Merchant(ctx, r.text("id"))
			_, err2 := w.Authenticate(ctx, secret.New(r.text("publishable_key")))
			return errors.Join(err, err2)
		},
		"profiles": func(ctx context.Context, r row) error {
			_, err := w.Profile(ctx, r.auth(), r.text("id"))
			return err
		},
		"accounts": func(ctx context.Context, r row) error {
			_, err := w.Account(ctx, r.auth(), r.text("id"))
			return err
		},
		"account_versions": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.AccountVersion(r.text("merchant_id"), r.text("account_id"), r.text("fingerprint"))
				_, err2 := s.AccountVersions(r.text("merchant_id"), r.text("account_id"))
				return errors.Join(err, err2)
			})
		},
		"api_keys": func(ctx context.Context, r row) error {
			_, err := w.APIKey(ctx, r.auth(), r.text("id"))
			return errors.Join(err, authenticate(ctx))
		},
		"ephemeral_keys": func(ctx context.Context, r row) error { return authenticate(ctx) },
		"customers": func(ctx context.Context, r row) error {
			_, err := w.Customer(ctx, r.auth(), r.text("id"))
			return err
		},
		"payments": func(ctx context.Context, r row) error {
			_, err := w.RetrievePayment(ctx, r.auth(), r.text("id"), request.RetrieveInput{})
			return err
		},
		"attempts": func(ctx context.Context, r row) error {
			_, err := w.RetrievePayment(ctx, r.auth(), r.text("payment_id"), request.RetrieveInput{Attempts: true})
			return errors.Join(err, w.read(func(s engine.Reader) error { _, err := s.Attempt(r.text("merchant_id"), r.text("id")); return err }))
		},
		"refunds": func(ctx context.Context, r row) error {
			_, err := w.RetrieveRefund(ctx, r.auth(), r.text("id"), false)
			return err
		},
		"routing_configs": func(ctx context.Context, r row) error {
			_, err := w.Routing(ctx, r.auth(), r.text("id"))
			return err
		},
		"error_rules": func(ctx context.Context, r row) error {
			_, err := w.ErrorRule(ctx, routing.ErrorKey{Connector: r.text("connector"), Flow: r.text("flow"), SubFlow: r.text("sub_flow"), Code: r.text("code"), Message: r.text("message")})
			return err
		},
		"config_keys": func(ctx context.Context, r row) error {
			_, err := w.ConfigKey(ctx, r.text("name"))
			return err
		},
		"links": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.Link(r.text("merchant_id"), paylink.Kind(r.text("kind")), r.text("id"))
				return err
			})
		},
		"blocked_cards": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.Blocked(r.text("merchant_id"), r.text("data"))
				_, err2 := s.BlockedAny(r.text("merchant_id"), [3]string{r.text("data")})
				return errors.Join(err, err2)
			})
		},
		"decision_proposals": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.Proposal(r.text("operation_id")); return err })
		},
		"relays": func(ctx context.Context, r row) error {
			_, err := w.Relay(ctx, r.auth(), r.text("id"), false)
			return err
		},
		"card_issuers": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.Issuer(r.text("id"))
				_, err2 := s.IssuersNamed(r.text("folded"))
				return errors.Join(err, err2)
			})
		},
		"block_jobs": func(ctx context.Context, r row) error {
			_, err := w.BlockJob(ctx, r.auth(), r.text("id"))
			return err
		},
		"block_job_parts": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.BlockParts(100); return err })
		},
		"account_volumes": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.VolumesSince(time.Time{}); return err })
		},
		"account_health": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.HealthSince(time.Time{}); return err })
		},
		"guard_counts": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.GuardFailures(r.text("merchant_id"), [4]string{r.text("counter")})
				return err
			})
		},
		"scheme_declines": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.CardDeclines(r.text("merchant_id"), r.text("card"))
				return err
			})
		},
		"disputes": func(ctx context.Context, r row) error {
			_, err := w.RetrieveDispute(ctx, r.auth(), r.text("id"), false)
			return err
		},
		"operations": func(ctx context.Context, r row) error { // the rows that recovery claims
			return w.db.Update(ctx, func(tx engine.Tx) error {
				_, err := tx.ClaimOperations("probe", tx.Now().Add(time.Hour), 1000)
				_, err2 := tx.Operations(r.text("merchant_id"), r.text("payment_id"))
				return errors.Join(err, err2)
			})
		},
		"exchanges": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.Exchanges(r.text("operation_id")); return err })
		},
		"events": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.Events(r.text("merchant_id"), r.text("object_id"))
				return err
			})
		},
		"evidence": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.Evidence(r.text("operation_id")); return err })
		},
		"idempotency": func(ctx context.Context, r row) error {
			_, _, _, err := w.BeginIdempotent(ctx, ptr(r.auth()), r.text("key"), w.hash)
			return errors.Join(err, w.read(func(s engine.Reader) error { _, err := s.Idempotency(r.text("merchant_id"), r.text("key")); return err }))
		},
		"card_tokens": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.CardToken(r.text("merchant_id"), r.text("token")); return err })
		},
		"short_term_keys": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.ShortTermKey(r.text("merchant_id"), r.text("id")); return err })
		},
		"cards": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.Card(r.text("merchant_id"), r.text("id")); return err })
		},
		"authentications": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.Authentication(r.text("id")); return err })
		},
		"payment_methods": func(ctx context.Context, r row) error {
			_, err := w.PaymentMethod(ctx, r.auth(), r.text("id"))
			return err
		},
		"mandates": func(ctx context.Context, r row) error {
			_, err := w.Mandate(ctx, r.auth(), r.text("id"))
			return err
		},
		"customer_accounts": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.CustomerAccount(r.text("merchant_id"), r.text("customer_id"), r.text("account_id"))
				return err
			})
		},
		"journal": func(ctx context.Context, r row) error {
			j := engine.NewJournal(w.db, w.vault)
			list, err := j.Operation(ctx, r.text("operation_id"))
			for _, record := range list {
				_, e := j.Open(record)
				err = errors.Join(err, e)
			}
			return err
		},
		"keysets": func(ctx context.Context, r row) error {
			db, err := storage.Open(ctx, "sqlite:"+w.file, storage.Options{})
			if err == nil {
				_, err = engine.OpenVault(ctx, db, worldKey)
				err = errors.Join(err, db.Close())
			}
			return err
		},
		"schema_migrations": func(ctx context.Context, r row) error {
			db, err := storage.Open(ctx, "sqlite:"+w.file, storage.Options{})
			if err == nil {
				err = db.Close()
			}
			return err
		},
		"running_nodes": func(ctx context.Context, r row) error { _, err := w.db.RunningNodes(ctx); return err },
		"clock_jumps": func(context.Context, row) error {
			return w.read(func(s engine.Reader) error { _, err := s.LastJump(); return err })
		},
		"backups": func(ctx context.Context, r row) error { _, err := w.db.LastBackup(ctx); return err },
		"config_version": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.ConfigVersion(); return err })
		},
		"webhook_failures": func(context.Context, row) error {
			return w.read(func(s engine.Reader) error { _, err := s.FailingEndpoints(); return err })
		},
		"copies": func(context.Context, row) error { return nil }, "copy_changes": func(context.Context, row) error { return nil },
		"restores": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.Restores(); return err })
		},
		"facet_marks": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.FacetMark(facet.Payments, r.text("merchant_id")); return err })
		},
		"facets": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.FacetColumn(facet.Payments, r.text("merchant_id"), facet.Amount, r["block"].(int64))
				return err
			})
		},
		"adapters":        func(ctx context.Context, r row) error { _, err := w.db.Adapters(ctx); return err },
		"adapter_modules": func(ctx context.Context, r row) error { _, err := w.db.Module(ctx, r.text("sha256")); return err },
		"staff_users": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.StaffUser(r.text("id"))
				_, err2 := s.StaffUsers("", 10)
				return errors.Join(err, err2)
			})
		},
		"staff_logins": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.StaffLogin(r["hash"].([]byte))
				_, err2 := s.StaffLoginsOf(r.text("user_id"))
				return errors.Join(err, err2)
			})
		},
		"staff_onces": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.StaffOnce(r["hash"].([]byte)); return err })
		},
		"staff_tries": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.StaffTries(r["key"].([]byte)); return err })
		},
		"staff_chains": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.StaffChain(); return err })
		},
		"adapter_bundles": func(ctx context.Context, r row) error { _, err := w.db.Bundles(ctx, ""); return err },
		"staff_audit": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.StaffEntries(staff.EntryFilter{}); return err })
		},
		"webhook_endpoints": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.Endpoint(r.text("merchant_id"), r.text("id")); return err })
		},
		"deliveries": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.DeliveriesOf(r.text("merchant_id"), r.text("event_id"))
				return err
			})
		},
		"delivery_attempts": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.DeliveryAttempts(r.text("merchant_id"), r.text("event_id"))
				return err
			})
		},
		"violations": func(ctx context.Context, r row) error {
			_, err := w.Violations(ctx, r.auth(), r.text("account_id"))
			return err
		},
		"low_value_uses": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error { _, err := s.LowValue(r.text("merchant_id"), r.text("card")); return err })
		},
		"exemption_rates": func(ctx context.Context, r row) error {
			return w.read(func(s engine.Reader) error {
				_, err := s.ExemptionRates(r.text("merchant_id"), r.text("bin"))
				return err
			})
		},
		"processor_ids": func(ctx context.Context, r row) error {
			return w.db.Update(ctx, func(tx engine.Tx) error {
				_, err := tx.ClaimID(evidence.Claim{MerchantID: r.text("merchant_id"), AccountID: r.text("account_id"), Kind: r.text("kind"), ID: r.text("processor_id")})
				return err
			})
		},
		"payment_statuses": func(ctx context.Context, r row) error {
			_, err := w.ListPayments(ctx, account.Auth{MerchantID: "m1"}, request.ListInput{})
			return err
		},
	}
}

// chosen selects the rows to alter, where the first rows of each merchant are the wrong ones.
var chosen = map[string]string{
	"operations":      "status = 'unknown'",
	"short_term_keys": "id LIKE 'operation/%'",
	"merchants":       "id IN ('m1', 'm2')",
}

// rowsOf returns two rows of a table, one of each merchant.
func (w *tamperWorld) rowsOf(table string) (rows []row, at []int64) {
	query := "SELECT rowid, * FROM " + table
	if where := chosen[table]; where != "" {
		query += " WHERE " + where
	}
	found, err := w.Query(query + " ORDER BY rowid")
	require.NoError(w.t, err)
	defer found.Close()
	columns, err := found.Columns()
	require.NoError(w.t, err)
	for found.Next() {
		values, dest := make([]any, len(columns)), []any{}
		for i := range values {
			dest = append(dest, &values[i])
		}
		require.NoError(w.t, found.Scan(dest...))
		r := row{}
		for i, name := range columns[1:] {
			r[name] = values[i+1]
		}
		rows, at = append(rows, r), append(at, values[0].(int64))
	}
	require.NoError(w.t, found.Err())
	require.NotEmpty(w.t, rows, table)
	last := len(rows) - 1
	return []row{rows[0], rows[last]}, []int64{at[0], at[last]}
}

// put writes columns of the row at a rowid. It returns false if a constraint of the database forbids the values.
func (w *tamperWorld) put(table string, at int64, values row) bool {
	var set []string
	var args []any
	for _, c := range slices.Sorted(maps.Keys(values)) {
		set, args = append(set, c+" = ?"), append(args, values[c])
	}
	_, err := w.Exec("UPDATE "+table+" SET "+strings.Join(set, ", ")+" WHERE rowid = ?", append(args, at)...)
	if err != nil {
		require.ErrorContains(w.t, err, "constraint failed")
	}
	return err == nil
}

// another returns a plausible other value: that of the other row, or a slightly changed one.
func another(value, others any) any {
	if b, ok := value.([]byte); ok {
		if o, ok := others.([]byte); ok && !bytes.Equal(b, o) {
			return o
		}
		return append(slices.Clone(b), 1)
	}
	if others != nil && others != value {
		return others
	}
	switch v := value.(type) {
	case int64:
		return v ^ 1
	case string:
		return v + "x"
	}
	return "{}"
}

func zero(value any) any {
	switch value.(type) {
	case int64:
		return int64(0)
	case string:
		return ""
	}
	return nil
}

// notices reports whether a use of the row raises an alarm or an internal error.
func (w *tamperWorld) notices(table string, r row) (bool, string) {
	switch table {
	case "merchants", "profiles", "accounts", "api_keys":
		w.forget()
	}
	w.noticed()
	if table == "operations" && r["due_at"] != nil {
		_, err := w.Exec(`UPDATE operations SET due_at = 1 WHERE due_at IS NOT NULL`)
		require.NoError(w.t, err)
	}
	err := w.uses()[table](w.t.Context(), r)
	if w.noticed() {
		require.Error(w.t, err, "%s: an alarm, and it was used nevertheless", table)
		return true, ""
	}
	var e *fault.Error
	if err == nil || errors.Is(err, fault.ErrNotFound) || errors.As(err, &e) && e.Kind != fault.KindInternal {
		return false, fmt.Sprint(err)
	}
	return true, ""
}

var update = flag.Bool("update", false, "write the golden files")

// TestTamper changes every column of every table. It compares the changes that are noticed with testdata/tamper.txt and unnoticed.
func TestTamper(t *testing.T) {
	t.Parallel()
	w := newTamperWorld(t)
	for _, insert := range []string{`copies (id, role, state, other, began_at, ended_at, details) VALUES (?, 'none', 's', 'o', 1, 1, '{}')`,
		`copy_changes (changed) VALUES (?)`, `webhook_failures (endpoint_id, merchant_id, since, alarmed_at) VALUES (?, 'm1', 1, 1)`,
		`clock_jumps (name, noticed_at, back_ms) VALUES (?, 1, 0)`, `backups (place, taken_at, verified_at) VALUES (?, (SELECT count(*) FROM backups), 1)`} {
		for _, name := range []string{"one", "two"} {
			_, err := w.Exec(`INSERT INTO `+insert, name)
			require.NoError(t, err)
		}
	}
	tables, err := w.tables()
	require.NoError(t, err)
	uses := w.uses()
	require.ElementsMatch(t, tables, slices.Collect(maps.Keys(uses)), "every table is used")
	used := map[string]bool{}
	var text strings.Builder
	text.WriteString("What is noticed of a change in the database by somebody without the master key: each column was changed to another value, emptied, and\n" +
		"exchanged with another row's. Written by TestTamper; make it anew with: go test ./engine -run TestTamper -update\n\n")
	for _, table := range tables {
		rows, at := w.rowsOf(table)
		for n := range rows {
			yes, _ := w.notices(table, rows[n])
			require.False(t, yes, "%s: as it is", table)
		}
		for _, c := range columnsOf(t, w.DB, table) {
			noticed := w.tamper(table, c.name, rows, at)
			reason := ""
			for _, name := range []string{table + "." + c.name, table + ".*", "*." + c.name} {
				if reason = unnoticed[name]; reason != "" {
					used[name] = true
					break
				}
			}
			require.NotEmpty(t, noticed, "%s.%s was never changed", table, c.name)
			for variant, yes := range noticed {
				require.Equal(t, reason == "", yes == "", "%s.%s, %s: noticed where no reason is given why not, and else not (%s)", table, c.name, variant, yes)
			}
			if reason == "" {
				reason = "noticed"
			} else {
				reason = "not noticed: " + reason
			}
			fmt.Fprintf(&text, "%s.%s: %s\n", table, c.name, reason)
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(unnoticed)), slices.Collect(maps.Keys(used)), "reasons for what is there")
	const golden = "testdata/tamper.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), text.String())
}
