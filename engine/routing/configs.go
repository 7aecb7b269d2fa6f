package routing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/routed"
	"payswitch/engine/routing/rule"
)

// maxConfigs is the number of configurations that a merchant may have.
const maxConfigs = 100

// ConfigInput is a configuration as sent. nil means that the field was not sent.
type ConfigInput struct {
	Name, Description, ProfileID *string
	Algorithm                    json.RawMessage
	TransactionType              routed.TransactionType // "" for payment
}

// CreateRouting stores a configuration, which takes effect when it is activated. warnings names rules that no payment can match, and a kind that does
// not fit the transaction type. Errors:
// IR_06 for the name's length and for the algorithm, IR_04 for a missing field, HE_02 and IR_16 for the profile; IR_06 (422) for an account
// that the profile lacks and for a program that cannot be evaluated; IR_16 beyond the limit.
func (s *Rules) CreateRouting(ctx context.Context, a account.Auth, in ConfigInput) (c *Config, warnings []rule.Warning, err error) {
	if in.Name != nil && len(*in.Name) > 64 {
		return nil, nil, fault.Malformed("name", "Length of name field must not exceed 64 characters").WithHint("Shorten the text to 64 characters.")
	}
	var algorithm *rule.Algorithm
	var cannot error
	if in.Algorithm != nil {
		algorithm, err = rule.ParseAlgorithm(in.Algorithm, s.known)
		if bad := (*rule.Error)(nil); errors.As(err, &bad) && !bad.Malformed {
			cannot = s.refusedProgram(err, "algorithm")
		} else if err != nil {
			return nil, nil, s.refusedProgram(err, "algorithm")
		}
	}
	for _, f := range []struct {
		name string
		sent bool
	}{{"name", in.Name != nil}, {"description", in.Description != nil}, {"algorithm", in.Algorithm != nil}, {"profile_id", in.ProfileID != nil}} {
		if !f.sent {
			return nil, nil, fault.Missing(f.name)
		}
	}
	err = s.update(ctx, "create routing configuration", func(tx Tx) error {
		profile, err := ofProfile(tx, a, *in.ProfileID)
		if err != nil {
			return err
		}
		if cannot != nil {
			return cannot
		}
		accounts, err := tx.Accounts(a.MerchantID)
		if err != nil {
			return err
		}
		if err := hasAccounts(algorithm, accounts, profile.ID); err != nil {
			return err
		}
		if n, err := tx.CountRoutingConfigs(a.MerchantID); err != nil {
			return err
		} else if n >= maxConfigs {
			return fault.Refused(fmt.Sprintf("A merchant has at most %d routing configurations", maxConfigs)).WithParam("profile_id").WithHint("Use one of the merchant's configurations.")
		}
		c = &Config{MerchantID: a.MerchantID, ID: ids.New("routing_"), ProfileID: profile.ID, Kind: algorithm.Type, TransactionType: in.TransactionType,
			Name: *in.Name, Description: *in.Description, CreatedAt: tx.Now(), ModifiedAt: tx.Now()}
		if c.TransactionType == "" {
			c.TransactionType = routed.ForPayment
		}
		if c.Algorithm, err = json.Marshal(algorithm); err != nil {
			return fault.Internal(err, "encode the algorithm")
		}
		return tx.InsertRoutingConfig(c)
	})
	if err != nil {
		return nil, nil, err
	}
	if algorithm.Source != nil {
		warnings = rule.Warnings(algorithm.Source)
	}
	return c, append(misfit(c), warnings...), nil
}

// misfit warns of a configuration whose kind decides nothing for its transaction type.
func misfit(c *Config) []rule.Warning {
	if decides := c.Kind == routed.ThreeDSDecides; decides == (c.TransactionType == routed.ForThreeDS) {
		return nil
	} else if decides {
		return []rule.Warning{{Key: "transaction_type", Message: "a " + string(c.Kind) + " routes nothing: create it with transaction_type " + string(routed.ForThreeDS)}}
	}
	return []rule.Warning{{Key: "transaction_type", Message: "a configuration of kind " + string(c.Kind) + " decides nothing about 3-D Secure: it counts as no_three_ds"}}
}

// hasAccounts checks that the profile has every account that an algorithm names, disabled ones included. The hint names the place, and the accounts that would do.
func hasAccounts(a *rule.Algorithm, all []*account.Account, profileID string) (err error) {
	of := func(c rule.Choice) (list []*account.Account) {
		for _, n := range all {
			if n.ProfileID == profileID && (c.Connector == "" || n.Connector == c.Connector) && (c.AccountID == "" || n.ID == c.AccountID) {
				list = append(list, n)
			}
		}
		return list
	}
	a.Selections(func(place string, list []rule.Choice) {
		for _, c := range list {
			if err != nil || len(of(c)) > 0 {
				continue
			}
			message := "connector with name '" + c.Connector + "'"
			if c.AccountID != "" {
				message += ` and merchant connector account id 'MerchantConnectorAccountId("` + c.AccountID + `")'`
			}
			hint := "Add an account of " + c.Connector + " to the profile, or send a connector that it has: " + someOf(of(rule.Choice{}), func(n *account.Account) string { return n.Connector }) + "."
			if fit := of(rule.Choice{Connector: c.Connector}); len(fit) > 0 {
				hint = "Send one of the profile's accounts of " + c.Connector + ": " + someOf(fit, func(n *account.Account) string { return n.ID }) + ". Or send \"" + c.Connector + "\" alone, for all of them."
			}
			if place != "" {
				hint = "In " + place + ", " + strings.ToLower(hint[:1]) + hint[1:]
			}
			err = fault.Unprocessable("algorithm", message+" not found for the given profile").WithHint(hint)
		}
	})
	return err
}

// someOf lists what name says of accounts, each once and not more than ten.
func someOf(accounts []*account.Account, name func(*account.Account) string) string {
	var names []string
	for _, n := range accounts {
		if !slices.Contains(names, name(n)) {
			names = append(names, name(n))
		}
	}
	if len(names) == 0 {
		return "none"
	}
	if len(names) > 10 {
		names = append(names[:10], "…")
	}
	return strings.Join(names, ", ")
}

// Routings lists the configurations of a transaction type, the latest change first.
func (s *Rules) Routings(ctx context.Context, a account.Auth, transactionType routed.TransactionType, limit, offset int) (list []*Config, err error) {
	err = s.view(ctx, "list routing configurations", func(r Reader) (err error) {
		list, err = r.RoutingConfigs(a.MerchantID, a.ProfileID, transactionType, limit, offset)
		return err
	})
	return list, err
}

// Routing reads a configuration. Errors: HE_02.
func (s *Rules) Routing(ctx context.Context, a account.Auth, id string) (c *Config, err error) {
	err = s.view(ctx, "read routing configuration", func(r Reader) (err error) { c, err = configOf(r, a, id); return err })
	return c, err
}

// configOf reads a configuration that the caller may see.
func configOf(r ConfigReader, a account.Auth, id string) (*Config, error) {
	c, err := r.RoutingConfig(a.MerchantID, id)
	if err != nil {
		return nil, fault.IfMissing(err, noResource())
	}
	if c.TransactionType == "" || a.ProfileID != "" && a.ProfileID != c.ProfileID {
		return nil, noResource()
	}
	return c, nil
}

// ActivateRouting makes a configuration the active one of its profile and transaction type. The next confirm uses it. Errors: HE_02; IR_16 for
// another transaction type, and if the configuration is active already.
func (s *Rules) ActivateRouting(ctx context.Context, a account.Auth, id string, transactionType routed.TransactionType) (c *Config, err error) {
	err = s.update(ctx, "activate routing configuration", func(tx Tx) (err error) {
		if c, err = configOf(tx, a, id); err != nil {
			return err
		}
		if c.TransactionType != transactionType {
			return fault.Refused("Cannot use " + string(c.TransactionType) + "'s routing algorithm for " + string(transactionType) + " operation").WithParam("transaction_type").
				WithHint(`Send {"transaction_type":"` + string(c.TransactionType) + `"}.`)
		}
		p, err := ofProfile(tx, a, c.ProfileID)
		if err != nil {
			return err
		}
		if c.Kind == KindDynamic {
			return activateDynamic(tx, p, c)
		}
		if p.Settings.ActiveRouting[transactionType] == id {
			return fault.Refused("Algorithm is already active").WithParam("routing_id").WithHint("Nothing needs to be changed.")
		}
		return setActive(tx, p, transactionType, id)
	})
	if err != nil {
		return nil, err
	}
	if c.Kind != KindDynamic {
		_, _ = s.compiled(ctx, a.MerchantID, id) // so that no payment waits for it; if it fails, payments report it
	}
	return c, nil
}

func setActive(tx Tx, p *account.Profile, transactionType routed.TransactionType, id string) error {
	if p.Settings.ActiveRouting == nil {
		p.Settings.ActiveRouting = map[routed.TransactionType]string{}
	}
	p.Settings.ActiveRouting[transactionType] = id
	if id == "" {
		delete(p.Settings.ActiveRouting, transactionType)
	}
	p.ModifiedAt = tx.Now()
	return tx.UpdateProfile(p)
}

// DeactivateRouting switches the active configuration of a profile off and returns it. Errors: IR_04 without a profile, HE_02 and IR_16 for the
// profile, IR_16 if no configuration is active.
func (s *Rules) DeactivateRouting(ctx context.Context, a account.Auth, profileID string, transactionType routed.TransactionType) (c *Config, err error) {
	if profileID == "" {
		return nil, fault.Missing("profile_id")
	}
	err = s.update(ctx, "deactivate routing configuration", func(tx Tx) error {
		p, err := ofProfile(tx, a, profileID)
		if err != nil {
			return err
		}
		id := p.Settings.ActiveRouting[transactionType]
		if id == "" {
			return fault.Refused("Algorithm is already inactive").WithParam("routing_id").WithHint("Nothing needs to be changed.")
		}
		if c, err = tx.RoutingConfig(a.MerchantID, id); err != nil {
			return fault.IfMissing(err, noResource())
		}
		return setActive(tx, p, transactionType, "")
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// ActiveRoutings lists the active configurations of a transaction type: of one profile, or of all profiles that the caller may see. Errors:
// HE_02 and IR_16 for the profile.
func (s *Rules) ActiveRoutings(ctx context.Context, a account.Auth, profileID string, transactionType routed.TransactionType) (list []*Config, err error) {
	err = s.view(ctx, "list active routing configurations", func(r Reader) error {
		list = nil
		profiles, err := r.Profiles(a.MerchantID)
		if profileID != "" {
			var p *account.Profile
			p, err = ofProfile(r, a, profileID)
			profiles = []*account.Profile{p}
		}
		if err != nil {
			return err
		}
		for _, p := range profiles {
			id := p.Settings.ActiveRouting[transactionType]
			if id == "" || a.ProfileID != "" && a.ProfileID != p.ID {
				continue
			}
			c, err := r.RoutingConfig(a.MerchantID, id)
			if err != nil {
				return err
			}
			list = append(list, c)
		}
		return nil
	})
	return list, err
}
