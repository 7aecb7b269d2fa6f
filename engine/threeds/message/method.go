package message

import (
	"encoding/json"
	"strings"
)

// maxMethodData limits the length of a threeDSMethodData field, in bytes.
const maxMethodData = 4 << 10

// MethodData returns the form field threeDSMethodData that the browser posts to the method URL.
func MethodData(serverTransID, notificationURL string) (string, error) {
	return encodeMessage(struct {
		ServerTransID string `json:"threeDSServerTransID"`
		URL           string `json:"threeDSMethodNotificationURL"`
	}{serverTransID, notificationURL})
}

// AcceptMethodData reports whether the threeDSMethodData at the notification URL of an authentication may belong to it: the data is readable
// and names no other transaction. Some ACSs give the id another name; then the URL's token identifies the authentication.
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
		if json.Unmarshal(raw, &id) != nil || !EqualID(id, serverTransID) {
			return false
		}
	}
	return true
}
