package simulator3ds

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"
)

// methodPage is the 3DS method of the ACS. Its page posts to the notification URL; the digit M of the card decides when.
func (s *Simulator) methodPage(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	data, err := decoded(r.FormValue("threeDSMethodData"))
	if err != nil {
		s.show(w, notUnderstood("threeDSMethodData "+err.Error()+"."))
		return
	}
	to := data.text("threeDSMethodNotificationURL")
	if !web(256)(to) {
		s.show(w, notUnderstood("threeDSMethodNotificationURL is not an https URL of at most 256 characters."))
		return
	}
	s.mu.Lock()
	t := s.transactions[data.text("threeDSServerTransID")]
	known := t != nil && t.request == nil && s.opts.Clock().Sub(t.created) <= s.patience(sessionTime) && t.card.hasMethod()
	if known {
		t.methodOpened = true
		s.record(t.account, "browser→acs method", data)
	}
	s.mu.Unlock()
	if !known {
		s.show(w, notUnderstood("threeDSServerTransID is unknown, has expired, or its card has no 3DS method."))
		return
	}
	id, delay := t.serverTransID, time.Duration(0)
	switch t.card.method {
	case '2': // never notifies
		to = ""
	case '3':
		delay = s.scaled(lateMethod)
	case '4':
		id = uuid.NewString()
	}
	s.page(w, http.StatusOK, "method.html", map[string]any{"URL": to, "Delay": delay.Milliseconds(),
		"Data": encoded(message{"threeDSServerTransID": id})})
}

// challengePage takes a challenge request (CReq) and shows the challenge. For some cards it ends the challenge at once.
func (s *Simulator) challengePage(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	creq, err := decoded(r.PostFormValue("creq"))
	if err != nil {
		s.show(w, notUnderstood("creq "+err.Error()+"."))
		return
	}
	s.mu.Lock()
	p := s.challenge(creq, r.PostFormValue("threeDSSessionData"))
	s.mu.Unlock()
	s.show(w, p)
}

// challenge returns the page for a CReq. The caller holds mu.
func (s *Simulator) challenge(creq message, session string) view {
	t := s.byACS[creq.text("acsTransID")]
	if t == nil || t.status != "C" || t.request.channel != channelBrowser || creq.text("threeDSServerTransID") != t.serverTransID {
		return notUnderstood("creq names no known challenge: acsTransID or threeDSServerTransID is wrong.")
	}
	s.record(t.account, "browser→acs challenge", creq)
	s.settle(t)
	if t.result != nil {
		return t.finished()
	}
	c := &t.challenge
	if creq.text("messageType") != "CReq" || creq.text("messageVersion") != t.request.version || !isWindow(creq.text("challengeWindowSize")) || len(session) > 1024 {
		s.conclude(t, result{status: "U", reason: "22", cancel: "06", fault: '7', cres: "N"})
		return t.finished()
	}
	if c.opened.IsZero() {
		c.opened, c.form = s.opts.Clock(), rand.Text()
	}
	c.last, c.sessionData = s.opts.Clock(), session
	if d := t.card.challenge; d == '1' || d == '2' {
		s.conclude(t, ofDigit(d))
		return t.finished()
	}
	return t.ask("", "")
}

// view is a page before it is written.
type view struct {
	status int
	name   string
	data   map[string]any
}

// show writes a page. The caller must not hold mu, because a browser may read slowly.
func (s *Simulator) show(w http.ResponseWriter, v view) { s.page(w, v.status, v.name, v.data) }

// notUnderstood returns a page that names the fault of the request, so that mistakes of an integration are seen.
func notUnderstood(text string) view {
	return view{http.StatusBadRequest, "problem.html", map[string]any{"Text": text}}
}

// ask returns the page that asks for the code. It shows the problem with the last code, or a note.
func (t *transaction) ask(problem, note string) view {
	return view{http.StatusOK, "challenge.html", map[string]any{"Merchant": t.request.merchant, "Amount": t.request.shownAmount(), "Card": t.lastFour,
		"Scheme": t.card.name(), "Transaction": t.acsTransID, "Form": t.challenge.form, "Problem": problem, "Note": note, "Codes": codes}}
}

// maxWrong is the number of wrong codes that ends a challenge.
const maxWrong = 3

// submitPage takes the payer's action: a code, a request for a new code, or cancel. The directory server has the result
// before the browser leaves.
func (s *Simulator) submitPage(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	id, form, action, otp := r.PostFormValue("transaction"), r.PostFormValue("form"), r.PostFormValue("action"), r.PostFormValue("otp")
	s.mu.Lock()
	p := s.submit(id, form, action, otp)
	s.mu.Unlock()
	s.show(w, p)
}

// submit returns the page after the payer's action. The caller holds mu.
func (s *Simulator) submit(id, form, action, otp string) view {
	t := s.byACS[id]
	if t == nil || subtle.ConstantTimeCompare([]byte(t.challenge.form), []byte(form)) != 1 || form == "" {
		return notUnderstood("This challenge is unknown or was forgotten. Please begin the payment again.")
	}
	s.settle(t)
	if t.result != nil {
		return t.finished()
	}
	t.challenge.last = s.opts.Clock()
	t.challenge.moves++
	switch action {
	case "cancel":
		s.conclude(t, cancelled)
	case "resend":
		return t.ask("", "We have sent you a new code. (A simulation: the codes are listed below.)")
	default:
		if problem := s.judge(t, otp); problem != "" {
			return t.ask(problem, "")
		}
	}
	return t.finished()
}

var cancelled = result{status: "N", reason: "26", cancel: "01", cres: "N"}

// otpCode is a one-time code and the result that it leads to.
type otpCode struct{ Code, What string }

// codes are the codes that the challenge page accepts.
var codes = []otpCode{
	{"1234", "authenticated"},
	{"1111", "not authenticated"},
	{"2222", "rejected by the issuer"},
	{"3333", "technical failure"},
	{"6666", "authenticated, without authentication value"},
	{"7777", "attempted"},
	{"0019", "not authenticated with reason 19; 00 and any reason"},
}

// judge evaluates a code. It returns the problem with the code, or "" if the challenge has ended. The caller holds mu.
func (s *Simulator) judge(t *transaction, otp string) (problem string) {
	r := result{status: "N", cres: "N"}
	switch {
	case otp == "1234":
		r = ofDigit(t.card.challenge)
		r.fault, r.cres = t.card.challenge, "Y"
	case otp == "6666":
		r = result{status: "Y", cres: "Y", fault: '8'}
	case otp == "7777":
		r = result{status: "A", cres: "N"}
	case otp == "1111":
		r.reason = "01"
	case otp == "2222":
		r.status, r.reason = "R", "11"
	case otp == "3333":
		r.status, r.reason = "U", "22"
	case len(otp) == 4 && otp[:2] == "00" && allDigits(otp):
		r.reason = otp[2:]
	default:
		if t.challenge.wrong++; t.challenge.wrong < maxWrong {
			return "That code is not right. Please try again."
		}
		r.reason = "19"
	}
	if r.fault == '7' {
		r.status, r.reason, r.cancel, r.cres = "U", "22", "06", "N"
	}
	if r.fault == '6' {
		r.cres = "N"
	}
	s.conclude(t, r)
	return ""
}

// delivery returns the form field that the browser posts to the notification URL, next to the session data. An empty
// name means that the browser posts nothing.
func (t *transaction) delivery() (field, value string) {
	switch t.result.fault {
	case '3':
		return "", ""
	case '7':
		e := erro("101", "A", "Message Received Invalid", "simulated")
		e["threeDSServerTransID"], e["acsTransID"], e["messageVersion"], e["errorMessageType"] = t.serverTransID, t.acsTransID, t.request.version, "CReq"
		return "error", encoded(e)
	}
	return "cres", encoded(t.cres())
}

// finished returns the page that sends the browser back to the notification URL, as often as it is opened.
func (t *transaction) finished() view {
	field, value := t.delivery()
	data := map[string]any{"URL": t.request.notificationURL, "Field": field, "Value": value, "Session": t.challenge.sessionData}
	if u, err := url.Parse(t.request.notificationURL); err == nil {
		data["Host"] = u.Host
	}
	return view{http.StatusOK, "done.html", data}
}

// complete ends a challenge without a browser. The body has threeDSServerTransID, and otp with a code of the page or
// result with "cancel" or "timeout". The answer holds the fields that the payer's browser would post to the
// notification URL.
func (s *Simulator) complete(a account, in message) (int, any) {
	t := s.transaction(a, in.text("threeDSServerTransID"))
	if t == nil || t.status != "C" && t.status != "D" {
		return http.StatusNotFound, erro("301", "A", "Transaction ID Not Recognized", "threeDSServerTransID names no challenge that is under way")
	}
	s.settle(t)
	if t.result == nil {
		switch in.text("result") {
		case "cancel":
			s.conclude(t, cancelled)
		case "timeout":
			s.conclude(t, result{status: "N", reason: "14", cancel: "04", cres: "N"})
		case "":
			t.challenge.moves++
			if problem := s.judge(t, in.text("otp")); problem != "" {
				return http.StatusOK, message{"messageType": "challenge", "message": problem}
			}
		default:
			return http.StatusBadRequest, erro("203", "A", "Format of one or more Data Elements is Invalid according to the Specification", "result must be cancel or timeout, or absent")
		}
	}
	out := message{"messageType": "challenge", "transStatus": t.result.status}
	if field, value := t.delivery(); field != "" && t.request.notificationURL != "" {
		out["notificationURL"] = t.request.notificationURL
		out[field] = value
		out.set("threeDSSessionData", t.challenge.sessionData)
	}
	return http.StatusOK, out
}
