package storage

import (
	"payswitch/engine/payment"
)

const proposalColumns = `operation_id, merchant_id, id, details, proposed_at, signature`

var proposalRows = signs("decision_proposals", "operation_id", proposalColumns)

// InsertProposal implements engine.Tx.
func (t *tx) InsertProposal(p *payment.Proposal) error {
	details, err := encode(&p.Details)
	if err != nil {
		return err
	}
	return t.insert("insert proposal", `INSERT INTO decision_proposals (`+proposalColumns+`) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		t.signed(proposalRows, p.OperationID, p.MerchantID, p.ID, details, millis(p.ProposedAt))...)
}

// Proposal implements engine.Reader.
func (t *tx) Proposal(operationID string) (*payment.Proposal, error) {
	return one(t, "read proposal", genuine(t, proposalRows, func(row scanner) (*payment.Proposal, error) {
		p := new(payment.Proposal)
		var details []byte
		var at int64
		if err := row.Scan(&p.OperationID, &p.MerchantID, &p.ID, &details, &at); err != nil {
			return nil, err
		}
		p.ProposedAt = moment(at)
		return p, decode(details, &p.Details)
	}, "operation_id", operationID), `SELECT `+proposalColumns+` FROM decision_proposals WHERE operation_id = $1`, operationID)
}

// DeleteProposal implements engine.Tx.
func (t *tx) DeleteProposal(operationID, id string) error {
	return t.change("delete proposal", `DELETE FROM decision_proposals WHERE operation_id = $1 AND id = $2`, operationID, id)
}
