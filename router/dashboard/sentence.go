package dashboard

import (
	"strings"

	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// advice says what to tell the customer after a refusal, by its reason.
var advice = map[sdk.DeclineReason]string{
	sdk.DeclineGeneric:              "The bank gives no reason. The customer asks the bank, or pays with another card.",
	sdk.DeclineDoNotHonor:           "The bank gives no reason. The customer asks the bank, or pays with another card.",
	sdk.DeclineInsufficientFunds:    "The card has too little money. The customer pays with another card, or later.",
	sdk.DeclineLostCard:             "The card is reported as lost. The customer pays with another card.",
	sdk.DeclineStolenCard:           "The card is reported as stolen. The customer pays with another card.",
	sdk.DeclinePickUpCard:           "The bank wants the card back. The customer asks the bank, or pays with another card.",
	sdk.DeclineExpiredCard:          "The card has expired. The customer pays with another card.",
	sdk.DeclineIncorrectNumber:      "The card number is wrong. The customer types it again.",
	sdk.DeclineIncorrectCVC:         "The card's security code is wrong. The customer types it again.",
	sdk.DeclineIncorrectExpiry:      "The card's expiry date is wrong. The customer types it again.",
	sdk.DeclineIncorrectAddress:     "The billing address is not the one that the bank knows. The customer types it again.",
	sdk.DeclineInvalidAmount:        "The bank does not take this amount. Look at the amount of the order.",
	sdk.DeclineLimitExceeded:        "The amount is above the card's limit. The customer asks the bank, or pays with another card.",
	sdk.DeclineNotPermitted:         "The bank does not allow this kind of payment. The customer asks the bank, or pays with another card.",
	sdk.DeclineRestrictedCard:       "The card may not be used here. The customer asks the bank, or pays with another card.",
	sdk.DeclineClosedAccount:        "The account of the card is closed. The customer pays with another card.",
	sdk.DeclineIssuerUnavailable:    "The bank could not be reached. The customer tries again later.",
	sdk.DeclineProcessingError:      "The processor had a fault. The customer tries again later.",
	sdk.DeclineFraud:                "The bank or the processor suspects fraud. Do not tell the customer so. Another card may work.",
	sdk.DeclineSecurityViolation:    "A security rule of the bank refused the card. The customer asks the bank, or pays with another card.",
	sdk.DeclineAuthenticationNeeded: "The bank asks for 3-D Secure. The customer pays again with it.",
	sdk.DeclineAuthenticationFailed: "The customer did not pass 3-D Secure.",
	sdk.DeclineStopRecurring:        "The customer has told the bank to stop these charges. Do not charge this card again.",
	sdk.DeclineDuplicate:            "The processor takes this for a second charge of the same purchase. Look for the first one before the customer pays again.",
	sdk.DeclineCurrency:             "The card or your account at the processor does not take this currency.",
	sdk.DeclineCardNotSupported:     "Your account at the processor does not take this kind of card. The customer pays with another card.",
	sdk.DeclineTryLater:             "The bank asks to try again later. The customer waits, or pays with another card.",
	sdk.DeclineInvalidMerchant:      "Your account at the processor may not take this card. Ask the processor.",
	sdk.DeclineBlocked:              "A rule that you or the processor made blocked the payment.",
	sdk.DeclineAbandoned:            "The customer left before the payment was finished.",
}

// sentence says in words what happened to a payment, and whether money moved. at is the name of its processor, "" before it has one.
func sentence(v *change.View, at string) string {
	p, a := v.Payment, v.Attempt
	amount := func(minor int64) string { return Money{minor, p.Currency}.String() }
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
		return text + refunded(p) + voided(a, at)
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

// spoken returns a processor's message without the names of its parts: some adapters write “message - …, decline_code - …”.
func spoken(message string) string {
	text, named := strings.CutPrefix(message, "message - ")
	if !named {
		return message
	}
	text, _, _ = strings.Cut(text, ", decline_code - ")
	return text
}

// voided says what became of a void of the captured payment, which did not change it.
func voided(a *payment.Attempt, at string) string {
	switch v := a.Details.CapturedVoid; {
	case v == nil:
	case v.Status == payment.VoidPending:
		return " A void was asked for: it is not known yet whether " + at + " has made it."
	case v.Status == payment.VoidFailed:
		return " A void was asked for and not made (" + spoken(v.Text) + "): refund it instead."
	}
	return ""
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
	case e.Code == payment.CodeNotProcessed: // the words are those of payswitch: the processor refused nothing
		text = at + " never carried out the payment of " + Money{p.Amount, p.Currency}.String()
		if e.Message != "" {
			text += ": " + strings.TrimSuffix(e.Message, ".")
		}
		text += ". The customer can pay again."
	case a.Connector != "" && e.Message != "":
		text = at + " refused " + Money{p.Amount, p.Currency}.String() + ": “" + strings.TrimSuffix(spoken(e.Message), ".") + "”."
	case e.Message != "":
		text = "The payment of " + Money{p.Amount, p.Currency}.String() + " failed: " + strings.TrimSuffix(e.Message, ".") + "."
	}
	if say := advice[e.Reason]; say != "" {
		text += " " + say
	}
	return text
}
