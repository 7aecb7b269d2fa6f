package account

import (
	"encoding/json"
	"maps"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
)

// fieldEarlierHeaders is a private field of a profile that the API does not have: the webhook headers that the profile had before, oldest first.
const fieldEarlierHeaders = "earlier_webhook_headers"

// earlierKept is the number of changes of its webhook headers that a profile remembers.
const earlierKept = 20

// earlierHeaders are the webhook headers that a profile had until a change: payment_response_hash_key and outgoing_webhook_custom_http_headers. The json names
// are storage format.
type earlierHeaders struct {
	Until time.Time       `json:"until"`
	Key   json.RawMessage `json:"key,omitempty"`
	Own   json.RawMessage `json:"own,omitempty"`
}

// WebhookHeadersAt returns what an opened profile put on its webhooks at a time: the key of X-Webhook-Signature-512, absent for none, and the merchant's own
// headers by name. The millisecond of a change counts as before it. Of a time before the last earlierKept changes it returns the oldest that it remembers.
func (p *Profile) WebhookHeadersAt(at time.Time) (key secret.Value, own map[string]secret.Value) {
	for _, e := range p.earlierHeaders() {
		if !at.After(e.Until) {
			return secret.TextOf(secret.New(string(e.Key))), secret.Leaves(secret.New(string(e.Own)))
		}
	}
	return p.ResponseHash, p.Settings.WebhookHeaders
}

func (p *Profile) earlierHeaders() (list []earlierHeaders) {
	_ = json.Unmarshal([]byte(p.Private[fieldEarlierHeaders].Reveal()), &list) // absent: none
	return list
}

// rememberHeaders notes the webhook headers that a change of a profile ends. before are the profile's private fields before the change.
func (p *Profile) rememberHeaders(before map[string]secret.Value) error {
	key, own := before[fieldResponseHash], before[fieldWebhookHeaders]
	same := secret.TextOf(key).Reveal() == secret.TextOf(p.Private[fieldResponseHash]).Reveal() &&
		maps.EqualFunc(secret.Leaves(own), secret.Leaves(p.Private[fieldWebhookHeaders]), func(a, b secret.Value) bool { return a.Reveal() == b.Reveal() })
	if same || !p.ModifiedAt.After(p.CreatedAt) { // a new profile has no earlier headers
		return nil
	}
	list := append(p.earlierHeaders(), earlierHeaders{Until: p.ModifiedAt, Key: json.RawMessage(key.Reveal()), Own: json.RawMessage(own.Reveal())})
	raw, err := json.Marshal(list[max(0, len(list)-earlierKept):])
	if err != nil {
		return fault.Internal(err, "encode "+fieldEarlierHeaders)
	}
	p.Private[fieldEarlierHeaders] = secret.New(string(raw))
	return nil
}
