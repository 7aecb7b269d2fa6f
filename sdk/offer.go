package sdk

// refuses rejects a payment or verification that needs a feature that the manifest does not offer. So an adapter need not look for features
// that it does not offer, and cannot silently leave them out. It returns nil for an acceptable request.
func (a *Adapter) refuses(in *Step) *Reject {
	r, features, name := &in.Request, &a.Manifest.Features, a.Manifest.DisplayName
	refuse := func(code RejectCode, parameter, why string) *Reject {
		return &Reject{Code: code, Message: why, Parameter: parameter}
	}
	switch {
	case in.Operation != OpAuthorize && in.Operation != OpVerify:
	case in.Operation == OpVerify && r.Amount.Minor != 0:
		return refuse(RejectInvalid, "amount", "a verification must have an amount of zero")
	case r.ThreeDS != nil && !features.External3DS:
		why := name + " does not accept the result of an external 3-D Secure authentication"
		if features.Processor3DS {
			why += ": set authentication_type to three_ds to have " + name + " run 3-D Secure"
		}
		return refuse(RejectUnsupported, "three_ds_data", why)
	case r.ThreeDS == nil && r.Request3DS && !features.Processor3DS:
		return refuse(RejectUnsupported, "authentication_type", name+" does not run 3-D Secure: send the result of an external authentication in three_ds_data")
	case r.Instrument != nil && r.Instrument.StoredCredentialID == "" && r.Instrument.NetworkTransactionID != "" && !features.NetworkMIT:
		return refuse(RejectUnsupported, "recurring_details", name+" does not accept a network transaction id of an earlier payment")
	}
	return nil
}
