package authorizedotnet

import (
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
	p, err := purchase(c, kind)
	if err != nil {
		return nil, err
	}
	j, o, err := transact(c, request(c).Str("refId", c.Request.Reference), p, approved)
	if err != nil {
		return nil, err
	}
	data := sdk.ConnectorData{Version: 1}
	if number := j.Str("transactionResponse.accountNumber"); number != "" { // masked; a refund must name it
		data.Payment = sdk.NewObject().Obj("creditCard", sdk.NewObject().Str("cardNumber", number).Str("expirationDate", hidden)).String()
	}
	customer, profile := j.Text("profileResponse.customerProfileId"), j.Text("profileResponse.customerPaymentProfileIdList.0")
	if customer != "" && profile != "" && c.Request.Stores() {
		o.StoredCredential = &sdk.StoredCredential{ID: customer + "-" + profile, CustomerID: customer}
		data.Customer = customer
	}
	if data.Payment+data.Customer != "" && o.Status != sdk.StatusDeclined {
		o.ConnectorData = &data
	}
	return o, nil
}

// verify keeps the card in a customer profile, where it is checked with the issuer; or only checks it, with an amount of zero.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if err := r.NeedZero(); err != nil {
		return nil, err
	}
	if !r.Stores() || r.NeedCard() != nil || r.Request3DS || r.ThreeDS != nil {
		return pay(c, "authOnlyTransaction", sdk.StatusVerified)
	}
	customer := r.Kept().Customer
	if customer == "" {
		var decline *sdk.Decline
		var err error
		if customer, decline, err = newCustomer(c); err != nil {
			return nil, err
		} else if decline != nil {
			return sdk.Declined(decline), nil
		}
	}
	data := &sdk.ConnectorData{Version: 1, Customer: customer}
	mode := "testMode" // looks at the form of the card alone; sandboxes do no more
	if c.Account.Environment == "live" {
		mode = "liveMode"
	}
	profile := sdk.NewObject().Obj("billTo", billTo(r.Billing)).Obj("payment", creditCard(r.Instrument.Card))
	j, err := post(c, createPaymentProfile, request(c).Str("customerProfileId", customer).Obj("paymentProfile", profile).Str("validationMode", mode), false)
	if err != nil {
		return nil, err
	}
	if failed(j) {
		d, err := refused(j)
		if err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: d, ConnectorData: data}, nil
	}
	id := j.Text("customerPaymentProfileId")
	if checked := j.Str("validationDirectResponse"); id == "" || checked != "" && !strings.HasPrefix(checked, "1,") {
		return nil, errAnswer
	}
	if told := j.Text("customerProfileId"); told != "" {
		customer = told
	}
	return &sdk.Outcome{Status: sdk.StatusVerified, StoredCredential: &sdk.StoredCredential{ID: customer + "-" + id, CustomerID: customer}, ConnectorData: data}, nil
}

// newCustomer makes the customer's profile, or finds the one that is there.
func newCustomer(c *sdk.Call) (id string, d *sdk.Decline, err error) {
	profile := sdk.NewObject()
	if p := c.Request.Customer; p != nil {
		if len(p.ID) <= 20 {
			profile.OptStr("merchantCustomerId", p.ID)
		}
		profile.OptStr("email", p.Email)
	}
	if profile.String() == "{}" {
		return "", nil, sdk.Missing("customer.id", "a customer profile needs a customer id of 20 characters at most, or an e-mail")
	}
	j, err := post(c, createCustomer, request(c).Obj("profile", profile), false)
	if err != nil {
		return "", nil, err
	}
	if !failed(j) {
		if id = j.Text("customerProfileId"); id == "" {
			return "", nil, errAnswer
		}
		return id, nil, nil
	}
	if code, text := message(j); code == "E00039" { // "A duplicate record with ID 39598611 already exists."
		if _, rest, ok := strings.Cut(text, " ID "); ok {
			if id, _, _ = strings.Cut(rest, " "); id != "" && strings.Trim(id, "0123456789") == "" {
				return id, nil, nil
			}
		}
	}
	d, err = refused(j)
	return "", d, err
}

var errNoTransaction = errors.New("an approval without a transaction")

// transact adds a transaction to the body, sends it and reads the answer. An error means that nobody knows what has become of it.
func transact(c *sdk.Call, body, transaction *sdk.Object, approved sdk.OutcomeStatus) (sdk.JSON, *sdk.Outcome, error) {
	j, err := post(c, createTransaction, body.Obj("transactionRequest", transaction), false)
	if err != nil {
		return j, nil, err
	}
	t := j.Get("transactionResponse")
	if !t.Has("responseCode") {
		if !failed(j) {
			return j, nil, errAnswer
		}
		d, err := refused(j)
		if err != nil {
			return j, nil, err
		}
		return j, sdk.Declined(d), nil
	}
	o := &sdk.Outcome{TransactionID: t.Text("transId"), Raw: t.Pick("responseCode", "avsResultCode", "cvvResultCode", "cavvResultCode"),
		Checks: checks(t.Str("avsResultCode"), t.Str("cvvResultCode"))}
	if o.TransactionID == "0" { // none was made
		o.TransactionID = ""
	}
	switch code := t.Text("responseCode"); code {
	case "1", "4", "5":
		if failed(j) || o.TransactionID == "" {
			return j, nil, errNoTransaction
		}
		o.Status, o.AuthCode, o.NetworkTransactionID = approved, t.Text("authCode"), t.Text("networkTransId")
		if code == "4" && approved != sdk.StatusPending {
			o.Status = sdk.StatusReview
		}
		if code == "5" {
			o.Status = sdk.StatusPending
		}
	case "2", "3":
		o.Status = sdk.StatusDeclined
		if o.Decline, err = declined(j); err != nil {
			return j, nil, err
		}
	default:
		return j, nil, errAnswer
	}
	return j, o, nil
}
