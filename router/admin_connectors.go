package router

import (
	"encoding/json"
	"math"

	"payswitch/engine/account"
	"payswitch/engine/secret"
)

func keepOfAccount[V any](key string, parse func(*reader) (V, error)) field[account.AccountInput] {
	return keep(key, parse, func(a *account.AccountInput) *account.Fields { return &a.Fields })
}

var enabledMethods = records(record(true,
	must(member("payment_method", oneOf(paymentMethods))),
	member("payment_method_types", records(record(false,
		must(member("payment_method_type", oneOf(paymentMethodTypes))),
		member("payment_experience", oneOf(paymentExperiences)),
		member("card_networks", listOf(oneOf(cardNetworks))),
		member("accepted_currencies", record(false, must(member("type", oneOf(acceptances))), member("list", listOf(oneOf(currencies))))),
		member("accepted_countries", record(false, must(member("type", oneOf(acceptances))), member("list", listOf(oneOf(countries))))),
		member("minimum_amount", integer(math.MinInt64, math.MaxInt64)),
		member("maximum_amount", integer(math.MinInt64, math.MaxInt64)),
		member("recurring_enabled", boolean),
		member("installment_payment_enabled", boolean),
	))),
))

var webhookSecrets = record(true,
	must(member("merchant_secret", hiddenJSON)),
	member("additional_secret", hiddenJSON),
)

var walletDetails = record(true,
	member("apple_pay_combined", hiddenObject), member("apple_pay", hiddenObject), member("amazon_pay", hiddenObject),
	member("samsung_pay", hiddenObject), member("paze", hiddenObject), member("google_pay", hiddenObject),
)

// secretObject reads an object of credentials. No error message repeats its values.
func secretObject(r *reader) (secret.Value, error) {
	raw, err := hiddenObject(r)
	return secret.New(string(raw)), err
}

// accountCommon are the fields of both requests: create and update.
var accountCommon = []field[account.AccountInput]{
	at("connector_label", text, func(a *account.AccountInput) *string { return &a.Label }),
	at("connector_account_details", secretObject, func(a *account.AccountInput) *secret.Value { return &a.Credentials }),
	at("payment_methods_enabled", enabledMethods, func(a *account.AccountInput) *json.RawMessage { return &a.PaymentMethods }),
	keepOfAccount("connector_webhook_details", webhookSecrets),
	at("metadata", apart(anyObject), func(a *account.AccountInput) *json.RawMessage { return &a.Metadata }),
	opt("test_mode", boolean, func(a *account.AccountInput) **bool { return &a.TestMode }),
	opt("disabled", boolean, func(a *account.AccountInput) **bool { return &a.Disabled }),
	keepOfAccount("frm_configs", listOf(anyObject)),
	keepOfAccount("pm_auth_config", anyObject),
	opt("status", activeStatus, func(a *account.AccountInput) **bool { return &a.Active }),
	keepOfAccount("additional_merchant_data", apart(anyObject)),
	keepOfAccount("connector_wallets_details", walletDetails),
}

var newAccountFields = closedObject(append([]field[account.AccountInput]{
	must(at("connector_type", oneOf(connectorTypes), func(a *account.AccountInput) *account.Type { return &a.Type })),
	must(at("connector_name", text, func(a *account.AccountInput) *string { return &a.Connector })),
	at("profile_id", identifier, func(a *account.AccountInput) *string { return &a.ProfileID }),
	at("merchant_connector_id", identifier, func(a *account.AccountInput) *string { return &a.ID }),
	keepOfAccount("business_country", oneOf(countries)),
	keepOfAccount("business_label", text),
	keepOfAccount("business_sub_label", text),
}, accountCommon...)...)

var accountChangeFields = closedObject(append([]field[account.AccountInput]{
	at("connector_type", oneOf(connectorTypes), func(a *account.AccountInput) *account.Type { return &a.Type }),
	at("credentials_rotated", boolean, func(a *account.AccountInput) *bool { return &a.Rotated }),
}, accountCommon...)...)

var verifyFields = closedObject(
	must(at("connector_name", text, func(a *account.AccountInput) *string { return &a.Connector })),
	must(at("connector_account_details", secretObject, func(a *account.AccountInput) *secret.Value { return &a.Credentials })),
)

// activeStatus reads "active" as true and "inactive" as false.
func activeStatus(r *reader) (bool, error) {
	s, err := oneOf([]string{"inactive", "active"})(r)
	return s == "active", err
}

// checkConnector returns an error if no adapter with the name is loaded.
func (s *Server) checkConnector(name string) error {
	if _, known := s.Connectors.Adapter(name); known {
		return nil
	}
	return s.unknownConnector("connector_name", name)
}

func (s *Server) createAccount(c *call) (answer, error) {
	var in account.AccountInput
	if err := decode(c, newAccountFields, &in); err != nil {
		return answer{}, err
	}
	if err := s.checkConnector(in.Connector); err != nil {
		return answer{}, err
	}
	return accountAnswer(s.Admin.CreateAccount(c.ctx(), c.merchant(), in))
}

func (s *Server) updateAccount(c *call) (answer, error) {
	var in account.AccountInput
	if err := decode(c, accountChangeFields, &in); err != nil {
		return answer{}, err
	}
	return accountAnswer(s.Admin.UpdateAccount(c.ctx(), c.merchant(), c.param("merchant_connector_id"), in))
}

func (s *Server) retrieveAccount(c *call) (answer, error) {
	return accountAnswer(s.Admin.Account(c.ctx(), c.merchant(), c.param("merchant_connector_id")))
}

func (s *Server) listAccounts(c *call) (answer, error) {
	list, err := s.Admin.Accounts(c.ctx(), c.merchant())
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeListedAccount).answer(), nil
}

func (s *Server) deleteAccount(c *call) (answer, error) {
	id := c.param("merchant_connector_id")
	if err := s.Admin.DeleteAccount(c.ctx(), c.merchant(), id); err != nil {
		return answer{}, err
	}
	return new(writer).open().str("merchant_id", c.param("merchant_id")).str("merchant_connector_id", id).bool("deleted", true).close().answer(), nil
}

// verifyConnector answers 200 without a body if the credentials have the form that the connector's adapter needs.
func (s *Server) verifyConnector(c *call) (answer, error) {
	var in account.AccountInput
	if err := decode(c, verifyFields, &in); err != nil {
		return answer{}, err
	}
	if err := s.checkConnector(in.Connector); err != nil {
		return answer{}, err
	}
	return answer{}, s.Admin.VerifyCredentials(c.ctx(), in.Connector, in.Credentials)
}

func accountAnswer(a *account.Account, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	var w writer
	f := a.Fields()
	writeAccountHead(&w, a).
		fields(f, "connector_account_details").
		raw("payment_methods_enabled", a.PaymentMethods).
		fields(f, "connector_webhook_details").
		raw("metadata", a.Metadata)
	writeAccountTail(&w, a, f).
		fields(f, "additional_merchant_data", "connector_wallets_details", "webhook_setup_capabilities").
		close()
	return w.answer(), nil
}

// writeListedAccount writes an account in a list, without its credentials, metadata and webhook details.
func writeListedAccount(w *writer, a *account.Account) {
	writeAccountHead(w, a).raw("payment_methods_enabled", a.PaymentMethods)
	writeAccountTail(w, a, a.Fields()).close()
}

func writeAccountHead(w *writer, a *account.Account) *writer {
	return w.open().str("connector_type", string(a.Type)).str("connector_name", a.Connector).str("connector_label", a.Label).
		str("merchant_connector_id", a.ID).str("profile_id", a.ProfileID)
}

func writeAccountTail(w *writer, a *account.Account, f account.Fields) *writer {
	status := "inactive"
	if a.Active {
		status = "active"
	}
	return w.bool("test_mode", a.TestMode).bool("disabled", a.Disabled).
		fields(f, "frm_configs", "business_country", "business_label", "business_sub_label", "applepay_verified_domains", "pm_auth_config").
		str("status", status)
}
