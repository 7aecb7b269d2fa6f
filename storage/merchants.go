package storage

import "payswitch/engine/account"

const merchantColumns = `id, publishable_key, organization_id, default_profile, details, sealed, created_at, modified_at, version, signature`

var merchantRows = signs("merchants", "id", merchantColumns).inOneWindow()

func merchantValues(m *account.Merchant, version int64) []any {
	return []any{m.ID, m.PublishableKey, m.OrganizationID, m.DefaultProfile, text(m.Details), m.Sealed, millis(m.CreatedAt),
		millis(m.ModifiedAt), version}
}

func scanMerchant(row scanner) (*account.Merchant, error) {
	m := new(account.Merchant)
	var details []byte
	var created, modified int64
	err := row.Scan(&m.ID, &m.PublishableKey, &m.OrganizationID, &m.DefaultProfile, &details, &m.Sealed, &created, &modified, &m.Version)
	m.Details = details
	m.CreatedAt, m.ModifiedAt = moment(created), moment(modified)
	return m, err
}

// InsertMerchant implements engine.Tx.
func (t *tx) InsertMerchant(m *account.Merchant) error {
	m.Version = 1
	return t.configured(t.insert("insert merchant", `INSERT INTO merchants (`+merchantColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT DO NOTHING`, t.signed(merchantRows, merchantValues(m, m.Version)...)...))
}

// UpdateMerchant implements engine.Tx.
func (t *tx) UpdateMerchant(m *account.Merchant) error {
	return t.configured(t.compareAndSet("update merchant", &m.Version, `SELECT 1 FROM merchants WHERE id = $1`, []any{m.ID},
		`UPDATE merchants SET publishable_key = $1, organization_id = $2, default_profile = $3, details = $4, sealed = $5,
		created_at = $6, modified_at = $7, signature = $8, version = version + 1 WHERE id = $9 AND version = $10`,
		m.PublishableKey, m.OrganizationID, m.DefaultProfile, text(m.Details), m.Sealed, millis(m.CreatedAt),
		millis(m.ModifiedAt), t.signature(merchantRows, merchantValues(m, m.Version+1)), m.ID, m.Version))
}

// DeleteMerchant implements engine.Tx. Foreign keys delete the merchant's profiles, accounts and keys.
func (t *tx) DeleteMerchant(id string) error {
	for _, table := range []string{"cards", "payment_methods", "mandates", "ephemeral_keys", "customer_accounts", "account_versions", "low_value_uses", "exemption_rates",
		"routing_configs", "links", "blocked_cards", "block_jobs", "block_job_parts", "guard_counts", "scheme_declines", "relays", "processor_ids", "account_health", "account_volumes", "facet_marks", "facets", "decision_proposals"} {
		if err := t.put("delete merchant's "+table, `DELETE FROM `+table+` WHERE merchant_id = $1`, id); err != nil {
			return err
		}
	}
	return t.configured(t.change("delete merchant", `DELETE FROM merchants WHERE id = $1`, id))
}

// Merchant implements engine.Reader.
func (t *tx) Merchant(id string) (*account.Merchant, error) {
	return one(t, "read merchant", genuine(t, merchantRows, scanMerchant, "id", id), `SELECT `+merchantColumns+` FROM merchants WHERE id = $1`+t.s.dialect().lockRow, id)
}

// MerchantByPublishableKey implements engine.Reader. No merchant has the key "".
func (t *tx) MerchantByPublishableKey(key string) (*account.Merchant, error) {
	return one(t, "read merchant by publishable key", genuine(t, merchantRows, scanMerchant, "publishable_key", key),
		`SELECT `+merchantColumns+` FROM merchants WHERE publishable_key = $1 AND publishable_key <> ''`, key)
}

// Merchants implements engine.Reader.
func (t *tx) Merchants(organizationID string) ([]*account.Merchant, error) {
	return all(t, "list merchants", genuine(t, merchantRows, scanMerchant),
		`SELECT `+merchantColumns+` FROM merchants WHERE $1 = '' OR organization_id = $1 ORDER BY id`, organizationID)
}

const profileColumns = `merchant_id, id, name, settings, fallback, details, sealed, created_at, modified_at, version, signature`

var profileRows = signs("profiles", "merchant_id, id", profileColumns)

func profileValues(p *account.Profile, settings, fallback string, version int64) []any {
	return []any{p.MerchantID, p.ID, p.Name, settings, fallback, text(p.Details), p.Sealed, millis(p.CreatedAt), millis(p.ModifiedAt), version}
}

func scanProfile(row scanner) (*account.Profile, error) {
	p := new(account.Profile)
	var settings, fallback, details []byte
	var created, modified int64
	err := row.Scan(&p.MerchantID, &p.ID, &p.Name, &settings, &fallback, &details, &p.Sealed, &created, &modified, &p.Version)
	if err != nil {
		return nil, err
	}
	p.Details = details
	p.CreatedAt, p.ModifiedAt = moment(created), moment(modified)
	if err := decode(settings, &p.Settings); err != nil {
		return nil, err
	}
	return p, decode(fallback, &p.Fallback)
}

// InsertProfile implements engine.Tx. It returns ErrNotFound if the merchant does not exist.
func (t *tx) InsertProfile(p *account.Profile) error {
	settings, fallback, err := encodeTwo(&p.Settings, p.Fallback)
	if err != nil {
		return err
	}
	p.Version = 1
	return t.configured(t.insertUnder("insert profile", `INSERT INTO profiles (`+profileColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT DO NOTHING`, t.signed(profileRows, profileValues(p, settings, fallback, p.Version)...)...))
}

// UpdateProfile implements engine.Tx. It returns ErrConflict also if the new name is taken.
func (t *tx) UpdateProfile(p *account.Profile) error {
	settings, fallback, err := encodeTwo(&p.Settings, p.Fallback)
	if err != nil {
		return err
	}
	return t.configured(t.compareAndSet("update profile", &p.Version,
		`SELECT 1 FROM profiles WHERE merchant_id = $1 AND id = $2`, []any{p.MerchantID, p.ID},
		`UPDATE profiles SET name = $1, settings = $2, fallback = $3, details = $4, sealed = $5, created_at = $6,
		modified_at = $7, signature = $8, version = version + 1 WHERE merchant_id = $9 AND id = $10 AND version = $11`,
		p.Name, settings, fallback, text(p.Details), p.Sealed, millis(p.CreatedAt), millis(p.ModifiedAt),
		t.signature(profileRows, profileValues(p, settings, fallback, p.Version+1)), p.MerchantID, p.ID, p.Version))
}

// DeleteProfile implements engine.Tx. Its accounts stay.
func (t *tx) DeleteProfile(merchantID, id string) error {
	return t.configured(t.change("delete profile", `DELETE FROM profiles WHERE merchant_id = $1 AND id = $2`, merchantID, id))
}

// Profile implements engine.Reader.
func (t *tx) Profile(merchantID, id string) (*account.Profile, error) {
	return one(t, "read profile", genuine(t, profileRows, scanProfile, "merchant_id", merchantID, "id", id),
		`SELECT `+profileColumns+` FROM profiles WHERE merchant_id = $1 AND id = $2`+t.s.dialect().lockRow, merchantID, id)
}

// Profiles implements engine.Reader.
func (t *tx) Profiles(merchantID string) ([]*account.Profile, error) {
	return all(t, "list profiles", genuine(t, profileRows, scanProfile, "merchant_id", merchantID),
		`SELECT `+profileColumns+` FROM profiles WHERE merchant_id = $1 ORDER BY created_at, seq`+t.s.dialect().lockRow, merchantID)
}

// encodeTwo returns a and b as JSON documents.
func encodeTwo(a, b any) (first, second string, err error) {
	if first, err = encode(a); err == nil {
		second, err = encode(b)
	}
	return first, second, err
}
