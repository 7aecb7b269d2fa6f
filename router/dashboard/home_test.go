package dashboard

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/operator"
	"payswitch/engine/request"
	"payswitch/engine/search"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
)

// unapprovedAccounts is the engine whose accounts no operator has approved.
type unapprovedAccounts struct{ Engine }

func (e unapprovedAccounts) Accounts(ctx context.Context, a account.Auth) ([]*account.Account, error) {
	list, err := e.Engine.Accounts(ctx, a)
	for _, x := range list {
		x.Operator.Approvals = nil
	}
	return list, err
}

// TestNeeds: the overview lists what waits for a person, each with a link to the list that proves it; nothing that the person may not see.
func TestNeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	w.pay(6540)
	require.NotContains(t, w.page("/m/acme/"), "Needs you")

	w.doubt()
	held := func(in *request.Input) { in.CaptureMethod = "manual" }
	w.pay(1200, held)
	w.disputed(700, "opened", `,"respond_by":4000000000`)
	require.Equal(t, http.StatusOK, w.post("/m/acme/keys", "name", "shop", "expiration", "1").Code)
	require.Equal(t, http.StatusOK, w.post("/m/acme/webhooks/"+w.profile().ID, "url", "https://shop.example/hooks").Code)
	w.shop.status.Store(http.StatusInternalServerError)
	w.pay(300)
	w.delivered(1, false)
	require.NotContains(t, w.page("/m/acme/"), "endpoint does not", "one event may be late")
	w.server.Now = func() time.Time { return time.Now().Add(2 * slowEndpoint) }
	page := w.page("/m/acme/")
	for text, link := range map[string]string{"1 operation has an unknown outcome": "/decisions", "1 payment whose money is held and not captured": "/m/acme/payments?status=held",
		"1 dispute waits for your answer, the first until 2 Oct 2096": "/m/acme/disputes?status=opened", "1 endpoint does not take its events": "/m/acme/webhooks",
		"1 API key ends within two weeks": "/m/acme/keys"} {
		require.Contains(t, page, text)
		require.Contains(t, page, `href="`+link+`"`)
	}
	require.NotContains(t, page, "approves")
	engine, adapters := w.server.Engine, w.server.Adapters
	w.server.Engine, w.server.Adapters = unapprovedAccounts{engine}, foreign{adapters}
	require.Contains(t, w.page("/m/acme/"), "1 account takes no payment until an operator approves its adapter")
	w.server.Engine, w.server.Adapters = engine, adapters

	w.as(staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	page = w.page("/m/acme/")
	require.Contains(t, page, "1 dispute waits")
	for _, hidden := range []string{"unknown outcome", "endpoint does not", "API key", "approves"} {
		require.NotContains(t, page, hidden)
	}
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support})
	require.Contains(t, w.page("/m/acme/"), `href="/m/acme/events?state=failed"`, "support may not open the endpoints")

	w.as(staff.Grant{Role: staff.Admin})
	_, err := w.engine.CreateMerchant(t.Context(), account.MerchantInput{ID: "other"})
	require.NoError(t, err)
	require.NotContains(t, w.page("/m/other/"), "unknown outcome", "an operation of another merchant is not this merchant's")
	w.server.Engine = crowded{engine}
	require.Contains(t, w.page("/m/acme/"), "1 operation has an unknown outcome", "older operations of other merchants take no place")
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Admin})
	page = w.page("/decisions")
	require.Contains(t, page, "9,000,000.31")
	require.NotContains(t, page, "The list ends after")
}

// TestNeedsBeforeAnEnd: held money that lapses soon and certificates that end soon wait for a person, each with a link to where it is mended.
func TestNeedsBeforeAnEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	held := func(in *request.Input) { in.CaptureMethod = "manual" }
	first := w.pay(1200, held).Payment
	extended := w.pay(1300, held, func(in *request.Input) { in.Extended = new(true) }).Payment
	require.Contains(t, w.page("/m/acme/payments/"+extended.ID), "Held until", "the processor states the end of an extended hold")
	require.NotContains(t, w.page("/m/acme/payments/"+first.ID), "Held until")
	in := func(days int) string {
		w.server.Now = func() time.Time { return time.Now().Add(time.Duration(days) * 24 * time.Hour) }
		w.person.SecondFactorAt = w.server.Now()
		return w.page("/m/acme/")
	}
	require.NotContains(t, in(3), "lapses")
	page := in(5)
	require.Contains(t, page, "1 payment&#39;s held money lapses within three days: capture or release it. The first ends "+Time{first.CreatedAt.Add(7 * 24 * time.Hour), time.UTC}.String()+", as the card networks usually end holds")
	require.Contains(t, page, `href="/m/acme/payments/`+first.ID+`"`)
	page = in(28)
	require.Contains(t, page, "1 payment&#39;s held money lapses within three days")
	require.Contains(t, page, `href="/m/acme/payments/`+extended.ID+`"`, "the next end is the extended one's")
	require.NotContains(t, page, "usually end holds", "its processor states the end")
	require.Contains(t, page, "1 payment holds money whose hold should have ended")
	page = in(40)
	require.Contains(t, page, "2 payments hold money whose hold should have ended")
	require.Contains(t, page, `href="/m/acme/payments?status=held&amp;to=`+extended.CreatedAt.UTC().Format(time.DateOnly)+`"`)
	require.NotContains(t, page, "lapses")
	for _, p := range []string{first.ID, extended.ID} {
		_, err := w.engine.CancelPayment(t.Context(), w.auth, p, "")
		require.NoError(t, err)
	}
	require.NotContains(t, in(40), "hold should have ended", "released money needs nobody")

	require.NotContains(t, in(0), "certificate")
	plain := w.server.Engine
	for days, text := range map[int]string{31: "", 29: "The certificate of shop at the bank ends ", -1: "The certificate of shop at the bank ended "} {
		w.server.Engine = certified{plain, pemUntil(t, time.Now().Add(time.Duration(days)*24*time.Hour))}
		if page = w.page("/m/acme/"); text == "" {
			require.NotContains(t, page, "certificate")
			continue
		}
		require.Contains(t, page, text)
		require.Contains(t, page, `href="/m/acme/connectors/mca_bank"`)
	}
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support})
	require.NotContains(t, w.page("/m/acme/"), "certificate", "support may not see the settings")
}

// certified is the engine with one more account, whose credentials hold a certificate.
type certified struct {
	Engine
	pem string
}

func (e certified) Accounts(ctx context.Context, a account.Auth) ([]*account.Account, error) {
	list, err := e.Engine.Accounts(ctx, a)
	return append(list, &account.Account{ID: "mca_bank", MerchantID: "acme", Label: "shop at the bank", Connector: "netcetera", Type: account.TypeAuthenticator,
		Credentials: map[string]secret.Value{"api_key": secret.New("k"), "certificate": secret.New(base64.StdEncoding.EncodeToString([]byte(e.pem)))}}), err
}

// pemUntil returns a certificate that ends at a time.
func pemUntil(t *testing.T, end time.Time) string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "shop"}, NotAfter: end}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// crowded is the engine in which older operations of another merchant fill the list of all merchants.
type crowded struct{ Engine }

func (e crowded) Operations(ctx context.Context, f request.OperationFilter) ([]operator.View, error) {
	list, err := e.Engine.Operations(ctx, f)
	if len(f.Merchants) > 0 || f.Resolved || err != nil {
		return list, err
	}
	for i := range list {
		list[i].MerchantID = "other"
	}
	return slices.Repeat(list, f.Limit)[:f.Limit], nil
}

// endsEarly is the engine that fails after the first page of a list.
type endsEarly struct{ Engine }

func (e endsEarly) Browse(ctx context.Context, a account.Auth, q search.Query) (*search.Found, error) {
	if q.Behind != nil {
		return nil, errors.New("the disk is gone")
	}
	q.Limit = 1
	return e.Engine.Browse(ctx, a, q)
}

// TestExportEndsEarly: a browser must not take a part of an export for the whole, so that the connection is cut where the list breaks off.
func TestExportEndsEarly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	w.pay(100)
	w.pay(200)
	rec := httptest.NewRecorder()
	w.server.Engine = endsEarly{w.server.Engine}
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { w.server.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/m/acme/payments.csv", nil)) })
	require.NotContains(t, rec.Body.String(), "<", "no page of an error stands in the file")
}

// TestReadable: texts that programs write are shown as people read them.
func TestReadable(t *testing.T) {
	t.Parallel()
	require.Equal(t, "vault.master_key is the published key", capital("vault.master_key is the published key"))
	require.Equal(t, "3 operations wait", capital("3 operations wait"))
	require.Equal(t, "Others may use /var/lib", capital("others may use /var/lib"))
	require.Empty(t, capital(""))
	for took, want := range map[string]string{"2.360676s": "2.4 s", "5.364ms": "5 ms", "": "", "long": "long"} {
		require.Equal(t, want, tookOf(LogLine{Attrs: []LogAttr{{"took", took}}}))
	}
	require.Equal(t, "1 h", shortly(time.Hour))
}

// TestSuccessRateOfToday: a payment whose money is held was approved. A shop that captures when it ships does not see a day of failures.
func TestSuccessRateOfToday(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	w.pay(6540)
	for range 2 {
		w.pay(1200, func(in *request.Input) { in.CaptureMethod = "manual" })
	}
	w.pay(700, func(in *request.Input) { in.Card.Number = secret.New("4000000000000002") })
	page := w.page("/m/acme/")
	require.Contains(t, page, `<dt>Success rate</dt><dd><a href="/m/acme/payments?from=`+time.Now().UTC().Format(time.DateOnly)+`">75 %</a>`)
	require.Contains(t, page, "<dt>Paid</dt>")
}
