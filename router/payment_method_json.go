package router

import (
	"time"

	"payswitch/engine"
)

// What a payment shows of the saved method it charges or was kept as.

func writeMethodID(w *writer, m *engine.PaymentMethod) {
	if m == nil {
		w.null("payment_method_id")
		return
	}
	w.str("payment_method_id", m.ID)
}

func writeMethodStatus(w *writer, m *engine.PaymentMethod) {
	if m == nil {
		w.null("payment_method_status")
		return
	}
	w.str("payment_method_status", string(m.Status))
}

// writeTokenization says by what the method can be charged again.
func writeTokenization(w *writer, m *engine.PaymentMethod) {
	if m == nil {
		w.null("payment_method_tokenization_details")
		return
	}
	atProcessor := false
	for _, a := range m.Details.Accounts {
		atProcessor = atProcessor || a.Credential != nil
	}
	w.key("payment_method_tokenization_details").open().str("payment_method_id", m.ID).str("payment_method_status", string(m.Status))
	w.bool("psp_tokenization", atProcessor).bool("network_tokenization", false).text("network_transaction_id", m.Details.NetworkTransactionID)
	w.null("network_transaction_link_id")
	w.bool("is_eligible_for_mit_payment", m.Status == engine.MethodActive && (atProcessor || m.Details.NetworkTransactionID != "")).close()
}

// writeMandateData shows the mandate that a payment was made with, as it was sent.
func writeMandateData(w *writer, terms *engine.MandateTerms, agreed *engine.Acceptance) {
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

// writeAcceptance writes customer_acceptance as it was sent.
func writeAcceptance(w *writer, a *engine.Acceptance) {
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
