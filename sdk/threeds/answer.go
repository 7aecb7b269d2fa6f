package threeds

import (
	"strings"

	"payswitch/sdk"
)

// statuses holds the values of transStatus.
const statuses = "YNUARCDIS"

// Result reads the top-level fields of an ARes, an RReq, or a vendor's answer with EMV's names: status, ids and the rest. A missing field
// leaves o unchanged, so that the caller can read an answer of several parts part by part. The caller sets CAVV.
func Result(j sdk.JSON, o *sdk.AuthenticationOutcome) {
	set := func(to *string, names ...string) {
		for _, name := range names {
			if v := j.Key(name).Text(""); v != "" {
				*to = v
				return
			}
		}
	}
	set(&o.TransStatus, "transStatus")
	set(&o.TransStatusReason, "transStatusReason")
	set(&o.ECI, "eci")
	set(&o.MessageVersion, "messageVersion")
	set(&o.ServerTransID, "threeDSServerTransID")
	set(&o.DSTransID, "dsTransID")
	set(&o.ACSTransID, "acsTransID")
	set(&o.ACSReference, "acsReferenceNumber")
	set(&o.DSReference, "dsReferenceNumber")
	set(&o.AuthenticationType, "authenticationType")
	set(&o.ACSURL, "acsURL")
	set(&o.ACSSignedContent, "acsSignedContent")
	set(&o.ChallengeMandated, "acsChallengeMandated")
	set(&o.ChallengeCancel, "challengeCancel")
	set(&o.InteractionCounter, "interactionCounter")
	set(&o.ExemptionApplied, "transChallengeExemption")
	set(&o.TrustListStatus, "trustListStatus", "whiteListStatus")
	if j.Key("acsDecConInd").Text("") == "Y" {
		o.DecoupledConfirmed = true
	}
	if v := j.Key("acsRenderingType"); v.IsObject() {
		o.ACSRenderingType = v.Raw("")
	}
	if v := j.Key("messageExtension"); v.IsArray() && len(v.Raw("")) <= maxExtensions {
		o.Extensions = v.Raw("")
	}
	if text := holderText(j.Key("cardholderInfo")); text != "" {
		o.CardholderInfo = text
	}
	if len(o.ECI) == 1 { // some vendors write 5 for 05
		o.ECI = "0" + o.ECI
	}
}

// maxExtensions is the greatest length of a stored messageExtension in bytes.
const maxExtensions = 64 << 10

// holderText returns cardholderInfo: a text, or from 2.3.1 an object with a text.
func holderText(j sdk.JSON) string {
	text := j.Str("")
	for _, v := range j.Members() {
		if text == "" {
			text = v.Str("")
		}
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxHolderText {
		text = string(runes[:maxHolderText])
	}
	return strings.TrimSpace(text)
}

// maxHolderText is twice EMV's limit in bytes.
const maxHolderText = 256

// Final reports whether o has a transStatus. It turns o into an error if EMV does not define the transStatus.
func Final(o *sdk.AuthenticationOutcome) bool {
	switch {
	case o.TransStatus == "":
		return false
	case len(o.TransStatus) == 1 && strings.Contains(statuses, o.TransStatus):
		return true
	}
	detail := o.TransStatus
	if len(detail) > 32 {
		detail = detail[:32]
	}
	protocolError(o, "a transStatus that EMV 3-D Secure does not have", detail)
	return true
}

// Message is Final for an ARes or RReq. Without a transStatus it turns o into an error, as the message could be a refusal.
func Message(o *sdk.AuthenticationOutcome) {
	if !Final(o) {
		protocolError(o, "a message without transStatus", "")
	}
}

func protocolError(o *sdk.AuthenticationOutcome, description, detail string) {
	*o = sdk.AuthenticationOutcome{ServerTransID: o.ServerTransID, Error: &sdk.AuthenticationError{Class: sdk.ErrorProtocol, Code: "trans_status",
		Description: description, Detail: detail}}
}

// Erro reads an error message with EMV's names. sdk.EMVErrorClass gives the class. Erro returns nil if j has no errorCode.
func Erro(j sdk.JSON) *sdk.AuthenticationError {
	code := j.Key("errorCode").Text("")
	if code == "" {
		return nil
	}
	return &sdk.AuthenticationError{Class: sdk.EMVErrorClass(code), Code: short(code), Component: short(j.Key("errorComponent").Text("")),
		Description: short(j.Key("errorDescription").Text("")), Detail: short(j.Key("errorDetail").Text(""))}
}

// short cuts a text of an error.
func short(s string) string {
	if runes := []rune(s); len(runes) > 500 {
		return string(runes[:500])
	}
	return s
}

// Refused returns the error of an HTTP status that refuses the account's credentials, nil for other statuses.
func Refused(status int) *sdk.AuthenticationError {
	if status != 401 && status != 403 {
		return nil
	}
	return &sdk.AuthenticationError{Class: sdk.ErrorCredentials, Code: "http_" + sdk.Decimal(int64(status), 0),
		Description: "the authenticator refuses the account's credentials"}
}

// Versions reads acsProtocolVersions: a list of objects with version, threeDSMethodURL and acsInfoInd.
func Versions(list sdk.JSON) (all []sdk.ProtocolVersion) {
	for v := range list.All() {
		version := v.Str("version")
		if version == "" {
			continue
		}
		p := sdk.ProtocolVersion{Version: version, MethodURL: v.Str("threeDSMethodURL")}
		for info := range v.Get("acsInfoInd").All() {
			if text := info.Str(""); text != "" {
				p.ACSInfo = append(p.ACSInfo, text)
			}
		}
		all = append(all, p)
	}
	return all
}
