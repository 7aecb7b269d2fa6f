package dashboard

import (
	"context"
	"maps"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/webhook"
	"payswitch/sdk"
)

// settings is what the pages of settings and of the installation need of the engine.
type settings interface {
	deciding
	approving
	routingUses
	simulated
	linking
	CreateMerchant(ctx context.Context, in account.MerchantInput) (*account.Merchant, error)
	Profiles(ctx context.Context, a account.Auth) ([]*account.Profile, error)
	Profile(ctx context.Context, a account.Auth, id string) (*account.Profile, error)
	CreateProfile(ctx context.Context, a account.Auth, in account.ProfileInput) (*account.Profile, error)
	UpdateProfile(ctx context.Context, a account.Auth, id string, in account.ProfileInput) (*account.Profile, error)
	Accounts(ctx context.Context, a account.Auth) ([]*account.Account, error)
	Account(ctx context.Context, a account.Auth, id string) (*account.Account, error)
	CreateAccount(ctx context.Context, a account.Auth, in account.AccountInput) (*account.Account, error)
	UpdateAccount(ctx context.Context, a account.Auth, id string, in account.AccountInput) (*account.Account, error)
	DeleteAccount(ctx context.Context, a account.Auth, id string) error
	Approval(ctx context.Context, a account.Auth, id string) (*account.ApprovalView, error)
	APIKeys(ctx context.Context, a account.Auth, limit, skip int) ([]*account.APIKey, error)
	CreateAPIKey(ctx context.Context, a account.Auth, in account.APIKeyInput) (*account.APIKey, secret.Value, error)
	RevokeAPIKey(ctx context.Context, a account.Auth, id string) error
}

// settingRoutes returns the pages of settings and of the installation.
func (s *Server) settingRoutes() (out []route) {
	for _, more := range [][]route{s.setupRoutes(), s.connectorRoutes(), s.profileRoutes(), s.keyRoutes(), s.decisionRoutes(), s.eventRoutes(), s.webhookRoutes(), s.adapterRoutes(), s.routingRoutes(), s.simulatorRoutes(), s.linkRoutes(), s.checkoutRoutes(), s.systemRoutes(), s.logRoutes()} {
		out = append(out, more...)
	}
	return out
}

// Events delivers events to the merchants' endpoints: *webhook.Service.
type Events interface {
	ListEvents(ctx context.Context, a account.Auth, f webhook.Filter) ([]*webhook.Delivery, int, error)
	EventAttempts(ctx context.Context, a account.Auth, eventID string) ([]*webhook.AttemptView, error)
	Redeliver(ctx context.Context, a account.Auth, eventID, endpointID string) (*webhook.AttemptView, error)
	Endpoints(ctx context.Context, a account.Auth, profileID string) ([]*webhook.EndpointView, error)
	Endpoint(ctx context.Context, a account.Auth, profileID, id string) (*webhook.EndpointView, error)
	CreateEndpoint(ctx context.Context, a account.Auth, profileID string, in webhook.EndpointInput) (*webhook.Endpoint, error)
	UpdateEndpoint(ctx context.Context, a account.Auth, profileID, id string, in webhook.EndpointInput) (*webhook.Endpoint, error)
	RotateSecret(ctx context.Context, a account.Auth, profileID, id string, overlap time.Duration) (*webhook.Endpoint, error)
	DeleteEndpoint(ctx context.Context, a account.Auth, profileID, id string) error
	TestEndpoint(ctx context.Context, a account.Auth, profileID, id string) (*webhook.Tested, error)
}

// Adapters lists the adapters that are loaded now.
type Adapters interface {
	Adapter(connector string) (port.AdapterInfo, bool)
	Adapters() []port.AdapterInfo
}

// installed returns the adapters of a kind, by the name that people read.
func (s *Server) installed(kind sdk.Kind) (out []port.AdapterInfo) {
	for _, a := range s.Adapters.Adapters() {
		if a.Manifest != nil && a.Manifest.Kind == kind {
			out = append(out, a)
		}
	}
	return out
}

// connectorName returns the name of a connector that people read.
func (s *Server) connectorName(name string) string {
	if a, ok := s.Adapters.Adapter(name); ok && a.Manifest != nil && a.Manifest.DisplayName != "" && !a.Simulated {
		return a.Manifest.DisplayName
	}
	return name
}

// profileNames returns the names of the merchant's profiles by id, and their ids in the order of creation.
func (c *call) profileNames(ctx context.Context) (names map[string]string, list []*account.Profile, err error) {
	list, err = c.server.Engine.Profiles(ctx, c.auth())
	names = map[string]string{}
	for _, p := range list {
		names[p.ID] = p.Name
	}
	return names, list, err
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
