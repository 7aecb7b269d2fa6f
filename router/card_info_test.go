package router_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func pemOf(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// opened decrypts a compact JWE as a merchant does.
func opened(t *testing.T, key *rsa.PrivateKey, jwe string) map[string]any {
	t.Helper()
	text := strings.Split(jwe, ".")
	require.Len(t, text, 5)
	var parts [5][]byte
	for i := range text {
		var err error
		parts[i], err = base64.RawURLEncoding.DecodeString(text[i])
		require.NoError(t, err)
	}
	require.JSONEq(t, `{"alg":"RSA-OAEP-256","enc":"A256GCM"}`, string(parts[0]))
	content, err := rsa.DecryptOAEP(sha256.New(), nil, key, parts[1], nil)
	require.NoError(t, err)
	block, err := aes.NewCipher(content)
	require.NoError(t, err)
	gcm, err := cipher.NewGCM(block)
	require.NoError(t, err)
	plain, err := gcm.Open(nil, parts[2], append(parts[3], parts[4]...), []byte(text[0]))
	require.NoError(t, err)
	var card map[string]any
	require.NoError(t, json.Unmarshal(plain, &card))
	return card
}

// TestExtendedCardInfo: with the switch on and a key, the merchant gets the card of the latest confirm, for his key, while it is kept.
func TestExtendedCardInfo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	profile := "/account/m1/business_profile/" + w.profile
	set := func(publicKey, ttl string) {
		body, err := json.Marshal(publicKey)
		require.NoError(t, err)
		c := w.post(profile, `{"extended_card_info_config":{"public_key":`+string(body)+ttl+`}}`).ok()["extended_card_info_config"]
		require.Equal(t, publicKey, c.(map[string]any)["public_key"])
	}
	info := func(id any) response { return w.get("/payments/" + id.(string) + "/extended_card_info") }
	none := func(id any, why string) {
		t.Helper()
		r := info(id)
		require.Equal(t, []any{404, "IR_27", "Extended card info does not exist"}, []any{r.status, r.error()["code"], r.error()["message"]}, why)
	}
	pay := func(changes ...string) any { return w.post("/payments", with(plain, changes...)).ok()["payment_id"] }
	toggle := func(on string) {
		require.Equal(t, map[string]any{"enabled": on == "true"}, w.admin("POST", profile+"/toggle_extended_card_info", `{"enabled":`+on+`}`).ok())
	}
	number, cvc := "payment_method_data.card.card_number", "payment_method_data.card.card_cvc"

	require.Nil(t, w.get(profile).ok()["extended_card_info_config"])
	toggle("true")
	none(pay(), "no configuration")
	toggle("false")
	set(pemOf(t, &key.PublicKey), "")
	require.EqualValues(t, 900, w.get(profile).ok()["extended_card_info_config"].(map[string]any)["ttl_in_secs"])
	require.NotContains(t, w.get(profile).ok(), "is_extended_card_info_enabled")
	w.post(profile+"/toggle_extended_card_info", `{"enabled":true}`).refused(401, "IR_01", "") // the operator's switch: a stolen key of the shop reads no cards
	w.admin("POST", profile+"/toggle_extended_card_info", `{}`).refused(400, "IR_06", "missing field `enabled`")
	w.admin("POST", "/account/m1/business_profile/pro_none/toggle_extended_card_info", `{"enabled":true}`).refused(404, "HE_02", "")
	w.post(profile, `{"is_extended_card_info_enabled":true}`).refused(400, "IR_06", "is_extended_card_info_enabled")
	none(pay(), "the switch is off")
	none("pay_none", "unknown")

	toggle("true")
	id := pay(cvc, `"123"`)
	card := opened(t, key, info(id).ok()["payload"].(string))
	require.Equal(t, []any{"4242424242424242", "123", "Visa", nil}, []any{card["card_number"], card["card_cvc"], card["card_network"], card["bank_code"]})
	for _, field := range []string{"card_exp_month", "card_exp_year", "card_holder_name", "card_issuer", "card_type", "card_issuing_country"} {
		require.Contains(t, card, field)
	}
	require.Len(t, card, 10)
	require.Equal(t, "4242424242424242", opened(t, key, info(id).ok()["payload"].(string))["card_number"], "as often as asked")
	declined := pay(number, `"4000000000000002"`)
	require.Equal(t, "4000000000000002", opened(t, key, info(declined).ok()["payload"].(string))["card_number"], "whatever the result")

	// A second confirm replaces it, and the payer's key opens nothing.
	w.post(profile, `{"is_manual_retry_enabled":true}`).ok()
	w.post("/payments/"+declined.(string)+"/confirm", `{"payment_method":"card","payment_method_type":"credit","payment_method_data":{"card":{"card_number":"5555555555554444","card_exp_month":"10","card_exp_year":"50","card_cvc":"737"}}}`).ok()
	require.Equal(t, "5555555555554444", opened(t, key, info(declined).ok()["payload"].(string))["card_number"])
	w.send("GET", "/payments/"+id.(string)+"/extended_card_info", w.publishable, "").refused(401, "IR_01", "")
	_, other, _ := w.merchant("m2")
	r := w.send("GET", "/payments/"+id.(string)+"/extended_card_info", other, "")
	require.Equal(t, []any{404, "IR_27"}, []any{r.status, r.error()["code"]}, "another merchant's")
	p := w.post("/payments", with(plain, "confirm", "false", "payment_method_data", "-", "payment_method", "-", "payment_method_type", "-")).ok()
	w.post("/payments/"+p["payment_id"].(string)+"/confirm", `{"payment_method":"card","payment_token":"extended_card_info/`+id.(string)+`"}`).refused(422, "IR_29", "")

	// Saved cards: a typed CVC shows the card, a charge without the payer does not.
	saved := w.post("/payments", keeping).ok()["payment_method_id"].(string)
	none(w.post("/payments", charge(saved)).ok()["payment_id"], "the merchant charged")
	token := w.get("/customers/cus_1/payment_methods").ok()["customer_payment_methods"].([]any)[0].(map[string]any)["payment_token"].(string)
	p = w.post("/payments", `{"amount":1000,"currency":"USD","confirm":true,"customer_id":"cus_1","payment_method":"card","payment_token":"`+token+`","card_cvc":"321"}`).ok()
	card = opened(t, key, info(p["payment_id"]).ok()["payload"].(string))
	require.Equal(t, []any{"4242424242424242", "321"}, []any{card["card_number"], card["card_cvc"]})

	toggle("false")
	none(id, "the switch is off again")
	toggle("true")
	info(id).ok()
	w.passes(901 * time.Second)
	none(id, "expired")

	// A bad key stops no payment.
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	for _, bad := range []string{"", "no key", pemOf(t, &small.PublicKey), pemOf(t, &curve.PublicKey), strings.Replace(pemOf(t, &key.PublicKey), "PUBLIC", "PRIVATE", 2),
		"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		set(bad, `,"ttl_in_secs":7200`)
		none(pay(), bad)
	}
	set(string(pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(&key.PublicKey)})), "")
	opened(t, key, info(pay()).ok()["payload"].(string))
	w.post(profile, `{"extended_card_info_config":null}`).ok()
	info(pay()).ok() // null changes nothing
	w.post(profile, `{"extended_card_info_config":{"public_key":"x","ttl_in_secs":7201}}`).refused(400, "IR_06", "ttl_in_secs must be less than or equal to 7200 (2hrs)")
	w.post(profile, `{"extended_card_info_config":{"ttl_in_secs":1}}`).refused(400, "IR_06", "missing field `public_key`")
}
