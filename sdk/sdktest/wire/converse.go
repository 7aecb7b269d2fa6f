package wire

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"payswitch/sdk"
)

// Converse runs an operation of the adapter against a server. It sends every request through the client as the host would, with the value of
// the idempotency header. The BaseURL of the step's account is the server's address. Converse returns the last result and does not change s.
func Converse(a *sdk.Adapter, s *sdk.Step, client *http.Client) (sdk.Result, error) {
	var answers []sdk.Exchange
	for {
		sends, end, err := Play(a, s, answers...)
		if err != nil || end.Send == nil {
			return end, err
		}
		answer, err := exchange(sends[len(sends)-1], client, fmt.Sprintf("%s-%d", s.OperationID, len(sends)))
		if err != nil {
			return end, err
		}
		answers = append(answers, answer)
	}
}

func exchange(s *sdk.Send, client *http.Client, key string) (sdk.Exchange, error) {
	r, err := http.NewRequest(s.Method, s.URL, bytes.NewReader(s.Body))
	if err != nil {
		return sdk.Exchange{}, fmt.Errorf("wire: make the request: %w", err)
	}
	for _, h := range s.Headers {
		r.Header.Add(h.Name, h.Value)
	}
	if s.IdempotencyHeader != "" {
		r.Header.Set(s.IdempotencyHeader, key)
	}
	answer, err := client.Do(r)
	if err != nil {
		return sdk.Exchange{}, fmt.Errorf("wire: send: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return sdk.Exchange{}, fmt.Errorf("wire: read the answer: %w", err)
	}
	x := sdk.Exchange{Sent: true, Status: answer.StatusCode, Body: body}
	for name, values := range answer.Header {
		x.Headers = append(x.Headers, sdk.H(name, values[0]))
	}
	slices.SortFunc(x.Headers, func(a, b sdk.Header) int { return strings.Compare(a.Name, b.Name) })
	return x, nil
}
