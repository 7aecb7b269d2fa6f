package authorizedotnet

import (
	"cmp"
	"errors"
	"strings"

	"payswitch/sdk"
)

// authorize holds the amount (authOnly) or takes it at once (authCapture).
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
	if number := j.Str("transactionResponse.accountNumber"); number != "" { // masked; a refund must name it
		data.Payment = sdk.NewObject().Obj("creditCard", sdk.NewObject().Str("cardNumber", number).Str("expirationDate", hidden)).String()
	}
	customer, profile := j.Text("profileResponse.customerProfileId"), j.Text("profileResponse.customerPaymentProfileIdList.0")
	if customer != "" && profile != "" { // made only where it was asked for
		o.StoredCredential = &sdk.StoredCredential{ID: customer + "-" + profile, CustomerID: customer}
		data.Customer = customer
	}
	if data.Payment+data.Customer != "" {
		o.ConnectorData = &data
	}
	return o, nil
}

// verify keeps the card in a customer profile, where it is checked with the issuer; or only checks it, with an amount of zero.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Check(r.NeedZero())
	if !r.Stores() || r.NeedCard() != nil || r.Request3DS || r.ThreeDS != nil {
		return pay(c, "authOnlyTransaction", sdk.StatusVerified)
	}
	customer := r.Kept().Customer
	if customer == "" {
		customer = newCustomer(c)
	}
	data := &sdk.ConnectorData{Version: 1, Customer: customer}
	mode := "testMode" // looks at the form of the card alone; sandboxes do no more
	if c.Account.Environment == "live" {
		mode = "liveMode"
	}
	profile := sdk.NewObject().Obj("billTo", billTo(r.BillTo())).Obj("payment", creditCard(r.Instrument.Card))
	j := post(c, createPaymentProfile, request(c).Str("customerProfileId", customer).Obj("paymentProfile", profile).Str("validationMode", mode), false)
	if failed(j) {
		return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: refused(j), ConnectorData: data}, nil
	}
	id := j.Text("customerPaymentProfileId")
	if checked := j.Str("validationDirectResponse"); id == "" || checked != "" && !strings.HasPrefix(checked, "1,") {
		return nil, errAnswer
	}
	customer = cmp.Or(j.Text("customerProfileId"), customer)
	return &sdk.Outcome{Status: sdk.StatusVerified, StoredCredential: &sdk.StoredCredential{ID: customer + "-" + id, CustomerID: customer}, ConnectorData: data}, nil
}

// newCustomer makes the customer's profile, or finds the one that is there.
func newCustomer(c *sdk.Call) string {
	r := c.Request
	profile := payer(r.Customer, "merchantCustomerId")
	if profile == nil || profile.String() == "{}" { // one of id, description and e-mail is wanted
		profile = sdk.NewObject().OptStr("description", r.Reference).OptStr("email", r.BillTo().Email)
	}
	sdk.Require(profile.String() != "{}", sdk.Missing("customer.id", "a customer profile needs a customer id of 20 characters at most, or an e-mail"))
	j := post(c, createCustomer, request(c).Obj("profile", profile), false)
	id := j.Text("customerProfileId")
	if failed(j) {
		code, text := message(j) // "A duplicate record with ID 39598611 already exists."
		_, rest, _ := strings.Cut(text, " ID ")
		id, _, _ = strings.Cut(rest, " ")
		if code != duplicateRecord || id == "" || strings.Trim(id, "0123456789") != "" {
			c.End(sdk.Declined(refused(j)))
		}
	}
	sdk.Require(id != "", errAnswer)
	return id
}

var errNoTransaction = errors.New("an approval without a transaction")

// transact adds a transaction to the body, sends it and reads the answer. An error means that nobody knows what has become of it.
func transact(c *sdk.Call, body, transaction *sdk.Object, approved sdk.OutcomeStatus) (sdk.JSON, *sdk.Outcome) {
	j := post(c, createTransaction, body.Obj("transactionRequest", transaction), false)
	t := j.Get("transactionResponse")
	if !t.Has("responseCode") {
		return j, sdk.Declined(refused(j))
	}
	o := &sdk.Outcome{TransactionID: t.Text("transId"), Raw: t.Pick("responseCode", "avsResultCode", "cvvResultCode", "cavvResultCode"),
		Checks: checks(t.Str("avsResultCode"), t.Str("cvvResultCode"))}
	if o.TransactionID == "0" { // none was made
		o.TransactionID = ""
	}
	switch t.Text("responseCode") {
	case "1":
		o.Status = approved
	case "4": // held for review; of a refund, which is on its way in any case, that says nothing more
		if o.Status = sdk.StatusReview; approved == sdk.StatusPending {
			o.Status = approved
		}
	case "5":
		o.Status = sdk.StatusPending
	case "2", "3":
		o.Status, o.Decline = sdk.StatusDeclined, declined(j)
		return j, o
	default:
		sdk.Check(errAnswer)
	}
	if failed(j) || o.TransactionID == "" {
		sdk.Check(errNoTransaction)
	}
	o.AuthCode, o.NetworkTransactionID = t.Text("authCode"), t.Text("networkTransId")
	return j, o
}
