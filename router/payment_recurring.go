package router

import (
	"encoding/json"
	"time"

	"payswitch/engine/card"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// The parts of a payment request that name a credential of an earlier payment, or agree to later payments.

// recurringDetails reads recurring_details. The type decides how to read data, and may stand after it: so the object is read twice.
func recurringDetails(r *reader) (request.Recurring, error) {
	from := r.next()
	if _, err := r.value(); err != nil {
		return request.Recurring{}, err
	}
	to, path := r.pos(), r.path()
	kind, err := recurringType.parse(r.reader(from, to, path))
	if err != nil {
		return request.Recurring{}, err
	}
	table := recurringData[kind]
	if table == nil {
		table = otherRecurring
	}
	d, err := table.parse(r.reader(from, to, path))
	d.Type = kind
	return d, err
}

var recurringType = openObject(must(at("type", oneOf(recurringTypes), func(kind *request.RecurringType) *request.RecurringType { return kind })))

// recurringData holds the table of the whole object for each type.
var recurringData = map[request.RecurringType]*object[request.Recurring]{
	request.RecurringMethod:  recurringBy(at("data", text, func(d *request.Recurring) *string { return &d.ID })),
	request.RecurringMandate: recurringBy(at("data", text, func(d *request.Recurring) *string { return &d.ID })),
	request.RecurringProcessorToken: recurringBy(field[request.Recurring]{key: "data", read: openObject(
		must(at("processor_payment_token", apart(text), func(d *request.Recurring) *string { return &d.ProcessorToken })),
		at("merchant_connector_id", text, func(d *request.Recurring) *string { return &d.AccountID }),
	).into}),
	request.RecurringNetworkCard: recurringBy(field[request.Recurring]{key: "data", read: func(r *reader, d *request.Recurring) error {
		card, err := cardWithNetworkID.parse(r)
		d.Card, d.NetworkTransactionID = &card.Input, card.networkID
		return err
	}}),
	request.RecurringLimitedCard: recurringBy(field[request.Recurring]{key: "data", read: func(r *reader, d *request.Recurring) error {
		d.Card = &card.Input{}
		return limitedCard.into(r, d.Card)
	}}),
}

func recurringBy(data field[request.Recurring]) *object[request.Recurring] {
	return openObject(drop[request.Recurring]("type", text), must(data))
}

// otherRecurring reads the types that charge a network token. The engine refuses them.
var otherRecurring = recurringBy(field[request.Recurring]{key: "data", read: func(r *reader, _ *request.Recurring) error {
	_, err := hiddenObject(r)
	return err
}})

// cardOfNetwork is a card with the network's id of an earlier payment.
type cardOfNetwork struct {
	card.Input
	networkID string
}

var cardWithNetworkID = openObject(append([]field[cardOfNetwork]{
	must(at("network_transaction_id", apart(text), func(c *cardOfNetwork) *string { return &c.networkID })),
}, cardWith(func(c *cardOfNetwork) *card.Input { return &c.Input })...)...)

var limitedCard = openObject(
	must(at("card_number", cardNumber, func(c *card.Input) *secret.Value { return &c.Number })),
	at("card_exp_month", hiddenText, func(c *card.Input) *string { return &c.ExpMonth }),
	at("card_exp_year", hiddenText, func(c *card.Input) *string { return &c.ExpYear }),
	at("card_holder_name", secretText, func(c *card.Input) *secret.Value { return &c.Holder }),
	drop[card.Input]("eci", text), // no processor that takes a card alone asks for it
)

// mandateTerms is mandate_type with one of its two kinds. {"multi_use":null} is a mandate without a limit.
type mandateTerms struct {
	payment.MandateTerms
	given int
}

var mandateFields = closedObject(
	drop[request.MandateInput]("update_mandate_id", text),
	opt("customer_acceptance", acceptanceFields.parse, func(m *request.MandateInput) **payment.Acceptance { return &m.Acceptance }),
	field[request.MandateInput]{key: "mandate_type", read: func(r *reader, m *request.MandateInput) error {
		terms, err := mandateTypeFields.parse(r)
		if err != nil {
			return err
		}
		if terms.given > 1 {
			return r.fail("mandate_type: expected one of `single_use` and `multi_use`, not both", "Send one of the two.")
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
	must(at("amount", amount, func(t *payment.MandateTerms) *int64 { return &t.Amount })),
	must(at("currency", oneOf(currencies), func(t *payment.MandateTerms) *sdk.Currency { return &t.Currency })),
	opt("start_date", timestamp, func(t *payment.MandateTerms) **time.Time { return &t.Start }),
	opt("end_date", timestamp, func(t *payment.MandateTerms) **time.Time { return &t.End }),
	at("metadata", anyJSON, func(t *payment.MandateTerms) *json.RawMessage { return &t.Metadata }),
)
