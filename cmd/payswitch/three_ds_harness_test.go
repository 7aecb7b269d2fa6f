package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator3ds"
)

// authenticateBy gives a merchant's profile an authenticator, and returns its account.
func (r *running) authenticateBy(merchant, key, connector, requestor string) object {
	r.t.Helper()
	account := r.must(key, "/account/"+merchant+"/connectors", object{"connector_type": "authentication_processor", "connector_name": connector,
		"connector_account_details": object{"auth_type": "HeaderKey", "api_key": "demo"},
		"metadata":                  object{"acquirer_bin": "412345", "acquirer_merchant_id": "MID1", "mcc": "5411", "merchant_name": "Shop", "merchant_country_code": "208"}})
	status, list := r.list(key, "/account/"+merchant+"/business_profile")
	require.Equal(r.t, http.StatusOK, status)
	profile, _ := list[0]["profile_id"].(string)
	r.must(key, "/account/"+merchant+"/business_profile/"+profile, object{"authentication_connector_details": object{
		"authentication_connectors": []string{connector}, "three_ds_requestor_url": requestor}})
	return account
}

// securePayment is cardPayment that asks for authentication by the switch, with the development server's card of the digits V, M, A and C.
func securePayment(id, digits string) object {
	o := cardPayment(id)
	o["payment_method_data"].(object)["card"].(object)["card_number"] = simulator3ds.CardNumber(simulator3ds.Visa, digits)
	o["authentication_type"], o["request_external_three_ds_authentication"], o["return_url"] = "three_ds", true, "https://shop.example/return"
	o["billing"] = object{"address": object{"first_name": "Ada", "last_name": "Lovelace", "line1": "1 Main St", "city": "Aarhus", "zip": "8000", "country": "DK"}}
	o["browser_info"] = object{"user_agent": "Mozilla/5.0", "accept_header": "text/html", "language": "en-GB", "color_depth": 24, "screen_height": 900,
		"screen_width": 1440, "time_zone": 0, "java_enabled": false, "java_script_enabled": true, "ip_address": "203.0.113.7"}
	return o
}

// confirmAt has the payer of a challenge enter a code at the development server, and returns what the browser is to bring to where.
func confirmAt(bank string, answer object, otp string) (to, cres string, err error) {
	body, err := json.Marshal(object{"threeDSServerTransID": answer["three_ds_server_trans_id"], "otp": otp})
	if err != nil {
		return "", "", err
	}
	r, err := http.NewRequest(http.MethodPost, bank+"/sim/3ds/complete", bytes.NewReader(body))
	if err != nil {
		return "", "", err
	}
	r.Header.Set("APIKey", "demo")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", "", err
	}
	defer resp.Body.Close()
	var done struct{ NotificationURL, CRes string }
	if err := json.NewDecoder(resp.Body).Decode(&done); err != nil || done.NotificationURL == "" {
		return "", "", fmt.Errorf("the challenge is not over: HTTP %d %w", resp.StatusCode, err)
	}
	return done.NotificationURL, done.CRes, nil
}
