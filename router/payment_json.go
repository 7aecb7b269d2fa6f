package router

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/contact"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Presenter implements change.Presenter: it renders what merchants read outside of API answers. The zero value is ready.
type Presenter struct{}

// PaymentEvent returns the body of a webhook. The payment in it is the same as in the answer to GET /payments/{id},
// without sdk_authorization, which is for the payer's client.
func (Presenter) PaymentEvent(eventID, eventType string, at time.Time, v *change.View) ([]byte, error) {
	e := event{v.Payment.MerchantID, eventID, eventType, at}
	return e.about("payment_details", func(w *writer) { writePayment(w, v, false) })
}

// Payment returns a payment as GET /payments/{id} answers it.
func (Presenter) Payment(v *change.View) ([]byte, error) {
	w := new(writer)
	writePayment(w, v, false)
	return w.bytes()
}

// event is what the body of every webhook has.
type event struct {
	merchantID, id, kind string
	at                   time.Time
}

// about returns the body of a webhook about one object.
func (e event) about(content string, write func(w *writer)) ([]byte, error) {
	w := new(writer)
	w.open().str("merchant_id", e.merchantID).str("event_id", e.id).str("event_type", e.kind)
	w.key("content").open().str("type", content).key("object")
	write(w)
	w.close().time("timestamp", e.at).str("processor_merchant_id", e.merchantID).close()
	return w.bytes()
}

// paymentJSON returns a payment as answers show it. It always has every key: null where there is nothing.
func paymentJSON(v *change.View) answer {
	w := new(writer)
	writePayment(w, v, false)
	return w.answer()
}

var (
	noPaymentPrivate payment.Private
	noAttempt        = payment.Attempt{Private: &payment.AttemptPrivate{}}
)

// writePayment writes the payment object. With listed true, the keys that lists leave out are null.
func writePayment(w *writer, v *change.View, listed bool) {
	p, d, private, a := v.Payment, &v.Payment.Details, v.Payment.Private, v.Attempt
	if private == nil {
		private = &noPaymentPrivate
	}
	if a == nil {
		a = &noAttempt
	}
	customer := v.Customer()

	w.open().str("payment_id", p.ID).str("merchant_id", p.MerchantID).str("status", string(p.Status))
	writeAmounts(w, p, listed)
	w.str("processor_merchant_id", p.MerchantID).null("initiator").text("sdk_authorization", v.SDKAuthorization)
	w.text("connector", a.Connector)
	writeStateMetadata(w, p, a)
	w.text("client_secret", private.ClientSecret)
	w.time("created", p.CreatedAt).time("modified_at", p.ModifiedAt)
	w.text("connector_customer_id", storedCredential(a).CustomerID).str("currency", string(p.Currency))
	writeCustomer(w, p.CustomerID, &customer)
	w.text("description", d.Description)
	writeParts(w, v, a)
	writeCharged(w, d, private, a)
	writeContact(w, "shipping", private.Shipping)
	writeContact(w, "billing", private.Billing)
	w.raw("order_details", d.Echo["order_details"])
	if listed {
		w.null("email", "name", "phone", "return_url")
	} else {
		w.text("email", customer.Email).text("name", customer.Name).text("phone", customer.Phone).text("return_url", d.ReturnURL)
	}
	w.str("authentication_type", string(d.ShownAuthentication()))
	w.text("statement_descriptor_name", d.DescriptorName).text("statement_descriptor_suffix", d.DescriptorSuffix)
	if listed {
		w.null("next_action")
	} else {
		writeNextAction(w, v)
	}
	writeEnd(w, v, a, listed)
	writeLinkOf(w, v, listed)
	w.str("profile_id", p.ProfileID).raw("surcharge_details", d.Echo["surcharge_details"])
	w.int("attempt_count", int64(max(p.AttemptCount, 1))).text("merchant_decision", d.MerchantDecision).text("merchant_connector_id", a.AccountID)
	writeIncrements(w, p, a, listed)
	writeAuthentication(w, v, a)
	writeExemption(w, v, a)
	w.time("expires_on", p.ExpiresAt).text("fingerprint", d.Fingerprint)
	writeBrowser(w, private.Browser)
	w.raw("payment_channel", d.Echo["payment_channel"])
	method := v.Method
	if listed {
		method = nil
	}
	writeMethodID(w, method)
	w.text("network_transaction_id", a.Details.NetworkTransactionID).null("network_transaction_link_id")
	writeMethodStatus(w, method)
	w.time("updated", p.ModifiedAt).raw("split_payments", d.Echo["split_payments"]).raw("frm_metadata", d.Echo["frm_metadata"])
	writeExtension(w, p, a)
	writeScheme(w, p, a, redirectsInFrame(v))
	w.raw("billing_descriptor", d.Echo["billing_descriptor"])
	w.null("tokenization")
	writePartner(w, d.Partner)
	writeTokenization(w, method)
	if !listed {
		writeSaving(w, v, a)
	}
	w.raw("installment_options", d.Echo["installment_options"])
	writeInstallment(w, d.Installment)
	w.null("sender_payment_instrument_id")
	w.close()
}

// writeAmounts writes the amounts of a payment.
func writeAmounts(w *writer, p *payment.Payment, listed bool) {
	d := &p.Details
	w.int("amount", p.Amount).int("net_amount", p.NetAmount).number("shipping_cost", d.ShippingCost).int("amount_capturable", p.Capturable)
	if !listed && (p.Received > 0 || p.Status == payment.Succeeded) {
		w.int("amount_received", p.Received)
	} else {
		w.null("amount_received")
	}
}

// writeParts writes the refunds and disputes, and the parts that the request asked for.
func writeParts(w *writer, v *change.View, a *payment.Attempt) {
	writeRefunds(w, v.Refunds)
	writeDisputes(w, v.Disputes)
	if v.ShowAttempts {
		writeAttempts(w, v)
	}
	if v.Routed != nil {
		listOfAnswers(w.key("routing"), v.Routed, writeRouted)
	}
	if v.ShowCaptures && len(a.Details.Captures) > 0 {
		writeCaptures(w, v.Payment, a)
	}
}

// writeCharged writes the instrument that is charged, and how.
func writeCharged(w *writer, d *payment.Details, private *payment.Private, a *payment.Attempt) {
	w.text("mandate_id", d.MandateID)
	writeMandateData(w, d.Mandate, private.Acceptance)
	w.text("setup_future_usage", string(d.SetupFutureUsage)).flag("off_session", d.OffSession)
	w.null("capture_on").text("capture_method", string(d.CaptureMethod))
	w.text("payment_method", a.Details.PaymentMethod)
	writeMethodData(w, private, a)
	w.text("payment_token", orElse(d.Token, a.Details.Token))
}

// writeEnd writes how the payment ended, and the processor's references.
func writeEnd(w *writer, v *change.View, a *payment.Attempt, listed bool) {
	d := &v.Payment.Details
	w.text("cancellation_reason", d.CancellationReason)
	writeError(w, a.Details.Error, listed)
	w.raw("payment_experience", d.Echo["payment_experience"]).text("payment_method_type", a.Details.PaymentMethodType)
	w.null("connector_label").raw("business_country", d.Echo["business_country"]).raw("business_label", d.Echo["business_label"])
	w.null("business_sub_label").raw("allowed_payment_method_types", d.Echo["allowed_payment_method_types"])
	writeRetryAllowed(w, v)
	w.text("connector_transaction_id", a.TransactionID).null("frm_message").raw("metadata", d.Metadata)
	w.raw("connector_metadata", d.Echo["connector_metadata"]).null("connector_response_metadata")
	w.raw("feature_metadata", d.Echo["feature_metadata"]).text("reference_id", a.Details.ProcessorReference)
}

// writeScheme writes what concerns the card's scheme and issuer: the stored credential, 3-D Secure, the issuer's error, partial and higher amounts.
func writeScheme(w *writer, p *payment.Payment, a *payment.Attempt, inFrame *bool) {
	d := &p.Details
	w.text("merchant_order_reference_id", d.OrderReference).number("order_tax_amount", d.OrderTaxAmount)
	w.text("connector_mandate_id", storedCredential(a).ID).text("card_discovery", a.Details.CardDiscovery)
	w.raw("force_3ds_challenge", d.Echo["force_3ds_challenge"]).null("force_3ds_challenge_trigger")
	writeIssuerError(w, a.Details.Error)
	w.flag("is_iframe_redirection_enabled", inFrame).null("whole_connector_response")
	w.flag("enable_partial_authorization", d.Partial).flag("enable_overcapture", d.Overcapture).flag("is_overcapture_enabled", payment.OvercaptureAllowed(p, a))
	w.raw("is_stored_credential", d.Echo["is_stored_credential"]).raw("mit_category", d.Echo["mit_category"])
}

func storedCredential(a *payment.Attempt) sdk.StoredCredential {
	if a.Details.StoredCredential == nil || a.Details.Save == sdk.UsageOnSession {
		return sdk.StoredCredential{}
	}
	return *a.Details.StoredCredential
}

// writeStateMetadata writes how much was refunded, and what became of a void after the capture. After a partial capture it writes how much of the rest
// the processor has released. It is null before any of it has happened.
func writeStateMetadata(w *writer, p *payment.Payment, a *payment.Attempt) {
	released, refunded, lost := p.Status == payment.PartiallyCaptured && a.Details.Released, p.Details.RefundedTotal, p.LostDisputes()
	void := a.Details.CapturedVoid
	if !released && refunded == 0 && lost == 0 && void == nil {
		w.null("state_metadata")
		return
	}
	w.key("state_metadata").open()
	if released {
		w.int("amount_released", a.Authorized-a.Captured)
	}
	if refunded > 0 || lost > 0 || void != nil {
		w.number("total_refunded_amount", positive(refunded)).number("total_disputed_amount", positive(lost))
	}
	if void == nil && (refunded > 0 || lost > 0) {
		w.null("post_capture_void")
	}
	if void != nil {
		w.key("post_capture_void").open().text("status", string(void.Status)).text("connector_reference_id", void.Reference)
		w.text("description", void.Text).time("updated_at", void.At).close()
	}
	w.close()
}

// positive returns n, nil for zero.
func positive(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// writeCustomer writes customer_id and customer. Where nothing is known of the customer, both are null; a guest has a null id.
func writeCustomer(w *writer, id string, c *contact.Customer) {
	w.text("customer_id", id)
	if id == "" && *c == (contact.Customer{}) {
		w.null("customer")
		return
	}
	w.key("customer").open().text("id", id).text("name", c.Name).text("email", c.Email).text("phone", c.Phone)
	w.text("phone_country_code", c.PhoneCountryCode).null("customer_document_details").close()
}

// writeMethodData writes the displayable facts of the card. Before the payment is confirmed they are null.
func writeMethodData(w *writer, private *payment.Private, a *payment.Attempt) {
	card := a.Details.Card
	if card == nil || !a.Details.Confirmed {
		w.null("payment_method_data")
		return
	}
	holder := ""
	if a.Private != nil {
		holder = a.Private.Holder
	}
	w.key("payment_method_data").open().key("card").open()
	shown := shownCard(a.Connector, card)
	w.text("last4", card.LastFour).text("card_type", shown.Type).text("card_network", string(shown.Network)).text("card_issuer", shown.Issuer)
	w.text("card_issuing_country", shown.Country).text("card_isin", card.BIN).null("card_extended_bin")
	w.text("card_exp_month", card.ExpMonth).text("card_exp_year", card.ExpYear).text("card_holder_name", holder)
	writeChecks(w, a.Connector, a.Details.Checks)
	w.null("authentication_data", "auth_code").close()
	writeContact(w, "billing", private.MethodBilling)
	w.close()
}

func writeContact(w *writer, key string, c *contact.Contact) {
	if c == nil {
		w.null(key)
		return
	}
	w.key(key).open()
	if a := c.Address; a != nil {
		w.key("address").open().text("city", a.City).text("country", a.Country).text("line1", a.Line1).text("line2", a.Line2)
		w.text("line3", a.Line3).text("zip", a.Zip).text("state", a.State).text("first_name", a.FirstName).text("last_name", a.LastName)
		w.text("origin_zip", a.OriginZip).close()
	} else {
		w.null("address")
	}
	if c.Phone != nil {
		w.key("phone").open().text("number", c.Phone.Number).text("country_code", c.Phone.CountryCode).close()
	} else {
		w.null("phone")
	}
	w.text("email", c.Email).close()
}

func writeBrowser(w *writer, b *contact.Browser) {
	if b == nil {
		w.null("browser_info")
		return
	}
	number := func(key string, n int) {
		if n != 0 || slices.Contains(b.Zeros, key) {
			w.int(key, int64(n))
		} else {
			w.null(key)
		}
	}
	yes := func(key string, yes bool) {
		if yes || slices.Contains(b.Zeros, key) {
			w.bool(key, yes)
		} else {
			w.null(key)
		}
	}
	w.key("browser_info").open()
	number("color_depth", b.ColorDepth)
	yes("java_enabled", b.JavaEnabled)
	yes("java_script_enabled", b.JavaScriptEnable)
	w.text("language", b.Language)
	number("screen_height", b.ScreenHeight)
	number("screen_width", b.ScreenWidth)
	number("time_zone", b.TimeZone)
	w.text("ip_address", b.IP).text("accept_header", b.AcceptHeader).text("user_agent", b.UserAgent)
	for _, f := range [...]struct{ key, text string }{{"os_type", b.OSType}, {"os_version", b.OSVersion}, {"device_model", b.DeviceModel},
		{"accept_language", b.AcceptLanguage}, {"referer", b.Referer}} {
		if f.text != "" { // few callers send these: as null they would make each stored event larger
			w.str(f.key, f.text)
		}
	}
	w.close()
}

// redirectsInFrame is is_iframe_redirection_enabled of the payment, else of its profile, else nil.
func redirectsInFrame(v *change.View) *bool {
	own := v.Payment.Details.IFrameRedirect
	if own != nil || v.Profile == nil || !bytes.Contains(v.Profile.Details, []byte(iframeField)) { // a quick look first, because every payment gets here
		return own
	}
	return profileSwitches(v.Profile).IFrame
}

// writeNextAction writes the next step of the customer, or null where the payment waits for none.
func writeNextAction(w *writer, v *change.View) {
	if v.Attempt != nil && v.Attempt.Private != nil && v.Attempt.Private.Invoke != nil && v.Payment.Status == payment.RequiresCustomerAction {
		writeInvoke(w, v)
		return
	}
	if v.Attempt == nil || v.Attempt.Details.NextAction == nil || v.Payment.Status != payment.RequiresCustomerAction {
		w.null("next_action")
		return
	}
	next := v.Attempt.Details.NextAction
	w.key("next_action").open()
	if next.Type == sdk.NextActionDeviceData {
		w.str("type", "invoke_hidden_iframe").key("iframe_data").open()
		name, value := "threeDSMethodData", ""
		if len(next.Fields) > 0 {
			name, value = next.Fields[0].Name, next.Fields[0].Value
		}
		w.str("method_key", name).bool("three_ds_method_data_submission", true).text("three_ds_method_data", value)
		w.text("three_ds_method_url", next.URL).null("directory_server_id", "message_version").close()
	} else if inside := redirectsInFrame(v); inside != nil && *inside {
		w.str("type", "redirect_inside_popup").str("popup_url", v.RedirectURL).str("redirect_response_url", v.ResponseURL)
	} else {
		w.str("type", "redirect_to_url").str("redirect_to_url", v.RedirectURL)
	}
	w.close()
}

// writeRetryAllowed writes manual_retry_allowed. As in the v1 API it says for the merchant whether the attempt leaves room for another one, whatever the
// profile says. The payer's client hears whether a confirm would be taken now.
func writeRetryAllowed(w *writer, v *change.View) {
	s := v.Payment.Status
	switch {
	case s == payment.Failed && v.Public:
		w.bool("manual_retry_allowed", v.ManualRetryAllowed)
	case strings.HasPrefix(string(s), "requires_"):
		w.null("manual_retry_allowed")
	default:
		w.bool("manual_retry_allowed", s == payment.Failed && v.Attempt.Status.MayTryAgain())
	}
}

// writePartner writes partner_merchant_identifier_details. merchant_details has no integrator.
func writePartner(w *writer, p *sdk.Partner) {
	if p == nil {
		w.null("partner_merchant_identifier_details")
		return
	}
	w.key("partner_merchant_identifier_details").open()
	if s := p.Platform; s == nil {
		w.null("partner_details")
	} else {
		w.key("partner_details").open().text("name", s.Name).text("version", s.Version).text("integrator", s.Integrator).close()
	}
	if s := p.Application; s == nil {
		w.null("merchant_details")
	} else {
		w.key("merchant_details").open().text("name", s.Name).text("version", s.Version).close()
	}
	w.close()
}
