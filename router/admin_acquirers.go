package router

import (
	"context"
	"encoding/json"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/acquirer"
	"payswitch/sdk"
)

// acquirerAdmin are the engine's use cases of a profile's acquirers.
type acquirerAdmin interface {
	CreateAcquirer(ctx context.Context, a account.Auth, in acquirer.Input) (*acquirer.View, error)
	UpdateAcquirer(ctx context.Context, a account.Auth, profileID, id string, in acquirer.Input) (*acquirer.View, error)
}

// networkName reads a card network. It ignores case: VISA and Visa are the same.
func networkName(r *reader) (sdk.CardNetwork, error) {
	name, err := text(r)
	if err != nil {
		return "", err
	}
	names := make([]string, len(cardNetworks))
	for i, n := range cardNetworks {
		if strings.EqualFold(name, string(n)) {
			return n, nil
		}
		names[i] = string(n)
	}
	return "", r.unknownVariant([]byte(name), names)
}

// decimal reads a number and returns its JSON text unchanged, so that no digit is lost.
func decimal(r *reader) (json.RawMessage, error) {
	if r.kind() != '0' {
		return nil, r.wrongType("a number", true)
	}
	return r.raw()
}

// The fields of an acquirer. All are optional in a change.
var (
	acquirerNetwork = at("network", networkName, func(a *acquirer.Input) *sdk.CardNetwork { return &a.Network })
	acquirerMID     = opt("acquirer_assigned_merchant_id", apart(text), func(a *acquirer.Input) **string { return &a.MID })
	acquirerName    = opt("merchant_name", text, func(a *acquirer.Input) **string { return &a.Name })
	acquirerBIN     = opt("acquirer_bin", apart(text), func(a *acquirer.Input) **string { return &a.BIN })
	acquirerICA     = opt("acquirer_ica", apart(text), func(a *acquirer.Input) **string { return &a.ICA })
	acquirerRate    = at("acquirer_fraud_rate", decimal, func(a *acquirer.Input) *json.RawMessage { return &a.FraudRate })
	acquirerCountry = opt("acquirer_country_code", oneOf(countries), func(a *acquirer.Input) **string { return &a.Country })
	acquirerDefault = opt("is_default", boolean, func(a *acquirer.Input) **bool { return &a.Default })
)

var newAcquirerFields = closedObject(
	must(at("profile_id", text, func(a *acquirer.Input) *string { return &a.ProfileID })),
	must(acquirerNetwork), must(acquirerMID), must(acquirerName), must(acquirerBIN), acquirerICA, acquirerRate, acquirerCountry, acquirerDefault,
)

var acquirerFields = closedObject(acquirerNetwork, acquirerMID, acquirerName, acquirerBIN, acquirerICA, acquirerRate, acquirerCountry, acquirerDefault)

func (s *Server) createAcquirer(c *call) (answer, error) {
	var in acquirer.Input
	if err := decode(c, newAcquirerFields, &in); err != nil {
		return answer{}, err
	}
	return acquirerAnswer(s.Admin.CreateAcquirer(c.ctx(), c.auth, in))
}

func (s *Server) updateAcquirer(c *call) (answer, error) {
	var in acquirer.Input
	if err := decode(c, acquirerFields, &in); err != nil {
		return answer{}, err
	}
	return acquirerAnswer(s.Admin.UpdateAcquirer(c.ctx(), c.auth, c.param("profile_id"), c.param("profile_acquirer_id"), in))
}

func acquirerAnswer(v *acquirer.View, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	n := v.Entry
	if n == nil {
		n = &acquirer.Network{}
	}
	w := new(writer).open().str("profile_acquirer_id", v.ID).str("profile_id", v.ProfileID).bool("is_default", v.Default)
	w.text("acquirer_assigned_merchant_id", n.MID).text("merchant_name", n.Name).text("network", string(n.Network)).text("acquirer_bin", n.BIN)
	w.text("acquirer_ica", n.ICA).text("acquirer_country_code", n.Country)
	if n.FraudRate == nil {
		w.null("acquirer_fraud_rate")
	} else {
		w.raw("acquirer_fraud_rate", n.FraudRate)
	}
	return w.close().answer(), nil
}
