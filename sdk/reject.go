package sdk

// Missing rejects a request that lacks a field. parameter is the merchant's name of the field.
func Missing(parameter, message string) error { return rejected(RejectMissing, parameter, message) }

// Invalid rejects a request with a wrong field. parameter is the merchant's name of the field.
func Invalid(parameter, message string) error { return rejected(RejectInvalid, parameter, message) }

// Unsupported rejects a request for something that the processor or the adapter does not offer. parameter is the merchant's name of the field.
func Unsupported(parameter, message string) error {
	return rejected(RejectUnsupported, parameter, message)
}

func rejected(code RejectCode, parameter, message string) error {
	return &Reject{Code: code, Message: message, Parameter: parameter}
}

// NeedInstrument rejects a payment with neither a card nor a stored credential, else it returns nil.
func (r *Request) NeedInstrument() error {
	if i := r.Instrument; i == nil || i.Card == nil && i.StoredCredentialID == "" {
		return Missing("payment_method_data.card", "a card or a stored credential is needed")
	}
	return nil
}

// NeedCard rejects a request without a card, else it returns nil.
func (r *Request) NeedCard() error {
	if r.Instrument == nil || r.Instrument.Card == nil {
		return Missing("payment_method_data.card", "a card is needed")
	}
	return nil
}

// NeedTransaction rejects a request without the processor's id of the payment, else it returns nil.
func (r *Request) NeedTransaction() error {
	if r.TransactionID == "" {
		return Missing("connector_transaction_id", "the processor's id of the payment is needed")
	}
	return nil
}
