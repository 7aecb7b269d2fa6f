package router

import (
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// The closed lists of the API. Error messages name the values in this order.

// currencies are the codes of ISO 4217, in upper case.
var currencies = sdk.Currencies()

// countries are the two-letter codes of ISO 3166-1.
var countries = []string{
	"AF", "AX", "AL", "DZ", "AS", "AD", "AO", "AI", "AQ", "AG", "AR", "AM", "AW", "AU", "AT", "AZ", "BS", "BH", "BD",
	"BB", "BY", "BE", "BZ", "BJ", "BM", "BT", "BO", "BQ", "BA", "BW", "BV", "BR", "IO", "BN", "BG", "BF", "BI", "KH",
	"CM", "CA", "CV", "KY", "CF", "TD", "CL", "CN", "CX", "CC", "CO", "KM", "CG", "CD", "CK", "CR", "CI", "HR", "CU",
	"CW", "CY", "CZ", "DK", "DJ", "DM", "DO", "EC", "EG", "SV", "GQ", "ER", "EE", "ET", "FK", "FO", "FJ", "FI", "FR",
	"GF", "PF", "TF", "GA", "GM", "GE", "DE", "GH", "GI", "GR", "GL", "GD", "GP", "GU", "GT", "GG", "GN", "GW", "GY",
	"HT", "HM", "VA", "HN", "HK", "HU", "IS", "IN", "ID", "IR", "IQ", "IE", "IM", "IL", "IT", "JM", "JP", "JE", "JO",
	"KZ", "KE", "KI", "KP", "KR", "KW", "KG", "LA", "LV", "LB", "LS", "LR", "LY", "LI", "LT", "LU", "MO", "MK", "MG",
	"MW", "MY", "MV", "ML", "MT", "MH", "MQ", "MR", "MU", "YT", "MX", "FM", "MD", "MC", "MN", "ME", "MS", "MA", "MZ",
	"MM", "NA", "NR", "NP", "NL", "NC", "NZ", "NI", "NE", "NG", "NU", "NF", "MP", "NO", "OM", "PK", "PW", "PS", "PA",
	"PG", "PY", "PE", "PH", "PN", "PL", "PT", "PR", "QA", "RE", "RO", "RU", "RW", "BL", "SH", "KN", "LC", "MF", "PM",
	"VC", "WS", "SM", "ST", "SA", "SN", "RS", "SC", "SL", "SG", "SX", "SK", "SI", "SB", "SO", "ZA", "GS", "SS", "ES",
	"LK", "SD", "SR", "SJ", "SZ", "SE", "CH", "SY", "TW", "TJ", "TZ", "TH", "TL", "TG", "TK", "TO", "TT", "TN", "TR",
	"TM", "TC", "TV", "UG", "UA", "AE", "GB", "UM", "UY", "UZ", "VU", "VE", "VN", "VG", "VI", "WF", "EH", "YE", "ZM",
	"ZW", "US",
}

// paymentMethodTypes are the kinds within a payment method. Accounts may list all of them; payments take the kinds of cards alone.
var paymentMethodTypes = []string{
	"ach", "affirm", "afterpay_clearpay", "alfamart", "ali_pay", "ali_pay_hk", "alma", "amazon_pay", "paysera",
	"apple_pay", "atome", "bacs", "bancontact_card", "becs", "benefit", "bizum", "blik", "bluecode", "boleto",
	"bca_bank_transfer", "bni_va", "breadpay", "bri_va", "bhn_card_network", "card_redirect", "cimb_va", "classic",
	"credit", "crypto_currency", "cashapp", "dana", "danamon_va", "debit", "duit_now", "efecty", "eft", "eft_debit_order",
	"eps", "flexiti", "fps", "evoucher", "giropay", "givex", "google_pay", "go_pay", "gcash", "ideal", "interac",
	"indomaret", "klarna", "kakao_pay", "local_bank_redirect", "mandiri_va", "knet", "mb_way", "mobile_pay", "momo",
	"momo_atm", "multibanco", "online_banking_thailand", "online_banking_czech_republic", "online_banking_finland",
	"online_banking_fpx", "online_banking_poland", "online_banking_slovakia", "oxxo", "pago_efectivo",
	"permata_bank_transfer", "open_banking_uk", "pay_bright", "payjustnow", "paypal", "paze", "pix", "pix_key", "pix_emv",
	"pix_qr", "pix_automatico_qr", "pix_automatico_push", "pay_safe_card", "przelewy24", "prompt_pay", "pse", "qris",
	"red_compra", "red_pagos", "samsung_pay", "sepa", "sepa_bank_transfer", "sepa_guarenteed_debit", "skrill", "sofort",
	"swish", "touch_n_go", "trustly", "twint", "upi_collect", "upi_intent", "upi_qr", "vipps", "viet_qr", "venmo",
	"walley", "we_chat_pay", "seven_eleven", "lawson", "mini_stop", "family_mart", "seicomart", "pay_easy",
	"local_bank_transfer", "mifinity", "open_banking_pis", "direct_carrier_billing", "instant_bank_transfer",
	"instant_bank_transfer_finland", "instant_bank_transfer_poland", "revolut_pay", "indonesian_bank_transfer",
	"open_banking", "network_token",
}

var paymentExperiences = []string{
	"redirect_to_url", "invoke_sdk_client", "display_qr_code", "one_click", "link_wallet", "invoke_payment_app",
	"display_wait_screen", "collect_otp",
}

var (
	paymentMethods = []string{
		"card", "card_redirect", "pay_later", "wallet", "bank_redirect", "bank_transfer", "crypto", "bank_debit", "reward",
		"real_time_payment", "upi", "voucher", "gift_card", "open_banking", "mobile_payment", "network_token",
	}
	cardNetworks = []sdk.CardNetwork{
		sdk.Visa, sdk.Mastercard, sdk.AmericanExpress, sdk.JCB, sdk.DinersClub, sdk.Discover, sdk.CartesBancaires, sdk.UnionPay,
		sdk.Interac, sdk.RuPay, sdk.Maestro, sdk.Star, sdk.Pulse, sdk.Accel, sdk.Nyce,
	}
	captureMethods = []payment.CaptureMethod{
		payment.CaptureAutomatic, payment.CaptureManual, payment.CaptureManualMultiple, payment.CaptureScheduled, payment.CaptureSequentialAutomatic,
	}
	authenticationTypes  = []payment.AuthenticationType{payment.AuthenticationThreeDS, payment.AuthenticationNoThreeDS}
	futureUsages         = []sdk.CredentialUsage{sdk.UsageOffSession, sdk.UsageOnSession}
	paymentTypes         = []string{"normal", "new_mandate", "setup_mandate", "recurring_mandate", "installment"}
	paymentChannels      = []string{"ecommerce", "mail_order", "telephone_order", "other"}
	mitCategories        = []sdk.MITCategory{sdk.MITInstallment, sdk.MITUnscheduled, sdk.MITRecurring, sdk.MITResubmission}
	scaExemptions        = []sdk.Exemption{sdk.ExemptionLowValue, sdk.ExemptionRiskAnalysis}
	taxStatuses          = []string{"taxable", "exempt"}
	tokenizations        = []string{"skip_psp", "tokenize_at_psp"}
	retryActions         = []string{"manual_retry", "requeue"}
	surchargeStrategies  = []string{"apply", "waive"}
	acceptanceTypes      = []string{"online", "offline"}
	completionIndicators = []string{"Y", "N", "U"}
	deviceChannels       = []string{"APP", "BRW"}
	transactionStatuses  = []string{"Y", "N", "U", "A", "R", "C", "D", "I"}
	recurringTypes       = []request.RecurringType{
		"mandate_id", "payment_method_id", "processor_payment_token", "network_transaction_id_and_card_details",
		"network_transaction_id_and_network_token_details", "network_transaction_id_and_decrypted_wallet_token_details",
		"card_with_limited_data",
	}
	// otherInstruments are the keys of payment_method_data other than card and card_token.
	otherInstruments = []string{
		"card_redirect", "wallet", "pay_later", "bank_redirect", "bank_debit", "bank_transfer", "real_time_payment", "crypto",
		"mandate_payment", "reward", "upi", "voucher", "gift_card", "open_banking", "mobile_payment", "network_token",
	}
)
