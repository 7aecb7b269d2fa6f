package router

import (
	"encoding/json"
	"time"

	"payswitch/engine"
	"payswitch/sdk"
)

// Credentials of earlier payments, and agreements to later ones, within a payment request.

// recurringDetails reads recurring_details: what its data is depends on its type, whichever of them comes first.
func recurringDetails(r *reader) (engine.Recurring, error) {
	from := r.pos
	kind, err := recurringType.parse(r)
	if err != nil {
		return engine.Recurring{}, err
	}
	r.pos = from
	table := recurringData[kind]
	if table == nil {
		table = otherRecurring
	}
	d, err := table.parse(r)
	d.Type = kind
	return d, err
}

var recurringType = openObject(must(at("type", oneOf(recurringTypes), func(kind *string) *string { return kind })))

// recurringData are the tables of the whole object by its type.
var recurringData = map[string]*object[engine.Recurring]{
	"payment_method_id": recurringBy(at("data", text, func(d *engine.Recurring) *string { return &d.ID })),
	"mandate_id":        recurringBy(at("data", text, func(d *engine.Recurring) *string { return &d.ID })),
	"processor_payment_token": recurringBy(field[engine.Recurring]{key: "data", read: openObject(
		must(at("processor_payment_token", apart(text), func(d *engine.Recurring) *string { return &d.ProcessorToken })),
		at("merchant_connector_id", text, func(d *engine.Recurring) *string { return &d.AccountID }),
	).into}),
	"network_transaction_id_and_card_details": recurringBy(field[engine.Recurring]{key: "data", read: func(r *reader, d *engine.Recurring) error {
		from := r.pos
		if err := networkIDField.into(r, d); err != nil {
			return err
		}
		r.pos = from
		d.Card = &engine.CardInput{}
		return cardWithoutCVC.into(r, d.Card)
	}}),
	"card_with_limited_data": recurringBy(field[engine.Recurring]{key: "data", read: func(r *reader, d *engine.Recurring) error {
		d.Card = &engine.CardInput{}
		return limitedCard.into(r, d.Card)
	}}),
}

func recurringBy(data field[engine.Recurring]) *object[engine.Recurring] {
	return openObject(drop[engine.Recurring]("type", text), must(data))
}

// otherRecurring is of network tokens: the engine answers for them.
var otherRecurring = recurringBy(field[engine.Recurring]{key: "data", read: func(r *reader, _ *engine.Recurring) error {
	_, err := hiddenObject(r)
	return err
}})

var networkIDField = openObject(
	must(at("network_transaction_id", apart(text), func(d *engine.Recurring) *string { return &d.NetworkTransactionID })),
)

// cardWithoutCVC is a card that is charged or kept without its CVC.
var cardWithoutCVC = openObject(
	must(at("card_number", cardNumber, func(c *engine.CardInput) *engine.Secret { return &c.Number })),
	must(at("card_exp_month", hiddenText, func(c *engine.CardInput) *string { return &c.ExpMonth })),
	must(at("card_exp_year", hiddenText, func(c *engine.CardInput) *string { return &c.ExpYear })),
	at("card_holder_name", hiddenText, func(c *engine.CardInput) *string { return &c.Holder }),
	at("card_issuer", hiddenText, func(c *engine.CardInput) *string { return &c.Issuer }),
	at("card_network", oneOf(cardNetworks), func(c *engine.CardInput) *sdk.CardNetwork { return &c.Network }),
	at("card_type", hiddenText, func(c *engine.CardInput) *string { return &c.Type }),
	at("card_issuing_country", hiddenText, func(c *engine.CardInput) *string { return &c.Country }),
	at("nick_name", hiddenText, func(c *engine.CardInput) *string { return &c.Nickname }),
)

var limitedCard = openObject(
	must(at("card_number", cardNumber, func(c *engine.CardInput) *engine.Secret { return &c.Number })),
	at("card_exp_month", hiddenText, func(c *engine.CardInput) *string { return &c.ExpMonth }),
	at("card_exp_year", hiddenText, func(c *engine.CardInput) *string { return &c.ExpYear }),
	at("card_holder_name", hiddenText, func(c *engine.CardInput) *string { return &c.Holder }),
)

// mandateTerms are mandate_type with one of its two kinds; {"multi_use":null} is one without a limit.
type mandateTerms struct {
	engine.MandateTerms
	given int
}

// mandateData reads mandate_data.
func mandateData(r *reader) (engine.MandateInput, error) {
	return mandateFields.parse(r)
}

var mandateFields = closedObject(
	drop[engine.MandateInput]("update_mandate_id", text),
	opt("customer_acceptance", acceptanceFields.parse, func(m *engine.MandateInput) **engine.Acceptance { return &m.Acceptance }),
	field[engine.MandateInput]{key: "mandate_type", read: func(r *reader, m *engine.MandateInput) error {
		terms, err := mandateTypeFields.parse(r)
		if err != nil {
			return err
		}
		if terms.given > 1 {
			return r.fail(r.pos-1, "mandate_type: expected one of `single_use` and `multi_use`, not both")
		}
		m.Terms = terms.MandateTerms
		return nil
	}},
)

var mandateTypeFields = closedObject(
	field[mandateTerms]{key: "single_use", read: func(r *reader, t *mandateTerms) error {
		t.SingleUse = true
		t.given++
		return mandateAmountFields.into(r, &t.MandateTerms)
	}},
	field[mandateTerms]{key: "multi_use", read: func(r *reader, t *mandateTerms) error {
		t.given++
		return mandateAmountFields.into(r, &t.MandateTerms)
	}},
)

var mandateAmountFields = openObject(
	must(at("amount", amount, func(t *engine.MandateTerms) *int64 { return &t.Amount })),
	must(at("currency", oneOf(currencies), func(t *engine.MandateTerms) *sdk.Currency { return &t.Currency })),
	opt("start_date", timestamp, func(t *engine.MandateTerms) **time.Time { return &t.Start }),
	opt("end_date", timestamp, func(t *engine.MandateTerms) **time.Time { return &t.End }),
	at("metadata", anyJSON, func(t *engine.MandateTerms) *json.RawMessage { return &t.Metadata }),
)
