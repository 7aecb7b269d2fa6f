package authorizedotnet

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// authorize authorizes the amount (authOnly) or captures it at once (authCapture).
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	if c.Request.Capture == sdk.CaptureManual {
		return pay(c, "authOnlyTransaction", sdk.StatusAuthorized)
	}
	return pay(c, "authCaptureTransaction", sdk.StatusCaptured)
}

func pay(c *sdk.Call, kind string, approved sdk.OutcomeStatus) (*sdk.Outcome, error) {
	j, o := transact(c, request(c).Str("refId", c.Request.Reference), purchase(c, kind), approved)
	if o.Status == sdk.StatusDeclined {
		return o, nil
	}
	data := sdk.ConnectorData{Version: 1}
	kept := sdk.NewObject()
	if number := j.Str("transactionResponse.accountNumber"); number != "" { // masked; a refund must name it
		kept.Obj("creditCard", sdk.NewObject().Str("cardNumber", number).Str("expirationDate", hidden))
	}
	// a part that was approved: its capture and void must name this id
	if kept.OptStr(splitTenderID, j.Text("transactionResponse."+splitTenderID)); kept.String() != "{}" {
		data.Payment = kept.String()
	}
	customer, profile := j.Text("profileResponse.customerProfileId"),
		j.Text("profileResponse.customerPaymentProfileIdList.0")
	if customer != "" && profile != "" { // made on request only
		o.StoredCredential = &sdk.StoredCredential{ID: customer + "-" + profile, CustomerID: customer}
		data.Customer = customer
	}
	if data.Payment+data.Customer != "" {
		o.ConnectorData = &data
	}
	return o, nil
}

// verify stores the card in a customer profile, which checks it with the issuer. Without storing, it authorizes an
// amount of zero.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if !r.Stores() || r.NeedCard() != nil || r.ThreeDS != nil {
		return pay(c, "authOnlyTransaction", sdk.StatusVerified)
	}
	customer := r.Kept().Customer
	if customer == "" {
		customer = newCustomer(c)
	}
	data := &sdk.ConnectorData{Version: 1, Customer: customer}
	mode := "testMode" // checks only the form of the card; a sandbox can do no more
	if c.Account.Environment == "live" {
		mode = "liveMode"
	}
	profile := sdk.NewObject().Obj("billTo", billTo(r.BillTo())).At("payment.creditCard", creditCard(r.Instrument.Card))
	j := post(c, createPaymentProfile, request(c).Str("customerProfileId", customer).Obj("paymentProfile", profile).
		Str("validationMode", mode))
	if failed(j) {
		return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: refused(j), ConnectorData: data}, nil
	}
	id := j.Text("customerPaymentProfileId")
	if checked := j.Str("validationDirectResponse"); id == "" || checked != "" && !strings.HasPrefix(checked, "1,") {
		return nil, errAnswer
	}
	customer = cmp.Or(j.Text("customerProfileId"), customer)
	return &sdk.Outcome{Status: sdk.StatusVerified,
		StoredCredential: &sdk.StoredCredential{ID: customer + "-" + id, CustomerID: customer}, ConnectorData: data}, nil
}

// newCustomer creates the customer's profile, or finds the existing one.
func newCustomer(c *sdk.Call) string {
	r := c.Request
	profile := payer(r, "merchantCustomerId")
	if profile.String() == "{}" { // one of id, description and e-mail is required
		profile = sdk.NewObject().OptStr("description", r.Reference)
	}
	sdk.Require(profile.String() != "{}",
		sdk.Missing("customer.id", "a customer profile needs a customer id of 20 characters at most, or an e-mail"))
	j := post(c, "createCustomerProfileRequest", request(c).Obj("profile", profile))
	id := j.Text("customerProfileId")
	switch code, text := message(j); {
	case code == "E00039": // "A duplicate record with ID 39598611 already exists."
		_, rest, _ := strings.Cut(text, " ID ")
		id, _, _ = strings.Cut(rest, " ")
	case failed(j):
		c.End(sdk.Declined(refused(j)))
	}
	sdk.Require(id != "" && strings.Trim(id, "0123456789") == "", errAnswer)
	return id
}
