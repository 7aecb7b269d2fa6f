package simulator3ds

import (
	"crypto/sha256"
	"time"

	"github.com/google/uuid"
)

// transaction is one authentication. It begins with preauth, or with auth if there is no preauth. Simulator.mu guards it.
type transaction struct {
	serverTransID, acsTransID, dsTransID string
	account                              account
	card                                 card
	number                               [32]byte // SHA-256 of the card number and the transaction's id
	lastFour                             string
	created                              time.Time

	methodOpened bool // a browser has opened the page of the 3DS method

	request *areq // nil before auth
	status  string
	ended   time.Time // when auth was answered

	challenge challenge
	result    *result // nil before the challenge has ended
}

// challenge is the state of a challenge.
type challenge struct {
	opened, last time.Time // the times of the first CReq and of the browser's last request
	form         string    // a secret that forms of the page must send
	sessionData  string    // threeDSSessionData, which the browser must bring back
	wrong        int       // wrong codes so far
	moves        int       // interactionCounter
}

// result holds the fields of a results request (RReq).
type result struct {
	status, reason, cancel string
	eci, value             string
	from                   time.Time // the time from which the directory server has the result
	cres                   string    // transStatus of the CRes
	fault                  byte      // the digit C of a card that causes a fault, 0 for none
}

// newTransaction stores a transaction. It drops old ones, and the oldest if there are too many. The caller holds mu.
func (s *Simulator) newTransaction(a account, number string, c card) *transaction {
	now := s.opts.Clock()
	for len(s.order) > 0 && (len(s.order) >= s.opts.MaxTransactions || now.Sub(s.order[0].created) > s.patience(keepTime)) {
		old := s.order[0]
		delete(s.transactions, old.serverTransID)
		delete(s.byACS, old.acsTransID)
		delete(s.pushes, old)
		s.order[0], s.order = nil, s.order[1:]
	}
	t := &transaction{serverTransID: uuid.NewString(), acsTransID: uuid.NewString(), account: a, card: c, created: now,
		lastFour: number[len(number)-4:]}
	t.number = t.hash(number)
	s.transactions[t.serverTransID], s.byACS[t.acsTransID] = t, t
	s.order = append(s.order, t)
	return t
}

func (t *transaction) hash(number string) [32]byte {
	return sha256.Sum256([]byte(t.serverTransID + number))
}

// transaction returns the transaction if it belongs to the account, else nil. The caller holds mu.
func (s *Simulator) transaction(a account, id string) *transaction {
	if t := s.transactions[id]; t != nil && t.account == a {
		return t
	}
	return nil
}

// settle ends a challenge whose time is over. The caller holds mu.
func (s *Simulator) settle(t *transaction) {
	now := s.opts.Clock()
	switch c := &t.challenge; {
	case t.result != nil || t.request == nil:
	case t.status == "D" && now.Sub(t.ended) >= s.scaled(decoupledTime):
		s.conclude(t, ofDigit(t.card.challenge))
	case t.status != "C" || t.request.channel != channelBrowser:
	case c.opened.IsZero() && now.Sub(t.ended) > s.patience(firstCReqTime):
		s.conclude(t, result{status: "U", reason: "14", cancel: "05", cres: "N"})
	case !c.opened.IsZero() && now.Sub(c.last) > s.patience(idleTime):
		s.conclude(t, result{status: "N", reason: "14", cancel: "04", cres: "N"})
	}
}

// ofDigit returns the result, by the digit C of the card, of a challenge that needs no code.
func ofDigit(digit byte) result {
	switch digit {
	case '2', '5':
		return result{status: "N", reason: "01", cres: "N"}
	case '6':
		return result{status: "U", reason: "22", cres: "N"}
	}
	return result{status: "Y", cres: "Y"}
}

// conclude ends a challenge with a result: the ACS sends its RReq. It does nothing if the challenge has ended before.
// The caller holds mu.
func (s *Simulator) conclude(t *transaction, r result) {
	if t.result != nil {
		return
	}
	r.from = s.opts.Clock()
	if r.fault == '4' {
		r.from = r.from.Add(s.scaled(lateResult))
	}
	r.eci = eciOf(t.card.scheme, r.status)
	if r.eci != "" && t.request.payment() && r.fault != '8' {
		r.value = cavv(t.dsTransID, r.status)
	}
	t.result = &r
	s.record(t.account, "acs→ds", t.rreq())
}

// rreq returns the results request message (RReq).
func (t *transaction) rreq() message {
	m := t.header("RReq")
	m.set("messageCategory", t.request.category)
	m.set("transStatus", t.result.status)
	m.set("transStatusReason", t.result.reason)
	m.set("challengeCancel", t.result.cancel)
	m.set("eci", t.result.eci)
	m.set("authenticationValue", t.result.value)
	m.set("interactionCounter", two(t.challenge.moves))
	t.setHow(m)
	return m
}

// setHow sets the authentication method: a one-time code, or decoupled.
func (t *transaction) setHow(m message) {
	how := "02"
	if t.status == "D" {
		how = "04"
	}
	if t.request.version == "2.3.1" {
		m["authenticationMethod"] = []string{how}
		return
	}
	m.set("authenticationType", how)
}

// cres returns the final challenge response message (CRes). The browser brings it to the notification URL, so it proves
// nothing.
func (t *transaction) cres() message {
	return message{"messageType": "CRes", "messageVersion": t.request.version, "threeDSServerTransID": t.serverTransID, "acsTransID": t.acsTransID,
		"challengeCompletionInd": "Y", "transStatus": t.result.cres}
}

func two(n int) string {
	n = min(n, 99)
	return string([]byte{'0' + byte(n/10), '0' + byte(n%10)})
}
