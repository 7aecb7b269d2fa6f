package account

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
)

// Fields are the fields of a JSON object by API name, each as JSON text. A field that was not sent is absent; there are no nulls.
type Fields map[string]json.RawMessage

// Format prints only the names, because some fields are secret.
func (f Fields) Format(s fmt.State, _ rune) { fmt.Fprint(s, slices.Sorted(maps.Keys(f))) }

// LogValue returns only the names.
func (f Fields) LogValue() slog.Value { return slog.AnyValue(slices.Sorted(maps.Keys(f))) }

// Names of fields that the engine uses.
const (
	fieldReturnURL      = "return_url"
	fieldEnableHash     = "enable_payment_response_hash"
	fieldResponseHash   = "payment_response_hash_key"
	fieldRedirectPost   = "redirect_to_merchant_with_http_post"
	fieldWebhook        = "webhook_details"
	fieldThreeDSPolicy  = "external_three_ds_policy"
	fieldBusiness       = "primary_business_details"
	fieldTokenization   = "network_tokenization_credentials"
	fieldWebhookHeaders = "outgoing_webhook_custom_http_headers"
	fieldCredentials    = "connector_account_details"
	fieldWebhookSecrets = "connector_webhook_details"
	fieldWallets        = "connector_wallets_details"
	fieldMerchantData   = "additional_merchant_data"
)

// put copies all fields of others into f. A masked text stands for the secret that f has in its place: a client may send back what it read.
func (f Fields) put(others Fields) {
	for name, v := range others {
		f[name] = unmasked(name, f[name], v)
	}
}

// unmasked returns sent with the secrets of old in place of their masks.
func unmasked(name string, old, sent json.RawMessage) json.RawMessage {
	was := secret.New(string(old))
	mask := shown(name, was)
	if len(old) == 0 || string(mask) == string(old) {
		return sent
	}
	out, changed := secret.Unmasked(secret.New(string(sent)), secret.New(string(mask)), was)
	if !changed {
		return sent
	}
	return json.RawMessage(out.Reveal())
}

// putBusiness stores primary_business_details, as [] for an empty list.
func (f Fields) putBusiness(list []Business) error {
	if list == nil {
		list = []Business{}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return fault.Internal(err, "encode business details")
	}
	f[fieldBusiness] = raw
	return nil
}

// only returns the fields with the given names.
func (f Fields) only(names []string) Fields {
	out := Fields{}
	for _, name := range names {
		if v, ok := f[name]; ok {
			out[name] = v
		}
	}
	return out
}

// into decodes the fields into struct v by its JSON tags.
func (f Fields) into(v any) error {
	raw, err := json.Marshal(f)
	if err != nil {
		return fault.Internal(err, "encode fields")
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fault.Internal(err, "decode fields")
	}
	return nil
}

// split separates the fields that are stored as they are from the fields that are sealed.
func (f Fields) split(private []string) (details json.RawMessage, secrets map[string]secret.Value, err error) {
	open := Fields{}
	secrets = map[string]secret.Value{}
	for name, v := range f {
		if slices.Contains(private, name) {
			secrets[name] = secret.New(string(v))
		} else {
			open[name] = v
		}
	}
	if details, err = json.Marshal(open); err != nil {
		return nil, nil, fault.Internal(err, "encode fields")
	}
	return details, secrets, nil
}

// DetailsOf decodes a stored JSON object. An empty text has no fields.
func DetailsOf(details json.RawMessage) Fields {
	f := Fields{}
	if len(details) > 0 && json.Unmarshal(details, &f) != nil {
		return Fields{} // payswitch wrote the text, so only a damaged row fails to decode
	}
	return f
}

// allFields reverses split.
func allFields(details json.RawMessage, secrets map[string]secret.Value) Fields {
	f := DetailsOf(details)
	for name, s := range secrets {
		f[name] = json.RawMessage(s.Reveal())
	}
	return f
}

// shown returns a private field as answers show it: secrets are masked, personal data is not.
func shown(name string, s secret.Value) json.RawMessage {
	switch name {
	case fieldTokenization, fieldWebhookHeaders, fieldWebhookSecrets, fieldWallets:
		return secret.Masked(s, func(string) bool { return true })
	case fieldCredentials:
		return secret.Masked(s, func(key string) bool { return key != "auth_type" })
	case fieldWebhook:
		return secret.Masked(s, func(key string) bool { return key == "webhook_password" })
	}
	return json.RawMessage(s.Reveal())
}
