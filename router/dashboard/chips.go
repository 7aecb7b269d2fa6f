package dashboard

import (
	"payswitch/engine/payment"
)

// marks are the marks of the tones. A doubt is never drawn like a failure: the money may have moved.
var marks = map[string]string{"good": "✓", "quiet": "◔", "go": "●", "wait": "▲", "doubt": "?", "bad": "✕"}

// tones are the tones of the statuses of all things. A status that is not listed is quiet.
var tones = map[string]string{
	string(payment.Succeeded):                       "good",
	string(payment.RequiresCustomerAction):          "go",
	string(payment.RequiresMerchantAction):          "wait",
	string(payment.Processing):                      "go",
	string(payment.RequiresCapture):                 "go",
	string(payment.PartiallyCapturedAndCapturable):  "wait",
	string(payment.PartiallyCapturedAndProcessing):  "wait",
	string(payment.PartiallyAuthorizedAndCapturing): "wait",
	string(payment.PartiallyCaptured):               "wait",
	string(payment.Failed):                          "bad",
	string(payment.Conflicted):                      "doubt",
	string(payment.Review):                          "doubt",

	"captured": "good", "charged": "good", "delivered": "good", "certified": "good", "active": "good", "authorized": "good", "won": "good", "passed": "good",
	"started": "go", "sending": "go", "opened": "wait",
	"pending": "wait", "retrying": "wait", "waiting": "wait", "waits_for_approval": "wait", "challenged": "wait",
	"unknown": "doubt", "conflict": "doubt", "unresolved": "doubt",
	"failure": "bad", "declined": "bad", "refused": "bad", "rejected": "bad", "violation": "bad", "lost": "bad",
	"authentication_failed": "bad", "authorization_failed": "bad", "router_declined": "bad", "void_failed": "bad", "capture_failed": "bad", "integrity_failure": "bad",
}

// chip returns the chip of a status.
func chip(status string) Chip {
	tone := tones[status]
	if tone == "" {
		tone = "quiet"
	}
	return Chip{words(status), tone, marks[tone]}
}
