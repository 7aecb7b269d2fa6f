package dashboard

import (
	"strings"

	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// advice says what to tell the customer after a refusal, by its reason.
var advice = map[sdk.DeclineReason]string{
	sdk.DeclineDoNotHonor:           "The bank gives no reason. The customer asks the bank, or pays with another card.",
	sdk.DeclineInsufficientFunds:    "The card has too little money. The customer pays with another card, or later.",
	sdk.DeclineLostCard:             "The card is reported as lost. The customer pays with another card.",
	sdk.DeclineStolenCard:           "The card is reported as stolen. The customer pays with another card.",
	sdk.DeclineExpiredCard:          "The card has expired. The customer pays with another card.",
	sdk.DeclineIncorrectNumber:      "The card number is wrong. The customer types it again.",
	sdk.DeclineIncorrectCVC:         "The card's security code is wrong. The customer types it again.",
	sdk.DeclineIncorrectExpiry:      "The card's expiry date is wrong. The customer types it again.",
	sdk.DeclineLimitExceeded:        "The amount is above the card's limit. The customer asks the bank, or pays with another card.",
	sdk.DeclineNotPermitted:         "The bank does not allow this kind of payment. The customer asks the bank, or pays with another card.",
	sdk.DeclineIssuerUnavailable:    "The bank could not be reached. The customer tries again later.",
	sdk.DeclineProcessingError:      "The processor had a fault. The customer tries again later.",
	sdk.DeclineAuthenticationNeeded: "The bank asks for 3-D Secure. The customer pays again with it.",
	sdk.DeclineAuthenticationFailed: "The customer did not pass 3-D Secure.",
}

// sentence says in words what happened to a payment, and whether money moved.
func sentence(v *change.View) string {
	p, a := v.Payment, v.Attempt
	amount := func(minor int64) string { return Money{minor, p.Currency}.String() }
	at := a.Connector
	if at == "" {
		at = "the processor"
	}
	with := ""
	if m := methodOf(a); m != "" {
		with = " with " + m
	}
	switch p.Status {
	case payment.RequiresPaymentMethod:
		return "The payment of " + amount(p.Amount) + " waits for the customer to choose how to pay. No money has moved."
	case payment.RequiresConfirmation:
		return "The payment of " + amount(p.Amount) + " waits for its confirmation. No money has moved."
	case payment.RequiresCustomerAction:
		return "The customer has to act, for instance in 3-D Secure, before " + at + " takes " + amount(p.Amount) + ". No money has moved."
	case payment.RequiresCapture, payment.PartiallyAuthorizedAndCapturing:
		return at + " holds " + amount(a.Authorized) + with + ". No money has moved yet: capture it, or release it."
	case payment.PartiallyCapturedAndCapturable, payment.PartiallyCapturedAndProcessing:
		return "Of " + amount(a.Authorized) + " that " + at + " holds, " + amount(p.Received) + " is taken. The rest can still be captured."
	case payment.Processing:
		return "The result of " + amount(p.Amount) + with + " at " + at + " is not known yet. payswitch asks until it is known: do not charge the customer again."
	case payment.Succeeded, payment.PartiallyCaptured:
		text := "The customer paid " + amount(p.Received) + with + " at " + at + "."
		if p.Status == payment.PartiallyCaptured {
			text = "Of " + amount(p.Amount) + ", " + amount(p.Received) + " was taken" + with + " at " + at + ". The rest was released."
		}
		return text + refunded(p)
	case payment.Failed:
		return failed(p, a, at) + " No money moved."
	case payment.Cancelled:
		text := "The payment of " + amount(p.Amount) + " was cancelled"
		if why := p.Details.CancellationReason; why != "" {
			text += " (" + words(why) + ")"
		}
		return text + ". No money moved."
	case payment.CancelledPostCapture:
		return "The payment of " + amount(p.Amount) + " was reversed before it settled. The customer pays nothing."
	case payment.Expired:
		return "The customer did not finish in time. No money moved."
	case payment.Conflicted:
		return at + " reports another amount or currency than " + amount(p.NetAmount) + ". A person compares both before anything else is done."
	case payment.Review:
		return at + " took money after the payment had ended. A person decides whether it is kept or given back."
	case payment.RequiresMerchantAction:
		return at + " holds the payment back until a person accepts or refuses it there."
	}
	return "The payment of " + amount(p.Amount) + " has the status " + words(string(p.Status)) + "."
}

// refunded says what was given back.
func refunded(p *payment.Payment) string {
	switch done, open := p.Details.RefundedTotal, p.Refunded-p.Details.RefundedTotal; {
	case p.Refunded == 0:
		return ""
	case done >= p.Received:
		return " All of it was given back."
	case open > 0 && done == 0:
		return " " + Money{open, p.Currency}.String() + " is on its way back."
	case open > 0:
		return " " + Money{done, p.Currency}.String() + " was given back, and " + Money{open, p.Currency}.String() + " is on its way back."
	default:
		return " " + Money{done, p.Currency}.String() + " was given back."
	}
}

// failed says why a payment failed, and what the customer can do.
func failed(p *payment.Payment, a *payment.Attempt, at string) string {
	e := a.Details.Error
	text := "The payment of " + Money{p.Amount, p.Currency}.String() + " failed."
	if e == nil {
		return text
	}
	switch {
	case a.Status == payment.AuthenticationFailed:
		text = "The customer did not pass 3-D Secure for " + Money{p.Amount, p.Currency}.String() + "."
	case a.Connector != "" && e.Message != "":
		text = at + " refused " + Money{p.Amount, p.Currency}.String() + ": “" + strings.TrimSuffix(e.Message, ".") + "”."
	case e.Message != "":
		text = "The payment of " + Money{p.Amount, p.Currency}.String() + " failed: " + strings.TrimSuffix(e.Message, ".") + "."
	}
	if say := advice[e.Reason]; say != "" {
		text += " " + say
	}
	return text
}
