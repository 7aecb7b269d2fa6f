package account

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMerged: a change by a form keeps what the form does not send, and finds the auth_type that fits all keys.
func TestMerged(t *testing.T) {
	stored := Fields{"connector_account_details": json.RawMessage(`{"auth_type":"SignatureKey","api_key":"a","key1":"b","api_secret":"c"}`),
		"webhook_details": json.RawMessage(`{"webhook_url":"https://old","webhook_password":"p"}`), "list": json.RawMessage(`["a"]`)}
	for sent, want := range map[string]string{
		`{"connector_account_details":{"key1":"new"}}`:                              `{"connector_account_details":{"auth_type":"SignatureKey","api_key":"a","key1":"new","api_secret":"c"}}`,
		`{"connector_account_details":{"key2":"d"}}`:                                `{"connector_account_details":{"auth_type":"MultiAuthKey","api_key":"a","key1":"b","api_secret":"c","key2":"d"}}`,
		`{"connector_account_details":{"auth_type":"HeaderKey","api_key":null}}`:    `{"connector_account_details":{"auth_type":"HeaderKey","api_key":"a","key1":"b","api_secret":"c"}}`,
		`{"webhook_details":{"webhook_url":"https://new","webhook_password":null}}`: `{"webhook_details":{"webhook_url":"https://new","webhook_password":"p"}}`,
		`{"webhook_details":{"webhook_url":""}}`:                                    `{"webhook_details":{"webhook_url":"","webhook_password":"p"}}`,
		`{"list":["b"]}`:                                                            `{"list":["b"]}`,
		`{"other":{"a":1}}`:                                                         `{"other":{"a":1}}`,
	} {
		var in Fields
		require.NoError(t, json.Unmarshal([]byte(sent), &in))
		out, err := stored.merged(in)
		require.NoError(t, err)
		text, err := json.Marshal(map[string]json.RawMessage(out))
		require.NoError(t, err)
		require.JSONEq(t, want, string(text), sent)
	}
	require.Equal(t, authBody, authTypeOf(map[string]json.RawMessage{"api_key": []byte(`"a"`), "key1": []byte(`"b"`), "webhook_secret": []byte(`"c"`)}))
	require.Equal(t, authCertificate, authTypeOf(map[string]json.RawMessage{"certificate": []byte(`"a"`), "private_key": []byte(`"b"`)}))
	require.Equal(t, authNoKey, authTypeOf(nil))
}
