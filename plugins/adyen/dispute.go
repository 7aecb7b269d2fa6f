package adyen

import (
	"cmp"

	"payswitch/sdk"
)

// The Disputes API has hosts of its own (docs.adyen.com/api-explorer/Disputes/30).
const (
	disputesTest = "ca-test.adyen.com"
	disputesLive = "ca-live.adyen.com"
	disputesPath = "/ca/services/DisputeService/v30"
)

// acceptDispute gives a chargeback up. The review key is used if there is one: an API credential with the role for
// dispute management.
func acceptDispute(c *sdk.Call) (*sdk.Outcome, error) {
	host := disputesTest
	if c.Account.Environment == "live" {
		host = disputesLive
	}
	key := cmp.Or(c.Account.Credentials["review_key"], c.Account.Credentials["api_key"])
	body := sdk.NewObject().Str("disputePspReference", c.Request.Dispute.ID).
		Str("merchantAccountCode", c.Account.Credentials["merchant_account"])
	a := sdk.Must(c.Do(sdk.JSONSend("POST", "https://"+host+disputesPath+"/acceptDispute", body, sdk.H("X-API-Key", key))))
	j := a.JSON()
	switch success := j.Raw("disputeServiceResult.success"); {
	case a.OK() && success == "true":
		return c.Disputed(sdk.DisputeAccepted, "Accepted"), nil
	case a.OK() && success == "false":
		return sdk.Declined(sdk.NewDecline("dispute", j.Str("disputeServiceResult.errorMessage"), sdk.DeclineNotPermitted)),
			nil
	case a.Refuses() && a.Status != 429 && j.Text("errorCode") != "":
		return sdk.Declined(sdk.NewDecline(j.Text("errorCode"), j.Str("message"), sdk.DeclineNotPermitted)), nil
	}
	return nil, a.Undecided("no result", "errorCode")
}
