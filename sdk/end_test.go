package sdk

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// operation runs a function as an operation with the exchanges.
func operation(f Func, exchanges ...Exchange) Result {
	a := &Adapter{Authorize: f}
	return a.Step(&Step{ABI: ABI, Operation: OpAuthorize, OperationID: "op_1", Exchanges: exchanges})
}

func TestEnd(t *testing.T) {
	late := func(*Call) (*Outcome, error) { return &Outcome{Status: StatusCaptured}, nil }
	for name, k := range map[string]struct {
		end  func(c *Call)
		want Result
	}{
		"error":      {func(*Call) { Check(nil, errors.New("broken"), errors.New("later")) }, unknown("broken")},
		"must":       {func(*Call) { Must(1, errors.New("broken")) }, unknown("broken")},
		"required":   {func(*Call) { Require(true, nil); Require(false, errors.New("broken")) }, unknown("broken")},
		"expected":   {func(*Call) { Expect(true, "later"); Expect(false, "broken") }, unknown("broken")},
		"reject":     {func(*Call) { Check(Missing("p", "m")) }, Result{Reject: &Reject{Code: RejectMissing, Parameter: "p", Message: "m"}}},
		"nil reject": {func(*Call) { var r *Reject; Check(r) }, unknown("the adapter returned a nil reject")},
		"outcome":    {func(c *Call) { c.End(&Outcome{Status: StatusDeclined}) }, Result{Outcome: &Outcome{Status: StatusDeclined}}},
		"ended if":   {func(c *Call) { c.EndIf(false, nil); c.EndIf(true, c.NotFound) }, Result{Outcome: &Outcome{Status: StatusNotFound}}},
		"not ended":  {func(c *Call) { Check(nil); c.End(nil); require.Equal(t, 7, Must(7, nil)) }, Result{Outcome: &Outcome{Status: StatusCaptured}}},
		"about": {func(c *Call) { c.About("tx_1"); c.About(""); Check(errors.New("broken")) },
			Result{Outcome: &Outcome{Status: StatusUnknown, TransactionID: "tx_1", Raw: map[string]string{"error": "broken"}}}},
		"about a reject": {func(c *Call) { c.About("tx_1"); Check(Missing("p", "m")) }, Result{Reject: &Reject{Code: RejectMissing, Parameter: "p", Message: "m"}}},
		"in doubt":       {func(*Call) { ParseDeclines("420 in_doubt").New("420", "m", "") }, unknown("the processor may have acted before the error 420")},
		"broken error":   {func(*Call) { Check(brokenError{}) }, unknown("error without text")},
	} {
		got := operation(func(c *Call) (*Outcome, error) { k.end(c); return late(c) })
		require.Equal(t, k.want, got, name)
	}
}

type brokenError struct{}

func (brokenError) Error() string { panic("no text") }

// TestEndAfterSending: ending an operation equals returning from its function, also after a send.
func TestEndAfterSending(t *testing.T) {
	f := func(c *Call) (*Outcome, error) {
		Must(c.Get("https://p.example/"))
		Check(Missing("p", "m"))
		return nil, nil
	}
	sent := operation(f).Send
	require.NotNil(t, sent)
	x := Exchange{Sent: true, Status: 200, RequestHash: RequestHash(sent)}
	require.Equal(t, "reject after sending: missing_parameter: m (p)", operation(f, x).Outcome.Raw["error"])
	x.Status, x.Failure = 0, "timeout"
	require.Equal(t, "request failed, may have been received: timeout", operation(f, x).Outcome.Raw["error"])
	require.Equal(t, diverged, operation(f, x, x).Outcome.Raw["error"], "the end does not hide unexpected exchanges")
}

// TestEndOutside: outside of an operation a helper's panic names the error.
func TestEndOutside(t *testing.T) {
	require.PanicsWithError(t, "broken", func() { Check(errors.New("broken")) })
	require.PanicsWithError(t, "the operation has ended", func() { new(Call).End(&Outcome{}) })
}

func TestTableEnds(t *testing.T) {
	statuses := Statuses{{StatusCaptured, "SETTLED"}}
	require.Equal(t, StatusCaptured, statuses.Must("SETTLED"))
	require.PanicsWithError(t, "the processor's status or code NEW is not known to the adapter", func() { statuses.Must("NEW") })
}

func TestAgreement(t *testing.T) {
	table := Names{{"a", "first_recurring"}, {"b", "first_off_session"}, {"c", "first"}, {"d", "mit_recurring"}, {"e", "mit"}}
	for want, u := range map[string]*StoredCredentialUse{
		"a": {Initiator: "cit", First: true, Category: "recurring", Usage: "off_session"}, "b": {Initiator: "cit", First: true, Usage: "off_session"},
		"c": {Initiator: "cit", First: true, Usage: "on_session"}, "d": {Initiator: "mit", Category: "recurring"}, "e": {Initiator: "mit", Category: "installment"},
	} {
		require.Equal(t, want, table.For(u))
	}
	require.Empty(t, table.For(nil))
	require.Empty(t, table.For(&StoredCredentialUse{Initiator: "cit"}))
	require.Equal(t, []string{"", "cit"}, []string{(*StoredCredentialUse)(nil).Agreement(), (&StoredCredentialUse{Initiator: "cit"}).Agreement()})
}

func TestRequestFactsMore(t *testing.T) {
	r := &Request{}
	require.False(t, r.Manual())
	require.Equal(t, &Address{}, r.BillTo())
	r.Payment = &PaymentState{Capture: CaptureManual}
	require.True(t, r.Manual())
	r.Capture = CaptureAutomatic
	require.False(t, r.Manual())
	require.Equal(t, []string{"äb", "ä", "", ""}, []string{Clip("äb", 2), Clip("äb", 1), Clip("äb", 0), Clip("", 1)})
}

func TestScheme(t *testing.T) {
	for bin, want := range map[string]CardNetwork{"411111": Visa, "510000": Mastercard, "272000": Mastercard, "272100": "", "340000": AmericanExpress, "370000": AmericanExpress,
		"601100": Discover, "650000": Discover, "644000": Discover, "352800": JCB, "358900": JCB, "360000": DinersClub, "305900": DinersClub, "306000": "", "": "", "41": ""} {
		require.Equal(t, want, (&Card{BIN: bin}).Scheme(), bin)
	}
	require.Equal(t, Maestro, (&Card{BIN: "510000", Network: Maestro}).Scheme())
}

func TestAt(t *testing.T) {
	require.Equal(t, Environment{BaseURL: "https://{shop}.p.example/v1", Hosts: []string{"{shop}.p.example", "b.example"}}, At("https://{shop}.p.example/v1", "b.example"))
	require.Equal(t, []string{"p.example"}, At("https://p.example").Hosts)
	require.Equal(t, map[string]string{"error": "why"}, Unknown("why").Raw)
}

func TestSends(t *testing.T) {
	s := JSONSend("POST", "/p", NewObject().Str("a", "b"), H("X", "1")).Keyed("Idempotency-Key")
	require.Equal(t, &Send{Method: "POST", URL: "/p", Headers: []Header{H("Content-Type", "application/json"), H("X", "1")}, Body: []byte(`{"a":"b"}`),
		SafeToRepeat: true, IdempotencyHeader: "Idempotency-Key"}, s)
	require.Equal(t, &Send{Method: "GET", URL: "/p", SafeToRepeat: true}, JSONSend("GET", "/p", nil))
	require.False(t, JSONSend("POST", "/p", nil).SafeToRepeat)
	require.True(t, JSONSend("POST", "/p", nil).Safe().SafeToRepeat)
	require.Equal(t, &Send{Method: "POST", URL: "/p", Headers: []Header{H("Content-Type", "application/x-www-form-urlencoded")}, Body: []byte("a=b+c")},
		FormSend("/p", NewForm().Add("a", "b c")))
}

func TestAppendJSONString(t *testing.T) {
	require.Equal(t, `x"a\"\\\n\u0001<é`+"\ufffd\"", string(AppendJSONString([]byte("x"), "a\"\\\n\x01<é\xff")))
}

func TestOptionalMembers(t *testing.T) {
	require.Equal(t, `{"n":1,"b":true,"l":["x","y"],"o":{"a":1}}`, NewObject().OptInt("z", 0).OptInt("n", 1).OptBool("f", false).OptBool("b", true).Strs("e").
		Strs("l", "x", "y").OptObj("nil", nil).OptObj("empty", NewObject()).OptObj("o", NewObject().Int("a", 1)).String())
}

func TestMajorIn(t *testing.T) {
	j, err := ParseJSON([]byte(`{"v":"10.50","c":"USD","list":[{"id":1,"x":""},{"id":"2"}]}`))
	require.NoError(t, err)
	usd := &Money{Minor: 1050, Currency: "USD"}
	require.Equal(t, usd, j.MajorIn("v", "c", "USD"))
	require.Equal(t, usd, j.MajorIn("v", "none", "USD"))
	require.Nil(t, j.MajorIn("v", "c", "EUR"))
	list, err := ParseJSON([]byte(`[{"v":"1.00","c":"USD","s":"a"},{"v":2,"c":"USD","s":"a"},{"v":"3","c":"EUR","s":"b"},{"v":"4","s":"c"}]`))
	require.NoError(t, err)
	sum := func(status string) *Money {
		return list.Sum("v", "c", "USD", func(v JSON) bool { return v.Str("s") == status })
	}
	require.Equal(t, &Money{Minor: 300, Currency: "USD"}, sum("a"))
	require.Nil(t, sum("b"), "in another currency")
	require.Nil(t, sum("c"), "in none")
	require.Equal(t, &Money{Currency: "USD"}, sum("d"))
	require.Equal(t, "1", j.Get("list").Where("id", "1").Text("id"))
	require.False(t, j.Get("list").Where("id", "3").Exists())
	require.False(t, j.Get("list").Where("x", "").Exists())
	require.Equal(t, "1", j.Need("list.0.id"))
	require.PanicsWithError(t, "the answer lacks list.0.x", func() { j.Need("list.0.x") })
	require.Equal(t, usd, j.Stated("v", "c", "USD"))
	require.Nil(t, j.Stated("none", "c", "USD"))
	require.Nil(t, j.Stated("v", "c", ""), "of no currency in particular")
	require.PanicsWithError(t, errOtherAmount.Error(), func() { j.Stated("v", "c", "EUR") })
	require.PanicsWithError(t, errOtherAmount.Error(), func() { j.Stated("list", "c", "USD") })
}

func TestDecimals(t *testing.T) {
	d := Decimals{"HUF": 0, "CLF": -1}
	require.Equal(t, []int{0, -1, 2, 0}, []int{d.Of("HUF"), d.Of("CLF"), d.Of("USD"), d.Of("JPY")})
	n, err := d.Scaled(Money{Minor: 1000, Currency: "HUF"})
	require.NoError(t, err)
	require.EqualValues(t, 10, n)
	_, err = d.Scaled(Money{Minor: 1, Currency: "CLF"})
	require.Error(t, err)
	j, err := ParseJSON([]byte(`{"v":10}`))
	require.NoError(t, err)
	require.Equal(t, &Money{Minor: 1000, Currency: "HUF"}, d.Read(j, "v", "HUF"))
}

func TestWebhookEnds(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	deliver := func(body string, exchanges ...Exchange) Result {
		a := &Adapter{Manifest: Manifest{Webhook: &WebhookRule{ToleranceSeconds: 60}}, Webhook: func(c *Call) (*Outcome, error) {
			c.Signed("key", Text("k"), "sig")
			c.FreshAt(now.UnixMilli() + c.Message().Int("age")*1000)
			return Handled(), nil
		}}
		s := &Step{ABI: ABI, Operation: OpWebhook, Now: now.UnixMilli(), Request: Request{Webhook: &WebhookMessage{Body: []byte(body)}}, Exchanges: exchanges}
		if body != "no key" {
			s.Account.Credentials = map[string]string{"key": "k"}
		}
		return a.Step(s)
	}
	verdict := func(right bool) Exchange {
		return Exchange{Verified: &right, RequestHash: VerifyHash(&Verify{Expr: Text("k"), Equal: "sig"})}
	}
	require.Equal(t, 401, deliver("no key").Outcome.Reply.Status)
	require.NotNil(t, deliver("{}").Verify)
	require.Equal(t, 401, deliver("{}", verdict(false)).Outcome.Reply.Status)
	require.Equal(t, 400, deliver("[]", verdict(true)).Outcome.Reply.Status)
	require.Equal(t, 400, deliver("x", verdict(true)).Outcome.Reply.Status)
	require.Equal(t, 401, deliver(`{"age":61}`, verdict(true)).Outcome.Reply.Status)
	require.Equal(t, 401, deliver(`{"age":-61}`, verdict(true)).Outcome.Reply.Status)
	require.Equal(t, 200, deliver(`{"age":-60}`, verdict(true)).Outcome.Reply.Status)
}

// Without a tolerance in the manifest no message is fresh but one of this moment.
func TestFreshAtWithoutTolerance(t *testing.T) {
	for sent, status := range map[int64]int{0: 401, 999: 401, 1000: 200, 1001: 401} {
		a := &Adapter{Webhook: func(c *Call) (*Outcome, error) { c.FreshAt(sent); return Handled(), nil }}
		r := a.Step(&Step{ABI: ABI, Operation: OpWebhook, Now: 1000, Request: Request{Webhook: &WebhookMessage{}}})
		require.Equal(t, status, r.Outcome.Reply.Status, sent)
	}
}

func TestFind(t *testing.T) {
	j, err := ParseJSON([]byte(`{"all":[{"r":"a","id":1},{"r":"b","id":2},{"r":"b","id":3}],"none":[],"text":"x"}`))
	require.NoError(t, err)
	find := func(list, r string, whole bool) Result {
		return operation(func(c *Call) (*Outcome, error) {
			found := c.Find(j.Get(list), whole, func(x JSON) bool { return x.Need("r") == r })
			return &Outcome{Status: StatusCaptured, TransactionID: found.Text("id")}, nil
		})
	}
	for name, k := range map[string]struct {
		got    Result
		status OutcomeStatus
	}{
		"found in a part":     {find("all", "a", false), StatusCaptured},
		"not in a part":       {find("all", "c", false), StatusUnknown},
		"not in the whole":    {find("all", "c", true), StatusNotFound},
		"twice":               {find("all", "b", true), StatusUnknown},
		"an empty whole":      {find("none", "a", true), StatusNotFound},
		"an empty part":       {find("none", "a", false), StatusUnknown},
		"a text":              {find("text", "a", true), StatusUnknown},
		"nothing at the path": {find("other", "a", true), StatusUnknown},
	} {
		require.Equal(t, k.status, k.got.Outcome.Status, name)
	}
	require.Equal(t, "1", find("all", "a", true).Outcome.TransactionID)

	o := operation(func(c *Call) (*Outcome, error) {
		c.Request.TransactionID = "tx_1"
		c.Find(j.Get("none"), true, func(JSON) bool { return true })
		return nil, nil
	}).Outcome
	require.Equal(t, []string{"unknown", "tx_1", AlarmOtherAccount}, []string{string(o.Status), o.TransactionID, o.Raw["alarm"]}, "the processor issued an id")
}

func TestOnly(t *testing.T) {
	j, err := ParseJSON([]byte(`[{"r":"a","id":1},{"r":"b","id":2},{"r":"b","id":3}]`))
	require.NoError(t, err)
	only := func(r string) JSON { return j.Only(func(v JSON) bool { return v.Str("r") == r }) }
	require.EqualValues(t, 1, only("a").Int("id"))
	require.False(t, only("c").Exists())
	require.False(t, JSON{}.Only(func(JSON) bool { return true }).Exists())
	require.PanicsWithError(t, errSeveral.Error(), func() { only("b") })
}
