package router

import (
	"time"

	"payswitch/engine/change"
	"payswitch/engine/method"
	"payswitch/engine/payment"
)

// How a payment shows the saved method that it charges, or that its card was saved as.

func writeMethodID(w *writer, m *method.PaymentMethod) {
	if m == nil {
		w.null("payment_method_id")
		return
	}
	w.str("payment_method_id", m.ID)
}

func writeMethodStatus(w *writer, m *method.PaymentMethod) {
	if m == nil {
		w.null("payment_method_status")
		return
	}
	w.str("payment_method_status", string(m.Status))
}

// writeTokenization writes how the method can be charged again: by the processor's token or by the network's.
func writeTokenization(w *writer, m *method.PaymentMethod) {
	if m == nil {
		w.null("payment_method_tokenization_details")
		return
	}
	w.key("payment_method_tokenization_details").open().str("payment_method_id", m.ID).str("payment_method_status", string(m.Status))
	w.bool("psp_tokenization", m.AtProcessor()).bool("network_tokenization", false).text("network_transaction_id", m.Details.NetworkTransactionID)
	w.null("network_transaction_link_id")
	w.bool("is_eligible_for_mit_payment", m.Status == method.MethodActive && m.OffSession()).close()
}

// Reasons why a payment's card is not saved.
const (
	noConsent   = "customer_acceptance_missing"
	noCustomer  = "customer_missing"
	notApproved = "payment_not_approved"
	notWritten  = "saving_failed"
)

var savingMessages = map[string]string{
	noConsent: "The payer did not agree to saving: the request has no customer_acceptance. " +
		"The card is not saved and cannot be charged without the payer.",
	noCustomer:  "The payment has no customer. The card is not saved and cannot be charged without the payer.",
	notApproved: "The processor did not approve the payment. The card is not saved.",
	notWritten:  "The payment went through, but payswitch could not save the card. It cannot be charged without the payer.",
}

// writeSaving writes payment_method_saving: what became of the card that the payment was to save. It is left out for a payment that was to save nothing.
func writeSaving(w *writer, v *change.View, a *payment.Attempt) {
	p, d := v.Payment, &a.Details
	if !d.Confirmed || d.MerchantInitiated || p.Details.SetupFutureUsage == "" && d.Save == "" || d.Save == "" && d.MethodID != "" {
		return
	}
	status, reason := "not_saved", ""
	switch {
	case d.Save == "" && (p.Private == nil || p.Private.Acceptance == nil):
		reason = noConsent
	case d.Save == "":
		reason = noCustomer
	case v.Method != nil && v.Method.Status == method.MethodActive:
		status = "saved"
	case a.Status.Refused():
		reason = notApproved
	case d.MethodID != "" && a.Status.Approved():
		status = "saved" // the record was deleted later
	case a.Status.Approved():
		reason = notWritten
	default:
		status = "pending"
	}
	usage := d.Save
	if usage == "" {
		usage = p.Details.SetupFutureUsage
	}
	w.key("payment_method_saving").open().str("status", status).str("usage", string(usage)).text("reason", reason).text("message", savingMessages[reason]).close()
}

// writeMandateData writes the mandate of a payment as the request had it.
func writeMandateData(w *writer, terms *payment.MandateTerms, agreed *payment.Acceptance) {
	if terms == nil {
		w.null("mandate_data")
		return
	}
	w.key("mandate_data").open().null("update_mandate_id")
	writeAcceptance(w, agreed)
	writeMandateType(w, "mandate_type", terms)
	w.close()
}

// writeMandateType writes the terms of a mandate by their kind, or null without a mandate.
func writeMandateType(w *writer, key string, terms *payment.MandateTerms) {
	if terms == nil {
		w.null(key)
		return
	}
	kind := "multi_use"
	if terms.SingleUse {
		kind = "single_use"
	}
	w.key(key).open()
	if terms.Currency == "" {
		w.null(kind)
	} else {
		w.key(kind).open().int("amount", terms.Amount).str("currency", string(terms.Currency))
		for _, t := range []struct {
			key string
			at  *time.Time
		}{{"start_date", terms.Start}, {"end_date", terms.End}} {
			if t.at == nil {
				w.null(t.key)
			} else {
				w.time(t.key, *t.at)
			}
		}
		w.raw("metadata", terms.Metadata).close()
	}
	w.close()
}

// writeAcceptance writes customer_acceptance as the request had it.
func writeAcceptance(w *writer, a *payment.Acceptance) {
	if a == nil {
		w.null("customer_acceptance")
		return
	}
	w.key("customer_acceptance").open().str("acceptance_type", a.Type)
	if a.AcceptedAt == nil {
		w.null("accepted_at")
	} else {
		w.time("accepted_at", *a.AcceptedAt)
	}
	if a.Online {
		w.key("online").open().text("ip_address", a.IP).str("user_agent", a.UserAgent).close()
	} else {
		w.null("online")
	}
	w.close()
}

// methodsAnswer returns a list of saved methods. A nil guest is written as null.
func methodsAnswer(list []method.MethodItem, guest *bool) answer {
	w := new(writer)
	w.open().key("customer_payment_methods").openList()
	for i := range list {
		writeMethodItem(w, &list[i])
	}
	return w.closeList().flag("is_guest_customer", guest).close().answer()
}

func writeMethodItem(w *writer, m *method.MethodItem) {
	d := &m.Details
	w.open().str("payment_token", m.Token).str("payment_method_id", m.ID).str("customer_id", m.CustomerID)
	w.str("payment_method", d.Method).text("payment_method_type", d.Type).text("payment_method_issuer", d.Issuer)
	w.text("payment_method_issuer_code", d.IssuerCode).bool("recurring_enabled", m.Recurring).bool("installment_payment_enabled", false)
	w.strings("payment_experience", methodExperience)
	writeSavedCard(w, m.PaymentMethod, m.Expired)
	w.raw("metadata", d.Metadata).time("created", m.CreatedAt).null("bank", "surcharge_details").bool("requires_cvv", m.RequiresCVC)
	w.time("last_used_at", m.LastUsedAt).bool("default_payment_method_set", m.Default)
	writeContact(w, "billing", m.Private.Billing)
	w.close()
}

var methodExperience = []string{"redirect_to_url"}

// writeSavedCard writes the displayable facts of a saved card, or null where the method has no card yet.
func writeSavedCard(w *writer, m *method.PaymentMethod, expired bool) {
	f := m.Details.Card
	if f == nil {
		w.null("card")
		return
	}
	w.key("card").open().text("scheme", string(f.Network)).text("issuer_country", f.Country).text("issuer_country_code", f.CountryCode)
	w.str("last4_digits", f.LastFour).text("expiry_month", f.ExpMonth).text("expiry_year", f.ExpYear).bool("expired", expired).null("card_token")
	w.str("card_holder_name", m.Private.Holder).null("card_fingerprint").text("nick_name", m.Private.Nickname)
	w.text("card_network", string(f.Network)).str("card_isin", f.BIN).text("card_issuer", f.Issuer).text("card_type", f.Type)
	w.bool("saved_to_locker", m.HasCard).close()
}

// savedMethodAnswer is one saved method.
func savedMethodAnswer(m *method.PaymentMethod, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	var w writer
	d := &m.Details
	w.open().str("merchant_id", m.MerchantID).str("customer_id", m.CustomerID).str("payment_method_id", m.ID).str("status", string(m.Status))
	w.text("payment_method", d.Method).text("payment_method_type", d.Type)
	writeSavedCard(&w, m, d.Card != nil && d.Card.Expired(time.Now()))
	w.bool("recurring_enabled", m.OffSession()).bool("installment_payment_enabled", false).strings("payment_experience", methodExperience)
	w.raw("metadata", d.Metadata).time("created", m.CreatedAt).time("last_used_at", m.LastUsedAt).text("client_secret", m.Private.ClientSecret).close()
	return w.answer(), nil
}
