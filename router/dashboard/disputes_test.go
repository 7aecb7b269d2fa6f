package dashboard

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/disputed"
	"payswitch/engine/request"
	"payswitch/engine/staff"
	"payswitch/router"
	"payswitch/sdk"
)

const hookSecret = "a webhook secret of the merchant's"

// disputed makes a captured payment of an amount at the simulator, whose signed message says that all of it is disputed. It returns the path of the
// dispute's page. more are further fields of the message.
func (w *world) disputed(amount int64, status, more string) string {
	w.t.Helper()
	accounts, err := w.engine.Accounts(w.t.Context(), w.auth)
	require.NoError(w.t, err)
	id := ""
	for _, a := range accounts {
		if a.Connector == "simulator" {
			id = a.ID
		}
	}
	in, err := router.ParseAccount([]byte(`{"connector_type":"payment_processor","connector_webhook_details":{"merchant_secret":"`+hookSecret+`"}}`), false)
	require.NoError(w.t, err)
	_, err = w.engine.UpdateAccount(w.t.Context(), w.auth, id, in)
	require.NoError(w.t, err)
	return w.claim(w.pay(amount), amount, status, more)
}

// claim has the simulator say that a payment is disputed, and returns the path of the dispute.
func (w *world) claim(v *change.View, amount int64, status, more string) string {
	w.t.Helper()
	w.says(v.Attempt.AccountID, v.Attempt.TransactionID, status, amount, more)
	list, err := w.engine.ListDisputes(w.t.Context(), w.auth, request.DisputeListInput{PaymentID: v.Payment.ID})
	require.NoError(w.t, err)
	require.Len(w.t, list, 1)
	return "/m/acme/disputes/" + list[0].ID
}

// says sends a signed message about a dispute to an account.
func (w *world) says(account, transaction, status string, amount int64, more string) {
	w.t.Helper()
	message := fmt.Sprintf(`{"type":"dispute.updated","dispute_id":"dp_of_%s","status":"%s","amount":%d,"currency":"USD","transaction_id":"%s","stage":"dispute","created":1700000000%s}`,
		transaction, status, amount, transaction, more)
	h := hmac.New(sha256.New, []byte(hookSecret))
	h.Write([]byte(message))
	_, err := w.engine.ReceiveWebhook(context.Background(), engine.WebhookInput{MerchantID: "acme", Account: account, Message: sdk.WebhookMessage{Method: "POST",
		Headers: []sdk.Header{{Name: "X-Simulator-Signature", Value: hex.EncodeToString(h.Sum(nil))}}, Body: []byte(message)}})
	require.NoError(w.t, err)
}

// attach sends the form with a file of the page of a dispute.
func (w *world) attach(path, name string, content []byte) *httptest.ResponseRecorder {
	w.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	require.NoError(w.t, form.WriteField("evidence_type", "receipt"))
	h := textproto.MIMEHeader{}
	h.Set("Content-Disposition", `form-data; name="file"; filename="`+name+`"`)
	h.Set("Content-Type", "application/pdf")
	part, err := form.CreatePart(h)
	require.NoError(w.t, err)
	_, err = part.Write(content)
	require.NoError(w.t, err)
	require.NoError(w.t, form.Close())
	return w.sendForm(path+"/files", form, &b)
}

// sendForm sends a multipart form as a browser does.
func (w *world) sendForm(path string, form *multipart.Writer, b *bytes.Buffer) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, b)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	rec := httptest.NewRecorder()
	w.server.ServeHTTP(rec, r)
	return rec
}

// path cuts the query from an address.
func (w *world) path(address string) string {
	path, _, _ := strings.Cut(address, "?")
	return path
}

func (w *world) disputeAt(path string) *disputed.Record {
	w.t.Helper()
	d, err := w.engine.RetrieveDispute(w.t.Context(), w.auth, path[strings.LastIndex(path, "/")+1:], false)
	require.NoError(w.t, err)
	return d
}

// TestDisputeAnswered attaches a file, answers with texts, and sees the answer. A repeated form answers once.
func TestDisputeAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	one := w.disputed(700, "opened", `,"reason":"fraudulent","respond_by":4000000000`)
	require.Contains(t, w.page("/m/acme/disputes"), one)
	page := w.page(one)
	for _, text := range []string{"The customer disputes 7.00 USD at the bank", "fraudulent", "Answer until", "curl -X PUT http://api.example/disputes/evidence", "Accept: the customer keeps 7.00 USD",
		"curl -X POST http://api.example/disputes/accept/" + w.disputeAt(one).ID} {
		require.Contains(t, page, text)
	}
	for name, content := range map[string][]byte{"no.pdf": []byte("GIF89a"), "large.pdf": append([]byte("%PDF-1.7"), make([]byte, 700<<10)...), "empty.pdf": nil,
		"huge.pdf": append([]byte("%PDF-1.7"), make([]byte, maxUpload)...)} {
		rec := w.attach(one, name, content)
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, name)
		require.Contains(t, rec.Body.String(), `id="file-p-file"`, name)
	}
	require.Empty(t, w.disputeAt(one).Details.Files)
	require.Equal(t, http.StatusSeeOther, w.attach(one, "of 4242424242424242.pdf", []byte("%PDF-1.7")).Code)
	require.Equal(t, "of ************4242.pdf", w.disputeAt(one).Details.Files[0].Name)
	require.Contains(t, w.page(one), "of ************4242.pdf")
	w.done(one+"/files/remove", "evidence_type", "receipt")
	require.Empty(t, w.disputeAt(one).Details.Files)
	require.Equal(t, http.StatusSeeOther, w.attach(one, "r.pdf", []byte("%PDF-1.7")).Code)

	card := w.post(one+"/evidence", "key", "k1", "uncategorized_text", "paid with 4242 4242 4242 4242", "shipping_carrier", "Post")
	require.Equal(t, http.StatusUnprocessableEntity, card.Code)
	require.Contains(t, card.Body.String(), `id="evidence-p-uncategorized_text"`)
	require.Contains(t, card.Body.String(), "This holds a card number. Leave it out", "the words are for people, not for programs")
	require.Contains(t, card.Body.String(), `value="Post"`, "what was typed stays")
	require.Equal(t, sdk.DisputeOpened, w.disputeAt(one).Status)
	acts := len(w.audit.acts)
	for range 2 {
		require.Contains(t, w.done(one+"/evidence", "key", "k2", "uncategorized_text", "The customer has the goods."), "did=evidence")
	}
	require.Len(t, w.audit.acts, acts+1, "the repeated form changed nothing")
	require.Equal(t, "dispute.evidence", w.audit.acts[acts].Action)
	require.Equal(t, sdk.DisputeChallenged, w.disputeAt(one).Status)
	require.Contains(t, w.page(one), "The customer&#39;s bank decides")
	require.NotContains(t, w.page(one), "Attach the file", "the stage takes no file any more")
}

// TestDisputeLate: the lists say in words that the time for an answer has passed, as the page of the dispute does. A dispute that waits for no answer is
// not marked.
func TestDisputeLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	for _, c := range []struct {
		status, until string
		late          bool
	}{{"opened", "1700000000", true}, {"opened", "4000000000", false}, {"challenged", "1700000000", false}} {
		one := w.disputed(700, c.status, `,"respond_by":`+c.until)
		row := regexp.MustCompile(`<tr>[^\n]*` + one + `[^\n]*</tr>`)
		for _, path := range []string{"/m/acme/disputes", "/m/acme/payments/" + w.disputeAt(one).PaymentID} {
			require.Equal(t, c.late, strings.Contains(row.FindString(w.page(path)), "this time has passed"), "%s %s", path, c)
		}
		require.Equal(t, c.late, strings.Contains(w.page(one), "this time has passed"), c)
	}
	require.Contains(t, w.page("/m/acme/"), "2 disputes wait for your answer, the first until 2 Oct 2096, 07:06. The time of 1 has passed")
}

// TestDisputeAccepted: the form says what accepting means, a double click accepts once, and a refused or unknown answer is shown as such.
func TestDisputeAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	one := w.disputed(700, "opened", "")
	require.Contains(t, w.page(one), "This cannot be taken back.")
	var clicks sync.WaitGroup
	for range 3 {
		clicks.Go(func() {
			require.Equal(t, http.StatusSeeOther, w.post(one+"/accept", "key", "k1").Code)
		})
	}
	clicks.Wait()
	require.Equal(t, sdk.DisputeAccepted, w.disputeAt(one).Status)
	require.NotContains(t, w.page(one), "Accept: ")
	other := w.post(one+"/accept", "key", "k2")
	require.Equal(t, http.StatusUnprocessableEntity, other.Code)

	refused := w.disputed(900000601, "opened", "")
	rec := w.post(refused+"/accept", "key", "k3")
	require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	require.Contains(t, mainOf(rec.Body.String()), "The dispute takes no answer any more")
	unknown := w.disputed(900000603, "opened", "")
	w.done(unknown+"/accept", "key", "k4")
	page := w.page(unknown)
	require.Contains(t, page, "do not answer at the processor as well")
	require.NotContains(t, page, "Accept: ", "an answer whose result is unknown is not repeated")
	w.done(unknown + "/ask")
	require.Equal(t, sdk.DisputeAccepted, w.disputeAt(unknown).Status)
}

// TestWhoAnswersDisputes: a viewer reads, support answers up to the limit of refunds, and another merchant's dispute does not exist.
func TestWhoAnswersDisputes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	one := w.disputed(700, "opened", "")
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	page := w.page(one)
	require.NotContains(t, page, "Accept: ")
	require.NotContains(t, page, "Attach the file")
	for _, act := range []string{"accept", "evidence", "files", "files/remove"} {
		require.Equal(t, http.StatusForbidden, w.post(one+"/"+act, "key", "k").Code, act)
	}
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support, Limits: map[sdk.Currency]int64{"USD": 699}})
	rec := w.post(one+"/accept", "key", "k1")
	require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	require.Contains(t, rec.Body.String(), "above the limit of your role")
	w.as(staff.Grant{MerchantID: "other", Role: staff.Admin})
	require.Equal(t, http.StatusNotFound, get(t, w.server, one).Code)
	require.Equal(t, sdk.DisputeOpened, w.disputeAt(one).Status)
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support, Limits: map[sdk.Currency]int64{"USD": 700}})
	w.done(one+"/accept", "key", "k2")
}

// TestLimitOfAllThatIsGivenBack: refunds and accepted disputes of one payment count together against the limit of a role.
func TestLimitOfAllThatIsGivenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	w.disputed(700, "opened", "") // gives the account its secret
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support, Limits: map[sdk.Currency]int64{"USD": 700}})
	first := w.pay(1400)
	w.done("/m/acme/payments/"+first.Payment.ID+"/refund", "amount", "0.01", "key", "k1")
	one := w.claim(first, 700, "opened", "")
	rec := w.post(one+"/accept", "key", "k2")
	require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	require.Contains(t, rec.Body.String(), "Together with what this payment gave back before")
	require.Equal(t, sdk.DisputeOpened, w.disputeAt(one).Status)

	second := w.pay(1400)
	other := w.claim(second, 700, "opened", "")
	for range 2 { // a second click counts nothing twice
		w.done(other+"/accept", "key", "k3")
	}
	require.Equal(t, sdk.DisputeAccepted, w.disputeAt(other).Status)
	rec = w.post("/m/acme/payments/"+second.Payment.ID+"/refund", "amount", "0.01", "key", "k4")
	require.Equal(t, http.StatusForbidden, rec.Code)
	require.Contains(t, rec.Body.String(), "Together with the 7.00 USD that this payment gave back before")
}

// AcceptDispute waits until all requests have read the payment.
func (e together) AcceptDispute(ctx context.Context, a account.Auth, in *request.AcceptInput) (*disputed.Record, error) {
	e.read.Done()
	e.read.Wait()
	return e.Engine.AcceptDispute(ctx, a, in)
}

// TestLimitOfARefundAndAnAcceptanceAtOnce: a refund and an accepted dispute that are sent at the same time keep the limit of the role together.
func TestLimitOfARefundAndAnAcceptanceAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	w.disputed(700, "opened", "") // gives the account its secret
	paid := w.pay(1400)
	dispute := w.claim(paid, 700, "opened", "")
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support, Limits: map[sdk.Currency]int64{"USD": 1000}})
	nodes, answers := []*world{w, w.second()}, make([]*httptest.ResponseRecorder, 2)
	sent := [][]string{{"/m/acme/payments/" + paid.Payment.ID + "/refund", "amount", "4.00", "key", "k1"}, {dispute + "/accept", "key", "k2"}}
	var read, done sync.WaitGroup
	read.Add(len(nodes))
	for i, node := range nodes {
		node.server.Engine = together{node.server.Engine, &read}
		done.Go(func() { answers[i] = node.post(sent[i][0], sent[i][1:]...) })
	}
	done.Wait()
	v, err := w.engine.RetrievePayment(t.Context(), w.auth, paid.Payment.ID, request.RetrieveInput{})
	require.NoError(t, err)
	require.LessOrEqual(t, v.Payment.Refunded+v.Payment.GivenUp("", ""), int64(1000))
	refused := slices.IndexFunc(answers, func(r *httptest.ResponseRecorder) bool { return r.Code != http.StatusSeeOther })
	require.GreaterOrEqual(t, refused, 0, "both were done")
	require.Equal(t, http.StatusSeeOther, answers[1-refused].Code)
	require.Contains(t, answers[refused].Body.String(), "Together with")
}
