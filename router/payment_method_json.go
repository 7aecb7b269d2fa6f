package router

import (
	"time"

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

// writeMandateData writes the mandate of a payment as the request had it.
func writeMandateData(w *writer, terms *payment.MandateTerms, agreed *payment.Acceptance) {
	if terms == nil {
		w.null("mandate_data")
		return
	}
	w.key("mandate_data").open().null("update_mandate_id")
	writeAcceptance(w, agreed)
	kind := "multi_use"
	if terms.SingleUse {
		kind = "single_use"
	}
	w.key("mandate_type").open()
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
	w.close().close()
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

// methodsAnswer is a list of saved methods. A nil guest is written as null.
func methodsAnswer(list []method.MethodItem, guest *bool) answer {
	w := newWriter(64 + 1024*len(list))
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
