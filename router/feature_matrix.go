package router

import (
	"slices"

	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// featureMatrix lists the features of the loaded adapters, from their manifests.
func (s *Server) featureMatrix(*call) (answer, error) {
	adapters := s.Connectors.Adapters()
	var w writer
	w.open().int("connector_count", int64(len(adapters))).key("connectors").openList()
	for _, a := range adapters {
		s.writeFeatures(&w, a)
	}
	return w.closeList().close().answer(), nil
}

func (s *Server) writeFeatures(w *writer, a port.AdapterInfo) {
	m := a.Manifest
	category := "payment_gateway"
	if m.Kind == sdk.KindAuthenticator {
		category = "authentication_provider"
	}
	integration := "live"
	if _, live := m.Environments["live"]; !live || a.Simulated {
		integration = "sandbox"
	}
	w.open().str("name", a.Connector).str("display_name", orElse(m.DisplayName, m.Name))
	w.str("description", orElse(m.Description, orElse(m.DisplayName, m.Name)+" adapter"))
	w.str("base_url", orElse(baseURL(m), s.opts.PublicURL)).str("category", category).str("integration_status", integration)
	w.key("supported_payment_methods")
	if m.Kind == sdk.KindProcessor {
		s.writeMethods(w, a.Connector, m)
	} else {
		w.openList().closeList()
	}
	var webhooks []string
	if slices.Contains(m.Operations, sdk.OpWebhook) {
		webhooks = append(webhooks, "payments")
		if slices.Contains(m.Operations, sdk.OpRefund) {
			webhooks = append(webhooks, "refunds")
		}
	}
	w.strings("supported_webhook_flows", webhooks).close()
}

// writeMethods writes the types of an adapter's payment methods. Countries and currencies are those of the manifest and of the tables of offers; null
// where neither limits them.
func (s *Server) writeMethods(w *writer, connector string, m *sdk.Manifest) {
	methods := m.Methods
	if len(methods) == 0 {
		methods = []sdk.Method{{Method: "card", Type: sdk.MethodCredit}, {Method: "card", Type: sdk.MethodDebit}}
	}
	captures := []string{string(payment.CaptureAutomatic), string(payment.CaptureManual)}
	if len(m.Captures) > 0 {
		captures = names(m.Captures)
	}
	if m.Features.MultipleCapture && slices.Contains(captures, string(payment.CaptureManual)) {
		captures = append(captures, string(payment.CaptureManualMultiple))
	}
	networks := m.Networks
	if len(networks) == 0 {
		networks = cardNetworks
	}
	w.openList()
	for _, method := range methods {
		w.open().str("payment_method", method.Method).str("payment_method_type", string(method.Type))
		w.str("payment_method_type_display_name", orElse(displayNames[method.Type], string(method.Type)))
		w.str("mandates", supported(m.Features.StoredCredential || m.Features.NetworkMIT))
		w.str("refunds", supported(slices.Contains(m.Operations, sdk.OpRefund))).strings("supported_capture_methods", captures)
		w.str("three_ds", supported(m.Features.Processor3DS || m.Features.External3DS)).str("no_three_ds", "supported")
		w.strings("supported_card_networks", names(networks))
		row := s.offers.limits.Of(connector, string(method.Type))
		writeLimits(w, "supported_countries", m.Countries, row.Countries)
		writeLimits(w, "supported_currencies", names(m.Currencies), row.Currencies)
		w.close()
	}
	w.closeList()
}

// writeLimits writes the values that both lists have. An empty list limits nothing.
func writeLimits(w *writer, key string, manifest, table []string) {
	switch {
	case len(manifest) == 0 && len(table) == 0:
		w.null(key)
	case len(manifest) == 0:
		w.strings(key, table)
	case len(table) == 0:
		w.strings(key, manifest)
	default:
		w.strings(key, slices.DeleteFunc(slices.Clone(table), func(v string) bool { return !slices.Contains(manifest, v) }))
	}
}

var displayNames = map[sdk.MethodType]string{sdk.MethodCredit: "Credit Card", sdk.MethodDebit: "Debit Card"}

func supported(yes bool) string {
	if yes {
		return "supported"
	}
	return "not_supported"
}

// baseURL returns the base URL of live, else of test. It is "" for an adapter that sends no requests.
func baseURL(m *sdk.Manifest) string {
	return orElse(m.Environments["live"].BaseURL, m.Environments["test"].BaseURL)
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

func names[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}
