package engine

import (
	"time"
)

// Metrics receives what the engine counts. Implementations are safe for concurrent use and do not block.
type Metrics interface {
	// PaymentMoved counts a payment that reached a status.
	PaymentMoved(status PaymentStatus, connector string)
	// OperationDone times one adapter operation by how it ended.
	OperationDone(kind, connector string, status OperationStatus, took time.Duration)
	// AuthenticationDone counts a 3-D Secure authentication that has ended: by whom, of which scheme, how (threeds.Outcome), frictionless or
	// challenge ("" when it did not come so far), and how long it took.
	AuthenticationDone(authenticator, network, outcome, flow string, took time.Duration)
	// ExemptionSettled counts an exemption that was claimed: at which processor, which (sdk.Exemption), by which way (3ds, authorization), and
	// what the issuer made of it (approved, soft_declined, declined).
	ExemptionSettled(connector, exemption, route, outcome string)
	// Alarm counts something a person must look at: late evidence, an outcome that does not fit, a lease lost.
	Alarm(kind string)
}
