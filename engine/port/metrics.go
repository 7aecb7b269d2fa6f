package port

import (
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
)

// Metrics receives the engine's counts. Implementations are safe for concurrent use and do not block.
type Metrics interface {
	// PaymentMoved counts a payment that reached a status.
	PaymentMoved(status payment.Status, connector string)
	// RefundMoved counts a refund that ended: succeeded or failed.
	RefundMoved(status payment.RefundStatus, connector string)
	// OperationDone records the duration of one adapter operation and the status it ended with.
	OperationDone(kind, connector string, status payment.OperationStatus, took time.Duration)
	// AuthenticationDone counts a 3-D Secure authentication that has ended. outcome is a threeds.Outcome. flow is frictionless, challenge,
	// or "" if the authentication ended earlier. took is its duration.
	AuthenticationDone(authenticator, network, outcome, flow string, took time.Duration)
	// ExemptionSettled counts a claimed exemption. exemption is an sdk.Exemption, route is 3ds or authorization, and outcome is the
	// issuer's answer: approved, soft_declined or declined.
	ExemptionSettled(connector, exemption, route, outcome string)
	// Swept records one run of a background loop: resolve, authentications, expiry, blocklist, journal, health or lists. late is how long its oldest item that was due at
	// the end of the run had waited, 0 without such an item. The next run begins within every.
	Swept(loop string, late, every time.Duration)
	// RiskRefused counts a payment that a rule of its merchant has stopped. cause is list, country, type, subtype, issuer, unknown_bin or testing.
	RiskRefused(cause string)
	// RetryLimited counts what the retry limits of a card's scheme did. result is near (a decline that uses three quarters of a limit or more); used (a decline
	// after which no retry may follow); or why a repeat was not sent: never, wait or limit.
	RetryLimited(network, result string)
	// AccountMoved counts a connector account that was taken out because it fails too often (out), or let in again. left is how many accounts are out now.
	AccountMoved(connector string, out bool, left int)
	// WebhookSent counts one request to a merchant's endpoint. result is delivered, refused (another status than 2xx), timeout, connect, tls, address,
	// reset or unprepared.
	WebhookSent(result string, took time.Duration)
	// WebhookBacklog records the age of the oldest event that an endpoint has not received, and how many endpoints are failing.
	WebhookBacklog(oldest time.Duration, failing int)
	// Alarm counts an event that a person must look at, such as late evidence, an impossible outcome or a lost lease.
	Alarm(kind alarm.Kind)
}

// NoMetrics counts nothing.
type NoMetrics struct{}

func (NoMetrics) PaymentMoved(payment.Status, string)                                  {}
func (NoMetrics) RefundMoved(payment.RefundStatus, string)                             {}
func (NoMetrics) OperationDone(string, string, payment.OperationStatus, time.Duration) {}
func (NoMetrics) ExemptionSettled(_, _, _, _ string)                                   {}
func (NoMetrics) AuthenticationDone(_, _, _, _ string, _ time.Duration)                {}
func (NoMetrics) Swept(string, time.Duration, time.Duration)                           {}
func (NoMetrics) RiskRefused(string)                                                   {}
func (NoMetrics) RetryLimited(string, string)                                          {}
func (NoMetrics) AccountMoved(string, bool, int)                                       {}
func (NoMetrics) WebhookSent(string, time.Duration)                                    {}
func (NoMetrics) WebhookBacklog(time.Duration, int)                                    {}
func (NoMetrics) Alarm(alarm.Kind)                                                     {}
