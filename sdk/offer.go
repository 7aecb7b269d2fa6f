package sdk

// refuses rejects a payment, or a verification, that asks for what the manifest's features do not offer, before the adapter sees it: what
// an adapter does not offer it need not look for, and cannot leave out. nil where it offers everything.
func (a *Adapter) refuses(in *Step) *Reject {
	r, features, name := &in.Request, &a.Manifest.Features, a.Manifest.DisplayName
	refuse := func(code RejectCode, parameter, why string) *Reject {
		return &Reject{Code: code, Message: why, Parameter: parameter}
	}
	switch {
	case in.Operation != OpAuthorize && in.Operation != OpVerify:
	case in.Operation == OpVerify && r.Amount.Minor != 0:
		return refuse(RejectInvalid, "amount", "a verification has no amount")
	case r.ThreeDS != nil && !features.External3DS:
		why := name + " takes no result of an authentication done outside"
		if features.Processor3DS {
			why += ": it runs its own with authentication_type three_ds"
		}
		return refuse(RejectUnsupported, "three_ds_data", why)
	case r.ThreeDS == nil && r.Request3DS && !features.Processor3DS:
		return refuse(RejectUnsupported, "authentication_type", "3-D Secure is not run at "+name+": send the result of an authentication done outside")
	case r.Instrument != nil && r.Instrument.StoredCredentialID == "" && r.Instrument.NetworkTransactionID != "" && !features.NetworkMIT:
		return refuse(RejectUnsupported, "recurring_details", name+" does not refer to earlier payments by the network's transaction id")
	}
	return nil
}
