package dashboard

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/contact"
	"payswitch/engine/request"
	"payswitch/engine/staff"
	"payswitch/engine/timeline"
	"payswitch/sdk"
)

// exchanged is the engine in which each operation sent the customer's data in the encodings of processors.
type exchanged struct{ Engine }

func (e exchanged) Timeline(ctx context.Context, auth account.Auth, id string) (*timeline.Timeline, error) {
	st, err := e.Engine.Timeline(ctx, auth, id)
	if err != nil {
		return nil, err
	}
	for _, op := range st.Operations {
		op.Drives = []*timeline.Drive{{Adapter: "stripe 1.0.0", Exchanges: []timeline.Exchange{{
			Method: "POST", URL: "https://processor.example/find?mail=grace%40shop.example", Known: true, Sent: true, Status: 200,
			Headers:  []sdk.Header{{Name: "X-Payer", Value: "Grace Brewster Höpper"}},
			Body:     "amount=6540&name=Grace+Brewster+H%C3%B6pper&line1=1%20%22Main%22%20St&phone=%2B18056594427&order=kept",
			Answer:   `{"id":"tr_1","holder":"GRACE B. H\u00f6pper","street":"1 \"Main\" St","email":"other@else.example"} <Street>1 &#34;Main&#34; St</Street>`,
			Answered: []sdk.Header{{Name: "X-Mail", Value: "GRACE@shop.example"}},
		}}}}
	}
	return st, nil
}

// Replay implements Replayer.
func (exchanged) Replay(context.Context, string, string) ([]Replay, error) {
	return []Replay{{Differences: []Difference{{Where: "step 1: tr_1, order=kept", Recorded: `{"holder":"GRACE Brewster H\u00f6pper"}`,
		Replayed: `grace%40shop.example 8056594427 {"line1":"1 \"Main\" St","email":"other@else.example"}`}}}}, nil
}

// TestExchangesHideTheCustomer: people who may read exchanges but may not unmask customers find no customer in them, whatever a processor's names and
// encodings are. What is not the customer's stays.
func TestExchangesHideTheCustomer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	v := w.pay(900000031, func(in *request.Input) {
		in.Customer = &contact.Customer{Name: "Grace Brewster Höpper", Email: "grace@shop.example", Phone: "8056594427"}
		in.Billing = &contact.Contact{Address: &contact.Address{Line1: `1 "Main" St`}}
	})
	w.server.Engine, w.server.Replayer = exchanged{w.server.Engine}, exchanged{}
	st, err := w.engine.Timeline(t.Context(), w.auth, v.Payment.ID)
	require.NoError(t, err)
	pages := []string{"/m/acme/payments/" + v.Payment.ID, "/decisions/" + st.Operations[0].ID, "/m/acme/operations/" + st.Operations[0].ID + "/replay"}
	data := []string{"race", "RACE", "Brewster", "pper", "Main", "8056594427", "%40shop"}
	for _, page := range pages {
		shown := w.page(page)
		for _, text := range append(data, "other@else.example") {
			require.Contains(t, shown, text, page)
		}
	}
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Developer}, staff.Grant{MerchantID: "acme", Role: staff.Operator})
	for _, page := range pages {
		shown := w.page(page)
		require.Contains(t, shown, "order=kept", page)
		require.Contains(t, shown, "tr_1", page)
		for _, text := range append(data, "other@else.example") {
			require.NotContains(t, shown, text, page)
		}
	}
}
