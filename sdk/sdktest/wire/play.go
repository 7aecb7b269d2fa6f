package wire

import (
	"crypto/subtle"
	"strings"

	"payswitch/sdk"
)

// NewStep returns a step of an operation for an adapter's own tests. Its account holds a different text in every field without a default.
func NewStep(m *sdk.Manifest, op sdk.Operation, r sdk.Request) *sdk.Step {
	a := sdk.Account{ID: "mca_wire", Connector: m.Name, Environment: "test", BaseURL: m.Environments["test"].BaseURL, Credentials: map[string]string{}, Config: map[string]string{}}
	for _, f := range m.Credentials {
		a.Credentials[f.Name] = "test_" + f.Name
	}
	for _, f := range m.Config {
		a.Config[f.Name] = "test_" + f.Name
		if f.Default != "" || len(f.Values) > 0 {
			a.Config[f.Name] = f.Default
		}
	}
	return &sdk.Step{ABI: sdk.ABI, Operation: op, OperationID: "op_wire00000000000000000000001", Now: 1_768_472_430_000, Seed: strings.Repeat("5eed", 16),
		DerivePrefix: "dWiReXq7Kd3Tn9Lb5Vc1Rm8Hs4J", Account: a, Request: r}
}

// Answer returns an answer with a JSON body.
func Answer(status int, body string) sdk.Exchange {
	return sdk.Exchange{Sent: true, Status: status, Body: []byte(body), Headers: []sdk.Header{sdk.H("Content-Type", "application/json")}}
}

// Play runs an operation of the adapter and gives it the answers one after the other. Play computes verifies. It returns the sends as they
// would leave, and the last result. A last result with Send means that no answer was left. Play does not change s.
func Play(a *sdk.Adapter, s *sdk.Step, answers ...sdk.Exchange) ([]*sdk.Send, sdk.Result, error) {
	return play(a.Step, s, answers...)
}

func play(take func(*sdk.Step) sdk.Result, s *sdk.Step, answers ...sdk.Exchange) ([]*sdk.Send, sdk.Result, error) {
	step := *s
	step.Exchanges = append([]sdk.Exchange(nil), s.Exchanges...)
	var sends []*sdk.Send
	for {
		result := take(&step)
		x := sdk.Exchange{Now: step.Now}
		switch {
		case result.Verify != nil:
			var message []byte
			if w := s.Request.Webhook; w != nil {
				message = w.Body
			}
			value, err := Evaluate(result.Verify.Expr, message)
			if err != nil {
				return sends, result, err
			}
			same := subtle.ConstantTimeCompare(value, []byte(result.Verify.Equal)) == 1
			x.RequestHash, x.Verified = sdk.VerifyHash(result.Verify), &same
		case result.Send != nil:
			real, err := Substitute(result.Send, nil)
			if err != nil {
				return sends, result, err
			}
			sends = append(sends, real)
			if len(answers) == 0 {
				return sends, result, nil
			}
			x, answers = answers[0], answers[1:]
			x.Now, x.RequestHash = step.Now, sdk.RequestHash(result.Send)
		default:
			return sends, result, nil
		}
		step.Exchanges = append(step.Exchanges, x)
	}
}
