package payment

// Status is the status of a payment that merchants see. The constants are the wire values.
type Status string

const (
	RequiresPaymentMethod           Status = "requires_payment_method"
	RequiresConfirmation            Status = "requires_confirmation"
	RequiresCustomerAction          Status = "requires_customer_action"
	RequiresMerchantAction          Status = "requires_merchant_action"
	Processing                      Status = "processing"
	RequiresCapture                 Status = "requires_capture"
	PartiallyCapturedAndCapturable  Status = "partially_captured_and_capturable"
	PartiallyCapturedAndProcessing  Status = "partially_captured_and_processing"
	PartiallyAuthorizedAndCapturing Status = "partially_authorized_and_requires_capture"
	Succeeded                       Status = "succeeded"
	PartiallyCaptured               Status = "partially_captured"
	Failed                          Status = "failed"
	Cancelled                       Status = "cancelled"
	CancelledPostCapture            Status = "cancelled_post_capture"
	Expired                         Status = "expired"
	Conflicted                      Status = "conflicted"
	Review                          Status = "review"
)

// AttemptStatus is the status of one attempt at one processor. The constants are the wire values.
type AttemptStatus string

const (
	PaymentMethodAwaited        AttemptStatus = "payment_method_awaited"
	ConfirmationAwaited         AttemptStatus = "confirmation_awaited"
	AuthenticationPending       AttemptStatus = "authentication_pending"
	DeviceDataPending           AttemptStatus = "device_data_collection_pending"
	Authorizing                 AttemptStatus = "authorizing"
	Pending                     AttemptStatus = "pending"
	Authorized                  AttemptStatus = "authorized"
	PartiallyAuthorized         AttemptStatus = "partially_authorized"
	CaptureInitiated            AttemptStatus = "capture_initiated"
	VoidInitiated               AttemptStatus = "void_initiated"
	Charged                     AttemptStatus = "charged"
	PartialCharged              AttemptStatus = "partial_charged"
	PartialChargedAndChargeable AttemptStatus = "partial_charged_and_chargeable"
	AuthenticationFailed        AttemptStatus = "authentication_failed"
	AuthorizationFailed         AttemptStatus = "authorization_failed"
	RouterDeclined              AttemptStatus = "router_declined"
	AttemptFailure              AttemptStatus = "failure"
	VoidFailure                 AttemptStatus = "void_failed"
	CaptureFailure              AttemptStatus = "capture_failed"
	Voided                      AttemptStatus = "voided"
	VoidedPostCharge            AttemptStatus = "voided_post_charge"
	Unresolved                  AttemptStatus = "unresolved"
	IntegrityFailure            AttemptStatus = "integrity_failure"
	AttemptExpired              AttemptStatus = "expired"
	CaptureReview               AttemptStatus = "capture_review"
)

// MayTryAgain reports whether a failed payment whose latest attempt has status s may have another attempt. After a failed capture or void the processor may
// still hold the payer's money, and what our own rules refused stays refused.
func (s AttemptStatus) MayTryAgain() bool {
	return s.Payment() == Failed && s != RouterDeclined && s != VoidFailure && s != CaptureFailure
}

// OperationStatus is the status of one adapter call.
type OperationStatus string

const (
	OperationStarted   OperationStatus = "started"   // the intent is stored; the adapter may have sent something
	OperationUnknown   OperationStatus = "unknown"   // the drive ended without evidence; the engine resolves it
	OperationSucceeded OperationStatus = "succeeded" // the processor carried it out
	OperationPending   OperationStatus = "pending"   // the processor accepted it; a sync or a webhook brings the end
	OperationDeclined  OperationStatus = "declined"  // the processor refused it, with evidence
	OperationRejected  OperationStatus = "rejected"  // the adapter could not do it; nothing left the host
	OperationFailed    OperationStatus = "failed"    // payswitch failed; nothing left the host
	OperationNotActed  OperationStatus = "not_acted" // the engine resolved it: the processor never acted
)

// Open reports whether the operation still occupies the slot of its payment.
func (s OperationStatus) Open() bool { return s == OperationStarted || s == OperationUnknown }

const (
	CaptureAutomatic           CaptureMethod = "automatic"
	CaptureManual              CaptureMethod = "manual"
	CaptureManualMultiple      CaptureMethod = "manual_multiple" // several captures
	CaptureScheduled           CaptureMethod = "scheduled"       // not implemented: every request with it is refused
	CaptureSequentialAutomatic CaptureMethod = "sequential_automatic"

	AuthenticationThreeDS   AuthenticationType = "three_ds"
	AuthenticationNoThreeDS AuthenticationType = "no_three_ds"

	// CodeNotProcessed is the error code of an attempt that failed because the processor never acted on its authorization.
	CodeNotProcessed = "not_processed"

	MethodCard       = "card"
	setupMandate     = "setup_mandate"
	DiscoveredManual = "manual"
)
