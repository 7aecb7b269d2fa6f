package router

import (
	"context"

	"payswitch/engine"
)

// Admin are the engine's use cases of set-up: merchant accounts, profiles, connector accounts, keys, fallback lists and customers. *engine.Engine
// implements them.
type Admin interface {
	CreateMerchant(ctx context.Context, in engine.MerchantInput) (*engine.Merchant, error)
	UpdateMerchant(ctx context.Context, in engine.MerchantInput) (*engine.Merchant, error)
	DeleteMerchant(ctx context.Context, id string) error
	Merchant(ctx context.Context, id string) (*engine.Merchant, error)
	Merchants(ctx context.Context, organizationID string) ([]*engine.Merchant, error)

	CreateAPIKey(ctx context.Context, a engine.Auth, in engine.APIKeyInput) (*engine.APIKey, engine.Secret, error)
	UpdateAPIKey(ctx context.Context, a engine.Auth, id string, in engine.APIKeyInput) (*engine.APIKey, error)
	RevokeAPIKey(ctx context.Context, a engine.Auth, id string) error
	APIKey(ctx context.Context, a engine.Auth, id string) (*engine.APIKey, error)
	APIKeys(ctx context.Context, a engine.Auth, limit, skip int) ([]*engine.APIKey, error)

	CreateProfile(ctx context.Context, a engine.Auth, in engine.ProfileInput) (*engine.Profile, error)
	UpdateProfile(ctx context.Context, a engine.Auth, id string, in engine.ProfileInput) (*engine.Profile, error)
	DeleteProfile(ctx context.Context, a engine.Auth, id string) error
	Profile(ctx context.Context, a engine.Auth, id string) (*engine.Profile, error)
	Profiles(ctx context.Context, a engine.Auth) ([]*engine.Profile, error)
	ToggleAgnosticMIT(ctx context.Context, a engine.Auth, id string, on bool) error
	ToggleExtendedCardInfo(ctx context.Context, a engine.Auth, id string, on bool) error

	CreateAccount(ctx context.Context, a engine.Auth, in engine.AccountInput) (*engine.Account, error)
	UpdateAccount(ctx context.Context, a engine.Auth, id string, in engine.AccountInput) (*engine.Account, error)
	DeleteAccount(ctx context.Context, a engine.Auth, id string) error
	Account(ctx context.Context, a engine.Auth, id string) (*engine.Account, error)
	Accounts(ctx context.Context, a engine.Auth) ([]*engine.Account, error)
	operatorAdmin
	methodAdmin
	acquirerAdmin
	SetEgress(ctx context.Context, a engine.Auth, id string, in engine.EgressInput) (*engine.Account, error)
	VerifyCredentials(ctx context.Context, connector string, credentials engine.Secret) error

	ProfileFallback(ctx context.Context, a engine.Auth, profileID string) (*engine.Fallback, error)
	Fallbacks(ctx context.Context, a engine.Auth) ([]*engine.Fallback, error)
	ReorderFallback(ctx context.Context, a engine.Auth, profileID string, order []engine.RoutingChoice) (*engine.Fallback, error)

	CreateCustomer(ctx context.Context, a engine.Auth, in engine.CustomerData) (*engine.Customer, error)
	UpdateCustomer(ctx context.Context, a engine.Auth, id string, in engine.CustomerData) (*engine.Customer, error)
	DeleteCustomer(ctx context.Context, a engine.Auth, id string) error
	Customer(ctx context.Context, a engine.Auth, id string) (*engine.Customer, error)
	Customers(ctx context.Context, a engine.Auth, limit, offset int) ([]*engine.Customer, int, error)
}

// adminRoutes are the routes of set-up. The admin key also opens the profiles and connector accounts of every merchant, so that an operator can set
// up the accounts it creates.
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
		{method: "POST", pattern: profilePath + "/toggle_extended_card_info", who: adminOrOwn, handle: s.toggle(s.Admin.ToggleExtendedCardInfo)},

		{method: "POST", pattern: "/profile_acquirer", who: secret, handle: s.createAcquirer},
		{method: "POST", pattern: "/profile_acquirer/{profile_id}/{profile_acquirer_id}", who: secret, handle: s.updateAcquirer},

		{method: "POST", pattern: "/account/connectors/verify", who: secret, handle: s.verifyConnector},
		{method: "POST", pattern: accountsPath, who: adminOrOwn, handle: s.createAccount},
		{method: "GET", pattern: accountsPath, who: adminOrOwn, handle: s.listAccounts},
		{method: "GET", pattern: accountPath, who: adminOrOwn, handle: s.retrieveAccount},
		{method: "POST", pattern: accountPath, who: adminOrOwn, handle: s.updateAccount},
		{method: "DELETE", pattern: accountPath, who: admin, handle: s.deleteAccount},
		{method: "GET", pattern: accountPath + "/egress", who: admin, handle: s.retrieveEgress},
		{method: "POST", pattern: accountPath + "/egress", who: admin, handle: s.setEgress},

		{method: "GET", pattern: "/routing/default", who: secret, handle: s.retrieveFallback},
		{method: "POST", pattern: "/routing/default", who: secret, handle: s.reorderFallback},
		{method: "GET", pattern: "/routing/default/profile", who: secret, handle: s.listFallbacks},
		{method: "POST", pattern: "/routing/default/profile/{profile_id}", who: secret, handle: s.reorderProfileFallback},

		{method: "POST", pattern: customersPath, who: secret, handle: s.createCustomer},
		{method: "GET", pattern: customersPath + "/list", who: secret, handle: s.listCustomers},
		{method: "GET", pattern: customersPath + "/list_with_count", who: secret, handle: s.countCustomers},
		{method: "GET", pattern: customerPath, who: customersOwn, handle: s.retrieveCustomer},
		{method: "POST", pattern: customerPath, who: secret, handle: s.updateCustomer},
		{method: "DELETE", pattern: customerPath, who: secret, handle: s.deleteCustomer},
	}
}

// merchant is the merchant that a call acts for: the one in the path if the caller sent the admin key, else the caller.
func (c *call) merchant() engine.Auth {
	if c.admin {
		return engine.Auth{MerchantID: c.param("merchant_id")}
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
