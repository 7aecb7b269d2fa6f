package router_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/plugins/netcetera"
)

func acquirer(profile, network string, more ...string) string {
	return `{"acquirer_assigned_merchant_id":"M123456789","merchant_name":"NewAge Retailer","network":"` + network + `","acquirer_bin":"456789","profile_id":"` + profile + `"` +
		strings.Join(more, "") + `}`
}

func TestProfileAcquirers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.post("/profile_acquirer", acquirer(w.profile, "VISA", `,"acquirer_ica":"401288","acquirer_fraud_rate":0.010,"acquirer_country_code":"US","is_default":true`)).ok()
	id := made["profile_acquirer_id"].(string)
	require.Regexp(t, "^pro_acq_", id)
	require.Equal(t, map[string]any{"profile_acquirer_id": id, "profile_id": w.profile, "is_default": true, "acquirer_assigned_merchant_id": "M123456789",
		"merchant_name": "NewAge Retailer", "network": "Visa", "acquirer_bin": "456789", "acquirer_ica": "401288", "acquirer_fraud_rate": 0.01,
		"acquirer_country_code": "US"}, made)
	second := w.post("/profile_acquirer", acquirer(w.profile, "Mastercard")).ok()
	require.Equal(t, false, second["is_default"])
	require.Nil(t, second["acquirer_fraud_rate"])
	path := "/profile_acquirer/" + w.profile + "/" + id

	got := w.post(path, `{"merchant_name":"Updated","is_default":false}`).ok()
	require.Equal(t, "Updated", got["merchant_name"])
	require.Equal(t, "456789", got["acquirer_bin"], "what is not sent stays")
	require.Equal(t, false, got["is_default"])
	w.post(path, `{"network":"JCB","acquirer_bin":"1"}`).refused(400, "IR_04", "acquirer_assigned_merchant_id")
	got = w.post(path, `{"network":"JCB","acquirer_bin":"1","acquirer_assigned_merchant_id":"J","merchant_name":"J"}`).ok()
	require.Equal(t, "JCB", got["network"])
	w.post(path, `{"acquirer_bin":"2"}`).refused(400, "IR_04", "network")
	got = w.post(path, `{"is_default":true}`).ok()
	require.Equal(t, true, got["is_default"])
	require.Nil(t, got["network"], "of none in particular")
	require.Equal(t, true, w.post("/profile_acquirer/"+w.profile+"/"+second["profile_acquirer_id"].(string), `{"is_default":true}`).ok()["is_default"])

	p := w.get("/account/m1/business_profile/" + w.profile).ok()
	list := p["acquirer_configs"].([]any)
	require.Len(t, list, 3)
	require.Equal(t, "JCB", list[1].(map[string]any)["network"])
	require.Equal(t, false, list[0].(map[string]any)["is_default"])
	require.Equal(t, true, list[2].(map[string]any)["is_default"])
	bucket := p["acquirer_config_bucket"].(map[string]any)
	require.Equal(t, second["profile_acquirer_id"], bucket["default_acquirer_config"])
	require.Len(t, bucket["configs"].(map[string]any)[id], 2)
	require.Equal(t, "Updated", bucket["configs"].(map[string]any)[id].([]any)[0].(map[string]any)["merchant_name"])
	require.Equal(t, list, w.post("/account/m1/business_profile/"+w.profile, `{"metadata":{"a":1}}`).ok()["acquirer_configs"], "an update of the profile leaves them")

	for body, want := range map[string][2]string{
		acquirer(w.profile, "NOPE"): {"IR_06", "unknown variant `NOPE`"},
		strings.Replace(acquirer(w.profile, "Visa"), `"network":"Visa",`, "", 1):                          {"IR_06", "missing field `network`"},
		acquirer(w.profile, "Visa", `,"acquirer_country_code":"XX"`):                                      {"IR_06", "unknown variant `XX`"},
		acquirer(w.profile, "Visa", `,"acquirer_fraud_rate":"high"`):                                      {"IR_06", "expected a number"},
		acquirer(w.profile, "Visa", `,"unknown":1`):                                                       {"IR_06", "unknown field"},
		strings.Replace(acquirer(w.profile, "Visa"), "M123456789", "", 1):                                 {"IR_04", "acquirer_assigned_merchant_id"},
		strings.Replace(acquirer(w.profile, "Visa"), `"acquirer_bin":"456789",`, `"acquirer_bin":"",`, 1): {"IR_04", "acquirer_bin"},
	} {
		w.post("/profile_acquirer", body).refused(400, want[0], want[1])
	}
	for body, field := range map[string]string{
		strings.Replace(acquirer(w.profile, "Visa"), `"456789"`, `"4567891234567"`, 1):              "acquirer_bin",
		strings.Replace(acquirer(w.profile, "Visa"), `"456789"`, `"45678x"`, 1):                     "acquirer_bin",
		strings.Replace(acquirer(w.profile, "Visa"), "M123456789", strings.Repeat("M", 36), 1):      "acquirer_assigned_merchant_id",
		strings.Replace(acquirer(w.profile, "Visa"), "NewAge Retailer", strings.Repeat("N", 41), 1): "merchant_name",
		acquirer(w.profile, "Visa", `,"acquirer_ica":"ICA"`):                                        "acquirer_ica",
		acquirer(w.profile, "Visa", `,"acquirer_fraud_rate":101`):                                   "acquirer_fraud_rate",
		acquirer(w.profile, "Visa", `,"acquirer_fraud_rate":-0.1`):                                  "acquirer_fraud_rate",
	} {
		w.post("/profile_acquirer", body).refused(422, "IR_06", field)
	}
	w.post("/profile_acquirer", acquirer("pro_none", "Visa")).refused(404, "HE_02", "pro_none")
	w.post("/profile_acquirer/"+w.profile+"/pro_acq_none", `{}`).refused(404, "HE_02", "Profile acquirer does not exist")
	w.send("POST", "/profile_acquirer", w.publishable, acquirer(w.profile, "Visa")).refused(401, "IR_01", "")
	_, other, _ := w.merchant("m2")
	w.send("POST", path, other, `{}`).refused(404, "HE_02", w.profile)
	require.Len(t, w.get("/account/m1/business_profile/" + w.profile).ok()["acquirer_configs"], 3, "what was refused changed nothing")

	for range 30 {
		w.post("/profile_acquirer", acquirer(w.profile, "Visa")).ok()
	}
	w.post("/profile_acquirer", acquirer(w.profile, "Visa")).refused(400, "IR_16", "at most 32")
}

// The authentication request names the acquirer for the card's network to the issuer.
func TestAuthenticationsTellTheAcquirer(t *testing.T) {
	t.Parallel()
	answers := netceteraAnswers()
	w := newVendorWorld(t, netcetera.Adapter(), `{"endpoint_prefix":"acme","mcc":"5411","merchant_name":"Shop","merchant_country_code":"208"}`, answers)
	asked := func(more ...string) map[string]any {
		p, _ := w.invoke("4242424242424242", more...)
		w.authenticate(p, "U")
		m := w.vendor.body(t, "/3ds/authentication")
		tells := m["acquirer"].(map[string]any)
		tells["name"] = m["merchant"].(map[string]any)["merchantName"]
		return tells
	}
	entry := func(bin, mid, name string) map[string]any {
		return map[string]any{"acquirerBin": bin, "acquirerMerchantId": mid, "name": name}
	}
	make := func(network, bin, mid, name, more string) string {
		return w.post("/profile_acquirer", `{"profile_id":"`+w.profile+`","network":"`+network+`","acquirer_bin":"`+bin+`","acquirer_assigned_merchant_id":"`+mid+
			`","merchant_name":"`+name+`"`+more+`}`).ok()["profile_acquirer_id"].(string)
	}
	first := make("MASTERCARD", "510000", "MC1", "Shop MC", `,"is_default":true`)
	second := make("VISA", "410000", "V1", "Shop Visa", `,"acquirer_country_code":"DK"`)
	require.Equal(t, entry("410000", "V1", "Shop Visa"), asked(), "the first with an entry for the network: the default has none")
	w.post("/profile_acquirer/"+w.profile+"/"+first, `{"network":"Visa","acquirer_bin":"420000","acquirer_assigned_merchant_id":"V2","merchant_name":"Shop 2"}`).ok()
	require.Equal(t, entry("420000", "V2", "Shop 2"), asked(), "the default")
	require.Equal(t, entry("410000", "V1", "Shop Visa"), asked(`,"profile_acquirer_id":"`+second+`"`), "the one that the payment names")

	named := func(id string) string { return secure("4242424242424242", `,"profile_acquirer_id":"`+id+`"`) }
	w.post("/payments", named("pro_acq_none")).refused(404, "HE_02", "Profile acquirer")
	third := make("JCB", "430000", "J1", "Shop JCB", "")
	w.post("/payments", named(third)).refused(400, "IR_16", "no entry for the card network Visa")

	// The acquirer of the processor's account comes first, unless the payment names another.
	accounts, err := w.engine.Accounts(t.Context(), w.auth)
	require.NoError(t, err)
	_, err = w.engine.UpdateAccount(t.Context(), w.auth, accounts[0].ID, account.AccountInput{
		Metadata: json.RawMessage(`{"acquirer_details":{"acquirer_bin":"499999","acquirer_merchant_id":"P1","acquirer_country_code":"DE"}}`)})
	require.NoError(t, err)
	got := asked()
	require.Equal(t, "499999", got["acquirerBin"])
	require.Equal(t, "P1", got["acquirerMerchantId"])
	require.Equal(t, entry("410000", "V1", "Shop Visa"), asked(`,"profile_acquirer_id":"`+second+`"`))
}
