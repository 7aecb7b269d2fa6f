package rule

import (
	"slices"
	"strings"
	"sync"

	"payswitch/sdk"
)

// Key is a fact of a payment that a rule compares: the lhs of a comparison. The zero value is no key.
type Key uint8

// The keys. Each has its name in the API in the table below.
const (
	NoKey Key = iota
	PaymentMethod
	CardType
	CardNetwork
	PayLater
	Wallet
	UPI
	BankRedirect
	BankTransfer
	BankDebit
	Crypto
	Reward
	Voucher
	CardRedirect
	RealTimePayment
	NetworkToken
	Currency
	AuthenticationType
	CaptureMethod
	SetupFutureUsage
	PaymentType
	AcceptanceType
	MandateType
	Initiator
	BillingCountry
	IssuerCountry
	BusinessCountry
	AcquirerCountry
	CardDiscovery
	DevicePlatform
	DeviceType
	DeviceDisplay
	enumKeys // the keys before have one value of a closed list

	Amount
	FraudRate
	CardBIN
	ExtendedBIN
	BusinessLabel
	IssuerName
	Metadata
	lastKey
)

// Purpose is what a program decides. A program may use the keys of its purpose alone.
type Purpose uint8

// The purposes.
const (
	Routing      Purpose = 1 << iota // the account of a payment
	Manager                          // the authentication type, for all payments of a merchant
	Surcharge                        // the surcharge
	ThreeDSecure                     // the 3-D Secure decision, for the payments of a profile
)

func (p Purpose) String() string {
	return map[Purpose]string{Routing: "payment routing", Manager: "the 3DS decision manager", Surcharge: "surcharge decisions",
		ThreeDSecure: "3DS decision rules"}[p]
}

// kind is the type of a key's values.
type kind uint8

const (
	enumKind kind = iota
	numberKind
	textKind
	metadataKind
)

// keyFacts are what is true of a key.
type keyFacts struct {
	name     string
	kind     kind
	purposes Purpose
	digits   int      // the exact number of digits of a text; 0: any text
	decimals int      // how many decimals a number may have
	values   []string // the values of an enum, in the order of their codes from 1 on
}

var keyTable = [lastKey]keyFacts{
	PaymentMethod:      {name: "payment_method", purposes: Routing | Manager | Surcharge, values: words(methodValues)},
	CardType:           {name: "card_type", purposes: Routing | Manager, values: words("credit debit")},
	CardNetwork:        {name: "card_network", purposes: Routing | Manager | Surcharge | ThreeDSecure, values: words(networkValues)},
	PayLater:           {name: "pay_later", purposes: Routing | Surcharge, values: words(payLaterValues)},
	Wallet:             {name: "wallet", purposes: Routing | Surcharge, values: words(walletValues)},
	UPI:                {name: "upi", purposes: Routing, values: words("upi_collect upi_intent upi_qr")},
	BankRedirect:       {name: "bank_redirect", purposes: Routing | Surcharge, values: words(bankRedirectValues)},
	BankTransfer:       {name: "bank_transfer", purposes: Routing | Surcharge, values: words(bankTransferValues)},
	BankDebit:          {name: "bank_debit", purposes: Routing | Surcharge, values: words("ach eft_debit_order sepa sepa_guarenteed_debit bacs becs")},
	Crypto:             {name: "crypto", purposes: Routing | Surcharge, values: words("crypto_currency")},
	Reward:             {name: "reward", purposes: Routing, values: words("classic_reward evoucher")},
	Voucher:            {name: "voucher", purposes: Routing, values: words(voucherValues)},
	CardRedirect:       {name: "card_redirect", purposes: Routing, values: words("benefit knet momo_atm card_redirect")},
	RealTimePayment:    {name: "real_time_payment", purposes: Routing | Surcharge, values: words("fps duit_now prompt_pay viet_qr qris")},
	NetworkToken:       {name: "network_token", purposes: Routing | Manager, values: words("network_token")},
	Currency:           {name: "currency", purposes: Routing | Manager | Surcharge | ThreeDSecure, values: currencyValues()},
	AuthenticationType: {name: "authentication_type", purposes: Routing, values: words("three_ds no_three_ds")},
	CaptureMethod: {name: "capture_method", purposes: Routing | Manager,
		values: words("automatic manual sequential_automatic manual_multiple scheduled")},
	SetupFutureUsage: {name: "setup_future_usage", purposes: Routing, values: words("on_session off_session")},
	PaymentType:      {name: "payment_type", purposes: Routing, values: words("setup_mandate non_mandate new_mandate update_mandate ppt_mandate")},
	AcceptanceType:   {name: "mandate_acceptance_type", purposes: Routing, values: words("online offline")},
	MandateType:      {name: "mandate_type", purposes: Routing, values: words("single_use multi_use")},
	Initiator:        {name: "transaction_initiator", purposes: Routing, values: words("customer merchant")},
	BillingCountry:   {name: "billing_country", purposes: Routing | Manager | Surcharge, values: countryValues()},
	IssuerCountry:    {name: "issuer_country", purposes: Routing | ThreeDSecure, values: countryValues()},
	BusinessCountry:  {name: "business_country", purposes: Routing | Manager, values: countryValues()},
	AcquirerCountry:  {name: "acquirer_country", purposes: ThreeDSecure, values: countryValues()},
	CardDiscovery:    {name: "card_discovery", purposes: ThreeDSecure, values: words("manual saved_card click_to_pay")},
	DevicePlatform:   {name: "customer_device_platform", purposes: ThreeDSecure, values: words("web android ios")},
	DeviceType:       {name: "customer_device_type", purposes: ThreeDSecure, values: words("mobile tablet desktop gaming_console")},
	DeviceDisplay:    {name: "customer_device_display_size", purposes: ThreeDSecure, values: displayValues()},
	Amount:           {name: "amount", kind: numberKind, purposes: Routing | Manager | Surcharge | ThreeDSecure},
	FraudRate:        {name: "acquirer_fraud_rate", kind: numberKind, purposes: ThreeDSecure, decimals: 6},
	CardBIN:          {name: "card_bin", kind: textKind, purposes: Routing, digits: 6},
	ExtendedBIN:      {name: "extended_card_bin", kind: textKind, purposes: Routing, digits: 8},
	BusinessLabel:    {name: "business_label", kind: textKind, purposes: Routing},
	IssuerName:       {name: "issuer_name", kind: textKind, purposes: ThreeDSecure},
	Metadata:         {name: "metadata", kind: metadataKind, purposes: Routing | Manager | Surcharge},
}

const (
	methodValues = "card card_redirect pay_later wallet bank_redirect bank_transfer crypto bank_debit reward real_time_payment upi voucher " +
		"gift_card open_banking mobile_payment network_token"
	networkValues = "Visa Mastercard AmericanExpress JCB DinersClub Discover CartesBancaires UnionPay Interac RuPay Maestro Star Pulse Accel Nyce"

	payLaterValues = "affirm afterpay_clearpay alma klarna pay_bright walley flexiti atome breadpay payjustnow"
	walletValues   = "bluecode google_pay amazon_pay skrill paysera apple_pay paypal ali_pay ali_pay_hk mb_way mobile_pay we_chat_pay samsung_pay " +
		"go_pay kakao_pay twint gcash vipps momo dana touch_n_go swish cashapp venmo mifinity paze revolut_pay"
	bankRedirectValues = "bizum giropay ideal sofort eft eps bancontact_card blik interac local_bank_redirect online_banking_czech_republic " +
		"online_banking_finland online_banking_poland online_banking_slovakia online_banking_fpx online_banking_thailand open_banking_uk " +
		"przelewy24 trustly open_banking"
	bankTransferValues = "multibanco ach sepa_bank_transfer bacs bca_bank_transfer bni_va bri_va cimb_va danamon_va mandiri_va permata_bank_transfer " +
		"pix pix_key pix_emv pix_qr pix_automatico_push pix_automatico_qr pse local_bank_transfer instant_bank_transfer " +
		"instant_bank_transfer_finland instant_bank_transfer_poland indonesian_bank_transfer"
	voucherValues = "boleto efecty pago_efectivo red_compra red_pagos alfamart indomaret seven_eleven lawson mini_stop family_mart seicomart " +
		"pay_easy oxxo"
	displaySizes = "320x568 375x667 390x844 414x896 428x926 768x1024 834x1112 834x1194 1024x1366 1280x720 1366x768 1440x900 1920x1080 " +
		"2560x1440 3840x2160 500x600 600x400 360x640 412x915 800x1280"
)

var words = strings.Fields

func currencyValues() (out []string) {
	for _, c := range sdk.Currencies() {
		out = append(out, string(c))
	}
	return out
}

// countryValues returns the long names of countries.
var countryValues = sync.OnceValue(func() (out []string) {
	for i, w := range strings.Fields(countryNames) {
		if i%2 == 1 {
			out = append(out, w)
		}
	}
	return out
})

func displayValues() (out []string) {
	for _, s := range strings.Fields(displaySizes) {
		out = append(out, "size"+s)
	}
	return out
}

// codes has the codes of every enum's values, and of the two letters of countries.
var codes = sync.OnceValue(func() (out [enumKeys]map[string]uint8) {
	alpha := map[string]uint8{}
	for i, w := range strings.Fields(countryNames) {
		if i%2 == 0 {
			alpha[w] = uint8(i/2 + 1)
		}
	}
	alpha2 = alpha
	for k := range out {
		out[k] = make(map[string]uint8, len(keyTable[k].values))
		for i, v := range keyTable[k].values {
			out[k][v] = uint8(i + 1)
		}
	}
	return out
})

// CountryLetters returns the two letters of a country that is named by its three digits (ISO 3166-1). Any other text comes back as it is.
func CountryLetters(code string) string {
	if letters, numeric := countriesByNumber()[code]; numeric {
		return letters
	}
	return code
}

var countriesByNumber = sync.OnceValue(func() map[string]string {
	codes()
	m := make(map[string]string, len(alpha2))
	for letters := range alpha2 {
		m[sdk.CountryNumber(letters)] = letters
	}
	return m
})

// alpha2 has the codes of countries by their two letters. codes sets it.
var alpha2 map[string]uint8

func (k Key) facts() *keyFacts { return &keyTable[k] }

// Name returns the key's name in the API.
func (k Key) Name() string { return keyTable[k].name }

// KeyNamed finds a key that programs of a purpose may use, by its name in the API. It returns NoKey for another name.
func KeyNamed(name string, p Purpose) Key {
	if name == "country" {
		name = "business_country"
	}
	for k := NoKey + 1; k < lastKey; k++ {
		if f := &keyTable[k]; f.name == name && f.name != "" && f.purposes&p != 0 {
			return k
		}
	}
	return NoKey
}

// KeyNames lists the keys of a purpose, in alphabetical order.
func KeyNames(p Purpose) (out []string) {
	for k := NoKey + 1; k < lastKey; k++ {
		if f := &keyTable[k]; f.name != "" && f.purposes&p != 0 {
			out = append(out, f.name)
		}
	}
	slices.Sort(out)
	return out
}
