package router

import (
	"net"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/contact"
	"payswitch/engine/risk"
	"payswitch/engine/secret"
)

// eligibilityRequest is the body of eligibility and eligibility_check.
type eligibilityRequest struct {
	risk.EligibilityInput
	browser *contact.Browser
}

// eligibleCard reads the card_number of a card. Nothing else of the card matters.
var eligibleCard = openObject(must(at("card_number", cardNumber, func(e *eligibilityRequest) *secret.Value { return &e.Number })))

var eligibleData = openObject(field[eligibilityRequest]{key: "card", read: eligibleCard.into})

var eligibilityFields = openObject(
	must(drop[eligibilityRequest]("payment_method_type", oneOf(paymentMethods))),
	drop[eligibilityRequest]("payment_method_subtype", text),
	field[eligibilityRequest]{key: "payment_method_data", read: func(r *reader, e *eligibilityRequest) error {
		e.HasData = true
		return eligibleData.into(r, e)
	}},
	at("payment_token", text, func(e *eligibilityRequest) *string { return &e.Token }),
	at("client_secret", text, func(e *eligibilityRequest) *string { return &e.ClientSecret }),
	opt("browser_info", browserFields.parse, func(e *eligibilityRequest) **contact.Browser { return &e.browser }),
)

// eligibility is the handler that answers whether a confirm may go on. With surcharge, the answer has the key surcharge_details.
func (s *Server) eligibility(surcharge bool) handler {
	return func(c *call) (answer, error) {
		var in eligibilityRequest
		if err := decode(c, eligibilityFields, &in); err != nil {
			return answer{}, err
		}
		in.IP, _, _ = net.SplitHostPort(c.r.RemoteAddr)
		if in.browser != nil && in.browser.IP != "" {
			in.IP = in.browser.IP
		}
		in.ClientSecret = c.clientSecret(in.ClientSecret)
		text, err := s.Admin.Eligible(c.ctx(), c.auth, c.param("payment_id"), in.EligibilityInput)
		if err != nil {
			return answer{}, err
		}
		w := new(writer).open().str("payment_id", c.param("payment_id")).key("sdk_next_action").open()
		if text == "" {
			w.str("next_action", "confirm")
		} else {
			w.key("next_action").open().key("deny").open().str("message", text).close().close()
		}
		w.null("should_block_confirm").close()
		if surcharge {
			w.null("surcharge_details")
		}
		return w.close().answer(), nil
	}
}

// nextOfSDK is what a checkout does before it confirms: confirm, or eligibility_check. block is true if it must wait for the answer.
type nextOfSDK struct {
	action string
	block  bool
}

// nextOfSDK returns what a checkout of the payment does next.
func (s *Server) nextOfSDK(c *call, v *change.View) (nextOfSDK, error) {
	value, err := s.Admin.Switch(c.ctx(), v.Payment.MerchantID, account.SwitchEligibility)
	if err != nil || value != "true" {
		return nextOfSDK{action: "confirm"}, err
	}
	return nextOfSDK{"eligibility_check", len(account.DetailsOf(v.Profile.Details)["surcharge_connector_details"]) > 0}, nil
}

func (n nextOfSDK) write(w *writer) {
	w.key("sdk_next_action").open().str("next_action", n.action).bool("should_block_confirm", n.block).close()
}
