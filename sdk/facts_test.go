package sdk

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An approval is a check of the card, a hold, or money.
func TestApproved(t *testing.T) {
	require.Equal(t, StatusVerified, (&Request{Capture: CaptureManual}).Approved())
	require.Equal(t, StatusAuthorized, (&Request{Capture: CaptureManual, Amount: Money{Minor: 1}}).Approved())
	require.Equal(t, StatusCaptured, (&Request{Capture: CaptureAutomatic, Amount: Money{Minor: 1}}).Approved())
}

func TestCardExpiry(t *testing.T) {
	k := &Card{ExpMonth: 3, ExpYear: 2030}
	require.Equal(t, []string{"03", "2030", "30"}, []string{k.Month(), k.Year(), k.ShortYear()})
	k = &Card{ExpMonth: 12, ExpYear: 2109}
	require.Equal(t, []string{"12", "2109", "09"}, []string{k.Month(), k.Year(), k.ShortYear()})
}

func TestHolderNames(t *testing.T) {
	for holder, want := range map[string][2]string{"": {}, "Doe": {"", "Doe"}, "John Doe": {"John", "Doe"}, "Ann B. Doe": {"Ann B.", "Doe"}} {
		first, last := (&Card{Holder: holder}).HolderNames()
		require.Equal(t, want, [2]string{first, last}, holder)
	}
}

func TestRequestFacts(t *testing.T) {
	r := &Request{}
	require.False(t, r.Stores() || r.StoresForMerchant() || r.MerchantInitiated())
	require.Empty(t, r.Email())
	require.Equal(t, ConnectorData{}, r.Kept())
	r.Billing = &Address{LastName: "Doe"}
	require.Empty(t, r.Email())
	require.Equal(t, "Doe", r.Billing.Name())
	r.Customer = &Customer{Email: "c@example.com"}
	require.Equal(t, "c@example.com", r.Email())
	r.Billing = &Address{FirstName: "Jo", LastName: "Doe", Email: "b@example.com"}
	require.Equal(t, "b@example.com", r.Email())
	require.Equal(t, "Jo Doe", r.Billing.Name())
	r.StoredCredential, r.ConnectorData = &StoredCredentialUse{Initiator: "mit", First: true}, &ConnectorData{Method: "m"}
	require.True(t, r.Stores() && r.MerchantInitiated())
	require.Equal(t, "m", r.Kept().Method)
	require.True(t, r.StoresForMerchant())
	r.StoredCredential.Usage = "on_session"
	require.False(t, r.StoresForMerchant())
	require.Equal(t, []Header{H("a", "1"), H("b", "2")}, Sorted(map[string]string{"b": "2", "a": "1"}))
	require.Empty(t, Sorted(nil))
	require.Empty(t, Room{Pairs: 1}.For(nil))
	all := map[string]string{"d": "4", "a": "1", "long": "2", "b": "long", "c": "3"}
	require.Equal(t, []Header{H("a", "1"), H("c", "3")}, Room{Pairs: 2, Name: 1, Value: 1}.For(all))
	require.Equal(t, []Header{H("a", "1"), H("c", "3"), H("d", "4"), H("long", "2")}, Room{Value: 3}.For(all))
	require.Equal(t, []Header{H("a", "1"), H("b", "long"), H("c", "3")}, Room{Pairs: 3}.For(all))
	require.Equal(t, Sorted(all), Room{}.For(all))
}

func TestWhen(t *testing.T) {
	require.Equal(t, "manual", When(true, "manual"))
	require.Empty(t, When(false, "manual"))
	require.Equal(t, []int{1, 2}, []int{Choose(true, 1, 2), Choose(false, 1, 2)})
	require.Equal(t, `{"a":{"b":"c"}}`, NewObject().Obj("a", When(true, NewObject().Str("b", "c"))).Obj("d", When(false, NewObject())).String())
	require.Equal(t, &StoredCredential{ID: "pm_1", CustomerID: "cus_1"}, StoredAs("pm_1", "cus_1"))
	require.Equal(t, &StoredCredential{ID: "pm_1"}, When(true, StoredAs("pm_1", "")))
	require.Nil(t, StoredAs("", "cus_1"))
	message := WebhookMessage{Headers: []Header{H("X-Signature", "1"), H("x-signature", "2")}}
	require.Equal(t, []string{"1", ""}, []string{message.Header("X-SIGNATURE"), message.Header("X")})
}

func TestNeeds(t *testing.T) {
	parameter := func(err error) string {
		var reject *Reject
		require.ErrorAs(t, err, &reject)
		return string(reject.Code) + " " + reject.Parameter
	}
	card := &Request{Instrument: &Instrument{Card: &Card{}}}
	stored := &Request{Instrument: &Instrument{StoredCredentialID: "x"}, Amount: Money{Minor: 1}}
	require.Equal(t, "missing_parameter payment_method_data.card", parameter((&Request{}).NeedInstrument()))
	require.Equal(t, "missing_parameter payment_method_data.card", parameter((&Request{Instrument: &Instrument{}}).NeedInstrument()))
	require.NoError(t, card.NeedInstrument())
	require.NoError(t, stored.NeedInstrument())
	require.NoError(t, card.NeedCard())
	require.Equal(t, "missing_parameter payment_method_data.card", parameter(stored.NeedCard()))
	require.Equal(t, "missing_parameter payment_method_data.card", parameter((&Request{}).NeedCard()))
	require.Equal(t, "unsupported p", parameter(Unsupported("p", "m")))
}

func TestFirstAndPick(t *testing.T) {
	j, err := ParseJSON([]byte(`{"a":"","b":{"c":7},"d":"x"}`))
	require.NoError(t, err)
	require.Equal(t, "7", j.First("a", "z", "b.c", "d"))
	require.Empty(t, j.First("a"))
	require.Equal(t, map[string]string{"d": "x", "n": "7"}, j.Pick("a", "z", "d", "n=b.c"))
	require.NotNil(t, JSON{}.Pick("a"))
}

func TestCardPlacements(t *testing.T) {
	require.Equal(t, []Placement{
		{Secret: "card_number", Operation: OpAuthorize, Method: "POST", Path: "/p", In: "body", Field: "n"},
		{Secret: "cavv", Operation: OpAuthorize, Method: "POST", Path: "/p", In: "body", Field: "v"},
		{Secret: "card_number", Operation: OpVerify, Method: "POST", Path: "/p", In: "body", Field: "n"},
		{Secret: "cavv", Operation: OpVerify, Method: "POST", Path: "/p", In: "body", Field: "v"},
	}, CardPlacements("/p", CardFields{Number: "n", CAVV: "v"}, OpAuthorize, OpVerify))
}

func TestScaled(t *testing.T) {
	for _, k := range []struct {
		minor    int64
		currency Currency
		decimals int
		want     int64
		rejected RejectCode
	}{
		{1000, "CLP", 2, 100000, ""}, {-5, "CLP", 2, -500, ""}, {1050, "USD", 2, 1050, ""}, {1000, "HUF", 0, 10, ""},
		{1050, "HUF", 0, 0, RejectInvalid}, {-1050, "HUF", 0, 0, RejectInvalid}, {math.MaxInt64, "CLP", 1, 0, RejectInvalid}, {math.MinInt64, "CLP", 1, 0, RejectInvalid},
		{1, "XXX", 2, 0, RejectUnsupported}, {1, "USD", -1, 0, RejectUnsupported},
	} {
		n, err := Money{Minor: k.minor, Currency: k.currency}.Scaled(k.decimals)
		require.Equal(t, k.want, n, k)
		if k.rejected != "" {
			var reject *Reject
			require.ErrorAs(t, err, &reject)
			require.Equal(t, k.rejected, reject.Code)
			continue
		}
		require.NoError(t, err)
		j, err := ParseJSON([]byte(`{"v":` + Decimal(n, 0) + `}`))
		require.NoError(t, err)
		require.Equal(t, &Money{Minor: k.minor, Currency: k.currency}, j.Scaled("v", k.currency, k.decimals))
	}
	j, err := ParseJSON([]byte(`{"v":1050,"w":9223372036854775807}`))
	require.NoError(t, err)
	require.Nil(t, j.Scaled("v", "CLP", 2), "half a peso")
	require.Nil(t, j.Scaled("w", "USD", 1), "too large")
	require.Nil(t, j.Scaled("z", "USD", 2))
	require.Nil(t, j.Scaled("v", "XXX", 2))
}

func TestWebhookOutcomes(t *testing.T) {
	o := Refuse(401, "signature wrong")
	require.Equal(t, []any{StatusHandled, 401, "signature wrong"}, []any{o.Status, o.Reply.Status, o.Raw["error"]})
	o = Handled(Event{Object: "payment"}, Event{RefundID: "r"}, Event{Reference: "x"}, Event{TransactionID: "t"})
	require.Equal(t, 200, o.Reply.Status)
	require.Equal(t, []Event{{RefundID: "r"}, {Reference: "x"}, {TransactionID: "t"}}, o.Events)
	require.Equal(t, []Header{H("t", "1"), H("sig", "ab==")}, HeaderPairs("t=1; x; sig=ab==", ";"))
	require.Empty(t, HeaderPairs("", ","))
}

func TestNear(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	c := &Call{step: &Step{Now: now.UnixMilli()}}
	require.True(t, c.Near(now.Add(time.Minute), time.Minute))
	require.True(t, c.Near(now.Add(-time.Minute), time.Minute))
	require.False(t, c.Near(now.Add(time.Minute+time.Millisecond), time.Minute))
	require.False(t, c.Near(time.Time{}, 100*365*24*time.Hour))
}

func TestVerifyAny(t *testing.T) {
	var right bool
	a := &Adapter{Webhook: func(c *Call) (*Outcome, error) {
		var err error
		right, err = c.VerifyAny(Text("k"), "", "bad", "good", "never", "fifth")
		return Handled(), err
	}}
	in := &Step{ABI: ABI, Operation: OpWebhook, Request: Request{Webhook: &WebhookMessage{}}}
	for _, same := range []bool{false, true} {
		v := a.Step(in).Verify
		require.NotNil(t, v)
		in.Exchanges = append(in.Exchanges, Exchange{RequestHash: VerifyHash(v), Verified: &same})
	}
	require.Equal(t, StatusHandled, a.Step(in).Outcome.Status)
	require.True(t, right)
}

func TestNeverNil(t *testing.T) {
	r := &Request{}
	require.Equal(t, []any{&Address{}, &Customer{}, &Browser{}, &ThreeDSResult{}, &PaymentState{}}, []any{r.BillTo(), r.Payer(), r.Device(), r.Proof(), r.Known()})
	r = &Request{Billing: &Address{City: "x"}, Customer: &Customer{ID: "c"}, Browser: &Browser{IP: "::1"}, ThreeDS: &ThreeDSResult{ECI: "05"}, Payment: &PaymentState{Captured: 1}}
	require.Equal(t, []any{r.Billing, r.Customer, r.Browser, r.ThreeDS, r.Payment}, []any{r.BillTo(), r.Payer(), r.Device(), r.Proof(), r.Known()})
}

func TestReturned(t *testing.T) {
	require.Empty(t, (&Request{}).Returned("a"))
	r := &Request{Return: &Return{Query: []Header{H("a", "1"), H("b", "")}, Form: []Header{H("a", "2"), H("b", "3")}}}
	require.Equal(t, []string{"1", "3", ""}, []string{r.Returned("a"), r.Returned("b"), r.Returned("c")})
}

func TestLinesTotal(t *testing.T) {
	total := func(lines ...Line) any {
		n, ok := (&Request{Lines: lines}).LinesTotal()
		if !ok {
			return nil
		}
		return n
	}
	require.EqualValues(t, 2100, total(Line{Name: "a", Quantity: 2, UnitPrice: 900}, Line{Name: "b", Quantity: 1, UnitPrice: 300, Tax: 50}))
	require.EqualValues(t, 0, total(Line{Name: "a gift", Quantity: 1}))
	for _, lines := range [][]Line{{}, {{Quantity: 1, UnitPrice: 1}}, {{Name: "a", UnitPrice: 1}}, {{Name: "a", Quantity: 1, UnitPrice: -1}}, {{Name: "a", Quantity: 1e6 + 1}}} {
		require.Nil(t, total(lines...))
	}
	many := make([]Line, 1000)
	for i := range many {
		many[i] = Line{Name: "a", Quantity: 1e6, UnitPrice: 1e12}
	}
	require.Nil(t, total(many...), "more than fits")
}

func TestCardholderAndStatement(t *testing.T) {
	r := &Request{DescriptorName: "Shop", DescriptorSuffix: "Order 7"}
	require.Empty(t, r.Cardholder())
	r.Billing = &Address{FirstName: "Ada", LastName: "Lovelace"}
	require.Equal(t, "Ada Lovelace", r.Cardholder())
	r.Instrument = &Instrument{Card: &Card{}}
	require.Equal(t, "Ada Lovelace", r.Cardholder())
	r.Instrument.Card.Holder = "A. Lovelace"
	require.Equal(t, "A. Lovelace", r.Cardholder())
	require.Equal(t, []string{"Shop Order 7", "Shop Or"}, []string{r.Statement(0), r.Statement(7)})
	require.Equal(t, []string{"", "7"}, []string{(&Request{}).Statement(20), (&Request{DescriptorSuffix: "7"}).Statement(20)})
}

// What a status is called depends on what was asked: a payment that is gone was voided, or was never made.
func TestGone(t *testing.T) {
	for op, want := range map[Operation]OutcomeStatus{OpSync: StatusVoided, OpVoid: StatusVoided, OpWebhook: StatusVoided,
		OpAuthorize: StatusDeclined, OpVerify: StatusDeclined, OpComplete: StatusDeclined, OpCapture: StatusDeclined} {
		require.Equal(t, want, (&Call{step: &Step{Operation: op}}).Gone(), op)
	}
}

func TestChecksAt(t *testing.T) {
	j, err := ParseJSON([]byte(`{"cvc":"M","avs":{"street":"N","zip":2}}`))
	require.NoError(t, err)
	one := CheckCodes{CVC: Results{{CheckPass, "M"}, {CheckFail, "N"}}}
	require.Equal(t, &Checks{CVC: CheckPass, AddressLine1: CheckFail}, one.At(j, "cvc", "avs.street", "avs.zip"))
	one.Other, one.PostalCode = CheckUnavailable, Results{{CheckUnchecked, "2"}}
	require.Equal(t, &Checks{CVC: CheckPass, AddressLine1: CheckFail, PostalCode: CheckUnchecked}, one.At(j, "cvc", "avs.street", "avs.zip"))
	require.Equal(t, &Checks{PostalCode: CheckUnavailable}, (&CheckCodes{Other: CheckUnavailable}).At(j, "", "none", "avs.zip"))
	require.Nil(t, one.At(j, "none", "none", "none"))
}

func TestDisputeOf(t *testing.T) {
	whole := Dispute{ID: "d", Status: DisputeOpened}
	require.Equal(t, &Dispute{ID: "d", Status: DisputeOpened, Amount: Money{5, "EUR"}}, whole.Of(&Money{5, "EUR"}))
	require.Nil(t, whole.Of(nil))
	require.Nil(t, whole.Of(&Money{0, "EUR"}))
	require.Nil(t, (&Dispute{ID: "d"}).Of(&Money{5, "EUR"}))
	require.Nil(t, (&Dispute{Status: DisputeWon}).Of(&Money{5, "EUR"}))
}

func TestApproves(t *testing.T) {
	for s, want := range map[OutcomeStatus]bool{StatusAuthorized: true, StatusCaptured: true, StatusVerified: true, StatusRefunded: true,
		StatusVoided: false, StatusPending: false, StatusDeclined: false, StatusUnknown: false, "": false} {
		require.Equal(t, want, s.Approves(), s)
	}
}

func TestOutcomeWith(t *testing.T) {
	with := func(s OutcomeStatus) *Outcome {
		return (&Outcome{Status: s}).With(func() *Money { return &Money{1, "EUR"} }, func() *Decline { return &Decline{Code: "05"} })
	}
	require.Equal(t, &Outcome{Status: StatusRefunded, Amount: &Money{1, "EUR"}}, with(StatusRefunded))
	require.Equal(t, &Outcome{Status: StatusDeclined, Decline: &Decline{Code: "05"}}, with(StatusDeclined))
	require.Equal(t, &Outcome{Status: StatusPending}, (&Outcome{Status: StatusPending}).With(nil, nil))
}
