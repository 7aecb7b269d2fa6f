package evidence

import (
	"net/http"

	"payswitch/sdk"
)

// provenNotDone reports whether the answers prove that a capture or void was not done: the processor refused its one request with HTTP 429, before it
// looked at the request. first is false if the request was sent before: then the refusal says nothing about the earlier send.
func provenNotDone(kind sdk.Operation, exchanges []sdk.Exchange, first bool) bool {
	if kind != sdk.OpCapture && kind != sdk.OpVoid || !first {
		return false
	}
	sends, refused := 0, false
	for i := range exchanges {
		if x := &exchanges[i]; x.Verified == nil {
			sends++
			refused = x.Status == http.StatusTooManyRequests && x.Failure == ""
		}
	}
	return sends == 1 && refused
}
