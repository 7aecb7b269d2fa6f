package main

import (
	"context"
	"encoding/json"

	"payswitch/engine/account"
	"payswitch/engine/secret"
)

// demoAccounts makes the merchant's accounts at the simulated processor and at the simulated 3DS server, unless
// they exist, and has its profile use the 3DS server. It leaves later changes of the user alone.
func (n *node) demoAccounts(ctx context.Context, as account.Auth) error {
	accounts, err := n.engine.Accounts(ctx, as)
	if err != nil {
		return err
	}
	for _, in := range []account.AccountInput{
		{Type: "payment_processor", Connector: demoConnector, Metadata: json.RawMessage(`{"acquirer_details": {"acquirer_bin": "412345", "acquirer_merchant_id": "DEMO0000417", "acquirer_country_code": "DK", "merchant_name": "Demo shop"}}`)},
		{Type: "authentication_processor", Connector: demoAuthenticator},
	} {
		in.Credentials, in.TestMode = secret.New(`{"auth_type": "HeaderKey", "api_key": "demo"}`), new(true)
		if known(accounts, in.Connector) || in.Connector == demoAuthenticator && n.bank == nil {
			continue
		}
		if _, err := n.engine.CreateAccount(ctx, as, in); err != nil {
			return err
		}
	}
	if n.bank == nil {
		return nil
	}
	profiles, err := n.engine.Profiles(ctx, as)
	if err != nil || len(profiles) == 0 || profiles[0].Settings.AuthenticationConnectors != nil {
		return err
	}
	_, err = n.engine.UpdateProfile(ctx, as, profiles[0].ID, account.ProfileInput{Fields: account.Fields{
		"authentication_connector_details": json.RawMessage(`{"authentication_connectors": ["` + demoAuthenticator + `"], "three_ds_requestor_url": "` + n.publicURL() + `"}`),
		"merchant_category_code":           json.RawMessage(`"5999"`),
		"merchant_country_code":            json.RawMessage(`"DK"`),
	}})
	return err
}

func known(accounts []*account.Account, connector string) bool {
	for _, a := range accounts {
		if a.Connector == connector {
			return true
		}
	}
	return false
}
