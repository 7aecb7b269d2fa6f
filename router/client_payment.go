package router

import (
	"net/url"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/routing"
)

// This file has what a checkout in the payer's browser asks for in one call.

// clientPayment answers everything that a checkout needs to draw itself: the payment, the methods on offer and the saved ones among them.
func (s *Server) clientPayment(c *call) (answer, error) {
	q := c.query()
	secret := c.clientSecret(q.text("client_secret"))
	switch {
	case q.err != nil:
		return answer{}, q.err
	case secret == "":
		return answer{}, fault.Missing("client_secret")
	}
	v, err := s.Payments.RetrievePayment(c.ctx(), c.auth, c.param("payment_id"), request.RetrieveInput{ClientSecret: secret, HasClientSecret: true})
	if err != nil {
		return answer{}, err
	}
	if err := s.mayShow(c, v, q.text("origin")); err != nil {
		return answer{}, err
	}
	offers, err := s.offersFor(c, v)
	if err != nil {
		return answer{}, err
	}
	saved, err := s.Admin.PaymentMethods(c.ctx(), v.Payment, v.Profile, method.MethodFilter{})
	if err != nil {
		return answer{}, err
	}
	next, err := s.nextOfSDK(c, v)
	if err != nil {
		return answer{}, err
	}
	charges, err := s.surcharges(c, v)
	if err != nil {
		return answer{}, err
	}
	w, collect := new(writer), profileSwitches(v.Profile)
	w.open().key("payment_methods_enabled").openList()
	for _, o := range offers {
		s.writeEnabled(w, v, o, collect, charges)
	}
	w.closeList().key("customer_payment_methods").openList()
	for i := range saved {
		if slices.ContainsFunc(offers, func(o *offer) bool { return o.method == saved[i].Details.Method && o.kind == saved[i].Details.Type }) {
			writeClientMethod(w, &saved[i])
		}
	}
	w.closeList()
	next.write(w)
	s.writeIntentData(w, v, offers)
	return w.close().answer(), nil
}

// mayShow refuses the checkout's frame in a page that checkout_origins of the payment's profile does not name. The policy of the frame's page follows
// the key in its address, and the page around the frame chooses that address. The frame sends the true origin of that page, because it listens to
// that origin alone. Other clients send no origin.
func (s *Server) mayShow(c *call, v *change.View, origin string) error {
	if s.frames(c, profileSwitches(v.Profile).CheckoutOrigins, origin) {
		return nil
	}
	return fault.Unprocessable("origin", "checkout_origins of the payment's profile does not name this page").WithHint("Add the page's origin to checkout_origins of the profile.")
}

// mayManage is mayShow for the list with which customers manage their saved cards. The list belongs to no profile: a page that one of them allows may show it.
func (s *Server) mayManage(c *call, origin string) error {
	if origin == "" {
		return nil
	}
	profiles, err := s.Admin.Profiles(c.ctx(), account.Auth{MerchantID: c.auth.MerchantID})
	if err != nil {
		return err
	}
	for _, p := range profiles {
		if s.frames(c, profileSwitches(p).CheckoutOrigins, origin) {
			return nil
		}
	}
	return fault.Unprocessable("origin", "checkout_origins of no profile names this page").WithHint("Add the page's origin to checkout_origins of a profile.")
}

// frames reports whether a page may frame the checkout: the profile allows its origin, or any page.
func (s *Server) frames(c *call, allowed []string, origin string) bool {
	if origin == "" || len(allowed) == 0 || slices.Contains(allowed, origin) {
		return true
	}
	own, err := url.Parse(s.opts.PublicURL)
	return err == nil && origin == own.Scheme+"://"+own.Host || origin == "https://"+c.r.Host || origin == "http://"+c.r.Host // our own pages may always frame it
}

// writeEnabled writes a type of payment method. data lists the fields that the type needs from the payer; card_networks and payment_experience list
// the connectors that take it.
func (s *Server) writeEnabled(w *writer, v *change.View, o *offer, collect collectSwitches, charges *routing.Surcharges) {
	w.open().str("payment_method", o.method).str("payment_method_type", o.kind).key("data").open()
	fields, known := s.requiredFieldsOf(v, o)
	writeRequiredFields(w, v, fields, known)
	w.close()
	s.writeGroups(w, v, o, charges)
	w.bool("collect_shipping_details_from_wallets", collect.Shipping || collect.AlwaysShipping)
	w.bool("collect_billing_details_from_wallets", collect.Billing || collect.AlwaysBilling).close()
}

func writeClientMethod(w *writer, m *method.MethodItem) {
	w.open().str("payment_token", m.Token).str("payment_method", m.Details.Method).text("payment_method_type", m.Details.Type)
	w.bool("default_payment_method_set", m.Default).bool("requires_cvv", m.RequiresCVC).time("created", m.CreatedAt).time("last_used_at", m.LastUsedAt)
	w.bool("recurring_enabled", m.Recurring).key("payment_method_data").open()
	writeSavedCard(w, m.PaymentMethod, m.Expired)
	w.close()
	writeContact(w, "billing", m.Private.Billing)
	w.close()
}

// sdkConfig returns the configuration that the reference web SDK loads before anything else. With the publishable key alone it shows no setting of
// the merchant's; with a payment's token it shows the settings of the payment's profile that a checkout acts on.
func (s *Server) sdkConfig(c *call) (answer, error) {
	var settings collectSwitches
	var w writer
	w.open().key("raw_configs").open().close().key("resolved_configs").open().close().key("context_used").open().str("platform", "web")
	if t := c.token; t != nil {
		v, err := s.Payments.RetrievePayment(c.ctx(), c.auth, t.PaymentID, request.RetrieveInput{ClientSecret: t.ClientSecret, HasClientSecret: true})
		if err != nil {
			return answer{}, err
		}
		settings = profileSwitches(v.Profile)
		w.str("profile_id", v.Payment.ProfileID)
	} else {
		w.null("profile_id")
	}
	w.close().strings("payment_methods", []string{payment.MethodCard})
	w.key("account_config").open().key("profile").open()
	w.bool("collect_shipping_details_from_wallet_connector", settings.Shipping).bool("collect_billing_details_from_wallet_connector", settings.Billing)
	w.bool("always_collect_shipping_details_from_wallet_connector", settings.AlwaysShipping)
	w.bool("always_collect_billing_details_from_wallet_connector", settings.AlwaysBilling)
	w.bool("is_tax_connector_enabled", settings.Tax).bool("is_click_to_pay_enabled", false)
	w.str("vaulting_action", "skip").close().close().close()
	return w.answer(), nil
}
