package threeds

import (
	"encoding/json"
	"strings"
	"time"
)

// maxMethodData bounds what is read of a threeDSMethodData field.
const maxMethodData = 4 << 10

// Times of the 3DS method.
const (
	MethodTimeout = 10 * time.Second // from the POST to the method URL; a browser that has heard nothing goes on
	// MethodGrace is how long authenticate waits for a notification that the browser says has been sent: SDKs say so when the frame has
	// loaded, before its script has run.
	MethodGrace = 3 * time.Second
)

// MethodData is the value of the form field threeDSMethodData that the browser posts to the method URL. notificationURL is one that
// CheckNotificationURL takes.
func MethodData(serverTransID, notificationURL string) (string, error) {
	return encodeMessage(struct {
		ServerTransID string `json:"threeDSServerTransID"`
		URL           string `json:"threeDSMethodNotificationURL"`
	}{serverTransID, notificationURL})
}

// AcceptMethodData says whether the threeDSMethodData that came to the notification URL of an authentication may be its: readable, and
// of no other transaction. Some ACSs call the id by another name; then the URL's token is what identifies it.
func AcceptMethodData(text, serverTransID string) bool {
	members, err := decodeMessage(text, maxMethodData)
	if err != nil {
		return false
	}
	for name, raw := range members {
		if !strings.EqualFold(name, "threeDSServerTransID") {
			continue
		}
		var id string
		if json.Unmarshal(raw, &id) != nil || !equalID(id, serverTransID) {
			return false
		}
	}
	return true
}

// MethodRun is what is known of the 3DS method when authenticate is about to be called.
type MethodRun struct {
	Offered    bool // prepare gave a method URL for the version chosen
	Notified   bool // its end was told to our notification URL (or, of an authenticator with events of its own, there)
	Reprepared bool // the session was prepared anew and the method did not run in it
	// Client is threeds_method_comp_ind of the call: Y, N, U or "". It is a hint.
	Client string
	// ClientSignals says that the authenticator tells the end to the page alone (post_message): the client's word is all there is.
	ClientSignals bool
}

// Grace is how long to wait for the notification first.
func (m MethodRun) Grace() time.Duration {
	if m.Offered && !m.Notified && !m.Reprepared && !m.ClientSignals && m.Client == "Y" {
		return MethodGrace
	}
	return 0
}

// Completion is threeDSCompInd: Y completed, N not completed in time, U not offered. The server decides; a client cannot claim Y.
func (m MethodRun) Completion() string {
	switch {
	case !m.Offered:
		return "U"
	case m.Reprepared:
		return "N"
	case m.Notified, m.ClientSignals && m.Client == "Y":
		return "Y"
	}
	return "N"
}
