package message

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// Versions are the message versions that this package knows, oldest first.
var Versions = []string{"2.1.0", "2.2.0", "2.3.1"}

// WindowSizes are the values of challengeWindowSize: 01 250×400 pixels, 02 390×400, 03 500×600, 04 600×400, 05 full screen.
var WindowSizes = []string{"01", "02", "03", "04", "05"}

// EqualID compares transaction ids: UUIDs, with letters in either case. They are not secret, so the comparison need not take constant time.
func EqualID(a, b string) bool { return strings.EqualFold(a, b) }

// maxCRes limits the length of a cres field, in bytes. A message extension alone may have 81,920 bytes.
const maxCRes = 128 << 10

// CReq is the message that the browser posts to the ACS, in the form field "creq", to begin a challenge.
type CReq struct {
	MessageVersion string // that of the AReq
	ServerTransID  string
	ACSTransID     string
	WindowSize     string // as WindowSize returns it
}

// Encode returns the form field's value. Its error names the field that is missing or wrong.
func (c CReq) Encode() (string, error) {
	switch {
	case !slices.Contains(Versions, c.MessageVersion):
		return "", fmt.Errorf("creq: message version %q is not known", c.MessageVersion)
	case c.ServerTransID == "" || c.ACSTransID == "":
		return "", fmt.Errorf("creq: threeDSServerTransID or acsTransID is missing")
	case !slices.Contains(WindowSizes, c.WindowSize):
		return "", fmt.Errorf("creq: window size %q is not one of %v", c.WindowSize, WindowSizes)
	}
	return encodeMessage(struct {
		MessageType         string `json:"messageType"`
		MessageVersion      string `json:"messageVersion"`
		ServerTransID       string `json:"threeDSServerTransID"`
		ACSTransID          string `json:"acsTransID"`
		ChallengeWindowSize string `json:"challengeWindowSize"`
	}{"CReq", c.MessageVersion, c.ServerTransID, c.ACSTransID, c.WindowSize})
}

// CRes is the message that the browser brings back from the ACS: a CRes, or an Erro instead. It is unsigned and proves nothing.
type CRes struct {
	MessageType    string // CRes or Erro in a valid message
	MessageVersion string
	ServerTransID  string
	ACSTransID     string
	TransStatus    string // of a CRes: a hint
	ErrorCode      string // of an Erro
	ErrorComponent string // of an Erro
}

// ParseCRes reads the form field "cres" (some ACSs name it "erro" or "error"). Its only error is ErrMalformed.
func ParseCRes(text string) (CRes, error) {
	members, err := decodeMessage(text, maxCRes)
	if err != nil {
		return CRes{}, err
	}
	var c CRes
	for _, m := range []struct {
		name string
		to   *string
	}{
		{"messageType", &c.MessageType}, {"messageVersion", &c.MessageVersion}, {"threeDSServerTransID", &c.ServerTransID},
		{"acsTransID", &c.ACSTransID}, {"transStatus", &c.TransStatus}, {"errorCode", &c.ErrorCode},
		{"errorComponent", &c.ErrorComponent},
	} {
		if *m.to, err = textOf(members, m.name); err != nil {
			return CRes{}, err
		}
	}
	return c, nil
}

// Session is the result of the check of threeDSSessionData.
type Session int

const (
	SessionAbsent Session = iota // some ACSs drop it
	SessionValid
	SessionInvalid
)

// maxSessionData is EMV's limit for threeDSSessionData, in bytes.
const maxSessionData = 1024

// SessionData returns threeDSSessionData for an authentication: a keyed hash that the ACS sends back with the CRes. nonce is a value stored
// with the authentication, such as its token's hash. The hash holds no personal data.
func SessionData(key []byte, authenticationID string, nonce []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "threeDSSessionData\n%d\n%s\n", len(authenticationID), authenticationID)
	mac.Write(nonce)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// CheckSessionData checks, in constant time, the threeDSSessionData that came back.
func CheckSessionData(key []byte, authenticationID string, nonce []byte, got string) Session {
	got = strings.TrimRight(strings.TrimSpace(got), "=")
	switch {
	case got == "":
		return SessionAbsent
	case len(got) <= maxSessionData && hmac.Equal([]byte(got), []byte(SessionData(key, authenticationID, nonce))):
		return SessionValid
	}
	return SessionInvalid
}

// CResMismatch reports whether the browser's CRes contradicts the result; the result wins. A CRes has only Y and N, so N also stands for A, U
// and R. cres is "" without a CRes.
func CResMismatch(cres, result string) bool {
	switch cres {
	case "Y":
		return result == "N" || result == "R" || result == "U"
	case "N":
		return result == "Y"
	}
	return false
}
