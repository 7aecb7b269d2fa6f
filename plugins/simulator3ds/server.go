package simulator3ds

import (
	"net/http"
	"slices"
)

// preauth answers the version look-up of 3dsecure.io: CRD, or Erro 305 for a card that is not enrolled.
func (s *Simulator) preauth(a account, in message) (int, any) {
	number := in.text("acctNumber")
	if !isNumber(number) {
		return http.StatusBadRequest, erro("203", "S", "Format of one or more Data Elements is Invalid according to the Specification", "acctNumber")
	}
	c, ok := cardOf(number, s.opts.Others).of(in.text("ds"))
	switch {
	case c.versions == '7':
		return http.StatusInternalServerError, nil
	case c.versions == '8':
		return hang, nil
	case c.versions == '9' || !ok:
		return http.StatusOK, erro("305", "S", "Unknown BIN", "no range for this card")
	}
	t := s.newTransaction(a, number, c)
	versions := c.protocolVersions()
	first, last := versions[0], versions[len(versions)-1]
	var acs []message
	for _, v := range versions {
		one := message{"version": v, "acsInfoInd": []string{"01", "02"}}
		one.set("threeDSMethodURL", s.methodURL(c))
		acs = append(acs, one)
	}
	out := message{"messageType": "CRD", "scheme": string(c.scheme), "threeDSServerTransID": t.serverTransID,
		"dsProtocolVersions": versions, "dsStartProtocolVersion": first, "dsEndProtocolVersion": last,
		"acsProtocolVersions": acs, "acsStartProtocolVersion": first, "acsEndProtocolVersion": last,
		"threeDSServerProtocolVersions": []string{"2.1.0", "2.2.0", "2.3.1"}, "acsInfoInd": []string{"01", "02"}}
	out.set("threeDSMethodURL", s.methodURL(c))
	return http.StatusOK, out
}

func (s *Simulator) methodURL(c card) string {
	if !c.hasMethod() {
		return ""
	}
	return s.opts.PublicURL + "/sim/acs/method"
}

// auth answers an AReq with an ARes.
func (s *Simulator) auth(a account, in message) (int, any) {
	request, refused := check(in)
	if refused != nil {
		return http.StatusBadRequest, refused
	}
	number, id := in.text("acctNumber"), in.text("threeDSServerTransID")
	t := s.transaction(a, id)
	switch {
	case t == nil && s.transactions[id] != nil: // it belongs to another account
		return http.StatusOK, erro("305", "S", "Transaction data not valid", "threeDSServerTransID has been used")
	case id == "" || t == nil && request.channel != channelBrowser: // without a browser, preauth is optional
		c, ok := cardOf(number, s.opts.Others).of(in.text("ds"))
		if !ok || c.versions == '9' {
			return http.StatusOK, erro("305", "D", "Transaction data not valid", "the card is not enrolled in 3-D Secure")
		}
		t = s.newTransaction(a, number, c)
		if id != "" {
			delete(s.transactions, t.serverTransID)
			t.serverTransID = id
			t.number = t.hash(number)
			s.transactions[id] = t
		}
	case t == nil:
		return http.StatusOK, erro("301", "S", "Transaction ID Not Recognized", "threeDSServerTransID is unknown")
	case t.request != nil:
		return http.StatusOK, erro("305", "S", "Transaction data not valid", "threeDSServerTransID has been used")
	case s.opts.Clock().Sub(t.created) > s.patience(sessionTime):
		return http.StatusOK, erro("301", "S", "Transaction ID Not Recognized", "threeDSServerTransID has expired")
	case t.hash(number) != t.number:
		return http.StatusOK, erro("203", "S", "Format of one or more Data Elements is Invalid according to the Specification", "acctNumber differs from preauth")
	}
	if !slices.Contains(t.card.protocolVersions(), request.version) {
		return http.StatusOK, erro("102", "D", "Message Version Number Not Supported", request.version)
	}
	if ind := in.text("threeDSCompInd"); ind == "Y" && !t.methodOpened || ind == "U" && t.card.hasMethod() || ind == "N" && !t.card.hasMethod() {
		return http.StatusOK, erro("203", "D", "Format of one or more Data Elements is Invalid according to the Specification",
			"threeDSCompInd: "+ind+" contradicts what became of the 3DS method")
	}
	t.request, t.ended = request, s.opts.Clock()
	t.dsTransID = dsTransID(t.card, request.amount, request.currency)
	out := s.answer(t)
	if _, asked := s.accounts[a]; asked && (t.status == "C" || t.status == "D") {
		s.pushes[t] = true
	}
	return http.StatusOK, out
}

// answer makes the ARes by the digits A and C of the card.
func (s *Simulator) answer(t *transaction) message {
	if t.request.category == categoryDataOnly { // the scheme itself answers, without an ACS
		return t.ares("U", "80", "04")
	}
	status, reason := "Y", ""
	switch t.card.answer {
	case '1':
		status, reason = "N", "01"
	case '2':
		status = "A"
	case '3':
		status, reason = "R", "11"
	case '4':
		status, reason = "I", ""
	case '5':
		status, reason = "U", map[byte]string{'1': "83", '2': "14", '3': "21"}[t.card.challenge]
		if reason == "" {
			reason = "22"
		}
	case '6':
		return erro("405", "D", "System Connection Failure", "simulated time-out of the directory server")
	case '7':
		status = "C"
	case '8':
		if status = "D"; !t.request.decoupled {
			status, reason = "U", "23"
		}
	case '9':
		return erro("203", "A", "Format of one or more Data Elements is Invalid according to the Specification", "simulated")
	}
	if t.request.version == "2.1.0" && (status == "I" || status == "D") {
		status, reason = "U", "22" // status D exists since 2.2.0
	}
	if status == "C" && t.request.channel == channel3RI {
		status, reason = "N", "87"
	}
	if status == "I" && t.card.scheme == Mastercard {
		reason = "81"
	}
	m := t.ares(status, reason, eciOf(t.card.scheme, status))
	switch {
	case status != "C" || t.card.challenge == '9':
	case t.request.channel == channelApp:
		// The signature has no certificate, so the SDK of an app refuses it. Only /sim/3ds/complete ends such a challenge.
		m["acsSignedContent"] = encoded(message{"alg": "none"}) + "." + encoded(message{"acsTransID": t.acsTransID}) + "."
	default:
		m["acsURL"] = s.opts.PublicURL + "/sim/acs/challenge"
	}
	return m
}

// ares returns the authentication response message (ARes).
func (t *transaction) ares(status, reason, eci string) message {
	t.status = status
	m := t.header("ARes")
	m["transStatus"] = status
	m.set("transStatusReason", reason)
	fault := byte('0')
	if t.card.answer == '0' {
		fault = t.card.challenge
	}
	if fault == '4' {
		eci = eciOf(map[bool]Scheme{true: Visa, false: Mastercard}[t.card.scheme == Mastercard], status)
	}
	if fault != '1' {
		m.set("eci", eci)
	}
	if eci != "" && t.request.payment() && fault != '2' {
		m["authenticationValue"] = cavv(t.dsTransID, status)
	}
	if fault == '3' {
		m["cardholderInfo"] = any("Simulated bank: please update your phone number with us.")
		if t.request.version == "2.3.1" {
			m["cardholderInfo"] = message{"text": m["cardholderInfo"]}
		}
	}
	switch status {
	case "C":
		m["acsChallengeMandated"] = "Y"
		t.setHow(m)
	case "D":
		m["acsChallengeMandated"], m["acsDecConInd"] = "Y", "Y"
		t.setHow(m)
	}
	return m
}

// postauth answers with the RReq of a challenge until resultTime has passed.
func (s *Simulator) postauth(a account, in message) (int, any) {
	t := s.transaction(a, in.text("threeDSServerTransID"))
	unknown := erro("203", "S", "Format of one or more Data Elements is Invalid according to the Specification", "Unknown threeDSServerTransID")
	if t == nil {
		return http.StatusOK, unknown
	}
	s.settle(t)
	switch r := t.result; {
	case r == nil || s.opts.Clock().Before(r.from) || s.accounts[a].only:
		return http.StatusOK, erro("305", "S", "Transaction data not valid", "No RReq has been received")
	case s.opts.Clock().Sub(r.from) > s.patience(resultTime):
		return http.StatusOK, unknown
	}
	return http.StatusOK, t.rreq()
}
