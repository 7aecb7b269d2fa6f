package threeds

import "time"

// methodGrace is the time for which authenticate waits for a notification that the browser reports as sent. SDKs report it when the frame
// has loaded, before the frame's script has run.
const methodGrace = 3 * time.Second

// MethodRun holds the facts about the 3DS method at the time of the authenticate call.
type MethodRun struct {
	Offered    bool // prepare returned a method URL for the chosen version
	Notified   bool // its end reached our notification URL or, from an authenticator with events of its own, our event URL
	Reprepared bool // a new session was prepared, and the method did not run in it
	// Client is threeds_method_comp_ind of the call: Y, N, U or "". It is a hint.
	Client string
	// ClientSignals is true if the authenticator reports the end to the page alone (post_message). The client's report is then the only
	// source.
	ClientSignals bool
}

// Grace returns the time to wait for the notification first.
func (m MethodRun) Grace() time.Duration {
	if m.Offered && !m.Notified && !m.Reprepared && !m.ClientSignals && m.Client == "Y" {
		return methodGrace
	}
	return 0
}

// Completion returns threeDSCompInd: Y completed, N not completed in time, U not offered. The server decides: a client cannot claim Y, unless
// ClientSignals is true.
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
