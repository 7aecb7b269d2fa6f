package stripe_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	client "github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/form"
	"github.com/stripe/stripe-go/v85/webhook"

	"payswitch/plugins/stripe"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// paramsOf are the client's types for posted forms.
var paramsOf = []struct {
	path *regexp.Regexp
	make func() any
}{
	{regexp.MustCompile(`^/v1/payment_intents$`), func() any { return &client.PaymentIntentCreateParams{} }},
	{regexp.MustCompile(`^/v1/payment_intents/[^/]+/capture$`), func() any { return &client.PaymentIntentCaptureParams{} }},
	{regexp.MustCompile(`^/v1/payment_intents/[^/]+/cancel$`), func() any { return &client.PaymentIntentCancelParams{} }},
	{regexp.MustCompile(`^/v1/payment_intents/[^/]+/increment_authorization$`), func() any { return &client.PaymentIntentIncrementAuthorizationParams{} }},
	{regexp.MustCompile(`^/v1/setup_intents$`), func() any { return &client.SetupIntentCreateParams{} }},
	{regexp.MustCompile(`^/v1/customers$`), func() any { return &client.CustomerCreateParams{} }},
	{regexp.MustCompile(`^/v1/refunds$`), func() any { return &client.RefundCreateParams{} }},
}

// take puts the value of a parameter into its field of the client's type. A name without a field is an error, and so is a value of
// another type.
func take(into reflect.Value, keys []string, value string) error {
	switch into.Kind() {
	case reflect.Pointer:
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		return take(into.Elem(), keys, value)
	case reflect.Slice:
		if len(keys) == 0 || keys[0] != strconv.Itoa(into.Len()) {
			return fmt.Errorf("element %v where %d is due", keys, into.Len())
		}
		into.Set(reflect.Append(into, reflect.Zero(into.Type().Elem())))
		return take(into.Index(into.Len()-1), keys[1:], value)
	case reflect.Map:
		if len(keys) != 1 {
			return fmt.Errorf("no map takes %v", keys)
		}
		if into.IsNil() {
			into.Set(reflect.MakeMap(into.Type()))
		}
		into.SetMapIndex(reflect.ValueOf(keys[0]), reflect.ValueOf(value))
		return nil
	case reflect.Struct:
		for i := 0; len(keys) > 0 && i < into.NumField(); i++ {
			if into.Type().Field(i).Tag.Get("form") == keys[0] {
				return take(into.Field(i), keys[1:], value)
			}
		}
		return fmt.Errorf("%s has no %v", into.Type(), keys)
	}
	if len(keys) > 0 {
		return fmt.Errorf("%s has no %v", into.Type(), keys)
	}
	var err error
	switch into.Kind() {
	case reflect.String:
		into.SetString(value)
	case reflect.Int64:
		var n int64
		n, err = strconv.ParseInt(value, 10, 64)
		into.SetInt(n)
	case reflect.Bool:
		into.SetBool(value == "true")
		if value != "true" && value != "false" {
			err = fmt.Errorf("%q is no bool", value)
		}
	default:
		err = fmt.Errorf("the decoder does not know %s", into.Type())
	}
	return err
}

// decode reads a posted form into the client's type for it, and a full card into the client's type for cards.
func decode(s *sdk.Send) (params any, card *client.PaymentMethodCreateCardParams, err error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range paramsOf {
		if p.path.MatchString(u.Path) {
			params = p.make()
		}
	}
	if params == nil {
		return nil, nil, fmt.Errorf("the client has nothing for %s", u.Path)
	}
	card = &client.PaymentMethodCreateCardParams{}
	for pair := range strings.SplitSeq(string(s.Body), "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil {
			return nil, nil, err
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return nil, nil, err
		}
		into, rest := any(params), name
		if in, ok := strings.CutPrefix(name, "payment_method_data[card]["); ok {
			into, rest = card, strings.Replace(in, "]", "", 1)
		} else if isBeyond(name) != "" {
			continue
		}
		keys := strings.Split(strings.ReplaceAll(rest, "]", ""), "[")
		if err := take(reflect.ValueOf(into), keys, value); err != nil {
			return nil, nil, fmt.Errorf("%s=%s: %w", name, value, err)
		}
	}
	return params, card, nil
}

// TestRequestsAreOfTheClientsTypes reads every form of the recorded cases into the client's types and lets the client write it
// again. The client must know every field and type, and lose none.
func TestRequestsAreOfTheClientsTypes(t *testing.T) {
	a := stripe.Adapter()
	requests, _, err := wire.Load(os.DirFS("testdata"), "stripe")
	require.NoError(t, err)
	account, posts := wire.Account(&a.Manifest, requests), 0
	account.Config["incremental_authorization"] = "if_available"
	for i := range requests.Cases {
		c := &requests.Cases[i]
		step := c.Step(c.Operation(), account, requests.Clock)
		sends, _, err := wire.Play(a, step)
		require.NoError(t, err)
		if sends[0].Method != "POST" {
			continue
		}
		posts++
		params, card, err := decode(sends[0])
		require.NoError(t, err, c.Name)
		again := &form.Values{}
		form.AppendTo(again, params)
		form.AppendToPrefixed(again, card, []string{"payment_method_data", "card"})
		written := wire.FormBody(t, &sdk.Send{Body: []byte(again.ToValues().Encode()), Headers: sends[0].Headers})
		for name, value := range wire.FormBody(t, sends[0]) {
			switch {
			case isBeyond(name) != "" && !strings.Contains(name, "[card]"), strings.Contains(name, "mit_exemption"):
			case strings.HasSuffix(name, "[exp_month]"): // a number in the client, two digits in the adapter
				require.Equal(t, strings.TrimPrefix(value, "0"), written[name], c.Name)
			default:
				require.Equal(t, value, written[name], "%s %s", c.Name, name)
			}
		}
	}
	require.Greater(t, posts, 15)
}

// TestDecoderIsStrict checks that the decoder refuses unknown names and wrong types.
func TestDecoderIsStrict(t *testing.T) {
	for body, why := range map[string]string{
		"amount=1000&colour=red":          "has no [colour]",
		"amount=ten":                      "invalid syntax",
		"confirm=yes":                     "is no bool",
		"amount[value]=10":                "has no [value]",
		"expand[1]=x":                     "where 0 is due",
		"metadata[a][b]=c":                "no map takes",
		"payment_method_data[card][pin]=": "has no [pin]",
		"payment_method_options[card][three_d_secure][cavv]=x": "has no [cavv]",
	} {
		_, _, err := decode(&sdk.Send{URL: "https://api.stripe.com/v1/payment_intents", Body: []byte(body)})
		require.ErrorContains(t, err, why, body)
	}
	_, _, err := decode(&sdk.Send{URL: "https://api.stripe.com/v1/charges"})
	require.Error(t, err)
}

// constants reads the values of a type's constants from the client's source.
func constants(t *testing.T, file, kind string) (values []string) {
	t.Helper()
	source, err := os.ReadFile(clientSource(t) + "/" + file)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^\s+`+kind+`\w+\s+`+kind+`\s+= "([^"]+)"`).FindAllSubmatch(source, -1) {
		values = append(values, string(m[1]))
	}
	return values
}

// TestClientKnowsNoOtherCodes: every decline code of the client has a reason.
func TestClientKnowsNoOtherCodes(t *testing.T) {
	codes := constants(t, "error.go", "DeclineCode")
	require.Greater(t, len(codes), 40)
	for _, code := range codes {
		e := &client.Error{Type: client.ErrorTypeCard, Code: client.ErrorCodeCardDeclined, DeclineCode: client.DeclineCode(code), Msg: "Your card was declined.",
			PaymentIntent: &client.PaymentIntent{ID: "pi_1", Object: "payment_intent", Status: client.PaymentIntentStatusRequiresPaymentMethod}}
		o := newFake(t, failed(402, e)).adapter(sdk.OpAuthorize, purchase(1000, "USD"))
		require.Equal(t, []any{sdk.StatusDeclined, "pi_1", code}, []any{o.Status, o.TransactionID, o.Raw["decline_code"]})
		require.Equal(t, code == "generic_decline", o.Decline.Reason == sdk.DeclineGeneric, "%s is %s", code, o.Decline.Reason)
	}
}

// TestClientKnowsNoOtherStatuses: the adapter reads every status of the client.
func TestClientKnowsNoOtherStatuses(t *testing.T) {
	for _, s := range constants(t, "paymentintent.go", "PaymentIntentStatus") {
		want := map[string]sdk.OutcomeStatus{"canceled": sdk.StatusVoided, "processing": sdk.StatusPending, "requires_capture": sdk.StatusAuthorized, "succeeded": sdk.StatusCaptured,
			"requires_payment_method": sdk.StatusDeclined, "requires_action": sdk.StatusUnknown, "requires_confirmation": sdk.StatusUnknown}[s]
		require.NotEmpty(t, want, "new status %s", s)
		require.Equal(t, want, newFake(t, paid(client.PaymentIntentStatus(s), nil)).adapter(sdk.OpSync, purchase(1000, "USD")).Status, s)
	}
	for _, s := range constants(t, "refund.go", "RefundStatus") {
		want := map[string]sdk.OutcomeStatus{"canceled": sdk.StatusDeclined, "failed": sdk.StatusDeclined, "pending": sdk.StatusPending, "requires_action": sdk.StatusReview,
			"succeeded": sdk.StatusRefunded}[s]
		require.NotEmpty(t, want, "new status %s", s)
		r := &client.Refund{ID: "re_1", Object: "refund", Amount: 300, Currency: client.CurrencyUSD, Status: client.RefundStatus(s)}
		require.Equal(t, want, newFake(t, ok(r)).adapter(sdk.OpRefundSync, sdk.Request{RefundID: "re_1", Amount: *usd(300)}).Status, s)
	}
}

// event returns a message of Stripe about an object of the client's types.
func event(t *testing.T, kind client.EventType, object any) []byte {
	raw, err := json.Marshal(object)
	require.NoError(t, err)
	body, err := json.Marshal(&client.Event{ID: "evt_1", Object: "event", APIVersion: client.APIVersion, Created: now - 5, Type: kind, Data: &client.EventData{Raw: raw}})
	require.NoError(t, err)
	return body
}

// TestClientSignature: the adapter accepts the signatures of the client's package, and that package accepts the signatures of
// these tests.
func TestClientSignature(t *testing.T) {
	body := event(t, client.EventTypePaymentIntentSucceeded, paid("succeeded", func(p *client.PaymentIntent) { p.Metadata = map[string]string{"order_id": "pay_1_1"} }).value)
	signed := func(at int64, secret string) *sdk.WebhookMessage {
		s := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: secret, Timestamp: time.Unix(at, 0)})
		return &sdk.WebhookMessage{Method: "POST", Body: s.Payload, Headers: []sdk.Header{sdk.H("Stripe-Signature", s.Header)}}
	}
	o := receive(t, signed(now, "whsec_1"), "whsec_1")
	require.Len(t, o.Events, 1)
	e := o.Events[0]
	require.Equal(t, []any{sdk.EventPayment, "pi_1", "pay_1_1", sdk.StatusCaptured, usd(1000), int64(now-5) * 1000}, []any{e.Object, e.TransactionID, e.Reference, e.Outcome.Status, e.Outcome.Amount, e.Time})
	require.Equal(t, webhook.DefaultTolerance, 300*time.Second, "the tolerance of the client is the adapter's")
	for _, m := range []*sdk.WebhookMessage{signed(now-301, "whsec_1"), signed(now, "whsec_2")} {
		require.Equal(t, 401, receive(t, m, "whsec_1").Reply.Status)
	}

	m := message(t, now, "whsec_1", string(body))
	got, err := webhook.ConstructEventIgnoringTolerance(m.Body, sdk.HeaderValue(m.Headers, "Stripe-Signature"), "whsec_1")
	require.NoError(t, err)
	require.Equal(t, client.EventTypePaymentIntentSucceeded, got.Type)
	_, err = webhook.ConstructEventIgnoringTolerance(m.Body, sdk.HeaderValue(m.Headers, "Stripe-Signature"), "whsec_2")
	require.ErrorIs(t, err, webhook.ErrNoValidSignature)
}

// TestClientEvents reads messages about the client's objects.
func TestClientEvents(t *testing.T) {
	intent := &client.PaymentIntent{ID: "pi_1", Object: "payment_intent"}
	back := &client.Refund{ID: "re_1", Object: "refund", Amount: 300, Currency: client.CurrencyUSD, Status: client.RefundStatusSucceeded, PaymentIntent: intent, Metadata: map[string]string{"order_id": "ref_1"}}
	for kind, row := range map[client.EventType]struct {
		object any
		want   []any
		status sdk.OutcomeStatus // "" asks for a sync
	}{
		client.EventTypePaymentIntentCanceled:       {paid("canceled", nil).value, []any{sdk.EventPayment, "pi_1", "", ""}, sdk.StatusVoided},
		client.EventTypePaymentIntentPaymentFailed:  {intent, []any{sdk.EventPayment, "pi_1", "", ""}, ""},
		client.EventTypeSetupIntentSucceeded:        {&client.SetupIntent{ID: "seti_1", Object: "setup_intent"}, []any{sdk.EventPayment, "seti_1", "", ""}, ""},
		client.EventTypeChargeRefunded:              {&client.Charge{ID: "ch_1", Object: "charge", PaymentIntent: intent}, []any{sdk.EventPayment, "pi_1", "", ""}, ""},
		client.EventTypeRefundCreated:               {back, []any{sdk.EventRefund, "pi_1", "re_1", "ref_1"}, sdk.StatusRefunded},
		client.EventTypeRefundUpdated:               {back, []any{sdk.EventRefund, "pi_1", "re_1", "ref_1"}, sdk.StatusRefunded},
		client.EventTypeRefundFailed:                {back, []any{sdk.EventRefund, "pi_1", "re_1", "ref_1"}, sdk.StatusRefunded},
		client.EventTypeChargeDisputeFundsWithdrawn: {&client.Dispute{ID: "dp_1", Object: "dispute", PaymentIntent: intent}, []any{sdk.EventDispute, "pi_1", "", ""}, "-"},
	} {
		o := receive(t, message(t, now, "whsec", string(event(t, kind, row.object))), "whsec")
		require.Len(t, o.Events, 1, kind)
		e := o.Events[0]
		require.Equal(t, row.want, []any{e.Object, e.TransactionID, e.RefundID, e.Reference}, kind)
		require.Equal(t, row.status == "", e.Sync, kind)
		if e.Outcome != nil {
			require.Equal(t, row.status, e.Outcome.Status, kind)
		}
	}
}

// clientSource returns the folder of the client's source.
func clientSource(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/stripe/stripe-go/v85").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(dir))
}
