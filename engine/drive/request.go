package drive

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/contact"
	"payswitch/engine/ids"
	"payswitch/engine/method"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/threeds/exempt"
	"payswitch/sdk"
)

// FirstRequest makes the request that the adapter gets for authorize, verify and complete. The payment's billing fills what that of the payment method
// lacks, unless the profile has switched that off.
func (e *Driver) FirstRequest(w *Run, profile *account.Profile, instrument *method.Instrument, in *request.Input, c *card.Card) sdk.Request {
	p, a := w.Payment, w.Attempt
	r := e.LaterRequest(w, a.Amount)
	r.Payment = nil
	d := &p.Details
	if c != nil {
		r.Instrument = instrument.ForAdapter(c)
	}
	r.StoredCredential = method.StoredCredentialUse(p, a, instrument)
	r.Request3DS = d.AuthenticationType == payment.AuthenticationThreeDS && (in == nil || in.ThreeDS == nil) && !a.Details.MerchantInitiated
	if in != nil && in.ThreeDS != nil {
		t := in.ThreeDS
		r.ThreeDS = &sdk.ThreeDSResult{ECI: t.ECI, DSTransID: t.DSTransID, Version: t.Version, TransStatus: t.TransStatus, CAVVAlgorithm: t.CAVVAlgorithm}
		r.Exemption = exempt.ByName[t.Exemption] // one that the processor takes: confirm has checked that
	}
	if x := a.Details.Exemption; x.Direct() {
		r.Exemption = sdk.Exemption(x.Exemption)
		r.Request3DS = r.Request3DS && !d.External3DS // payswitch authenticates this payment, so the processor must not do it
	}
	if v := p.Private; v != nil {
		r.Billing, r.Shipping, r.Browser = AddressOf(v.MethodBilling), AddressOf(v.Shipping), v.Browser.ForAdapter()
		if profile.Settings.UseBillingAsMethodBilling {
			r.Billing = AddressOf(v.MethodBilling.Or(v.Billing))
		}
		if c := v.Customer; c != nil {
			r.Customer = &sdk.Customer{ID: c.ID, Name: c.Name, Email: c.Email, Phone: c.Phone, PhoneCountry: c.PhoneCountryCode}
		}
	}
	r.Description, r.OrderReference = d.Description, d.OrderReference
	r.Hold = holdWishOf(p)
	if d.Installment != nil && slices.Contains(w.Adapter.Manifest.Features.Installments, p.Currency) {
		r.Installments = d.Installment.Count
	}
	r.Metadata, r.Partner = textOf(d.Metadata), d.Partner
	if in != nil {
		r.Lines = in.Lines
	}
	if d.ShippingCost != nil {
		r.ShippingCost = *d.ShippingCost
	}
	if d.OrderTaxAmount != nil {
		r.TaxAmount = *d.OrderTaxAmount
	}
	return r
}

// LaterRequest makes the part of the request that the adapter gets for every operation on a payment: its ids and known facts.
func (e *Driver) LaterRequest(w *Run, amount int64) sdk.Request {
	p, a, d := w.Payment, w.Attempt, &w.Payment.Details
	r := sdk.Request{PaymentID: p.ID, AttemptID: a.ID, Reference: a.Details.Reference, Amount: sdk.Money{Minor: amount, Currency: p.Currency},
		TransactionID: a.TransactionID, ConnectorData: a.Details.ConnectorData, Capture: AdapterCapture(d.CaptureMethod),
		DescriptorName: d.DescriptorName, DescriptorSuffix: d.DescriptorSuffix, Reason: d.CancellationReason,
		ReturnURL:  e.Links.ReturnURL(p, a),
		WebhookURL: e.PublicURL + "/webhooks/" + url.PathEscape(p.MerchantID) + "/" + url.PathEscape(w.Account.ID)}
	state := &sdk.PaymentState{Currency: p.Currency, Requested: a.Amount, Authorized: a.Authorized, Captured: a.Captured, Refunded: p.Refunded,
		Voided: a.Status == payment.Voided, CreatedAt: a.CreatedAt.UnixMilli(), Capture: r.Capture}
	if a.Status == payment.VoidedPostCharge { // nothing of it is captured any more
		state.Captured, state.Voided = 0, true
	}
	if f := a.Details.Card; f != nil {
		state.BIN, state.LastFour = f.BIN, f.LastFour
	}
	r.Payment = state
	if d := w.Dispute; d != nil {
		r.Amount = sdk.Money{Minor: d.Amount, Currency: d.Currency}
		r.Dispute = &sdk.DisputeRequest{ID: d.ProcessorID, Status: d.Status, Stage: d.Stage, Amount: r.Amount, Reason: d.Details.Reason, ReasonCode: d.Details.ReasonCode}
		if at := d.Details.RespondBy; !at.IsZero() {
			r.Dispute.RespondBy = at.UnixMilli()
		}
	}
	if f := w.Refund; f != nil {
		r.Reference, r.RefundID, r.Reason = f.Reference, f.ProcessorID, f.Details.Reason
		if f.Version > 0 && f.Status != payment.RefundFailed {
			state.Refunded -= f.Amount // the payment counts the refund already
		}
	}
	return r
}

// holdWishOf returns what the payment asks of the hold beyond its amount, nil for nothing.
func holdWishOf(p *payment.Payment) *sdk.HoldWish {
	d := &p.Details
	wish := sdk.HoldWish{Incremental: optional.IsTrue(d.Incremental) && AdapterCapture(d.CaptureMethod) == sdk.CaptureManual,
		Extended: optional.IsTrue(d.Extended), OverCapture: optional.IsTrue(d.Overcapture), Partial: optional.IsTrue(d.Partial),
		Multiple: d.CaptureMethod == payment.CaptureManualMultiple}
	if wish == (sdk.HoldWish{}) {
		return nil
	}
	return &wish
}

func AdapterCapture(method payment.CaptureMethod) sdk.CaptureMethod {
	if method == payment.CaptureManual || method == payment.CaptureManualMultiple {
		return sdk.CaptureManual
	}
	return sdk.CaptureAutomatic
}

func AddressOf(c *contact.Contact) *sdk.Address {
	if c == nil {
		return nil
	}
	out := &sdk.Address{Email: c.Email}
	if a := c.Address; a != nil {
		out.FirstName, out.LastName, out.Line1, out.Line2, out.Line3 = a.FirstName, a.LastName, a.Line1, a.Line2, a.Line3
		out.City, out.State, out.Zip, out.Country = a.City, a.State, a.Zip, a.Country
	}
	if c.Phone != nil {
		out.Phone, out.PhoneCountry = c.Phone.Number, c.Phone.CountryCode
	}
	return out
}

func textOf(metadata json.RawMessage) map[string]string {
	return FlatMetadata(metadata)
}

// Referenced is what a reference at the processor is for: a capture of one payment may have the id of another payment's attempt.
type Referenced string

const (
	ForAttempt Referenced = "attempt"
	ForCapture Referenced = "capture"
	ForRefund  Referenced = "refund"
	ForRelay   Referenced = "relay"
)

// Reference returns our reference of something at the processor. It is the id itself if payswitch has made the id and the processor's rule allows it, because
// merchants search for it. A mark follows an id that the merchant has chosen: merchants may share an account at the processor, and choose the same id.
// Otherwise the reference consists of characters that the rule allows.
func (what Referenced) Reference(rule sdk.ReferenceRule, merchantID, id string, digitsOf int64) string {
	if rule.Characters == sdk.ReferenceDigits {
		s := strconv.FormatInt(digitsOf, 10) + randomDigits(8)
		return s[max(0, len(s)-limitOf(rule)):]
	}
	mark := what.mark(merchantID, id)
	if !ids.Made(id) {
		id += "_" + mark[:6]
	}
	if allows(rule, id) {
		return id
	}
	return mark[:min(limitOf(rule), len(mark))]
}

// CaptureReference returns our reference of an attempt's capture at the processor. It is the attempt's reference and what the capture's id adds to the
// attempt's id, if the processor's rule allows that: the processor's messages about a capture may name nothing else.
func CaptureReference(rule sdk.ReferenceRule, a *payment.Attempt, captureID string, now time.Time) string {
	if added, ok := strings.CutPrefix(captureID, a.ID); ok && a.Details.Reference != "" && allows(rule, a.Details.Reference+added) {
		return a.Details.Reference + added
	}
	return ForCapture.Reference(rule, a.MerchantID, captureID, now.UnixMilli())
}

func limitOf(rule sdk.ReferenceRule) int { return cmp.Or(rule.MaxLength, 36) }

// allows reports whether the rule allows a reference of letters, digits, and what else its characters include.
func allows(rule sdk.ReferenceRule, reference string) bool {
	set := ids.Alphabet + "_-"
	switch rule.Characters {
	case sdk.ReferenceDigits:
		set = ids.Alphabet[:10]
	case sdk.ReferenceAlphanumeric:
		set = ids.Alphabet
	}
	return len(reference) <= limitOf(rule) && !strings.ContainsFunc(reference, func(r rune) bool { return !strings.ContainsRune(set, r) })
}

// mark returns 20 characters that differ between an id and the same one of another merchant, or of another thing of this merchant. They are always the same:
// a payment that was lost with a database has the reference of its repetition.
func (what Referenced) mark(merchantID, id string) string {
	sum := sha256.Sum256([]byte(string(what) + " " + merchantID + " " + id)) // neither has a space
	mark := make([]byte, 20)
	for i := range mark {
		mark[i] = ids.Alphabet[sum[i]%62]
	}
	return string(mark)
}

func randomDigits(n int) string {
	b := []byte(ids.Random(n))
	for i := range b {
		b[i] = '0' + b[i]%10
	}
	return string(b)
}
