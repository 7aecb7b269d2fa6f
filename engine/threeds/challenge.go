package threeds

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

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
	case !version(c.MessageVersion).known():
		return "", fmt.Errorf("creq: message version %q is not known", c.MessageVersion)
	case c.ServerTransID == "" || c.ACSTransID == "":
		return "", fmt.Errorf("creq: threeDSServerTransID or acsTransID is missing")
	case !slices.Contains(windowSizes, c.WindowSize):
		return "", fmt.Errorf("creq: window size %q is not one of %v", c.WindowSize, windowSizes)
	}
	return encodeMessage(struct {
		MessageType         string `json:"messageType"`
		MessageVersion      string `json:"messageVersion"`
		ServerTransID       string `json:"threeDSServerTransID"`
		ACSTransID          string `json:"acsTransID"`
		ChallengeWindowSize string `json:"challengeWindowSize"`
	}{"CReq", c.MessageVersion, c.ServerTransID, c.ACSTransID, c.WindowSize})
}

var windowSizes = []string{"01", "02", "03", "04", "05"}

// WindowSize returns challengeWindowSize. It is the profile's or, with auto, the one that fits into a viewport of width by height CSS pixels
// (0: unknown). The frame that shows the challenge must have this size: 01 250×400, 02 390×400, 03 500×600, 04 600×400, 05 full screen.
// fullPage is true if the challenge has the page for itself.
func WindowSize(cfg Config, width, height int, fullPage bool) string {
	switch {
	case fullPage:
		return "05"
	case slices.Contains(windowSizes, cfg.ChallengeWindow):
		return cfg.ChallengeWindow
	case width >= 600 && height > 0 && height < 600:
		return "04"
	case width >= 600:
		return "03"
	case width >= 390:
		return "02"
	}
	return "05"
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

// CResReceipt is the effect of a CRes. At most, the engine fetches the result.
type CResReceipt struct {
	Accepted bool
	Next     State
	// Fetch is true if the engine must ask the authenticator for the result now.
	Fetch bool
	Alert Flag // "" for no alert: a replay raises none
}

// ReceiveCRes decides on a CRes that came with the token of an authentication in state s. A CRes of another authentication changes nothing.
// The browser gets the same answer in all cases.
func ReceiveCRes(s State, run Run, c CRes, session Session) CResReceipt {
	ignored := func(alert Flag) CResReceipt { return CResReceipt{Next: s, Alert: alert} }
	switch s {
	case StateChallengePending:
	case StateResultPending, StateDone, StateConsumed, StateExpired, StateBroken:
		return ignored("")
	default:
		return ignored(FlagUnexpectedCRes)
	}
	switch {
	case !c.belongsTo(run):
		return ignored(FlagIDMismatch)
	case session == SessionInvalid:
		return ignored(FlagSessionMAC)
	}
	return CResReceipt{Accepted: true, Next: StateResultPending, Fetch: true}
}

// belongsTo reports whether the message is about this authentication. An Erro may lack the ACS's id and may have another version.
func (c CRes) belongsTo(run Run) bool {
	if run.ServerTransID == "" || !equalID(c.ServerTransID, run.ServerTransID) {
		return false
	}
	switch c.MessageType {
	case "CRes":
		return c.MessageVersion == run.MessageVersion && run.ACSTransID != "" && equalID(c.ACSTransID, run.ACSTransID)
	case "Erro":
		return c.ACSTransID == "" || equalID(c.ACSTransID, run.ACSTransID)
	}
	return false
}
