package scrub

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// A payment's id stays as it is, even with a network's first digits, a card number's length and a right check digit. One in ten ids of that
// length has one. A payment with a masked id cannot be captured, and with a masked network id it cannot be charged again.
func TestIDsStay(t *testing.T) {
	for name, layout := range map[string]string{
		"a reference":         `{"pspReference":"%s","status":"ok"}`,
		"the network's":       `{"card":{"network_transaction_id":"%s"}}`,
		"a number":            `{"transactionId": %s,"a":1}`,
		"in an object":        `{"network_transaction_reference":{"id":"%s"}}`,
		"a form":              "response=1&transactionid=%s&cvvresponse=M",
		"XML":                 "<x><networkTransId>%s</networkTransId></x>",
		"escaped":             `{"data":"{\"transactionId\":\"%s\"}"}`,
		"Adyen's":             `{"additionalData":{"networkTxReference":"%s"}}`,
		"of a scheme":         `{"scheme":{"reference":"%s"}}`,
		"with spaces between": "{\n  \"id\" : \"%s\"\n}",
	} {
		t.Run(name, func(t *testing.T) {
			for _, id := range []string{"5555555555554444", "371449635398431", "6011111111111117"} {
				for _, c := range []Scrubber{classScrubber("424242", "4242", 16), classScrubber("", "", 0)} { // an answer, a webhook
					text := fmt.Sprintf(layout, id)
					seen, known := c.Text(text, &sdk.Send{})
					require.Equal(t, text, seen)
					require.False(t, known)
				}
			}
		})
	}
	c := classScrubber("424242", "4242", 16)
	for _, text := range []string{`{"threeDSServerTransID":"08ce02e1-2f09-00fd-4242-424242424242"}`, `{"href":"/payments/08ce02e1-2f09-00fd-5555-555555554444/captures"}`} {
		other := classScrubber("411111", "1111", 16)
		seen, _ := other.Text(text, nil)
		require.Equal(t, text, seen, "a UUID that ends with digits")
	}
	// Other cards are masked as before, and the own card is masked under any name.
	for _, text := range []string{`{"number":"5555555555554444"}`, `{"id":"bad 5555555555554444"}`, `{"id":"x","pan":"5555555555554444"}`, `{"id":"4242424242424242"}`} {
		seen, _ := c.Text(text, nil)
		require.NotEqual(t, text, seen)
	}
	c = classScrubber("", "", 0)
	c.names = NamesOf(&sdk.Manifest{Placements: []sdk.Placement{{Secret: SecretNumber, In: sdk.InBody, Field: "card.id"}}})
	seen, _ := c.Text(`{"id":"5555555555554444"}`, nil)
	require.Equal(t, `{"id":"555555******4444"}`, seen, "under a name that card numbers are sent under")
}
