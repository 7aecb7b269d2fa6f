package simulator3ds

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"time"
)

// message is an EMV 3-D Secure message, or a message of 3dsecure.io in the same form.
type message map[string]any

// set sets a field, unless the value is empty.
func (m message) set(name, value string) {
	if value != "" {
		m[name] = value
	}
}

func (m message) text(name string) string {
	s, _ := m[name].(string)
	return s
}

// header begins a message of the directory server or the ACS about the transaction.
func (t *transaction) header(messageType string) message {
	return message{"messageType": messageType, "messageVersion": t.request.version, "threeDSServerTransID": t.serverTransID, "acsTransID": t.acsTransID,
		"dsTransID": t.dsTransID, "acsReferenceNumber": "PAYSWITCH_SIM_ACS_01", "dsReferenceNumber": "PAYSWITCH_SIM_DS_01", "acsOperatorID": "simulator"}
}

// erro returns an EMV 3-D Secure error message. Component S is the 3DS server, D the directory server, A the ACS.
func erro(code, component, description, detail string) message {
	return message{"messageType": "Erro", "errorCode": code, "errorComponent": component, "errorDescription": description,
		"errorDetail": detail, "messageVersion": "2.2.0"}
}

// endpoint answers one call of the API. The caller holds mu.
type endpoint func(a account, in message) (status int, out any)

// maxBody is the largest number of bytes of a request. An AReq has a few thousand.
const maxBody = 64 << 10

// api wraps an endpoint: it checks the API key, parses the JSON strictly, and logs the messages.
func (s *Simulator) api(handle endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("APIKey")
		if key == "" || strings.HasPrefix(key, "wrong") {
			http.Error(w, "API key is missing or unknown (the simulator accepts every key that does not begin with \"wrong\")", http.StatusUnauthorized)
			return
		}
		a, in := account(sha256.Sum256([]byte(key))), message{}
		if r.Method == http.MethodPost {
			var err error
			if in, err = readMessage(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
				writeMessage(w, http.StatusBadRequest, erro("101", "S", "Message Received Invalid", err.Error()))
				return
			}
		}
		name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		s.mu.Lock()
		if name == "notify-config" {
			in["key"] = key
		} else if r.Method == http.MethodPost {
			s.record(a, "switch→"+name, in)
		}
		status, out := handle(a, in)
		if m, ok := out.(message); ok && r.Method == http.MethodPost {
			s.record(a, name+"→switch", m)
		}
		s.mu.Unlock()
		switch status {
		case hang:
			select {
			case <-time.After(s.scaled(hangTime)):
			case <-r.Context().Done():
			}
			writeMessage(w, http.StatusGatewayTimeout, erro("402", "S", "Transaction Timed Out", "simulated time-out"))
		case http.StatusInternalServerError:
			http.Error(w, "simulated failure", status)
		default:
			writeMessage(w, status, out)
		}
	}
}

// hang is the status of an endpoint that sends no answer.
const hang = -1

func readMessage(body io.Reader) (message, error) {
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil, errors.New("the body is too large or could not be read")
	}
	if bytes.ContainsFunc(raw, func(r rune) bool { return r > '~' }) {
		return nil, errors.New("the message has characters that are not ASCII")
	}
	m := message{}
	if err := decodeObject(raw, &m); err != nil {
		return nil, errors.New("the body is not a JSON object")
	}
	return m, nil
}

// decodeObject reads one JSON object and returns an error if more text follows.
func decodeObject(raw []byte, m *message) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(m); err != nil {
		return err
	}
	if *m == nil || d.More() {
		return errors.New("the text is not exactly one JSON object")
	}
	return nil
}

func writeMessage(w http.ResponseWriter, status int, out any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(out) // it fails only if the caller has gone
}

// encoded returns a message in the form in which browsers carry it: base64url without padding.
func encoded(m message) string {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // a message holds only values that encoding/json accepts
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// decoded parses a message that a browser carries. It refuses a wrong alphabet and padding, because a real ACS would
// not accept them either.
func decoded(text string) (message, error) {
	switch {
	case strings.Contains(text, "="):
		return nil, errors.New("is padded: use base64url without padding")
	case strings.ContainsAny(text, "+/"):
		return nil, errors.New("is standard base64: use the URL alphabet, with - and _")
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) == 0 {
		return nil, errors.New("is not base64url")
	}
	m := message{}
	if decodeObject(raw, &m) != nil {
		return nil, errors.New("is not a JSON object in base64url")
	}
	return m, nil
}

// entry is one message in the log.
type entry struct {
	Time    time.Time `json:"time"`
	What    string    `json:"what"` // "switch→auth", "auth→switch", "acs→ds" …
	Message message   `json:"message"`
	account account
}

// maxLog is the largest number of messages in the log.
const maxLog = 500

// record logs a message without card numbers and authentication values. The caller holds mu.
func (s *Simulator) record(a account, what string, m message) {
	m = maps.Clone(m)
	if n, ok := m["acctNumber"].(string); ok {
		m["acctNumber"] = mask(n)
	}
	for _, secret := range []string{"authenticationValue", "cardSecurityCode", "cardExpiryDate", "sdkEncData", "otp"} {
		if m[secret] != nil {
			m[secret] = "[redacted]"
		}
	}
	if len(s.log) == maxLog {
		s.log = s.log[1:]
	}
	s.log = append(s.log, entry{s.opts.Clock(), what, m, a})
}

func mask(number string) string {
	if len(number) < 13 {
		return "[redacted]"
	}
	return number[:6] + "******" + number[len(number)-4:]
}

// showLog answers with the account's last messages, oldest first.
func (s *Simulator) showLog(a account, _ message) (int, any) {
	list := []entry{}
	for _, e := range s.log {
		if e.account == a {
			list = append(list, e)
		}
	}
	return http.StatusOK, map[string]any{"messages": list}
}
