package router

import (
	"errors"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/paylink"
	"payswitch/engine/request"
	"payswitch/engine/webhook"
)

// The functions below read what the dashboard's forms send, by the tables of the API: a page and a request have the same names, checks and errors. Each
// refuses a card number outside the fields that are set apart.

// ParseAccount reads a new connector account, or a change of one.
func ParseAccount(body []byte, create bool) (in account.AccountInput, err error) {
	table := accountChangeFields
	if create {
		table = newAccountFields
	}
	err = parseForm(body, table, &in)
	return in, err
}

// ParseProfile reads a new business profile or a change of one.
func ParseProfile(body []byte) (in account.ProfileInput, err error) {
	if err = parseForm(body, profileFields, &in); err == nil {
		err = errors.Join(checkReturnURL(in.Fields), checkLinkConfig(in.Fields))
	}
	return in, err
}

// ParseKey reads a new API key, or a change of one.
func ParseKey(body []byte, create bool) (in account.APIKeyInput, err error) {
	table := keyChangeFields
	if create {
		table = newKeyFields
	}
	err = parseForm(body, table, &in)
	return in, err
}

// ParseEndpoint reads a new webhook endpoint or a change of one.
func ParseEndpoint(body []byte) (in webhook.EndpointInput, err error) {
	err = parseForm(body, endpointFields, &in)
	return in, err
}

// ParseMerchant reads a new merchant account.
func ParseMerchant(body []byte) (account.MerchantInput, error) {
	var in merchantRequest
	err := parseForm(body, newMerchantFields, &in)
	if err == nil {
		err = checkReturnURL(in.Fields)
	}
	return in.MerchantInput, err
}

// ParseWord reads what an operator found out about an operation.
func ParseWord(body []byte) (in request.ResolutionInput, err error) {
	err = parseForm(body, operatorWordFields, &in)
	return in, err
}

// ParsePayment reads a new payment.
func ParsePayment(body []byte) (*request.Input, error) {
	p := &paymentRequest{}
	p.Sent = []string{}
	err := parseForm(body, paymentFields, p)
	if err == nil {
		err = p.checkLengths()
	}
	return &p.Input, err
}

// ParseCollect reads a new collect link.
func ParseCollect(body []byte) (in paylink.Collect, err error) {
	if err = parseForm(body, collectFields, &in); err == nil {
		err = checkCollect(in)
	}
	return in, err
}

// ParseEvidence reads an answer to a dispute.
func ParseEvidence(body []byte) (*request.EvidenceInput, error) {
	in := &request.EvidenceInput{}
	err := parseForm(body, evidenceFields, in)
	if err == nil {
		err = in.Check()
	}
	return in, err
}

// CheckEvidenceFile checks a file for an answer to a dispute: kind is its type. It masks a card number in the file's name.
func CheckEvidenceFile(in *request.EvidenceFileInput, kind string) error {
	in.Name, in.ContentType = card.MaskCards(in.Name), contentType(in.ContentType)
	return checkEvidenceFile(in, kind)
}

func parseForm[T any](body []byte, o *object[T], to *T) error {
	r := newReader(body)
	if err := o.into(r, to); err != nil {
		return err
	}
	if err := r.end(); err != nil {
		return err
	}
	places, err := r.cardsIn(1)
	if err == nil && len(places) > 0 {
		err = places[0].refuse()
	}
	return err
}
