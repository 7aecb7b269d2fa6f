package main

import (
	"context"
	"encoding/json"

	"payswitch/engine/account"
	"payswitch/engine/secret"
)

// demoAccounts makes the merchant's accounts at the simulated processor and at the simulated 3DS server, unless
// they exist. It has its profile use the 3DS server. It leaves later changes of the user alone.
func (n *node) demoAccounts(ctx context.Context, as account.Auth) error {
	accounts, err := n.engine.Accounts(ctx, as)
	if err != nil {
		return err
	}
	for _, in := range []account.AccountInput{
		{Type: "payment_processor", Connector: demoConnector, Metadata: json.RawMessage(`{"acquirer_details": {"acquirer_bin": "412345", "acquirer_merchant_id": "DEMO0000417", "acquirer_country_code": "DK", "merchant_name": "Demo shop"}}`), PaymentMethods: demoMethods},
		{Type: "authentication_processor", Connector: demoAuthenticator},
	} {
		in.Credentials, in.TestMode = secret.New(`{"auth_type": "HeaderKey", "api_key": "demo"}`), new(true)
		old := accountAt(accounts, in.Connector)
		if old != nil && len(in.PaymentMethods) > 0 && len(old.PaymentMethods) == 0 { // from a demo of an older version
			if _, err := n.engine.UpdateAccount(ctx, as, old.ID, account.AccountInput{Type: in.Type, PaymentMethods: demoMethods}); err != nil {
				return err
			}
		}
		if old != nil || in.Connector == demoAuthenticator && n.bank == nil {
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
		"is_manual_retry_enabled":          json.RawMessage(`true`), // after a decline, the payer may try another card
		"merchant_category_code":           json.RawMessage(`"5999"`),
		"merchant_country_code":            json.RawMessage(`"DK"`),
	}})
	return err
}

// demoMethods are the methods that the demo's checkouts offer.
var demoMethods = json.RawMessage(`[{"payment_method": "card", "payment_method_types": [
	{"payment_method_type": "credit", "card_networks": ["Visa", "Mastercard", "AmericanExpress"]},
	{"payment_method_type": "debit", "card_networks": ["Visa", "Mastercard"]}]}]`)

// accountAt returns the account at a connector, or nil.
func accountAt(accounts []*account.Account, connector string) *account.Account {
	for _, a := range accounts {
		if a.Connector == connector {
			return a
		}
	}
	return nil
}
