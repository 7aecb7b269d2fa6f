package router

import (
	"encoding/json"
	"errors"

	"payswitch/engine/account"
	"payswitch/engine/fault"
)

// merchantRequest is the body of both requests about a merchant account: create and update.
type merchantRequest struct {
	account.MerchantInput
}

func keepOfMerchant[V any](key string, parse func(*reader) (V, error)) field[merchantRequest] {
	return keep(key, parse, func(m *merchantRequest) *account.Fields { return &m.Fields })
}

var merchantDetails = record(true,
	member("primary_contact_person", text), member("primary_phone", text), member("primary_email", email),
	member("secondary_contact_person", text), member("secondary_phone", text), member("secondary_email", email),
	member("website", text), member("about_business", text), member("address", address), member("merchant_tax_registration_id", text),
)

// address checks an address and stores it with all its keys.
var address = record(true,
	member("city", text), member("country", oneOf(countries)), member("line1", text), member("line2", text), member("line3", text),
	member("zip", text), member("state", text), member("first_name", text), member("last_name", text), member("origin_zip", text),
)

var webhookDetails = record(true,
	member("webhook_version", text), member("webhook_username", text), member("webhook_password", hiddenJSON), member("webhook_url", hookURL),
	member("payment_created_enabled", boolean), member("payment_succeeded_enabled", boolean), member("payment_failed_enabled", boolean),
	member("payment_statuses_enabled", listOf(oneOf(paymentStatuses))), member("refund_statuses_enabled", listOf(oneOf(refundStatuses))),
	member("payout_statuses_enabled", listOf(oneOf(payoutStatuses))),
)

var businessFields = closedObject(
	must(at("country", oneOf(countries), func(b *account.Business) *string { return &b.Country })),
	must(at("business", text, func(b *account.Business) *string { return &b.Name })),
)

// merchantCommon are the fields of both requests: create and update.
var merchantCommon = []field[merchantRequest]{
	keepOfMerchant("merchant_name", text),
	keepOfMerchant("merchant_details", merchantDetails),
	keepOfMerchant("return_url", webURL),
	keepOfMerchant("webhook_details", webhookDetails),
	keepOfMerchant("payout_routing_algorithm", anyObject),
	keepOfMerchant("sub_merchants_enabled", boolean),
	keepOfMerchant("parent_merchant_id", identifier),
	keepOfMerchant("enable_payment_response_hash", boolean),
	keepOfMerchant("payment_response_hash_key", signingKey),
	keepOfMerchant("redirect_to_merchant_with_http_post", boolean),
	keepOfMerchant("metadata", anyObject),
	drop[merchantRequest]("publishable_key", hiddenText), // ignored: payswitch makes this key
	keepOfMerchant("locker_id", text),
	at("primary_business_details", listOf(businessFields.parse), func(m *merchantRequest) *[]account.Business { return &m.Business }),
	keepOfMerchant("frm_routing_algorithm", anyObject),
	keepOfMerchant("pm_collect_link_config", collectConfig),
	keepOfMerchant("network_tokenization_credentials", hiddenObject),
}

var newMerchantFields = closedObject(append([]field[merchantRequest]{
	must(at("merchant_id", identifier, func(m *merchantRequest) *string { return &m.ID })),
	at("organization_id", identifier, func(m *merchantRequest) *string { return &m.OrganizationID }),
	keepOfMerchant("product_type", oneOf(productTypes)),
	keepOfMerchant("merchant_account_type", oneOf(merchantTypes)),
}, merchantCommon...)...)

var merchantChangeFields = closedObject(append([]field[merchantRequest]{
	at("merchant_id", identifier, func(m *merchantRequest) *string { return &m.ID }),
	at("default_profile", identifier, func(m *merchantRequest) *string { return &m.DefaultProfile }),
}, merchantCommon...)...)

func (s *Server) createMerchant(c *call) (answer, error) {
	var in merchantRequest
	if err := decode(c, newMerchantFields, &in); err != nil {
		return answer{}, err
	}
	if err := errors.Join(checkReturnURL(in.Fields), checkCollectConfig(in.Fields)); err != nil {
		return answer{}, err
	}
	for _, of := range []string{"accounts", "account", "events"} {
		if err := s.unreserved(of, "merchant_id", in.ID); err != nil {
			return answer{}, err
		}
	}
	return merchantAnswer(s.Admin.CreateMerchant(c.ctx(), in.MerchantInput))
}

func (s *Server) updateMerchant(c *call) (answer, error) {
	var in merchantRequest
	if err := decode(c, merchantChangeFields, &in); err != nil {
		return answer{}, err
	}
	if err := errors.Join(checkReturnURL(in.Fields), checkCollectConfig(in.Fields)); err != nil {
		return answer{}, err
	}
	if in.ID != "" && in.ID != c.param("merchant_id") {
		return answer{}, fault.InvalidValue("merchant_id").WithHint("Send the id that the URL has, or leave the field out.")
	}
	in.ID = c.param("merchant_id")
	return merchantAnswer(s.Admin.UpdateMerchant(c.ctx(), in.MerchantInput))
}

func (s *Server) retrieveMerchant(c *call) (answer, error) {
	return merchantAnswer(s.Admin.Merchant(c.ctx(), c.param("merchant_id")))
}

func (s *Server) listMerchants(c *call) (answer, error) {
	q := c.query()
	q.only("organization_id")
	organization := q.id("organization_id")
	if q.err != nil {
		return answer{}, q.err
	}
	if organization == "" {
		return answer{}, fault.Missing("organization_id")
	}
	list, err := s.Admin.Merchants(c.ctx(), organization)
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeMerchant).answer(), nil
}

func (s *Server) deleteMerchant(c *call) (answer, error) {
	id := c.param("merchant_id")
	if err := s.Admin.DeleteMerchant(c.ctx(), id); err != nil {
		return answer{}, err
	}
	return new(writer).open().str("merchant_id", id).bool("deleted", true).close().answer(), nil
}

// checkReturnURL returns an error if return_url is longer than 2048 characters.
func checkReturnURL(f account.Fields) error {
	var url string
	if raw := f["return_url"]; raw != nil && json.Unmarshal(raw, &url) != nil {
		return fault.InvalidValue("return_url").WithHint("Send an absolute URL with https.")
	}
	return checkLengths(length{"return_url", url, 2048})
}

func merchantAnswer(m *account.Merchant, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	var w writer
	writeMerchant(&w, m)
	return w.answer(), nil
}

func writeMerchant(w *writer, m *account.Merchant) {
	f := withDefaults(m.Fields(), "product_type", `"orchestration"`, "merchant_account_type", `"standard"`, "primary_business_details", "[]")
	w.open().str("merchant_id", m.ID).
		fields(f, "merchant_name", "return_url", "enable_payment_response_hash", "payment_response_hash_key",
			"redirect_to_merchant_with_http_post", "merchant_details", "webhook_details", "payout_routing_algorithm", "sub_merchants_enabled",
			"parent_merchant_id").
		text("publishable_key", m.PublishableKey).
		fields(f, "metadata", "locker_id", "primary_business_details", "frm_routing_algorithm").
		str("organization_id", m.OrganizationID).
		bool("is_recon_enabled", false).
		text("default_profile", m.DefaultProfile).
		str("recon_status", "not_requested").
		fields(f, "pm_collect_link_config", "product_type", "merchant_account_type", "network_tokenization_credentials").
		close()
}
