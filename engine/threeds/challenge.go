package threeds

import (
	"slices"

	"payswitch/engine/threeds/message"
)

// WindowSize returns challengeWindowSize. It is the profile's or, with auto, the one that fits into a viewport of width by height CSS pixels
// (0: unknown). The frame that shows the challenge must have this size: 01 250×400, 02 390×400, 03 500×600, 04 600×400, 05 full screen.
// fullPage is true if the challenge has the page for itself.
func WindowSize(cfg Config, width, height int, fullPage bool) string {
	switch {
	case fullPage:
		return "05"
	case slices.Contains(message.WindowSizes, cfg.ChallengeWindow):
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
func ReceiveCRes(s State, run Run, c message.CRes, session message.Session) CResReceipt {
	ignored := func(alert Flag) CResReceipt { return CResReceipt{Next: s, Alert: alert} }
	switch s {
	case StateChallengePending:
	case StateResultPending, StateDone, StateConsumed, StateExpired, StateBroken:
		return ignored("")
	default:
		return ignored(FlagUnexpectedCRes)
	}
	switch {
	case !belongsTo(c, run):
		return ignored(FlagIDMismatch)
	case session == message.SessionInvalid:
		return ignored(FlagSessionMAC)
	}
	return CResReceipt{Accepted: true, Next: StateResultPending, Fetch: true}
}

// belongsTo reports whether the message is about this authentication. An Erro may lack the ACS's id and may have another version.
func belongsTo(c message.CRes, run Run) bool {
	if run.ServerTransID == "" || !message.EqualID(c.ServerTransID, run.ServerTransID) {
		return false
	}
	switch c.MessageType {
	case "CRes":
		return c.MessageVersion == run.MessageVersion && run.ACSTransID != "" && message.EqualID(c.ACSTransID, run.ACSTransID)
	case "Erro":
		return c.ACSTransID == "" || message.EqualID(c.ACSTransID, run.ACSTransID)
	}
	return false
}
