package threeds

import (
	"strings"

	"payswitch/sdk"
)

// Statuses are the values of transStatus.
const statuses = "YNUARCDIS"

// Result reads what an ARes or RReq, or a vendor's answer with EMV's names, says at its top: the status, the ids and what goes with it.
// Fields that are not there leave o as it is, so that an answer of several parts is read part by part. CAVV is set by the caller.
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
	if len(o.ECI) == 1 { // 5 is 05
		o.ECI = "0" + o.ECI
	}
}

// maxExtensions bounds what is kept of a messageExtension.
const maxExtensions = 64 << 10

// holderText is cardholderInfo: a text, or from 2.3.1 an object that holds one.
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

// maxHolderText is twice what EMV allows.
const maxHolderText = 256

// Final says whether o has a transStatus. Where it is one that EMV does not know, o becomes the error that this is.
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

// Message is Final for what is known to be an ARes or RReq: without a transStatus, o becomes the error that this is. Nobody can tell it
// from a refusal.
func Message(o *sdk.AuthenticationOutcome) {
	if !Final(o) {
		protocolError(o, "a message without transStatus", "")
	}
}

func protocolError(o *sdk.AuthenticationOutcome, description, detail string) {
	*o = sdk.AuthenticationOutcome{ServerTransID: o.ServerTransID, Error: &sdk.AuthenticationError{Class: sdk.ErrorProtocol, Code: "trans_status",
		Description: description, Detail: detail}}
}

// Erro reads an error message of EMV's names, class by sdk.EMVErrorClass; nil if j has no errorCode.
func Erro(j sdk.JSON) *sdk.AuthenticationError {
	code := j.Key("errorCode").Text("")
	if code == "" {
		return nil
	}
	return &sdk.AuthenticationError{Class: sdk.EMVErrorClass(code), Code: short(code), Component: short(j.Key("errorComponent").Text("")),
		Description: short(j.Key("errorDescription").Text("")), Detail: short(j.Key("errorDetail").Text(""))}
}

// short bounds a text of an error.
func short(s string) string {
	if runes := []rune(s); len(runes) > 500 {
		return string(runes[:500])
	}
	return s
}

// Refused is the error that an HTTP status says of the account's credentials; nil for other statuses.
func Refused(status int) *sdk.AuthenticationError {
	if status != 401 && status != 403 {
		return nil
	}
	return &sdk.AuthenticationError{Class: sdk.ErrorCredentials, Code: "http_" + sdk.Decimal(int64(status), 0),
		Description: "the authenticator refuses the account's credentials"}
}

// Versions reads acsProtocolVersions: a list of version, threeDSMethodURL and acsInfoInd.
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
