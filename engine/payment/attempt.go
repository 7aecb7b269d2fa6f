package payment

import (
	"payswitch/engine/fault"
	"payswitch/sdk"
)

// AwaitsEnd reports whether an attempt in status s waits for the end of a pending operation.
func (s AttemptStatus) AwaitsEnd() bool {
	switch s {
	case Pending, Authorizing, AuthenticationPending, DeviceDataPending, Unresolved, CaptureInitiated, VoidInitiated:
		return true
	}
	return false
}

// Approved reports whether the processor has agreed to the request.
func (s AttemptStatus) Approved() bool {
	switch s {
	case Authorized, PartiallyAuthorized, Charged, PartialCharged, PartialChargedAndChargeable:
		return true
	}
	return false
}

// Refused reports whether an attempt ended without the processor's agreement.
func (s AttemptStatus) Refused() bool {
	return s.Terminal() && !s.Approved() || s == PaymentMethodAwaited
}

// EndedWithoutMoney reports whether merchants see the attempt as ended without money, but not by the processor's refusal. It was cancelled, it
// failed as not processed, or an operator said that it was refused. Only evidence of held or taken money says otherwise.
func (a *Attempt) EndedWithoutMoney() bool {
	switch a.Status {
	case Voided:
		return a.Captured == 0
	case AttemptFailure, VoidFailure, CaptureFailure:
		return a.Captured == 0 && (a.Details.FoundDeclined || a.Details.Error != nil && a.Details.Error.Code == CodeNotProcessed)
	}
	return false
}

// EndedUnpaid reports whether merchants see the attempt as ended without money, be it by the processor's refusal.
func (a *Attempt) EndedUnpaid() bool {
	switch a.Status {
	case Voided, AttemptFailure, VoidFailure, CaptureFailure, AuthenticationFailed, AuthorizationFailed:
		return a.Captured == 0
	}
	return false
}

// TakenLate reports whether money was taken of an attempt that merchants see as ended without money, and the payment does not show it.
func (a *Attempt) TakenLate() bool {
	return a.Captured > 0 && (a.Status == Voided || a.Status.Payment() == Failed)
}

// EndedUnpaid reports whether the payment has ended without money, as far as its latest attempt shows.
func (p *Payment) EndedUnpaid() bool {
	return p.OpenOperation == "" && (p.Status == Failed || p.Status == Cancelled)
}

// Releases reports whether the operation voids funds without a caller who waits for it. It voids the rest of a partial capture, funds of a payment that
// had ended, or funds that were found after a cancel was accepted.
func (a *Attempt) Releases(op *Operation) bool {
	if op.Kind != sdk.OpVoid || a.VoidsCaptured(op) || fault.Planted("forget releases") {
		return false
	}
	return op.ID != "" && op.ID == a.Details.LateVoid || a.Status == PartialCharged || a.Details.CancelWanted && a.Authorized > 0
}

// Authenticated reports whether the engine ran an authentication before the attempt's authorization, whatever its result.
func (a *Attempt) Authenticated() bool {
	return a.Details.Authentication != nil && a.Details.Authentication.Connector != ""
}
