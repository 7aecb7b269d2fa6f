package alarm

import "payswitch/sdk"

// Kind is a kind of alarm. The flags of 3-D Secure that ask for a person (threeds.Flag.Alert) are kinds too.
type Kind string

// The kinds of alarms.
const (
	AlteredRow                   Kind = "altered_row"                    // somebody has changed a row in the database
	AmountMismatch               Kind = "amount_mismatch"                // a processor reports another amount or currency than the one that was asked for
	AuthenticationBinding        Kind = "authentication_binding"         // the proof of an authentication belongs to another payment
	AwaitingApproval             Kind = "awaiting_approval"              // an adapter wants more than the operator has approved
	AwaitsOperator               Kind = "awaits_operator"                // no evidence can end an operation: a person has to
	CancelTooLate                Kind = "cancel_too_late"                // payswitch had accepted a cancel, and the money is taken
	CardNotSaved                 Kind = "card_not_saved"                 // a card could not be saved with its payment
	ClockJump                    Kind = "clock_jump"                     // the clock of the host has jumped
	DatabaseBehind               Kind = "database_behind"                // the database is older than a node has seen it
	DisputeNeedsLook             Kind = "dispute_needs_look"             // the amount of a dispute was refunded already, or payswitch cannot book the dispute
	DisputeUnproven              Kind = "dispute_unproven"               // a message without proof of its sender speaks of a dispute
	Diverged                     Kind = "diverged"                       // an adapter has repeated a run in another way
	FallbackAuthenticatorMissing Kind = "fallback_authenticator_missing" // the authenticator that is to step in is missing
	ImpossibleOutcome            Kind = "impossible_outcome"             // an answer that no adapter may give, or a claim on an id of another payment
	ImpossibleTransition         Kind = "impossible_transition"          // a result that the state of the payment does not allow
	JournalFailed                Kind = "journal_failed"                 // the journal of an operation could not be written
	LateEvidence                 Kind = "late_evidence"                  // the word of a processor contradicts the booked result
	LateVoidFailed               Kind = "late_void_failed"               // held funds of an ended payment were not voided
	LeaseLost                    Kind = "lease_lost"                     // a run has gone on after its lease
	ListsDiffer                  Kind = "lists_differ"                   // a list differs from the payments that it shows
	OtherAccount                 Kind = sdk.AlarmOtherAccount            // the processor does not know an id that it has issued
	OutcomeWithoutSend           Kind = "outcome_without_send"           // an adapter has answered without asking its processor
	RefundExceeds                Kind = "refund_exceeds"                 // more was given back than was taken
	RejectAfterSend              Kind = "reject_after_send"              // an adapter has rejected an operation after it had sent something
	ReleaseRefused               Kind = "release_refused"                // the rest of a partial capture was not released: the hold lapses by itself
	RoutingUnreadable            Kind = "routing_unreadable"             // an active routing configuration could not be read
	UnknownPayment               Kind = "unknown_payment"                // after a restore, a genuine message is about a payment that the copy does not have
	WebhookFailing               Kind = "webhook_failing"                // an endpoint of a merchant has refused events for an hour
	WebhookSignatures            Kind = "webhook_signatures"             // too many messages with a wrong signature arrive for an account
)
