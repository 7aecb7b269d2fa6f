package engine

import "fmt"

// Trigger is what moves an attempt from one status to another.
type Trigger string

const (
	TriggerMethodGiven           Trigger = "method_given"            // card data arrived, not confirmed
	TriggerMethodDropped         Trigger = "method_dropped"          // an update left the card data out
	TriggerSubmit                Trigger = "submit"                  // authorize (or verify) begins
	TriggerWithdrawn             Trigger = "withdrawn"               // it could not be sent: nothing left
	TriggerResume                Trigger = "resume"                  // complete begins
	TriggerResumeWithdrawn       Trigger = "resume_withdrawn"        // complete could not be sent: nothing left
	TriggerActionRequired        Trigger = "action_required"         // the customer has to act
	TriggerDeviceDataRequired    Trigger = "device_data_required"    // the customer's browser has to be measured
	TriggerPending               Trigger = "pending"                 // accepted, the end is not known
	TriggerReview                Trigger = "review"                  // held back for a person to decide
	TriggerAuthorized            Trigger = "authorized"              // all that was asked for is held
	TriggerPartiallyAuthorized   Trigger = "partially_authorized"    // less than asked for is held
	TriggerCharged               Trigger = "charged"                 // all of it is captured
	TriggerPartlyCharged         Trigger = "partly_charged"          // less is captured and no more will be
	TriggerPartlyChargedOpen     Trigger = "partly_charged_open"     // less is captured and more may be
	TriggerDeclined              Trigger = "declined"                // refused, with evidence
	TriggerAuthenticationFailed  Trigger = "authentication_failed"   // 3-D Secure said no
	TriggerCaptureStart          Trigger = "capture_start"           // capture begins
	TriggerVoidStart             Trigger = "void_start"              // void begins
	TriggerStillHeld             Trigger = "still_held"              // a capture or void did not happen; nothing captured yet
	TriggerStillPartlyHeld       Trigger = "still_partly_held"       // a capture or void did not happen; part is captured
	TriggerStillPartlyAuthorized Trigger = "still_partly_authorized" // as still_held, of a partial authorization
	TriggerVoided                Trigger = "voided"                  // released; nothing was captured
	TriggerMismatch              Trigger = "mismatch"                // the processor reports another amount or currency
)

// attemptFacts stand beside each attempt status; everything that asks about a status asks this table.
type attemptFacts struct {
	Payment  PaymentStatus // what the merchant sees
	Meaning  string
	Terminal bool // no trigger leaves it
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
	Voided:                      {Cancelled, "released before capture", true},
	VoidedPostCharge:            {CancelledPostCapture, "reversed after capture", true},
	Unresolved:                  {RequiresMerchantAction, "held back by the processor for a person to decide", false},
	IntegrityFailure:            {Conflicted, "the processor reports another amount or currency", true},
	AttemptExpired:              {Expired, "never confirmed in time", true},
}

// Payment is the payment status that an attempt status shows as.
func (s AttemptStatus) Payment() PaymentStatus { return attemptTable[s].Payment }

// Terminal says that nothing moves an attempt out of this status.
func (s AttemptStatus) Terminal() bool { return attemptTable[s].Terminal }

// paymentFacts say which calls a payment status lets through (contract: payment statuses).
type paymentFacts struct {
	Terminal bool
	Confirm  bool // a failed payment may also be confirmed where the profile allows manual retry
	Update   bool
	Capture  bool // with capture_method manual and manual_multiple
	Cancel   bool
	Sync     bool   // force_sync asks the processor
	Event    string // what merchants are told, "" for nothing
}

var paymentTable = map[PaymentStatus]paymentFacts{
	RequiresPaymentMethod:           {Confirm: true, Update: true, Cancel: true},
	RequiresConfirmation:            {Confirm: true, Update: true, Cancel: true},
	RequiresCustomerAction:          {Cancel: true, Sync: true, Event: "action_required"},
	RequiresMerchantAction:          {Sync: true, Event: "action_required"},
	Processing:                      {Sync: true, Event: "payment_processing"},
	RequiresCapture:                 {Capture: true, Cancel: true, Sync: true, Event: "payment_authorized"},
	PartiallyCapturedAndCapturable:  {Capture: true, Cancel: true, Sync: true, Event: "payment_captured"},
	PartiallyCapturedAndProcessing:  {Event: "payment_processing"},
	PartiallyAuthorizedAndCapturing: {Capture: true, Cancel: true, Sync: true, Event: "payment_partially_authorized"},
	Succeeded:                       {Terminal: true, Event: "payment_succeeded"},
	PartiallyCaptured:               {Terminal: true, Event: "payment_captured"},
	Failed:                          {Terminal: true, Event: "payment_failed"},
	Cancelled:                       {Terminal: true, Event: "payment_cancelled"},
	CancelledPostCapture:            {Terminal: true, Event: "payment_cancelled_post_capture"},
	Expired:                         {Terminal: true, Event: "payment_expired"},
	Conflicted:                      {Terminal: true, Event: "action_required"},
	Review:                          {Event: "action_required"},
}

func (s PaymentStatus) facts() paymentFacts { return paymentTable[s] }

// outcomesOf are the ways an operation that authorizes may end; open statuses share them.
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

// held is what may happen to funds that are held, beside what a capture or void of ours leads to: the processor's own evidence.
var held = map[Trigger]AttemptStatus{
	TriggerCaptureStart:      CaptureInitiated,
	TriggerVoidStart:         VoidInitiated,
	TriggerCharged:           Charged,
	TriggerPartlyCharged:     PartialCharged,
	TriggerPartlyChargedOpen: PartialChargedAndChargeable,
	TriggerVoided:            Voided,
	TriggerMismatch:          IntegrityFailure,
}

// afterCall is how a capture or void may end.
var afterCall = map[Trigger]AttemptStatus{
	TriggerCharged:               Charged,
	TriggerPartlyCharged:         PartialCharged,
	TriggerPartlyChargedOpen:     PartialChargedAndChargeable,
	TriggerStillHeld:             Authorized,
	TriggerStillPartlyHeld:       PartialChargedAndChargeable,
	TriggerStillPartlyAuthorized: PartiallyAuthorized,
	TriggerVoided:                Voided,
	TriggerMismatch:              IntegrityFailure,
}

// transitions is the one table: from where, by what, to where. What is not in it does not happen.
var transitions = map[AttemptStatus]map[Trigger]AttemptStatus{
	PaymentMethodAwaited: {
		TriggerMethodGiven: ConfirmationAwaited, TriggerMethodDropped: PaymentMethodAwaited,
		TriggerSubmit: Authorizing, TriggerVoided: Voided,
	},
	ConfirmationAwaited: {
		TriggerMethodGiven: ConfirmationAwaited, TriggerMethodDropped: PaymentMethodAwaited,
		TriggerSubmit: Authorizing, TriggerVoided: Voided,
	},
	Authorizing: with(outcomesOf, map[Trigger]AttemptStatus{
		TriggerWithdrawn: PaymentMethodAwaited, TriggerResumeWithdrawn: AuthenticationPending,
	}),
	AuthenticationPending:       with(outcomesOf, map[Trigger]AttemptStatus{TriggerResume: Authorizing}),
	DeviceDataPending:           with(outcomesOf, map[Trigger]AttemptStatus{TriggerResume: Authorizing}),
	Pending:                     outcomesOf,
	Unresolved:                  outcomesOf,
	Authorized:                  held,
	PartiallyAuthorized:         held,
	PartialChargedAndChargeable: held,
	CaptureInitiated:            afterCall,
	VoidInitiated:               afterCall,
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

// errTransition is a move the table does not have: evidence that does not fit, or a fault of ours. Never applied.
type errTransition struct {
	From AttemptStatus
	By   Trigger
}

func (e *errTransition) Error() string {
	return fmt.Sprintf("attempt in %s does not move by %s", e.From, e.By)
}

// next looks a move up in the table.
func next(from AttemptStatus, by Trigger) (AttemptStatus, error) {
	to, ok := transitions[from][by]
	if !ok {
		return from, &errTransition{from, by}
	}
	return to, nil
}
