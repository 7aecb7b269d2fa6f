package router_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// exportedKeys are the keys of payment routing in the v1 API, each with conditions of every value type that it takes: "type value; …". A bare list of words is an enum's.
var exportedKeys = map[string]string{
	"payment_method": "card card_redirect pay_later wallet bank_redirect bank_transfer crypto bank_debit reward real_time_payment upi voucher gift_card open_banking mobile_payment network_token",
	"card_type":      "credit debit",
	"card_network":   "Visa Mastercard AmericanExpress JCB DinersClub Discover CartesBancaires UnionPay Interac RuPay Maestro Star Pulse Accel Nyce",
	"pay_later":      "affirm afterpay_clearpay alma klarna pay_bright walley flexiti atome breadpay payjustnow",
	"wallet": "bluecode google_pay amazon_pay skrill paysera apple_pay paypal ali_pay ali_pay_hk mb_way mobile_pay we_chat_pay samsung_pay go_pay kakao_pay twint gcash vipps momo dana touch_n_go swish " +
		"cashapp venmo mifinity paze revolut_pay",
	"bank_redirect": "bizum giropay ideal sofort eft eps bancontact_card blik interac local_bank_redirect online_banking_czech_republic online_banking_finland online_banking_poland " +
		"online_banking_slovakia online_banking_fpx online_banking_thailand open_banking_uk przelewy24 trustly open_banking",
	"bank_transfer": "multibanco ach sepa_bank_transfer bacs bca_bank_transfer bni_va bri_va cimb_va danamon_va mandiri_va permata_bank_transfer pix pix_key pix_emv pix_qr pix_automatico_push " +
		"pix_automatico_qr pse local_bank_transfer instant_bank_transfer instant_bank_transfer_finland instant_bank_transfer_poland indonesian_bank_transfer",
	"bank_debit":              "ach eft_debit_order sepa sepa_guarenteed_debit bacs becs",
	"voucher":                 "boleto efecty pago_efectivo red_compra red_pagos alfamart indomaret seven_eleven lawson mini_stop family_mart seicomart pay_easy oxxo",
	"card_redirect":           "benefit knet momo_atm card_redirect",
	"crypto":                  "crypto_currency",
	"reward":                  "classic_reward evoucher",
	"network_token":           "network_token",
	"real_time_payment":       "fps duit_now prompt_pay viet_qr qris",
	"upi":                     "upi_collect upi_intent upi_qr",
	"currency":                "AED EUR USD JPY KWD ZWL",
	"authentication_type":     "three_ds no_three_ds",
	"capture_method":          "automatic manual sequential_automatic manual_multiple scheduled",
	"setup_future_usage":      "on_session off_session",
	"payment_type":            "setup_mandate non_mandate new_mandate update_mandate ppt_mandate",
	"mandate_acceptance_type": "online offline",
	"mandate_type":            "single_use multi_use",
	"transaction_initiator":   "customer merchant",
	"billing_country":         "Germany UnitedStatesOfAmerica CotedIvoire SaintMartinFrenchpart KoreaDemocraticPeoplesRepublic",
	"issuer_country":          "AlandIslands BoliviaPlurinationalState SintMaartenDutchpart",
	"business_country":        "SaintHelenaAscensionAndTristandaCunha",
	"country":                 "Zimbabwe",
	"amount":                  `number 1000; number_array [1, 2]; number_comparison_array [{"comparisonType":"greater_than","number":5},{"comparisonType":"not_equal","number":9}]`,
	"card_bin":                `str_value "424242"`,
	"extended_card_bin":       `str_value "42424242"`,
	"business_label":          `str_value "shop"`,
	"metadata":                `metadata_variant {"key":"udf1","value":"x"}`,
}

// exported is the detail of a configuration as the v1 API shows it, with a rule for each key.
func exported(w *routedWorld) string {
	var rules []string
	rule := func(key, kind, value string) {
		comparisons := []string{"equal", "not_equal"}
		if kind == "number" {
			comparisons = append(comparisons, "less_than", "less_than_equal", "greater_than", "greater_than_equal")
		}
		for _, c := range comparisons {
			rules = append(rules, fmt.Sprintf(`{"name":"%s %s %s","connectorSelection":{"type":"priority","data":[%s,"stripe"]},"statements":[{"condition":[{"lhs":%q,"comparison":%q,
				"value":{"type":%q,"value":%s},"metadata":{"exported":true}},{"lhs":"amount","comparison":"greater_than","value":{"type":"number","value":999999998},"metadata":{}}],"nested":null}]}`,
				key, c, kind, choice("adyen", w.adyen), key, c, kind, value))
		}
	}
	for key, values := range exportedKeys {
		first, _, _ := strings.Cut(values, " ")
		if !strings.HasPrefix(first, "number") && first != "str_value" && first != "metadata_variant" {
			rule(key, "enum_variant", `"`+first+`"`)
			rule(key, "enum_variant_array", `["`+strings.ReplaceAll(values, " ", `","`)+`"]`)
			continue
		}
		for typed := range strings.SplitSeq(values, "; ") {
			kind, value, _ := strings.Cut(typed, " ")
			rule(key, kind, value)
		}
	}
	return `{"id":"routing_A1b2C3d4E5f6G7h8I9j0","profile_id":"` + w.profile + `","name":"exported","description":"of the v1 API","created_at":1718000000,"modified_at":1718000001,"algorithm_for":"payment",
		"algorithm":{"type":"advanced","data":{"defaultSelection":{"type":"volume_split","data":[{"connector":` + choice("stripe", w.stripe) + `,"split":0},{"connector":` + choice("adyen", w.adyen) +
		`,"split":100}]},"metadata":{},"rules":[` + strings.Join(rules, ",") + `]}}}`
}

// TestImportOfAnExport: a configuration that the v1 API shows is accepted as it is, comes back the same, and routes.
func TestImportOfAnExport(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	export := exported(w)
	var sent map[string]any
	require.NoError(t, json.Unmarshal([]byte(export), &sent))
	for range 2 { // the second time it is payswitch's own export
		id := w.post("/routing", export).ok()["id"].(string)
		detail := w.get("/routing/" + id).ok()
		require.Equal(t, sent["algorithm"], detail["algorithm"])
		require.NotEqual(t, sent["id"], detail["id"], "ids are payswitch's own")
		w.post("/routing/"+id+"/activate", "{}").ok()
		require.Equal(t, "adyen", w.post("/payments", with(plain, "routing", "-")).ok()["connector"], "the default selection")
		require.Equal(t, w.adyen, w.post("/payments", with(plain, "routing", "-", "amount", "999999999")).ok()["merchant_connector_id"], "a rule")
		export = text(t, detail)
	}
	for _, kind := range []string{`{"type":"single","data":` + choice("adyen", w.adyen) + `}`, `{"type":"priority","data":[` + choice("adyen", w.adyen) + `,` + choice("stripe", w.stripe) + `]}`,
		`{"type":"volume_split","data":[{"connector":` + choice("adyen", w.adyen) + `,"split":100}]}`} {
		w.activated(kind)
		require.Equal(t, "adyen", w.post("/payments", with(plain, "routing", "-")).ok()["connector"], kind)
	}
}
