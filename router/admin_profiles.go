package router

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/routing/rule"
	"payswitch/sdk"
)

func keepOfProfile[V any](key string, parse func(*reader) (V, error)) field[account.ProfileInput] {
	return keep(key, parse, func(p *account.ProfileInput) *account.Fields { return &p.Fields })
}

// whole reads an integer of 0 or more. The engine checks its upper bound.
var whole = integer(0, math.MaxUint32)

var profileFields = closedObject(
	at("profile_name", text, func(p *account.ProfileInput) *string { return &p.Name }),
	keepOfProfile("return_url", webURL),
	keepOfProfile("enable_payment_response_hash", boolean),
	keepOfProfile("payment_response_hash_key", signingKey),
	keepOfProfile("redirect_to_merchant_with_http_post", boolean),
	keepOfProfile("webhook_details", webhookDetails),
	keepOfProfile("metadata", anyObject),
	keepOfProfile("routing_algorithm", anyObject),
	keepOfProfile("intent_fulfillment_time", whole),
	keepOfProfile("frm_routing_algorithm", anyObject),
	keepOfProfile("payout_routing_algorithm", anyObject),
	keepOfProfile("applepay_verified_domains", listOf(text)),
	keepOfProfile("session_expiry", whole),
	keepOfProfile("payment_link_config", profileLinkConfig),
	keepOfProfile("authentication_connector_details", authenticationDetails),
	keepOfProfile("external_three_ds_policy", anyObject),
	keepOfProfile("use_billing_as_payment_method_billing", boolean),
	keepOfProfile("collect_shipping_details_from_wallet_connector", boolean),
	keepOfProfile("collect_billing_details_from_wallet_connector", boolean),
	keepOfProfile("always_collect_shipping_details_from_wallet_connector", boolean),
	keepOfProfile("always_collect_billing_details_from_wallet_connector", boolean),
	keepOfProfile("is_connector_agnostic_mit_enabled", boolean),
	keepOfProfile("payout_link_config", anyObject),
	keepOfProfile("outgoing_webhook_custom_http_headers", headerMap),
	keepOfProfile("tax_connector_id", identifier),
	keepOfProfile("is_tax_connector_enabled", boolean),
	keepOfProfile("is_network_tokenization_enabled", boolean),
	keepOfProfile("is_auto_retries_enabled", boolean),
	keepOfProfile("max_auto_retries_enabled", integer(0, 255)),
	keepOfProfile("auto_retries_time_budget", integer(100, 60_000)),
	keepOfProfile("is_strict_routing_enabled", boolean),
	keepOfProfile("is_account_health_enabled", boolean),
	keepOfProfile("scheme_retry_limits", oneOf([]account.SchemeLimits{account.LimitsEnforce, account.LimitsWarn, account.LimitsIgnore})),
	keepOfProfile("always_request_extended_authorization", boolean),
	keepOfProfile("is_click_to_pay_enabled", boolean),
	keepOfProfile("authentication_product_ids", anyObject),
	keepOfProfile("card_testing_guard_config", cardTestingGuard),
	keepOfProfile("is_clear_pan_retries_enabled", boolean),
	keepOfProfile("force_3ds_challenge", boolean),
	keepOfProfile("is_debit_routing_enabled", boolean),
	keepOfProfile("merchant_business_country", oneOf(countries)),
	keepOfProfile("is_iframe_redirection_enabled", boolean),
	keepOfProfile("is_pre_network_tokenization_enabled", boolean),
	keepOfProfile("merchant_category_code", categoryCode),
	keepOfProfile("merchant_country_code", countryCode),
	keepOfProfile("dispute_polling_interval", integer(0, math.MaxInt32)),
	keepOfProfile("is_manual_retry_enabled", boolean),
	keepOfProfile("always_enable_overcapture", boolean),
	keepOfProfile("is_external_vault_enabled", oneOf([]string{"enable", "skip"})),
	keepOfProfile("external_vault_connector_details", anyObject),
	keepOfProfile("billing_processor_id", identifier),
	keepOfProfile("surcharge_connector_details", anyObject),
	keepOfProfile("is_l2_l3_enabled", boolean),
	keepOfProfile("network_tokenization_credentials", hiddenObject),
	keepOfProfile("payment_method_blocking", methodBlocking),
	keepOfProfile("checkout_origins", listOf(webOrigin)),
	keepOfProfile("second_person_for_decisions", secondPerson),
	keepOfProfile("extended_card_info_config", extendedCardInfo),
)

// extendedCardInfo reads extended_card_info_config. The router does not check its key: a payment with a bad key goes on, and payswitch keeps no card
// for it.
var extendedCardInfo = recordWith([]string{"ttl_in_secs", "900"}, true, must(member("public_key", text)), member("ttl_in_secs", func(r *reader) (int64, error) {
	n, err := integer(0, math.MaxUint16)(r)
	if err == nil && n > maxCardInfoSeconds {
		return 0, r.fail("ttl_in_secs must be less than or equal to 7200 (2hrs)", "Send a whole number from 0 to 7200.")
	}
	return n, err
}))

const maxCardInfoSeconds = 7200

var authenticationDetails = record(true,
	must(member("authentication_connectors", listOf(text))),
	must(member("three_ds_requestor_url", text)),
	member("three_ds_requestor_app_url", text),
)

var cardTestingGuard = recordWith([]string{"guest_ip_blocking_status", `"disabled"`, "guest_ip_blocking_threshold", "10"}, true,
	must(member("card_ip_blocking_status", oneOf(guardStatuses))), must(member("card_ip_blocking_threshold", whole)),
	must(member("guest_user_card_blocking_status", oneOf(guardStatuses))), must(member("guest_user_card_blocking_threshold", whole)),
	must(member("customer_id_blocking_status", oneOf(guardStatuses))), must(member("customer_id_blocking_threshold", whole)),
	must(member("card_testing_guard_expiry", whole)),
	member("guest_ip_blocking_status", oneOf(guardStatuses)), member("guest_ip_blocking_threshold", whole),
)

// secondPerson reads second_person_for_decisions: whether decisions need two people, and up to which sums one is enough.
var secondPerson = record(true, must(member("required", boolean)), member("limits", amountsByCurrency))

// amountsByCurrency reads amounts in minor units by the names of their currencies.
func amountsByCurrency(r *reader) (json.RawMessage, error) {
	amount := integer(0, math.MaxInt64)
	return keptAs(func(r *reader) (struct{}, error) {
		if r.kind() != '{' {
			return struct{}{}, r.wrongType("an object", false)
		}
		return struct{}{}, r.members(func(key []byte) error {
			if !slices.Contains(currencies, sdk.Currency(key)) {
				return r.fail("unknown currency `"+shownText(key)+"`", "Send three capital letters of ISO 4217, such as USD.")
			}
			_, err := amount(r)
			return err
		})
	})(r)
}

var cardTypes = []string{"credit", "debit"}

// methodBlocking reads payment_method_blocking. It ignores unknown keys.
var methodBlocking = record(false,
	member("card", recordWith([]string{"block_if_bin_info_unavailable", "false"}, false,
		member("issuing_country", listOf(oneOf(countries))), member("card_types", listOf(oneOf(cardTypes))),
		member("card_subtypes", listOf(oneOf(card.Subtypes))), member("issuers", listOf(text)), member("block_if_bin_info_unavailable", boolean),
	)),
	member("wallet", record(false, member("card_types", listOf(oneOf(cardTypes))))),
)

// noGuard is card_testing_guard_config of a profile that never got the field.
const noGuard = `{"card_ip_blocking_status":"disabled","card_ip_blocking_threshold":3,"guest_user_card_blocking_status":"disabled",` +
	`"guest_user_card_blocking_threshold":10,"customer_id_blocking_status":"disabled","customer_id_blocking_threshold":5,` +
	`"card_testing_guard_expiry":3600,"guest_ip_blocking_status":"disabled","guest_ip_blocking_threshold":10}`

// headerMap reads the HTTP headers for outgoing webhooks. A name must be a token, and a value must have no control character.
func headerMap(r *reader) (json.RawMessage, error) {
	return keptAs(func(r *reader) (struct{}, error) {
		if r.kind() != '{' {
			return struct{}{}, r.wrongType("an object", false)
		}
		return struct{}{}, r.members(func(key []byte) error {
			if len(key) == 0 || strings.ContainsFunc(string(key), notToken) {
				return r.fail("invalid HTTP header name", "Use letters, digits and hyphens.")
			}
			value, err := hiddenText(r)
			if err == nil && strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
				err = r.fail("invalid HTTP header value", "Send the value without line breaks and control characters.")
			}
			return err
		})
	})(r)
}

// notToken reports whether an HTTP header name must not have the character (RFC 9110, section 5.6.2).
func notToken(c rune) bool {
	return c <= ' ' || c >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
}

func (s *Server) readProfile(c *call) (in account.ProfileInput, err error) {
	if err = decode(c, profileFields, &in); err == nil {
		err = errors.Join(checkReturnURL(in.Fields), checkLinkConfig(in.Fields))
	}
	return in, err
}

func (s *Server) createProfile(c *call) (answer, error) {
	in, err := s.readProfile(c)
	if err != nil {
		return answer{}, err
	}
	return profileAnswer(s.Admin.CreateProfile(c.ctx(), c.merchant(), in))
}

func (s *Server) updateProfile(c *call) (answer, error) {
	in, err := s.readProfile(c)
	if err != nil {
		return answer{}, err
	}
	return profileAnswer(s.Admin.UpdateProfile(c.ctx(), c.merchant(), c.param("profile_id"), in))
}

func (s *Server) retrieveProfile(c *call) (answer, error) {
	return profileAnswer(s.Admin.Profile(c.ctx(), c.merchant(), c.param("profile_id")))
}

func (s *Server) listProfiles(c *call) (answer, error) {
	list, err := s.Admin.Profiles(c.ctx(), c.merchant())
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeProfile).answer(), nil
}

func (s *Server) deleteProfile(c *call) (answer, error) {
	if err := s.Admin.DeleteProfile(c.ctx(), c.merchant(), c.param("profile_id")); err != nil {
		return answer{}, err
	}
	return jsonAnswer([]byte("true")), nil
}

var toggleFields = closedObject(must(at("enabled", boolean, func(on *bool) *bool { return on })))

// toggle is the handler that switches one setting of a profile on or off.
func (s *Server) toggle(set func(ctx context.Context, a account.Auth, id string, on bool) error) handler {
	return func(c *call) (answer, error) {
		var on bool
		if err := decode(c, toggleFields, &on); err != nil {
			return answer{}, err
		}
		if err := set(c.ctx(), c.merchant(), c.param("profile_id"), on); err != nil {
			return answer{}, err
		}
		return new(writer).open().bool("enabled", on).close().answer(), nil
	}
}

func profileAnswer(p *account.Profile, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	var w writer
	writeProfile(&w, p)
	return w.answer(), nil
}

func writeProfile(w *writer, p *account.Profile) {
	f := withDefaults(p.Fields(),
		"enable_payment_response_hash", "true", "redirect_to_merchant_with_http_post", "false",
		"session_expiry", "900", "intent_fulfillment_time", "900", "use_billing_as_payment_method_billing", "true",
		"collect_shipping_details_from_wallet_connector", "false", "collect_billing_details_from_wallet_connector", "false",
		"always_collect_shipping_details_from_wallet_connector", "false", "always_collect_billing_details_from_wallet_connector", "false",
		"is_connector_agnostic_mit_enabled", "false", "is_tax_connector_enabled", "false", "is_network_tokenization_enabled", "false",
		"is_auto_retries_enabled", "false", "is_click_to_pay_enabled", "false", "is_clear_pan_retries_enabled", "false",
		"force_3ds_challenge", "false", "is_pre_network_tokenization_enabled", "false", "is_manual_retry_enabled", "false",
		"is_strict_routing_enabled", "false", "is_account_health_enabled", "true", "auto_retries_time_budget", "15000",
		"card_testing_guard_config", noGuard)
	w.open().str("merchant_id", p.MerchantID).str("profile_id", p.ID).str("profile_name", p.Name).
		fields(f, "return_url", "enable_payment_response_hash", "payment_response_hash_key", "redirect_to_merchant_with_http_post",
			"webhook_details", "metadata", "routing_algorithm", "intent_fulfillment_time", "frm_routing_algorithm", "payout_routing_algorithm",
			"applepay_verified_domains", "session_expiry", "payment_link_config", "authentication_connector_details",
			"use_billing_as_payment_method_billing", "extended_card_info_config", "collect_shipping_details_from_wallet_connector",
			"collect_billing_details_from_wallet_connector", "always_collect_shipping_details_from_wallet_connector",
			"always_collect_billing_details_from_wallet_connector", "is_connector_agnostic_mit_enabled", "payout_link_config",
			"outgoing_webhook_custom_http_headers", "tax_connector_id", "is_tax_connector_enabled", "is_network_tokenization_enabled",
			"is_auto_retries_enabled", "max_auto_retries_enabled", "always_request_extended_authorization", "is_click_to_pay_enabled",
			"authentication_product_ids", "card_testing_guard_config", "is_clear_pan_retries_enabled", "force_3ds_challenge",
			"is_debit_routing_enabled", "merchant_business_country", "is_pre_network_tokenization_enabled", "acquirer_configs",
			"acquirer_config_bucket", "is_iframe_redirection_enabled", "merchant_category_code", "merchant_country_code",
			"dispute_polling_interval", "is_manual_retry_enabled", "always_enable_overcapture", "is_external_vault_enabled",
			"external_vault_connector_details", "billing_processor_id", "surcharge_connector_details", "is_l2_l3_enabled",
			"network_tokenization_credentials", "payment_method_blocking", "external_three_ds_policy", "auto_retries_time_budget",
			"is_strict_routing_enabled", "is_account_health_enabled", "scheme_retry_limits", "checkout_origins", "second_person_for_decisions").
		close()
}

// categoryCode reads a merchant category code (ISO 18245); "" removes the stored one.
func categoryCode(r *reader) (string, error) {
	code, err := text(r)
	if err == nil && code != "" && (len(code) != 4 || strings.Trim(code, "0123456789") != "") {
		err = r.fail("merchant category code "+quoted([]byte(code))+" is not four digits", `Send four digits, such as "5411".`)
	}
	return code, err
}

// countryCode reads the two letters or the three digits of a country (ISO 3166-1); "" removes the stored ones.
func countryCode(r *reader) (string, error) {
	code, err := text(r)
	if err == nil && code != "" && !slices.Contains(countries, rule.CountryLetters(code)) {
		err = r.fail("unknown merchant country code "+quoted([]byte(code)), `Send the country's two letters or three digits, such as "DE" or "276".`)
	}
	return code, err
}
