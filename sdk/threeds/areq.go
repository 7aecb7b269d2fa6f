// Package threeds is shared by adapters of EMV 3-D Secure authenticators. It makes the fields of an AReq from a request, valid and cleaned up
// as the EMV specification demands (table A.1). It also reads answers that use EMV's names.
//
// The adapter decides where the vendor's messages hold the fields.
package threeds

import (
	"strconv"
	"strings"
	"time"

	"payswitch/sdk"
)

// nonPayment is the messageCategory of an authentication without a payment.
const nonPayment = "02"

// AReq is an authentication request in EMV's values. The request to the vendor leaves out empty texts and nil objects.
type AReq struct {
	Version  string // messageVersion
	Channel  string // deviceChannel: 01 app, 02 browser, 03 3RI
	Category string // messageCategory

	Number string // acctNumber: a stand-in
	Expiry string // cardExpiryDate, YYMM
	// Network is the brand of the authentication: the chosen brand of a co-badged card, or the card's.
	Network sdk.CardNetwork

	ServerTransID    string
	MethodCompletion string // threeDSCompInd; browser
	NotificationURL  string // browser

	AuthenticationInd string   // app and browser
	ThreeRIInd        string   // 3RI
	ChallengeInds     []string // values that the version defines: one before 2.3.1, at most two from 2.3.1
	ChallengeWindow   string   // browser
	DecoupledMaxTime  string   // threeDSRequestorDecMaxTime, five digits; "" allows no decoupled challenge

	Requestor Requestor
	Acquirer  Acquirer
	Merchant  Merchant
	Purchase  *Purchase // nil if the message category has no purchase
	Holder    Cardholder
	Browser   *Browser            // browser
	App       *sdk.AppSDK         // app
	Prior     *sdk.Object         // threeDSRequestorPriorAuthenticationInfo
	Login     *sdk.Object         // threeDSRequestorAuthenticationInfo
	Recurring *sdk.RecurringTerms // only with Purchase

	TransType, AccountType, AccountID     string
	AccountInfo, MerchantRisk, Extensions string // JSON texts
}

// Requestor is the 3DS requestor: the merchant under the name that the scheme knows.
type Requestor struct{ ID, Name, URL, AppURL string }

// Acquirer is the acquirer of the merchant's payments. Country is ISO 3166-1 numeric.
type Acquirer struct{ BIN, MID, Country string }

// Merchant is the seller. Country is ISO 3166-1 numeric.
type Merchant struct{ Name, Country, MCC string }

// Purchase is the amount and time of the purchase.
type Purchase struct {
	Minor                    int64
	Amount                   string // digits in minor units
	Currency, Exponent, Date string // numeric code, one digit, YYYYMMDDHHMMSS in UTC
}

// Names of the config fields that supply data which a request lacks.
const (
	ConfigAcquirerBIN     = "acquirer_bin"
	ConfigAcquirerMID     = "acquirer_merchant_id"
	ConfigAcquirerCountry = "acquirer_country_code"
	ConfigMCC             = "mcc"
	ConfigMerchantName    = "merchant_name"
	ConfigMerchantCountry = "merchant_country_code"
	ConfigRequestorID     = "three_ds_requestor_id"
	ConfigRequestorName   = "three_ds_requestor_name"
)

// Config returns the config fields with which an account supplies data that a request lacks. All are optional.
func Config() []sdk.Field {
	field := func(name, label, help string) sdk.Field {
		return sdk.Field{Name: name, Label: label, Type: "text", Help: help, Optional: true}
	}
	return []sdk.Field{
		field(ConfigAcquirerBIN, "Acquirer BIN", "Needed if neither the profile nor the processor's account has it."),
		field(ConfigAcquirerMID, "Acquirer merchant id", "As above."),
		field(ConfigAcquirerCountry, "Acquirer country", "ISO 3166-1, two letters or three digits. As above."),
		field(ConfigMCC, "Merchant category code", "Four digits. As above."),
		field(ConfigMerchantName, "Merchant name", "As the payer's bank shows it, 40 characters. As above."),
		field(ConfigMerchantCountry, "Merchant country", "ISO 3166-1, two letters or three digits. As above."),
		field(ConfigRequestorID, "3DS requestor id", "Where the authenticator does not know it already."),
		field(ConfigRequestorName, "3DS requestor name", "As above."),
	}
}

// channels of EMV.
var channels = map[sdk.DeviceChannel]string{sdk.ChannelApp: "01", sdk.ChannelBrowser: "02", sdk.Channel3RI: "03"}

// Read makes the AReq of an authenticate operation. The operation's time is the time of the purchase. The error is a *sdk.Reject that names
// a field which EMV demands in this channel and the request lacks.
func Read(c *sdk.Call) (*AReq, error) {
	r := c.Request
	in := r.Authentication
	if in == nil {
		return nil, missing("authentication", "the authentication's data")
	}
	channel, known := channels[in.DeviceChannel]
	if !known {
		return nil, &sdk.Reject{Code: sdk.RejectInvalid, Parameter: "device_channel", Message: "the device channel must be BRW, APP or 3RI"}
	}
	if r.Instrument == nil || r.Instrument.Card == nil {
		return nil, missing("payment_method_data.card", "a card")
	}
	card := r.Instrument.Card
	a := &AReq{Version: in.MessageVersion, Channel: channel, Category: first(in.MessageCategory, "01"), Number: card.Number, Expiry: expiry(card),
		Network: sdk.CardNetwork(first(string(in.Network), string(card.Network))), ServerTransID: in.ServerTransID,
		ChallengeInds: challengeInds(in.MessageVersion, in.ChallengeInds), TransType: in.TransType, AccountType: in.AccountType,
		AccountInfo: object(in.AccountInfo), MerchantRisk: object(in.MerchantRisk), Extensions: array(in.Extensions)}
	if r.Customer != nil {
		a.AccountID = cut(Plain(r.Customer.ID), 64)
	}
	a.parties(c)
	if from22(a.Version) && in.DecoupledMinutes > 0 {
		a.DecoupledMaxTime = digits(min(in.DecoupledMinutes, 10080), 5)
	}
	a.Holder = holder(r)
	if err := a.channelParts(r); err != nil {
		return nil, err
	}
	return a, a.purchase(c)
}

// channelParts fills in the fields of one channel alone.
func (a *AReq) channelParts(r *sdk.Request) error {
	in := r.Authentication
	if in.Prior != nil {
		a.Prior = prior(in.Prior)
	}
	if in.Login != nil {
		a.Login = login(in.Login)
	}
	if a.Channel == "03" {
		if a.ThreeRIInd = in.ThreeRIInd; a.ThreeRIInd == "" {
			return missing("three_ri_indicator", "why the merchant asks without the cardholder")
		}
		if !FromVersion(a.Version, "2.3.1") {
			a.ChallengeInds = nil
		}
		return nil
	}
	a.AuthenticationInd = first(in.AuthenticationInd, "01")
	if a.Channel == "01" {
		if a.App = in.App; a.App == nil {
			return missing("sdk_information", "the app SDK's data")
		}
		return nil
	}
	a.MethodCompletion, a.NotificationURL, a.ChallengeWindow = first(in.MethodCompletion, "U"), in.NotificationURL, in.ChallengeWindow
	if r.Browser == nil {
		return missing("browser_info", "the payer's browser")
	}
	a.Browser = browser(r.Browser, a.Version)
	return nil
}

// parties fills in requestor, acquirer and merchant from the request, else from the account.
func (a *AReq) parties(c *sdk.Call) {
	in, config := c.Request.Authentication, c.Account.Config
	a.Requestor = Requestor{ID: first(in.RequestorID, config[ConfigRequestorID]), Name: cut(Plain(first(in.RequestorName, config[ConfigRequestorName])), 40),
		URL: in.RequestorURL, AppURL: in.RequestorAppURL}
	a.Acquirer = Acquirer{BIN: first(in.AcquirerBIN, config[ConfigAcquirerBIN]), MID: first(in.AcquirerMID, config[ConfigAcquirerMID]),
		Country: Country(first(in.AcquirerCountry, config[ConfigAcquirerCountry]))}
	a.Merchant = Merchant{Name: cut(Plain(first(in.MerchantName, config[ConfigMerchantName])), 40), MCC: first(in.MCC, config[ConfigMCC]),
		Country: Country(first(in.MerchantCountry, config[ConfigMerchantCountry]))}
}

// purchase fills in the purchase. EMV demands it for payments, and for other messages that belong to a series (EMV 3-D Secure, table A.1, purchaseAmount).
func (a *AReq) purchase(c *sdk.Call) error {
	in := c.Request.Authentication
	if a.Category == nonPayment && a.AuthenticationInd != "02" && a.AuthenticationInd != "03" &&
		!strings.Contains(" 01 02 06 07 08 09 11 ", " "+a.ThreeRIInd+" ") {
		return nil
	}
	amount := c.Request.Amount
	exponent, ok := amount.Currency.Exponent()
	if !ok || amount.Minor < 0 {
		return &sdk.Reject{Code: sdk.RejectInvalid, Parameter: "currency", Message: "the currency is unknown, or the amount is negative"}
	}
	a.Purchase = &Purchase{Minor: amount.Minor, Amount: sdk.Decimal(amount.Minor, 0), Currency: amount.Currency.Number(), Exponent: strconv.Itoa(exponent),
		Date: compactTime(c.Now())}
	a.Recurring, a.TransType = in.Recurring, first(a.TransType, "01")
	return nil
}

// RequireParties rejects a payment without the data of acquirer and merchant that EMV demands.
func (a *AReq) RequireParties() error {
	if a.Category == nonPayment {
		return nil
	}
	for _, f := range []struct{ value, config string }{
		{a.Acquirer.BIN, ConfigAcquirerBIN}, {a.Acquirer.MID, ConfigAcquirerMID}, {a.Merchant.Country, ConfigMerchantCountry},
		{a.Merchant.Name, ConfigMerchantName}, {a.Merchant.MCC, ConfigMCC},
	} {
		if f.value == "" {
			return &sdk.Reject{Code: sdk.RejectConfig, Parameter: f.config,
				Message: f.config + " is needed for 3-D Secure: set it in the profile's acquirer configuration, or in the authenticator account's metadata"}
		}
	}
	return nil
}

// FromVersion reports whether a version of the protocol is wanted or a later one. It compares the numbers.
func FromVersion(version, wanted string) bool {
	a, b := strings.Split(version, "."), strings.Split(wanted, ".")
	for i := range b {
		if i >= len(a) {
			return false
		}
		x, err1 := strconv.Atoi(a[i])
		y, err2 := strconv.Atoi(b[i])
		if err1 != nil || err2 != nil {
			return false
		}
		if x != y {
			return x > y
		}
	}
	return true
}

func from22(version string) bool { return FromVersion(version, "2.2.0") }

// challengeInds returns the values that a version defines: 01 to 04 in 2.1.0, to 09 in 2.2.0, to 14 in 2.3.1, which allows two.
func challengeInds(version string, all []string) (out []string) {
	last, most := "04", 1
	switch {
	case FromVersion(version, "2.3.1"):
		last, most = "14", 2
	case from22(version):
		last = "09"
	}
	for _, v := range all {
		if v >= "01" && v <= last && len(v) == 2 && v[1] >= '0' && v[1] <= '9' && len(out) < most {
			out = append(out, v)
		}
	}
	return out
}

func prior(p *sdk.PriorAuthentication) *sdk.Object {
	return sdk.NewObject().OptStr("threeDSReqPriorRef", p.Reference).OptStr("threeDSReqPriorAuthMethod", p.Method).
		OptStr("threeDSReqPriorAuthTimestamp", minute(p.Time)).OptStr("threeDSReqPriorAuthData", cut(p.Data, 2048))
}

func login(l *sdk.RequestorLogin) *sdk.Object {
	return sdk.NewObject().OptStr("threeDSReqAuthMethod", l.Method).OptStr("threeDSReqAuthTimestamp", minute(l.Time)).
		OptStr("threeDSReqAuthData", cut(l.Data, 2048))
}

// minute returns a time as YYYYMMDDHHMM in UTC, "" for no time.
func minute(ms int64) string {
	if ms <= 0 {
		return ""
	}
	return compactTime(time.UnixMilli(ms))[:len("YYYYMMDDHHMM")]
}

// compactTime returns a time as YYYYMMDDHHMMSS in UTC.
func compactTime(t time.Time) string {
	var digits []byte
	for _, b := range []byte(sdk.Stamp(t)) {
		if b-'0' <= 9 {
			digits = append(digits, b)
		}
	}
	return string(digits)
}

func missing(parameter, what string) *sdk.Reject {
	return &sdk.Reject{Code: sdk.RejectMissing, Parameter: parameter, Message: what + " is needed for 3-D Secure"}
}

func first(all ...string) string {
	for _, v := range all {
		if v != "" {
			return v
		}
	}
	return ""
}
