package request

import "strings"

// MethodTypes returns the types of a payment method: the values of payment_method_type that go with it. ach, bacs and open_banking go with two methods.
func MethodTypes(paymentMethod string) []string {
	return strings.Fields(methodTypes[paymentMethod])
}

var methodTypes = map[string]string{
	"card":          "credit debit",
	"card_redirect": "knet benefit momo_atm card_redirect",
	"pay_later":     "affirm alma afterpay_clearpay klarna pay_bright walley atome flexiti breadpay payjustnow",
	"wallet": "bluecode google_pay amazon_pay skrill paysera apple_pay paypal ali_pay ali_pay_hk mb_way mobile_pay we_chat_pay samsung_pay " +
		"go_pay kakao_pay twint gcash vipps momo dana touch_n_go swish cashapp venmo mifinity paze revolut_pay",
	"bank_redirect": "bizum giropay ideal sofort eft eps bancontact_card blik interac local_bank_redirect online_banking_czech_republic " +
		"online_banking_finland online_banking_poland online_banking_slovakia online_banking_fpx online_banking_thailand open_banking_uk " +
		"przelewy24 trustly open_banking",
	"bank_transfer": "multibanco ach sepa_bank_transfer bacs bca_bank_transfer bni_va bri_va cimb_va danamon_va mandiri_va permata_bank_transfer " +
		"pix pix_key pix_emv pix_qr pix_automatico_push pix_automatico_qr pse local_bank_transfer instant_bank_transfer " +
		"instant_bank_transfer_finland instant_bank_transfer_poland indonesian_bank_transfer",
	"bank_debit":        "ach becs sepa bacs sepa_guarenteed_debit eft_debit_order",
	"crypto":            "crypto_currency",
	"upi":               "upi_collect upi_intent upi_qr",
	"real_time_payment": "fps duit_now prompt_pay viet_qr qris",
	"voucher": "boleto efecty pago_efectivo red_compra red_pagos alfamart indomaret seven_eleven lawson mini_stop family_mart seicomart " +
		"pay_easy oxxo",
	"gift_card":      "givex pay_safe_card bhn_card_network",
	"mobile_payment": "direct_carrier_billing",
	"open_banking":   "open_banking_pis open_banking",
	"reward":         "classic evoucher",
	"network_token":  "network_token",
}
