package sdk

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateABI = flag.Bool("update", false, "write the messages of the worked exchange into ABI.md")

// acme is the adapter whose messages ABI.md shows under "A worked exchange".
var acme = Adapter{
	Manifest: Manifest{Name: "acme", Kind: KindProcessor, Resolve: ResolveRule{By: []ResolveBy{ResolveByReference}}},
	Authorize: func(c *Call) (*Outcome, error) {
		r, card := c.Request, c.Request.Instrument.Card
		body := NewObject().Str("reference", r.Reference).Int("amount", r.Amount.Minor).Str("currency", string(r.Amount.Currency)).
			Obj("card", NewObject().Str("number", card.Number).Int("exp_month", int64(card.ExpMonth)).Int("exp_year", int64(card.ExpYear)).Str("cvc", card.CVC))
		answer, err := c.Do(JSONSend("POST", "/v1/payments", body, c.Bearer("api_key")).Keyed("Idempotency-Key"))
		if err != nil {
			return nil, err
		}
		j := answer.JSON()
		if answer.Status != 201 || j.Str("id") == "" || j.Str("state") != "approved" {
			return &Outcome{Status: StatusUnknown, TransactionID: j.Str("id")}, nil
		}
		return &Outcome{Status: StatusAuthorized, TransactionID: j.Str("id"), Amount: j.Money("amount", r.Amount.Currency)}, nil
	},
}

// acmeSteps returns the two steps of ABI.md's worked exchange.
func acmeSteps(t *testing.T) (first, second *Step) {
	first = &Step{
		ABI: ABI, Operation: OpAuthorize, OperationID: "op_7f9e2b4c", Now: 1_760_000_000_123,
		Seed: strings.Repeat("0f1e2d3c", 8), DerivePrefix: "d4Kq81Zt6Ypw93MnvXc2LsRbTg",
		Account: Account{ID: "mca_Tq8Fz1Y2mC", Connector: "acme", Environment: "test", BaseURL: "https://api.acme.example",
			Credentials: map[string]string{"api_key": "s8Fq2Lm5Rt7Yx1Bc3Vn6Zk9Wp"}},
		Request: Request{
			PaymentID: "pay_mbabizu24m", AttemptID: "pay_mbabizu24m_1", Reference: "mbabizu24m", Amount: Money{1050, "USD"}, Capture: CaptureManual,
			Instrument: &Instrument{Card: &Card{Number: "n1Hs4No7Tv9Ab3De5Xp8Bm1Yr", CVC: "c2It5Op8Uw0Bc4Ef6Yq9Cn2Zs", ExpMonth: 3, ExpYear: 2030,
				BIN: "424242", LastFour: "4242", Length: 16, Network: Visa}},
		},
	}
	sent := acme.Step(first).Send
	require.NotNil(t, sent)
	again := *first
	again.Now += 321
	again.Exchanges = []Exchange{{Now: first.Now, RequestHash: RequestHash(sent), RequestCheck: RequestCheck(sent), Sent: true, Status: 201,
		Headers: []Header{H("Content-Type", "application/json")}, Body: []byte(`{"id":"p_81","state":"approved","amount":1050}`)}}
	return first, &again
}

// printed returns a message as ABI.md prints it: the length prefix, the JSON broken into lines, and the bodies.
func printed(message []byte) string {
	text, bodies, err := splitEnvelope(message)
	if err != nil {
		panic(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "% x\n", message[:4])
	line, quoted := 0, false
	for _, c := range text {
		out.WriteByte(c)
		line++
		quoted = quoted != (c == '"')
		if c == ',' && !quoted && line > 90 {
			out.WriteString("\n  ")
			line = 2
		}
	}
	if len(bodies) > 0 {
		out.WriteString("\n\n" + string(bodies))
	}
	return out.String() + "\n"
}

var codeBlock = regexp.MustCompile("(?s)```text\n(.*?)```\n")

// assembled returns the bytes of a message that ABI.md prints: the reverse of printed.
func assembled(t *testing.T, block string) []byte {
	prefix, rest, _ := strings.Cut(block, "\n")
	message, err := hex.DecodeString(strings.ReplaceAll(prefix, " ", ""))
	require.NoError(t, err)
	text, body, _ := strings.Cut(strings.TrimSuffix(rest, "\n"), "\n\n")
	for line := range strings.Lines(text) {
		message = append(message, strings.TrimSpace(line)...)
	}
	return append(message, body...)
}

// TestWorkedExchange reads the four messages of ABI.md's worked exchange as a reader would. They must be what the host and the adapter write, byte for byte.
func TestWorkedExchange(t *testing.T) {
	document, err := os.ReadFile("ABI.md")
	require.NoError(t, err)
	first, second := acmeSteps(t)
	want := [][]byte{EncodeStep(first), acme.Handle(EncodeStep(first)), EncodeStep(second), acme.Handle(EncodeStep(second))}
	if *updateABI {
		i := 0
		document = codeBlock.ReplaceAllFunc(document, func(old []byte) []byte {
			if i == len(want) {
				return old
			}
			i++
			return []byte("```text\n" + printed(want[i-1]) + "```\n")
		})
		require.NoError(t, os.WriteFile("ABI.md", document, 0o600))
	}
	blocks := codeBlock.FindAllSubmatch(document, -1)
	require.GreaterOrEqual(t, len(blocks), len(want), "ABI.md must show four messages")
	for i, message := range want {
		require.Equal(t, string(message), string(assembled(t, string(blocks[i][1]))),
			"message %d of the worked exchange in ABI.md is out of date: run go test ./sdk -run TestWorkedExchange -update", i+1)
	}
	_, err = DecodeStep(assembled(t, string(blocks[2][1])))
	require.NoError(t, err)
	result, err := DecodeResult(assembled(t, string(blocks[3][1])))
	require.NoError(t, err)
	require.Equal(t, StatusAuthorized, result.Outcome.Status)
}
