package engine

// PaymentStatus is what a merchant sees of a payment. The constants are the wire values.
type PaymentStatus string

const (
	RequiresPaymentMethod           PaymentStatus = "requires_payment_method"
	RequiresConfirmation            PaymentStatus = "requires_confirmation"
	RequiresCustomerAction          PaymentStatus = "requires_customer_action"
	RequiresMerchantAction          PaymentStatus = "requires_merchant_action"
	Processing                      PaymentStatus = "processing"
	RequiresCapture                 PaymentStatus = "requires_capture"
	PartiallyCapturedAndCapturable  PaymentStatus = "partially_captured_and_capturable"
	PartiallyCapturedAndProcessing  PaymentStatus = "partially_captured_and_processing"
	PartiallyAuthorizedAndCapturing PaymentStatus = "partially_authorized_and_requires_capture"
	Succeeded                       PaymentStatus = "succeeded"
	PartiallyCaptured               PaymentStatus = "partially_captured"
	Failed                          PaymentStatus = "failed"
	Cancelled                       PaymentStatus = "cancelled"
	CancelledPostCapture            PaymentStatus = "cancelled_post_capture"
	Expired                         PaymentStatus = "expired"
	Conflicted                      PaymentStatus = "conflicted"
	Review                          PaymentStatus = "review"
)

// AttemptStatus is where one try at one processor stands. The constants are the wire values.
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
	Voided                      AttemptStatus = "voided"
	VoidedPostCharge            AttemptStatus = "voided_post_charge"
	Unresolved                  AttemptStatus = "unresolved"
	IntegrityFailure            AttemptStatus = "integrity_failure"
	AttemptExpired              AttemptStatus = "expired"
)

// OperationStatus is where one adapter call stands.
type OperationStatus string

const (
	OperationStarted   OperationStatus = "started"   // the intent is durable; something may have been sent
	OperationUnknown   OperationStatus = "unknown"   // ended without evidence; being resolved
	OperationSucceeded OperationStatus = "succeeded" // the processor did it
	OperationPending   OperationStatus = "pending"   // the processor took it on; the end is learned by sync or webhook
	OperationDeclined  OperationStatus = "declined"  // the processor refused it, with evidence
	OperationRejected  OperationStatus = "rejected"  // the adapter could not do it; nothing left
	OperationFailed    OperationStatus = "failed"    // we failed; nothing left
	OperationNotActed  OperationStatus = "not_acted" // resolved: the processor never acted
)

// Open says whether the operation still occupies its payment's slot.
func (s OperationStatus) Open() bool { return s == OperationStarted || s == OperationUnknown }
