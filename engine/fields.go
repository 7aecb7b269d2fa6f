package engine

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
)

// Fields are an object's fields by API name, each as JSON text. What was not sent is absent; there are no nulls.
type Fields map[string]json.RawMessage

// Format shows the names alone: some fields are secret.
func (f Fields) Format(s fmt.State, _ rune) { fmt.Fprint(s, slices.Sorted(maps.Keys(f))) }

// LogValue shows the names alone.
func (f Fields) LogValue() slog.Value { return slog.AnyValue(slices.Sorted(maps.Keys(f))) }

// Names of fields that the engine acts on.
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

// put takes over all fields of others.
func (f Fields) put(others Fields) {
	for name, v := range others {
		f[name] = v
	}
}

// putBusiness keeps primary_business_details, [] when there are none.
func (f Fields) putBusiness(list []Business) error {
	if list == nil {
		list = []Business{}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return Internal(err, "encode business details")
	}
	f[fieldBusiness] = raw
	return nil
}

// only are the fields of the given names.
func (f Fields) only(names []string) Fields {
	out := Fields{}
	for _, name := range names {
		if v, ok := f[name]; ok {
			out[name] = v
		}
	}
	return out
}

// into decodes the fields that struct v has tags for.
func (f Fields) into(v any) error {
	raw, err := json.Marshal(f)
	if err != nil {
		return Internal(err, "encode fields")
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return Internal(err, "decode fields")
	}
	return nil
}

// split parts the fields into what is stored as it is and what is sealed.
func (f Fields) split(private []string) (details json.RawMessage, secrets map[string]Secret, err error) {
	open := Fields{}
	secrets = map[string]Secret{}
	for name, v := range f {
		if slices.Contains(private, name) {
			secrets[name] = NewSecret(string(v))
		} else {
			open[name] = v
		}
	}
	if details, err = json.Marshal(open); err != nil {
		return nil, nil, Internal(err, "encode fields")
	}
	return details, secrets, nil
}

// detailsOf reads a stored JSON object; an empty one is no fields.
func detailsOf(details json.RawMessage) Fields {
	f := Fields{}
	if len(details) > 0 && json.Unmarshal(details, &f) != nil {
		return Fields{} // written by us: only a damaged row gets here, and it has nothing to show
	}
	return f
}

// allFields undoes split.
func allFields(details json.RawMessage, secrets map[string]Secret) Fields {
	f := detailsOf(details)
	for name, s := range secrets {
		f[name] = json.RawMessage(s.Reveal())
	}
	return f
}

// shown is a private field as answers show it: what is a secret comes masked, what is only personal as it is.
func shown(name string, s Secret) json.RawMessage {
	switch name {
	case fieldTokenization, fieldWebhookHeaders, fieldWebhookSecrets, fieldWallets:
		return masked(s, func(string) bool { return true })
	case fieldCredentials:
		return masked(s, func(key string) bool { return key != "auth_type" })
	case fieldWebhook:
		return masked(s, func(key string) bool { return key == "webhook_password" })
	}
	return json.RawMessage(s.Reveal())
}
