package sdk

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// play runs an operation to its end. It answers every send and verify by calling next.
func play(t *testing.T, a *Adapter, in Step, answer func(i int, r Result) Exchange) (Result, []Result) {
	t.Helper()
	var asked []Result
	for i := range 20 {
		r := a.Step(&in)
		again := a.Step(&in)
		require.Equal(t, r, again, "a step is pure")
		if r.Send == nil && r.Verify == nil {
			return r, asked
		}
		asked = append(asked, r)
		e := answer(i, r)
		e.Now = in.Now
		if r.Send != nil {
			e.RequestHash = RequestHash(r.Send)
		} else {
			e.RequestHash = VerifyHash(r.Verify)
		}
		in.Exchanges = append(in.Exchanges, e)
		in.Now += 1000
	}
	t.Fatal("no end")
	return Result{}, nil
}

func step(op Operation) Step {
	return Step{ABI: ABI, Operation: op, OperationID: "op_1", Now: 1_700_000_000_000, Seed: strings.Repeat("5e", 32), DerivePrefix: "dv9x",
		Account: Account{BaseURL: "https://api.example.com/v1", Credentials: map[string]string{"api_key": "standinkey"}}}
}

func ok(int, Result) Exchange {
	return Exchange{Sent: true, Status: 200, Body: []byte(`{"id":"tx_1"}`)}
}

func TestStraightLine(t *testing.T) {
	var times []int64
	a := &Adapter{Authorize: func(c *Call) (*Outcome, error) {
		times = append(times, c.Now().UnixMilli())
		id := c.ID("ord_")
		key := c.IdempotencyKey()
		r, err := c.Post("/orders", "application/json", NewObject().Str("id", id).Str("key", key).Bytes())
		if err != nil {
			return nil, err
		}
		times = append(times, c.Now().UnixMilli())
		if _, err = c.Get("https://other.example.com/x", H("X-Key", c.IdempotencyKey())); err != nil {
			return nil, err
		}
		return &Outcome{Status: StatusAuthorized, TransactionID: r.JSON().Str("id"), Reference: c.ID("")}, nil
	}}
	r, asked := play(t, a, step(OpAuthorize), ok)
	require.Equal(t, StatusAuthorized, r.Outcome.Status)
	require.Equal(t, "tx_1", r.Outcome.TransactionID)
	require.Len(t, r.Outcome.Reference, 26)
	require.Equal(t, "https://api.example.com/v1/orders", asked[0].Send.URL)
	require.Contains(t, string(asked[0].Send.Body), `"key":"op_1-0"`)
	require.Equal(t, "https://other.example.com/x", asked[1].Send.URL)
	require.Equal(t, "op_1-1", asked[1].Send.Headers[0].Value)
	require.True(t, asked[1].Send.SafeToRepeat)
	require.Equal(t, []int64{1_700_000_000_000, 1_700_000_001_000}, times[len(times)-2:], "each segment keeps its time")
}

func TestRecoverDoesNotBreakTheStop(t *testing.T) {
	a := &Adapter{Authorize: func(c *Call) (o *Outcome, err error) {
		defer func() {
			_ = recover()
			defer func() {
				_ = recover()
				o = &Outcome{Status: StatusCaptured}
			}()
			_, _ = c.Get("/second")
		}()
		_, err = c.Get("/first")
		return &Outcome{Status: StatusCaptured}, err
	}}
	in := step(OpAuthorize)
	r := a.Step(&in)
	require.Nil(t, r.Outcome)
	require.Equal(t, "https://api.example.com/v1/first", r.Send.URL)
}

func TestErrorsAreSafe(t *testing.T) {
	reject := &Reject{Code: RejectMissing, Message: "zip needed", Parameter: "billing.address.zip"}
	for name, c := range map[string]struct {
		fn   Func
		want string
	}{
		"error":      {func(*Call) (*Outcome, error) { return nil, errors.New("boom") }, "boom"},
		"nothing":    {func(*Call) (*Outcome, error) { return nil, nil }, "the adapter returned neither outcome nor error"},
		"panic":      {func(*Call) (*Outcome, error) { panic("boom") }, "panic: boom"},
		"nil map":    {func(c *Call) (*Outcome, error) { c.Request.Metadata["a"] = "b"; return nil, nil }, "panic: assignment to entry in nil map"},
		"nil reject": {func(*Call) (*Outcome, error) { return nil, (*Reject)(nil) }, "the adapter returned a nil reject"},
		"long":       {func(*Call) (*Outcome, error) { return nil, errors.New(strings.Repeat("ä", 200)) }, strings.Repeat("ä", 100)},
		"bad error":  {func(*Call) (*Outcome, error) { panic(badError{}) }, "panic: error without text"},
		"verify":     {func(c *Call) (*Outcome, error) { _, err := c.Verify(Body(), ""); return nil, err }, ErrNoWebhook.Error()},
	} {
		in := step(OpAuthorize)
		r := (&Adapter{Authorize: c.fn}).Step(&in)
		require.NotNil(t, r.Outcome, name)
		require.Equal(t, StatusUnknown, r.Outcome.Status, name)
		require.Equal(t, c.want, r.Outcome.Raw["error"], name)
	}
	in := step(OpAuthorize)
	wrapped := &Adapter{Authorize: func(*Call) (*Outcome, error) { return nil, errors.Join(errors.New("first"), reject) }}
	require.Equal(t, reject, wrapped.Step(&in).Reject)

	late := &Adapter{Authorize: func(c *Call) (*Outcome, error) { _, _ = c.Get("/x"); return nil, reject }}
	r, _ := play(t, late, in, func(int, Result) Exchange { return Exchange{Failure: "connect"} })
	require.NotNil(t, r.Reject, "nothing has left")
	r, _ = play(t, late, in, ok)
	require.Contains(t, r.Outcome.Raw["error"], "reject after sending")
}

type badError struct{}

func (badError) Error() string { panic("again") }

func TestDivergence(t *testing.T) {
	path := "/a"
	a := &Adapter{Sync: func(c *Call) (*Outcome, error) {
		if path == "" {
			return &Outcome{Status: StatusNotFound}, nil
		}
		_, err := c.Get(path)
		return &Outcome{Status: StatusAuthorized}, err
	}}
	in := step(OpSync)
	asked := a.Step(&in).Send
	e := Exchange{Sent: true, Status: 200, RequestHash: RequestHash(asked)}
	in.Exchanges = []Exchange{e}
	require.Equal(t, StatusAuthorized, a.Step(&in).Outcome.Status)
	diverges := func() {
		for _, path = range []string{"/b", ""} {
			r := a.Step(&in)
			require.Equal(t, StatusUnknown, r.Outcome.Status)
			require.Equal(t, "diverged", r.Outcome.Raw["error"])
		}
		path = "/a"
	}
	diverges()
	in.Exchanges[0].RequestHash, in.Exchanges[0].RequestCheck = "", RequestCheck(asked)
	require.Equal(t, StatusAuthorized, a.Step(&in).Outcome.Status)
	diverges()
	verified := true
	in.Exchanges[0].Verified = &verified
	require.Equal(t, "diverged", a.Step(&in).Outcome.Raw["error"], "a verdict answers no send")
}

func TestDerive(t *testing.T) {
	a := &Adapter{Authorize: func(c *Call) (*Outcome, error) {
		inner := c.Derive(Fn(FnHex, Text("x")))
		basic := c.Derive(Basic(inner, ""))
		unused := c.Derive(Text("y"))
		if _, err := c.Get("/plain"); err != nil {
			return nil, err
		}
		_, err := c.Post("/auth", "text/plain", []byte("body"), H("Authorization", "Basic "+basic))
		return &Outcome{Status: StatusAuthorized, Raw: map[string]string{"u": unused}}, err
	}}
	_, asked := play(t, a, step(OpAuthorize), ok)
	require.Empty(t, asked[0].Send.Derive)
	require.Equal(t, []Derivation{{"dv9x0", Fn(FnHex, Text("x"))}, {"dv9x1", Basic("dv9x0", "")}}, asked[1].Send.Derive)
}

func TestVerify(t *testing.T) {
	a := &Adapter{Webhook: func(c *Call) (*Outcome, error) {
		good, err := c.Verify(Fn(FnHMACSHA256, Text(c.Account.Credentials["api_key"]), Body()), "abc")
		if err != nil || !good {
			return &Outcome{Status: StatusUnknown}, err
		}
		return &Outcome{Status: StatusHandled}, nil
	}}
	for _, verdict := range []bool{true, false} {
		r, asked := play(t, a, step(OpWebhook), func(int, Result) Exchange { return Exchange{Verified: &verdict} })
		require.Equal(t, "abc", asked[0].Verify.Equal)
		require.Equal(t, verdict, r.Outcome.Status == StatusHandled)
	}
	r, _ := play(t, a, step(OpWebhook), func(int, Result) Exchange { return Exchange{Failure: "refused"} })
	require.Contains(t, r.Outcome.Raw["error"], "refused")
}

func TestFailures(t *testing.T) {
	var got *ExchangeError
	a := &Adapter{Refund: func(c *Call) (*Outcome, error) {
		_, err := c.Get("/x")
		errors.As(err, &got)
		return nil, err
	}}
	r, _ := play(t, a, step(OpRefund), func(int, Result) Exchange { return Exchange{Sent: true, Failure: "timeout"} })
	require.Equal(t, &ExchangeError{Sent: true, Failure: "timeout"}, got)
	require.Equal(t, StatusUnknown, r.Outcome.Status)
	_, _ = play(t, a, step(OpRefund), func(int, Result) Exchange { return Exchange{} })
	require.Equal(t, &ExchangeError{Failure: "no answer"}, got)
}

func TestTooManySends(t *testing.T) {
	a := &Adapter{Sync: func(c *Call) (*Outcome, error) {
		for {
			if _, err := c.Get("/x"); err != nil {
				return nil, err
			}
		}
	}}
	r, asked := play(t, a, step(OpSync), ok)
	require.Len(t, asked, MaxSends)
	require.Equal(t, ErrTooManySends.Error(), r.Outcome.Raw["error"])
}

func TestManifestListsWhatIsSet(t *testing.T) {
	f := func(*Call) (*Outcome, error) { return nil, nil }
	a := &Adapter{Manifest: Manifest{Name: "x", Operations: []Operation{"nonsense"}}, Webhook: f, Authorize: f, Result: f}
	m, err := DecodeManifest(a.ManifestMessage())
	require.NoError(t, err)
	require.Equal(t, []Operation{OpAuthorize, OpResult, OpWebhook}, m.Operations)
	require.Equal(t, ABI, m.ABI)
	in := step(OpVoid)
	require.Equal(t, RejectUnsupported, a.Step(&in).Reject.Code)
	in.ABI = 2
	require.Equal(t, RejectUnsupported, a.Step(&in).Reject.Code)
}

func TestHandle(t *testing.T) {
	a := &Adapter{Authorize: func(c *Call) (*Outcome, error) {
		_, err := c.Post("/x", "text/plain", []byte("hello"))
		return nil, err
	}}
	in := step(OpAuthorize)
	r, err := DecodeResult(a.Handle(EncodeStep(&in)))
	require.NoError(t, err)
	require.Equal(t, "hello", string(r.Send.Body))
	r, err = DecodeResult(a.Handle([]byte("nonsense")))
	require.NoError(t, err)
	require.Equal(t, StatusUnknown, r.Outcome.Status)
}

func TestIDsAndRandom(t *testing.T) {
	in := step(OpAuthorize)
	c := &Call{step: &in}
	ids := map[string]bool{}
	for range 100 {
		ids[c.ID("p")] = true
	}
	require.Len(t, ids, 100)
	again := &Call{step: &in}
	require.True(t, ids[again.ID("p")])
	other := in
	other.Seed = strings.Repeat("6f", 32)
	require.False(t, ids[(&Call{step: &other}).ID("p")])
	require.Len(t, c.Random(100), 100)
	require.NotEqual(t, c.Random(16), c.Random(16))
	require.Empty(t, c.Random(0))
}

func TestAbsolute(t *testing.T) {
	c := &Call{Account: &Account{BaseURL: "https://a.example/v1"}}
	for in, want := range map[string]string{
		"/x": "https://a.example/v1/x", "x": "https://a.example/v1/x", "": "https://a.example/v1", "?a=b": "https://a.example/v1?a=b",
		"http://b.example/": "http://b.example/", "/r?u=http://c": "https://a.example/v1/r?u=http://c",
	} {
		require.Equal(t, want, c.absolute(in))
	}
}

// TestRequestHash fixes the canonical form, as recorded operations depend on it.
func TestRequestHash(t *testing.T) {
	abi, err := os.ReadFile("ABI.md")
	require.NoError(t, err)
	plain := Send{Method: "GET", URL: "https://a.example/"}
	require.Contains(t, string(abi), "`"+RequestHash(&plain)+"`")
	require.Contains(t, string(abi), "`"+RequestCheck(&plain)+"`")
	require.Contains(t, string(abi), "`"+VerifyHash(&Verify{Expr: Body(), Equal: "x"})+"`")

	full := Send{Method: "POST", URL: "https://a.example/", Headers: []Header{H("A", "b")}, IdempotencyHeader: "I", Body: []byte("body"),
		Derive: []Derivation{{"d0", Basic("u", "p")}}, Capture: []Capture{{"a.b", "c"}}}
	want := "send" + "POST" + "https://a.example/" + "A" + "b" + "I" + "d0" + "basic" + "text" + "u" + "text" + "p" + "a.b" + "c" + "body"
	canonical := []byte{}
	for _, part := range []any{"send", "POST", "https://a.example/", 1, "A", "b", "I", 1, "d0", "basic", "", 2, "text", "u", 0, "text", "p", 0, 1, "a.b", "c", "body"} {
		if s, ok := part.(string); ok {
			canonical = append(appendUint32(canonical, uint32(len(s))), s...)
		} else {
			canonical = appendUint32(canonical, uint32(part.(int)))
		}
	}
	require.Len(t, want, len(canonical)-4*22)
	require.Equal(t, fmt.Sprintf("%x", sha256.Sum256(canonical)), RequestHash(&full))
	check := fnv.New64a()
	_, _ = check.Write(canonical)
	require.Equal(t, fmt.Sprintf("%016x", check.Sum64()), RequestCheck(&full))

	timed := full
	timed.SafeToRepeat, timed.TimeoutMillis = true, 5
	require.Equal(t, RequestHash(&full), RequestHash(&timed))
	for name, change := range map[string]func(s *Send){
		"method": func(s *Send) { s.Method = "PUT" }, "url": func(s *Send) { s.URL += "x" }, "body": func(s *Send) { s.Body = nil },
		"header": func(s *Send) { s.Headers = []Header{H("a", "b")} }, "key": func(s *Send) { s.IdempotencyHeader = "" },
		"derive": func(s *Send) { s.Derive = []Derivation{{"d0", Basic("u", "q")}} }, "capture": func(s *Send) { s.Capture = nil },
	} {
		other := full
		change(&other)
		require.NotEqual(t, RequestHash(&full), RequestHash(&other), name)
		require.NotEqual(t, RequestCheck(&full), RequestCheck(&other), name)
	}
}
