package authorizedotnet

import (
	"cmp"

	"payswitch/sdk"
)

// hidden stands for an expiry date that the processor knows.
const hidden = "XXXX"

const splitTenderID = "splitTenderId"

// refer adds the id by which a capture or void names an authorization: that of the split tender if only a part was
// approved, else the transaction's. Authorize.net refuses a request with both.
func refer(o *sdk.Object, r *sdk.Request) *sdk.Object {
	if id := r.KeptText(splitTenderID); id != "" {
		return o.Str(splitTenderID, id)
	}
	return o.Str("refTransId", r.TransactionID)
}

// capture captures all or a part of an authorization. An authorization has one capture, which releases the rest.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	transaction := refer(sdk.NewObject().Str("transactionType", "priorAuthCaptureTransaction").
		Number("amount", r.Amount.Major()), r)
	j, o := transact(c, request(c), transaction, sdk.StatusCaptured)
	if o.Status != sdk.StatusCaptured {
		return o, nil
	}
	// 311: the capture changed nothing. A query finds which request captured the payment, and its amount.
	sdk.Expect(j.Text("transactionResponse.messages.0.code") != "311", "the transaction has already been captured")
	o.CaptureID = o.TransactionID
	o.Released = r.Amount.Minor < r.Known().Authorized
	return o, nil
}

// void cancels an unsettled payment.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	transaction := refer(sdk.NewObject().Str("transactionType", "voidTransaction"), c.Request)
	_, o := transact(c, request(c).Str("refId", c.Request.Reference), transaction, sdk.StatusVoided)
	return o, nil
}

// refund refunds a settled payment. It is pending until it settles itself. The last four digits name the card.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	kept, _ := sdk.ParseJSON([]byte(r.Kept().Payment))
	number, expiry := kept.Str("creditCard.cardNumber"), cmp.Or(kept.Str("creditCard.expirationDate"), hidden)
	if last := r.Known().LastFour; number == "" && last != "" {
		number = "XXXX" + last
	}
	sdk.Require(number != "", sdk.Missing("payment_id", "a refund needs the last four digits of the card"))
	transaction := sdk.NewObject().Str("transactionType", "refundTransaction").Number("amount", r.Amount.Major()).
		Str("currencyCode", string(r.Amount.Currency)).
		At("payment.creditCard", sdk.NewObject().Str("cardNumber", number).Str("expirationDate", expiry)).
		Str("refTransId", r.TransactionID).Obj("order", sdk.NewObject().Str("invoiceNumber", r.Reference))
	_, o := transact(c, request(c), transaction, sdk.StatusPending)
	o.RefundID, o.TransactionID = o.TransactionID, r.TransactionID
	return o, nil
}
