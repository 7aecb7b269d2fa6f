package payment

// Common reports whether most payments have the status at some time. Stores keep no index of such payments by status.
func (s Status) Common() bool {
	switch s {
	case Succeeded, Processing, RequiresPaymentMethod, RequiresConfirmation, RequiresCustomerAction:
		return true
	}
	return false
}
