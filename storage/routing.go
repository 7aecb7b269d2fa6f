package storage

import (
	"payswitch/engine/routed"
	"payswitch/engine/routing"
)

const routingColumns = `merchant_id, id, profile_id, kind, transaction_type, name, description, algorithm, created_at, modified_at, signature`

var routingRows = signs("routing_configs", "merchant_id, id", routingColumns)

func scanRouting(row scanner) (*routing.Config, error) {
	c := new(routing.Config)
	var algorithm []byte
	var created, modified int64
	err := row.Scan(&c.MerchantID, &c.ID, &c.ProfileID, (*string)(&c.Kind), (*string)(&c.TransactionType), &c.Name, &c.Description, &algorithm, &created, &modified)
	c.Algorithm, c.CreatedAt, c.ModifiedAt = algorithm, moment(created), moment(modified)
	return c, err
}

// scanRoutingHead leaves the algorithm out, so that a list of large programs stays small.
func scanRoutingHead(row scanner) (*routing.Config, error) {
	c, err := scanRouting(row)
	c.Algorithm = nil
	return c, err
}

// InsertRoutingConfig implements engine.Tx.
func (t *tx) InsertRoutingConfig(c *routing.Config) error {
	return t.configured(t.insert("insert routing configuration", `INSERT INTO routing_configs (`+routingColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
		t.signed(routingRows, c.MerchantID, c.ID, c.ProfileID, string(c.Kind), string(c.TransactionType), c.Name, c.Description, text(c.Algorithm),
			millis(c.CreatedAt), millis(c.ModifiedAt))...))
}

// DeleteRoutingConfig implements engine.Tx.
func (t *tx) DeleteRoutingConfig(merchantID, id string) error {
	return t.configured(t.change("delete routing configuration", `DELETE FROM routing_configs WHERE merchant_id = $1 AND id = $2`, merchantID, id))
}

// RoutingConfig implements engine.Reader.
func (t *tx) RoutingConfig(merchantID, id string) (*routing.Config, error) {
	return one(t, "read routing configuration", genuine(t, routingRows, scanRouting, "merchant_id", merchantID, "id", id),
		`SELECT `+routingColumns+` FROM routing_configs WHERE merchant_id = $1 AND id = $2`, merchantID, id)
}

// RoutingConfigs implements engine.Reader.
func (t *tx) RoutingConfigs(merchantID, profileID string, transactionType routed.TransactionType, limit, offset int) ([]*routing.Config, error) {
	return all(t, "list routing configurations", genuine(t, routingRows, scanRoutingHead, "merchant_id", merchantID),
		`SELECT `+routingColumns+` FROM routing_configs WHERE merchant_id = $1 AND transaction_type = $2 AND ($3 = '' OR profile_id = $3)
		ORDER BY modified_at DESC, seq DESC LIMIT $4 OFFSET $5`, merchantID, string(transactionType), profileID, rowLimit(limit), max(offset, 0))
}

// CountRoutingConfigs implements engine.Reader.
func (t *tx) CountRoutingConfigs(merchantID string) (int, error) {
	return one(t, "count routing configurations", scanCount,
		`SELECT count(*) FROM routing_configs WHERE merchant_id = $1 AND transaction_type <> ''`, merchantID)
}

const errorRuleColumns = `connector, flow, sub_flow, code, message, details, created_at, modified_at, signature`

var errorRuleRows = signs("error_rules", "connector, flow, sub_flow, code, message", errorRuleColumns)

func errorRuleValues(r *routing.ErrorRule, details string) []any {
	return []any{r.Connector, r.Flow, r.SubFlow, r.Code, r.Message, details, millis(r.CreatedAt), millis(r.ModifiedAt)}
}

func scanErrorRule(row scanner) (*routing.ErrorRule, error) {
	r := new(routing.ErrorRule)
	var details []byte
	var created, modified int64
	if err := row.Scan(&r.Connector, &r.Flow, &r.SubFlow, &r.Code, &r.Message, &details, &created, &modified); err != nil {
		return nil, err
	}
	r.CreatedAt, r.ModifiedAt = moment(created), moment(modified)
	return r, decode(details, &r.Details)
}

// InsertErrorRule implements engine.Tx.
func (t *tx) InsertErrorRule(r *routing.ErrorRule) error {
	details, err := encode(&r.Details)
	if err != nil {
		return err
	}
	return t.insert("insert error rule", `INSERT INTO error_rules (`+errorRuleColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT DO NOTHING`, t.signed(errorRuleRows, errorRuleValues(r, details)...)...)
}

// UpdateErrorRule implements engine.Tx.
func (t *tx) UpdateErrorRule(r *routing.ErrorRule) error {
	details, err := encode(&r.Details)
	if err != nil {
		return err
	}
	return t.change("update error rule", `UPDATE error_rules SET details = $1, created_at = $2, modified_at = $3, signature = $4
		WHERE connector = $5 AND flow = $6 AND sub_flow = $7 AND code = $8 AND message = $9`, details, millis(r.CreatedAt), millis(r.ModifiedAt),
		t.signature(errorRuleRows, errorRuleValues(r, details)), r.Connector, r.Flow, r.SubFlow, r.Code, r.Message)
}

// DeleteErrorRule implements engine.Tx.
func (t *tx) DeleteErrorRule(k routing.ErrorKey) error {
	return t.change("delete error rule", `DELETE FROM error_rules WHERE connector = $1 AND flow = $2 AND sub_flow = $3 AND code = $4 AND message = $5`,
		k.Connector, k.Flow, k.SubFlow, k.Code, k.Message)
}

// ErrorRule implements engine.Reader.
func (t *tx) ErrorRule(k routing.ErrorKey) (*routing.ErrorRule, error) {
	return one(t, "read error rule", genuine(t, errorRuleRows, scanErrorRule, "connector", k.Connector, "flow", k.Flow, "sub_flow", k.SubFlow,
		"code", k.Code, "message", k.Message), `SELECT `+errorRuleColumns+` FROM error_rules
		WHERE connector = $1 AND flow = $2 AND sub_flow = $3 AND code = $4 AND message = $5`, k.Connector, k.Flow, k.SubFlow, k.Code, k.Message)
}

// ErrorRules implements engine.Reader.
func (t *tx) ErrorRules() ([]*routing.ErrorRule, error) {
	return all(t, "list error rules", genuine(t, errorRuleRows, scanErrorRule),
		`SELECT `+errorRuleColumns+` FROM error_rules ORDER BY connector, flow, sub_flow, code, message`)
}

const configKeyColumns = `name, value, modified_at, signature`

var configKeyRows = signs("config_keys", "name", configKeyColumns)

func scanConfigKey(row scanner) (*routing.ConfigKey, error) {
	k := new(routing.ConfigKey)
	var modified int64
	err := row.Scan(&k.Name, &k.Value, &modified)
	k.ModifiedAt = moment(modified)
	return k, err
}

// InsertConfigKey implements engine.Tx.
func (t *tx) InsertConfigKey(k *routing.ConfigKey) error {
	return t.configured(t.insert("insert config key", `INSERT INTO config_keys (`+configKeyColumns+`) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		t.signed(configKeyRows, k.Name, k.Value, millis(k.ModifiedAt))...))
}

// UpdateConfigKey implements engine.Tx.
func (t *tx) UpdateConfigKey(k *routing.ConfigKey) error {
	return t.configured(t.change("update config key", `UPDATE config_keys SET value = $1, modified_at = $2, signature = $3 WHERE name = $4`, k.Value,
		millis(k.ModifiedAt), t.signature(configKeyRows, []any{k.Name, k.Value, millis(k.ModifiedAt)}), k.Name))
}

// DeleteConfigKey implements engine.Tx.
func (t *tx) DeleteConfigKey(name string) error {
	return t.configured(t.change("delete config key", `DELETE FROM config_keys WHERE name = $1`, name))
}

// ConfigValues implements engine.Reader.
func (t *tx) ConfigValues(names [4]string) (map[string]string, error) {
	list, err := all(t, "read config keys", genuine(t, configKeyRows, scanConfigKey), `SELECT `+configKeyColumns+` FROM config_keys
		WHERE name IN ($1, $2, $3, $4)`, names[0], names[1], names[2], names[3])
	out := make(map[string]string, len(list))
	for _, k := range list {
		out[k.Name] = k.Value
	}
	return out, err
}

// ConfigKey implements engine.Reader.
func (t *tx) ConfigKey(name string) (*routing.ConfigKey, error) {
	return one(t, "read config key", genuine(t, configKeyRows, scanConfigKey, "name", name),
		`SELECT `+configKeyColumns+` FROM config_keys WHERE name = $1`, name)
}
