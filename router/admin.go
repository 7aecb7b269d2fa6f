package router

import (
	"context"

	"payswitch/engine/account"
	"payswitch/engine/method"
	"payswitch/engine/secret"
)

// Admin are the engine's use cases of set-up: merchant accounts, profiles, connector accounts, keys, fallback lists and customers. *engine.Engine
// implements them.
type Admin interface {
	CreateMerchant(ctx context.Context, in account.MerchantInput) (*account.Merchant, error)
	UpdateMerchant(ctx context.Context, in account.MerchantInput) (*account.Merchant, error)
	DeleteMerchant(ctx context.Context, id string) error
	Merchant(ctx context.Context, id string) (*account.Merchant, error)
	Merchants(ctx context.Context, organizationID string) ([]*account.Merchant, error)

	CreateAPIKey(ctx context.Context, a account.Auth, in account.APIKeyInput) (*account.APIKey, secret.Value, error)
	UpdateAPIKey(ctx context.Context, a account.Auth, id string, in account.APIKeyInput) (*account.APIKey, error)
	RevokeAPIKey(ctx context.Context, a account.Auth, id string) error
	APIKey(ctx context.Context, a account.Auth, id string) (*account.APIKey, error)
	APIKeys(ctx context.Context, a account.Auth, limit, skip int) ([]*account.APIKey, error)

	CreateProfile(ctx context.Context, a account.Auth, in account.ProfileInput) (*account.Profile, error)
	UpdateProfile(ctx context.Context, a account.Auth, id string, in account.ProfileInput) (*account.Profile, error)
	DeleteProfile(ctx context.Context, a account.Auth, id string) error
	Profile(ctx context.Context, a account.Auth, id string) (*account.Profile, error)
	Profiles(ctx context.Context, a account.Auth) ([]*account.Profile, error)
	ToggleAgnosticMIT(ctx context.Context, a account.Auth, id string, on bool) error
	ToggleExtendedCardInfo(ctx context.Context, a account.Auth, id string, on bool) error

	CreateAccount(ctx context.Context, a account.Auth, in account.AccountInput) (*account.Account, error)
	UpdateAccount(ctx context.Context, a account.Auth, id string, in account.AccountInput) (*account.Account, error)
	DeleteAccount(ctx context.Context, a account.Auth, id string) error
	Account(ctx context.Context, a account.Auth, id string) (*account.Account, error)
	Accounts(ctx context.Context, a account.Auth) ([]*account.Account, error)
	operatorAdmin
	operationAdmin
	methodAdmin
	acquirerAdmin
	SetEgress(ctx context.Context, a account.Auth, id string, in account.EgressInput) (*account.Account, error)
	VerifyCredentials(ctx context.Context, connector string, credentials secret.Value) error

	routingAdmin
	riskAdmin
	relayAdmin

	CreateCustomer(ctx context.Context, a account.Auth, in method.CustomerData) (*account.Customer, error)
	UpdateCustomer(ctx context.Context, a account.Auth, id string, in method.CustomerData) (*account.Customer, error)
	DeleteCustomer(ctx context.Context, a account.Auth, id string) error
	Customer(ctx context.Context, a account.Auth, id string) (*account.Customer, error)
	Customers(ctx context.Context, a account.Auth, limit, offset int) ([]*account.Customer, error)
	CustomerTotal(ctx context.Context, a account.Auth) (int, error)
}

// adminRoutes returns the routes of set-up. The admin key also opens the profiles and connector accounts of every merchant, so that an operator can
// set up the accounts it creates.
func (s *Server) adminRoutes() []route {
	const (
		merchantPath  = "/accounts/{merchant_id}"
		keysPath      = "/api_keys/{merchant_id}"
		keyPath       = keysPath + "/{key_id}"
		profilesPath  = "/account/{merchant_id}/business_profile"
		profilePath   = profilesPath + "/{profile_id}"
		accountsPath  = "/account/{merchant_id}/connectors"
		accountPath   = accountsPath + "/{merchant_connector_id}"
		customersPath = "/customers"
		customerPath  = customersPath + "/{customer_id}"
	)
	return []route{
		{method: "POST", pattern: "/accounts", who: admin, handle: s.createMerchant},
		{method: "GET", pattern: "/accounts/list", who: admin, handle: s.listMerchants},
		{method: "GET", pattern: merchantPath, who: admin, handle: s.retrieveMerchant},
		{method: "POST", pattern: merchantPath, who: admin, handle: s.updateMerchant},
		{method: "DELETE", pattern: merchantPath, who: admin, handle: s.deleteMerchant},

		{method: "POST", pattern: keysPath, who: admin, handle: s.createKey},
		{method: "GET", pattern: keysPath + "/list", who: admin, handle: s.listKeys},
		{method: "GET", pattern: keyPath, who: admin, handle: s.retrieveKey},
		{method: "POST", pattern: keyPath, who: admin, handle: s.updateKey},
		{method: "DELETE", pattern: keyPath, who: admin, handle: s.revokeKey},

		{method: "POST", pattern: profilesPath, who: adminOrOwn, handle: s.createProfile},
		{method: "GET", pattern: profilesPath, who: adminOrOwn, handle: s.listProfiles},
		{method: "GET", pattern: profilePath, who: adminOrOwn, handle: s.retrieveProfile},
		{method: "POST", pattern: profilePath, who: adminOrOwn, handle: s.updateProfile},
		{method: "DELETE", pattern: profilePath, who: admin, handle: s.deleteProfile},
		{method: "POST", pattern: profilePath + "/toggle_connector_agnostic_mit", who: adminOrOwn, handle: s.toggle(s.Admin.ToggleAgnosticMIT)},
		{method: "POST", pattern: profilePath + "/toggle_extended_card_info", who: admin, handle: s.toggle(s.Admin.ToggleExtendedCardInfo)},

		{method: "POST", pattern: "/profile_acquirer", who: secretField, handle: s.createAcquirer},
		{method: "POST", pattern: "/profile_acquirer/{profile_id}/{profile_acquirer_id}", who: secretField, handle: s.updateAcquirer},

		{method: "POST", pattern: "/account/connectors/verify", who: secretField, handle: s.verifyConnector},
		{method: "POST", pattern: accountsPath, who: adminOrOwn, handle: s.createAccount},
		{method: "GET", pattern: accountsPath, who: adminOrOwn, handle: s.listAccounts},
		{method: "GET", pattern: accountPath, who: adminOrOwn, handle: s.retrieveAccount},
		{method: "POST", pattern: accountPath, who: adminOrOwn, handle: s.updateAccount},
		{method: "DELETE", pattern: accountPath, who: admin, handle: s.deleteAccount},
		{method: "GET", pattern: accountPath + "/egress", who: admin, handle: s.retrieveEgress},
		{method: "POST", pattern: accountPath + "/egress", who: admin, handle: s.setEgress},

		{method: "POST", pattern: customersPath, who: secretField, handle: s.createCustomer},
		{method: "GET", pattern: customersPath + "/list", who: secretField, handle: s.listCustomers},
		{method: "GET", pattern: customersPath + "/list_with_count", who: secretField, handle: s.countCustomers},
		{method: "GET", pattern: customerPath, who: customersOwn, token: true, handle: s.retrieveCustomer},
		{method: "POST", pattern: customerPath, who: secretField, handle: s.updateCustomer},
		{method: "DELETE", pattern: customerPath, who: secretField, handle: s.deleteCustomer},
	}
}

// merchant returns the merchant that a call acts for: the one in the path if the caller sent the admin key, else the caller.
func (c *call) merchant() account.Auth {
	if c.admin {
		return account.Auth{MerchantID: c.param("merchant_id")}
	}
	return c.auth
}

// listOfAnswers writes list as a JSON array.
func listOfAnswers[T any](w *writer, list []T, write func(*writer, T)) *writer {
	w.openList()
	for _, v := range list {
		write(w, v)
	}
	return w.closeList()
}
