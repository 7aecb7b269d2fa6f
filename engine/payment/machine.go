package payment

import (
	"fmt"
	"strings"
)

// Trigger is an event that moves an attempt from one status to another.
type Trigger string

const (
	TriggerMethodGiven           Trigger = "method_given"            // card data arrived; the payment is not confirmed
	TriggerMethodDropped         Trigger = "method_dropped"          // an update left the card data out
	TriggerSubmit                Trigger = "submit"                  // authorize (or verify) begins
	TriggerWithdrawn             Trigger = "withdrawn"               // the operation could not be sent: nothing left the host
	TriggerResume                Trigger = "resume"                  // complete begins
	TriggerResumeWithdrawn       Trigger = "resume_withdrawn"        // complete could not be sent: nothing left the host
	TriggerActionRequired        Trigger = "action_required"         // the customer has to act
	TriggerDeviceDataRequired    Trigger = "device_data_required"    // the page has to collect data about the payer's browser
	TriggerPending               Trigger = "pending"                 // the processor accepted it; the end is not known
	TriggerReview                Trigger = "review"                  // the processor holds it back for a person to decide
	TriggerAuthorized            Trigger = "authorized"              // the processor holds the full amount
	TriggerPartiallyAuthorized   Trigger = "partially_authorized"    // the processor holds less than the amount
	TriggerCharged               Trigger = "charged"                 // the full amount is captured
	TriggerPartlyCharged         Trigger = "partly_charged"          // less is captured, and no capture can follow
	TriggerPartlyChargedOpen     Trigger = "partly_charged_open"     // less is captured, and another capture can follow
	TriggerDeclined              Trigger = "declined"                // the processor refused it, with evidence
	TriggerAuthenticationFailed  Trigger = "authentication_failed"   // the payer failed 3-D Secure
	TriggerBlocked               Trigger = "blocked"                 // the merchant does not accept the card; nothing was sent
	TriggerCaptureStart          Trigger = "capture_start"           // capture begins
	TriggerVoidStart             Trigger = "void_start"              // void begins
	TriggerStillHeld             Trigger = "still_held"              // a capture or void did not happen; nothing captured yet
	TriggerStillPartlyHeld       Trigger = "still_partly_held"       // a capture or void did not happen; part is captured
	TriggerStillPartlyAuthorized Trigger = "still_partly_authorized" // the same for a partial authorization
	TriggerVoided                Trigger = "voided"                  // released; nothing was captured
	TriggerStillAwaiting         Trigger = "still_awaiting"          // a void did not happen; the customer can still act
	TriggerTakenLate             Trigger = "taken_late"              // the processor took money of a payment that had ended without money
	TriggerVoidedCaptured        Trigger = "voided_captured"         // the processor has voided what was captured and had not settled
	TriggerMismatch              Trigger = "mismatch"                // the processor reports another amount or currency
)

// attemptFacts are the properties of one attempt status. All questions about a status go to attemptTable.
type attemptFacts struct {
	Payment  Status // the status that the merchant sees
	Meaning  string
	Terminal bool // no trigger leaves this status
}

var attemptTable = map[AttemptStatus]attemptFacts{
	PaymentMethodAwaited:        {RequiresPaymentMethod, "created without card data", false},
	ConfirmationAwaited:         {RequiresConfirmation, "card data present, not confirmed", false},
	AuthenticationPending:       {RequiresCustomerAction, "the customer has to act", false},
	DeviceDataPending:           {RequiresCustomerAction, "the customer's browser has to be measured", false},
	Authorizing:                 {Processing, "sent or about to be sent; the outcome is not known yet", false},
	Pending:                     {Processing, "accepted by the processor; the end is not known", false},
	Authorized:                  {RequiresCapture, "funds held", false},
	PartiallyAuthorized:         {PartiallyAuthorizedAndCapturing, "less than asked for is held", false},
	CaptureInitiated:            {Processing, "capture sent or about to be sent", false},
	VoidInitiated:               {Processing, "void sent or about to be sent", false},
	Charged:                     {Succeeded, "all captured", true},
	PartialCharged:              {PartiallyCaptured, "one capture below the total, the rest released", true},
	PartialChargedAndChargeable: {PartiallyCapturedAndCapturable, "some captured, more possible", false},
	AuthenticationFailed:        {Failed, "3-D Secure said no", true},
	AuthorizationFailed:         {Failed, "could not be authorized", true},
	RouterDeclined:              {Failed, "refused by a rule of ours", true},
	AttemptFailure:              {Failed, "declined", true},
	VoidFailure:                 {Failed, "an operator says that the release failed", true},
	CaptureFailure:              {Failed, "an operator says that the capture failed", true},
	Voided:                      {Cancelled, "released before capture", true},
	VoidedPostCharge:            {CancelledPostCapture, "reversed after capture", true},
	Unresolved:                  {RequiresMerchantAction, "held back by the processor for a person to decide", false},
	IntegrityFailure:            {Conflicted, "the processor reports another amount or currency", true},
	CaptureReview:               {Review, "money was taken after the payment had ended; a person decides", false},
	AttemptExpired:              {Expired, "never confirmed in time", true},
}

// Payment returns the payment status that merchants see while the attempt has status s.
func (s AttemptStatus) Payment() Status { return attemptTable[s].Payment }

// Terminal reports whether no trigger moves an attempt out of this status.
func (s AttemptStatus) Terminal() bool { return attemptTable[s].Terminal }

// paymentFacts are the calls that a payment status allows.
type paymentFacts struct {
	Terminal bool
	Confirm  bool // a failed payment may also be confirmed where the profile allows manual retry
	Update   bool
	Capture  bool // with capture_method manual and manual_multiple
	Cancel   bool
	Refund   bool
	Sync     bool   // force_sync asks the processor
	Event    string // the event type for merchants, "" for no event
}

var paymentTable = map[Status]paymentFacts{
	RequiresPaymentMethod:           {Confirm: true, Update: true, Cancel: true},
	RequiresConfirmation:            {Confirm: true, Update: true, Cancel: true},
	RequiresCustomerAction:          {Cancel: true, Sync: true, Event: "action_required"},
	RequiresMerchantAction:          {Sync: true, Event: "action_required"},
	Processing:                      {Sync: true, Event: "payment_processing"},
	RequiresCapture:                 {Capture: true, Cancel: true, Sync: true, Event: "payment_authorized"},
	PartiallyCapturedAndCapturable:  {Capture: true, Cancel: true, Sync: true, Event: "payment_captured"},
	PartiallyCapturedAndProcessing:  {Event: "payment_processing"},
	PartiallyAuthorizedAndCapturing: {Capture: true, Cancel: true, Sync: true, Event: "payment_partially_authorized"},
	Succeeded:                       {Terminal: true, Refund: true, Event: "payment_succeeded"},
	PartiallyCaptured:               {Terminal: true, Refund: true, Event: "payment_captured"},
	Failed:                          {Terminal: true, Event: "payment_failed"},
	Cancelled:                       {Terminal: true, Event: "payment_cancelled"},
	CancelledPostCapture:            {Terminal: true, Event: "payment_cancelled_post_capture"},
	Expired:                         {Terminal: true, Event: "payment_expired"},
	Conflicted:                      {Terminal: true, Event: "action_required"},
	Review:                          {Event: "action_required"},
}

func (s Status) Facts() paymentFacts { return paymentTable[s] }

// Remedy says what a caller can do with a payment of this status. It is the hint of an error about the status.
func (s Status) Remedy() string {
	f, can := paymentTable[s], []string(nil)
	for _, call := range []struct {
		allowed bool
		name    string
	}{{f.Confirm, "confirmed"}, {f.Update, "updated"}, {f.Capture, "captured"}, {f.Cancel, "cancelled"}, {f.Refund, "refunded"}} {
		if call.allowed {
			can = append(can, call.name)
		}
	}
	switch n := len(can) - 1; {
	case s == RequiresCustomerAction:
		return "Let the customer complete next_action, or cancel the payment."
	case s == Conflicted:
		return "Compare the payment with the processor's records: their amounts differ."
	case n == 0:
		return "A payment with the status " + string(s) + " can be " + can[0] + "."
	case n > 0:
		return "A payment with the status " + string(s) + " can be " + strings.Join(can[:n], ", ") + " or " + can[n] + "."
	case f.Terminal:
		return "The status " + string(s) + " is final: create a new payment."
	case f.Sync:
		return "Retrieve the payment with force_sync=true until its status changes."
	}
	return "Retrieve the payment until its status changes."
}

// outcomesOf are the possible ends of an operation that authorizes. All open statuses share them.
var outcomesOf = map[Trigger]AttemptStatus{
	TriggerActionRequired:       AuthenticationPending,
	TriggerDeviceDataRequired:   DeviceDataPending,
	TriggerPending:              Pending,
	TriggerReview:               Unresolved,
	TriggerAuthorized:           Authorized,
	TriggerPartiallyAuthorized:  PartiallyAuthorized,
	TriggerCharged:              Charged,
	TriggerPartlyCharged:        PartialCharged,
	TriggerPartlyChargedOpen:    PartialChargedAndChargeable,
	TriggerDeclined:             AttemptFailure,
	TriggerAuthenticationFailed: AuthenticationFailed,
	TriggerVoided:               Voided,
	TriggerMismatch:             IntegrityFailure,
}

// held are the moves of an attempt whose funds are held: our captures and voids, and evidence from the processor.
var held = map[Trigger]AttemptStatus{
	TriggerPending:           Pending, // an extension of the hold
	TriggerCaptureStart:      CaptureInitiated,
	TriggerVoidStart:         VoidInitiated,
	TriggerCharged:           Charged,
	TriggerPartlyCharged:     PartialCharged,
	TriggerPartlyChargedOpen: PartialChargedAndChargeable,
	TriggerVoided:            Voided,
	TriggerMismatch:          IntegrityFailure,
}

// afterCall are the possible ends of a capture or void.
var afterCall = map[Trigger]AttemptStatus{
	TriggerCharged:               Charged,
	TriggerPartlyCharged:         PartialCharged,
	TriggerPartlyChargedOpen:     PartialChargedAndChargeable,
	TriggerStillHeld:             Authorized,
	TriggerStillPartlyHeld:       PartialChargedAndChargeable,
	TriggerStillPartlyAuthorized: PartiallyAuthorized,
	TriggerStillAwaiting:         AuthenticationPending,
	TriggerVoided:                Voided,
	TriggerMismatch:              IntegrityFailure,
}

// transitions is the transition table: from a status, by a trigger, to a status. The engine refuses every move that the table lacks.
var transitions = map[AttemptStatus]map[Trigger]AttemptStatus{
	PaymentMethodAwaited: {
		TriggerMethodGiven: ConfirmationAwaited, TriggerMethodDropped: PaymentMethodAwaited,
		TriggerSubmit: Authorizing, TriggerVoided: Voided, TriggerBlocked: AttemptFailure,
	},
	ConfirmationAwaited: {
		TriggerMethodGiven: ConfirmationAwaited, TriggerMethodDropped: PaymentMethodAwaited,
		TriggerSubmit: Authorizing, TriggerVoided: Voided, TriggerBlocked: AttemptFailure,
	},
	Authorizing: with(outcomesOf, map[Trigger]AttemptStatus{
		TriggerWithdrawn: PaymentMethodAwaited, TriggerResumeWithdrawn: AuthenticationPending, TriggerBlocked: AttemptFailure,
	}),
	AuthenticationPending:       with(outcomesOf, map[Trigger]AttemptStatus{TriggerResume: Authorizing, TriggerVoidStart: VoidInitiated, TriggerBlocked: AttemptFailure}),
	DeviceDataPending:           with(outcomesOf, map[Trigger]AttemptStatus{TriggerResume: Authorizing, TriggerVoidStart: VoidInitiated}),
	Pending:                     outcomesOf,
	Unresolved:                  outcomesOf,
	Authorized:                  held,
	PartiallyAuthorized:         held,
	PartialChargedAndChargeable: held,
	CaptureInitiated:            with(afterCall, map[Trigger]AttemptStatus{TriggerCaptureStart: CaptureInitiated}), // one of several captures
	VoidInitiated:               afterCall,
	CaptureReview:               {TriggerVoided: VoidedPostCharge},
}

// lateMoves are the moves out of statuses that end a payment. Only evidence makes them: money was taken although the payment had ended without money,
// or the processor has voided what was captured. Or the processor has taken a whole payment after it had reported a part.
var lateMoves = map[AttemptStatus]map[Trigger]AttemptStatus{
	Charged:              {TriggerVoidedCaptured: VoidedPostCharge},
	PartialCharged:       {TriggerVoidedCaptured: VoidedPostCharge, TriggerCharged: Charged},
	Voided:               {TriggerTakenLate: CaptureReview},
	AttemptFailure:       {TriggerTakenLate: CaptureReview},
	VoidFailure:          {TriggerTakenLate: CaptureReview},
	CaptureFailure:       {TriggerTakenLate: CaptureReview},
	AuthenticationFailed: {TriggerTakenLate: CaptureReview},
	AuthorizationFailed:  {TriggerTakenLate: CaptureReview},
}

func with(base, more map[Trigger]AttemptStatus) map[Trigger]AttemptStatus {
	out := make(map[Trigger]AttemptStatus, len(base)+len(more))
	for k, v := range base {
		out[k] = v
	}
	for k, v := range more {
		out[k] = v
	}
	return out
}

// errTransition reports a move that the table lacks: evidence that does not fit the status, or a fault of payswitch. The engine does not
// apply the move.
type errTransition struct {
	From AttemptStatus
	By   Trigger
}

func (e *errTransition) Error() string {
	return fmt.Sprintf("no transition leaves attempt status %s by trigger %s", e.From, e.By)
}

// next looks up a move in the table.
func next(from AttemptStatus, by Trigger) (AttemptStatus, error) {
	to, ok := transitions[from][by]
	if !ok {
		to, ok = lateMoves[from][by]
	}
	if !ok {
		return from, &errTransition{from, by}
	}
	return to, nil
}
