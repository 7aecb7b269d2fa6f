package storage

import (
	"strings"
	"time"

	"payswitch/engine/staff"
)

const staffUserColumns = `id, email_hash, state, details, sealed, created_at, modified_at, version, signature`

var staffUserRows = signs("staff_users", "id", staffUserColumns)

func staffUserValues(u *staff.User, details string, version int64) []any {
	return []any{u.ID, u.EmailHash, string(u.State), details, u.Sealed, millis(u.CreatedAt), millis(u.ModifiedAt), version}
}

func scanStaffUser(row scanner) (*staff.User, error) {
	u := new(staff.User)
	var state string
	var details []byte
	var created, modified int64
	if err := row.Scan(&u.ID, &u.EmailHash, &state, &details, &u.Sealed, &created, &modified, &u.Version); err != nil {
		return nil, err
	}
	u.State, u.CreatedAt, u.ModifiedAt = staff.State(state), moment(created), moment(modified)
	return u, decode(details, &u.Details)
}

// InsertStaffUser implements engine.Tx.
func (t *tx) InsertStaffUser(u *staff.User) error {
	details, err := encode(&u.Details)
	if err != nil {
		return err
	}
	u.Version = 1
	return t.insert("insert user", `INSERT INTO staff_users (`+staffUserColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
		t.signed(staffUserRows, staffUserValues(u, details, u.Version)...)...)
}

// UpdateStaffUser implements engine.Tx.
func (t *tx) UpdateStaffUser(u *staff.User) error {
	details, err := encode(&u.Details)
	if err != nil {
		return err
	}
	return t.compareAndSet("update user", &u.Version, `SELECT 1 FROM staff_users WHERE id = $1`, []any{u.ID},
		`UPDATE staff_users SET state = $1, details = $2, sealed = $3, modified_at = $4, version = version + 1, signature = $5
		WHERE id = $6 AND version = $7`, string(u.State), details, u.Sealed, millis(u.ModifiedAt),
		t.signature(staffUserRows, staffUserValues(u, details, u.Version+1)), u.ID, u.Version)
}

// StaffUser implements engine.Reader.
func (t *tx) StaffUser(id string) (*staff.User, error) {
	return one(t, "read user", genuine(t, staffUserRows, scanStaffUser, "id", id),
		`SELECT `+staffUserColumns+` FROM staff_users WHERE id = $1`+t.s.dialect().lockRow, id)
}

// StaffUserByEmail implements engine.Reader.
func (t *tx) StaffUserByEmail(hash []byte) (*staff.User, error) {
	return one(t, "read user", genuine(t, staffUserRows, scanStaffUser, "email_hash", hash),
		`SELECT `+staffUserColumns+` FROM staff_users WHERE email_hash = $1`+t.s.dialect().lockRow, hash)
}

// StaffUsers implements engine.Reader.
func (t *tx) StaffUsers(after string, limit int) ([]*staff.User, error) {
	return all(t, "list users", genuine(t, staffUserRows, scanStaffUser),
		`SELECT `+staffUserColumns+` FROM staff_users WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
}

// The time of the last request is written without the rest of the row.
const staffLoginColumns = `hash, id, user_id, details, created_at, seen_at, ends_at, signature`

var staffLoginRows = signs("staff_logins", "hash", staffLoginColumns, "seen_at")

func scanStaffLogin(row scanner) (*staff.Login, error) {
	l := new(staff.Login)
	var details []byte
	var created, seen, ends int64
	if err := row.Scan(&l.Hash, &l.ID, &l.UserID, &details, &created, &seen, &ends); err != nil {
		return nil, err
	}
	l.CreatedAt, l.SeenAt, l.EndsAt = moment(created), moment(seen), moment(ends)
	return l, decode(details, &l.Details)
}

// InsertStaffLogin implements engine.Tx.
func (t *tx) InsertStaffLogin(l *staff.Login) error {
	details, err := encode(&l.Details)
	if err != nil {
		return err
	}
	return t.insert("insert login", `INSERT INTO staff_logins (`+staffLoginColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
		t.signed(staffLoginRows, l.Hash, l.ID, l.UserID, details, millis(l.CreatedAt), millis(l.SeenAt), millis(l.EndsAt))...)
}

// StaffLogin implements engine.Reader.
func (t *tx) StaffLogin(hash []byte) (*staff.Login, error) {
	return one(t, "read login", genuine(t, staffLoginRows, scanStaffLogin, "hash", hash),
		`SELECT `+staffLoginColumns+` FROM staff_logins WHERE hash = $1`+t.s.dialect().lockRow, hash)
}

// StaffLoginsOf implements engine.Reader.
func (t *tx) StaffLoginsOf(userID string) ([]*staff.Login, error) {
	return all(t, "list logins", genuine(t, staffLoginRows, scanStaffLogin, "user_id", userID),
		`SELECT `+staffLoginColumns+` FROM staff_logins WHERE user_id = $1 ORDER BY created_at DESC, seq DESC`, userID)
}

// SeeStaffLogin implements engine.Tx.
func (t *tx) SeeStaffLogin(hash []byte, at time.Time) error {
	return t.change("see login", `UPDATE staff_logins SET seen_at = $1 WHERE hash = $2`, millis(at), hash)
}

// DeleteStaffLogin implements engine.Tx.
func (t *tx) DeleteStaffLogin(hash []byte) error {
	return t.change("delete login", `DELETE FROM staff_logins WHERE hash = $1`, hash)
}

// DeleteStaffLoginsOf implements engine.Tx.
func (t *tx) DeleteStaffLoginsOf(userID string, keep []byte) (int, error) {
	n, err := t.exec("delete logins", `DELETE FROM staff_logins WHERE user_id = $1 AND hash <> $2`, userID, append([]byte{}, keep...))
	return int(n), err
}

const staffOnceColumns = `hash, kind, user_id, data, created_at, ends_at, signature`

var staffOnceRows = signs("staff_onces", "hash", staffOnceColumns)

// InsertStaffOnce implements engine.Tx.
func (t *tx) InsertStaffOnce(o *staff.Once) error {
	return t.insert("insert one-time text", `INSERT INTO staff_onces (`+staffOnceColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
		t.signed(staffOnceRows, o.Hash, string(o.Kind), o.UserID, o.Data, millis(o.CreatedAt), millis(o.EndsAt))...)
}

// StaffOnce implements engine.Reader.
func (t *tx) StaffOnce(hash []byte) (*staff.Once, error) {
	return one(t, "read one-time text", genuine(t, staffOnceRows, func(row scanner) (*staff.Once, error) {
		o := new(staff.Once)
		var kind string
		var created, ends int64
		err := row.Scan(&o.Hash, &kind, &o.UserID, &o.Data, &created, &ends)
		o.Kind, o.CreatedAt, o.EndsAt = staff.OnceKind(kind), moment(created), moment(ends)
		return o, err
	}, "hash", hash), `SELECT `+staffOnceColumns+` FROM staff_onces WHERE hash = $1`+t.s.dialect().lockRow, hash)
}

// DeleteStaffOnce implements engine.Tx.
func (t *tx) DeleteStaffOnce(hash []byte) error {
	return t.change("delete one-time text", `DELETE FROM staff_onces WHERE hash = $1`, hash)
}

// DeleteStaffOncesOf implements engine.Tx.
func (t *tx) DeleteStaffOncesOf(userID string) error {
	return t.put("delete one-time texts", `DELETE FROM staff_onces WHERE user_id = $1`, userID)
}

const staffTriesColumns = `key, level, at, locked_till, signature`

var staffTriesRows = signs("staff_tries", "key", staffTriesColumns)

// PutStaffTries implements engine.Tx.
func (t *tx) PutStaffTries(s *staff.Tries) error {
	return t.put("write tries", `INSERT INTO staff_tries (`+staffTriesColumns+`) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (key) DO UPDATE SET
		level = excluded.level, at = excluded.at, locked_till = excluded.locked_till, signature = excluded.signature`,
		t.signed(staffTriesRows, s.Key, s.Level, millis(s.At), millis(s.Until))...)
}

// EnsureStaffTries implements engine.Tx.
func (t *tx) EnsureStaffTries(key []byte, at time.Time) error {
	return t.put("make tries", `INSERT INTO staff_tries (`+staffTriesColumns+`) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
		t.signed(staffTriesRows, key, int64(0), millis(at), int64(0))...)
}

// StaffTries implements engine.Reader.
func (t *tx) StaffTries(key []byte) (*staff.Tries, error) {
	return one(t, "read tries", genuine(t, staffTriesRows, func(row scanner) (*staff.Tries, error) {
		s := new(staff.Tries)
		var at, until int64
		err := row.Scan(&s.Key, &s.Level, &at, &until)
		s.At, s.Until = moment(at), moment(until)
		return s, err
	}, "key", key), `SELECT `+staffTriesColumns+` FROM staff_tries WHERE key = $1`+t.s.dialect().lockRow, key)
}

// DeleteStaffTries implements engine.Tx.
func (t *tx) DeleteStaffTries(key []byte) error {
	return t.put("delete tries", `DELETE FROM staff_tries WHERE key = $1`, key)
}

const staffAuditColumns = `id, at, user_id, session_id, action, merchant_id, target, details, chain, signature`

var staffAuditRows = signs("staff_audit", "id", staffAuditColumns)

// InsertStaffEntry implements engine.Tx.
func (t *tx) InsertStaffEntry(e *staff.Entry) error {
	details := ""
	if len(e.Details) > 0 {
		var err error
		if details, err = encode(e.Details); err != nil {
			return err
		}
	}
	return t.insert("insert audit entry",
		`INSERT INTO staff_audit (`+staffAuditColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
		t.signed(staffAuditRows, e.ID, millis(e.At), e.UserID, e.SessionID, e.Action, e.MerchantID, e.Target, details, e.Chain)...)
}

const staffChainColumns = `id, lines, chain, signature`

var staffChainRows = signs("staff_chains", "id", staffChainColumns)

// auditChain is the id of the only chain.
const auditChain = "audit"

// EnsureStaffChain implements engine.Tx.
func (t *tx) EnsureStaffChain() error {
	return t.put("make chain", `INSERT INTO staff_chains (`+staffChainColumns+`) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		t.signed(staffChainRows, auditChain, int64(0), "")...)
}

// StaffChain implements engine.Reader.
func (t *tx) StaffChain() (*staff.Chain, error) {
	return one(t, "read chain", genuine(t, staffChainRows, func(row scanner) (*staff.Chain, error) {
		c, id := new(staff.Chain), ""
		return c, row.Scan(&id, &c.Lines, &c.Hash)
	}, "id", auditChain), `SELECT `+staffChainColumns+` FROM staff_chains WHERE id = $1`+t.s.dialect().lockRow, auditChain)
}

// PutStaffChain implements engine.Tx.
func (t *tx) PutStaffChain(c *staff.Chain) error {
	return t.change("write chain", `UPDATE staff_chains SET lines = $1, chain = $2, signature = $3 WHERE id = $4`,
		c.Lines, c.Hash, t.signature(staffChainRows, []any{auditChain, c.Lines, c.Hash}), auditChain)
}

// StaffEntries implements engine.Reader.
func (t *tx) StaffEntries(f staff.EntryFilter) ([]*staff.Entry, error) {
	var where conditions
	for _, c := range []struct{ left, value string }{{"merchant_id = ", f.MerchantID}, {"user_id = ", f.UserID}} {
		if c.value != "" {
			where.add(c.left, c.value)
		}
	}
	where.add("id >= ", "") // all
	page := " ORDER BY seq DESC LIMIT " + where.place(rowLimit(f.Limit))
	if f.Oldest {
		page = strings.Replace(page, "DESC", "ASC", 1)
	}
	if f.After != "" {
		page = " AND seq > (SELECT seq FROM staff_audit WHERE id = " + where.place(f.After) + ")" + page
	}
	if f.Before != "" {
		page = " AND seq < (SELECT seq FROM staff_audit WHERE id = " + where.place(f.Before) + ")" + page
	}
	return all(t, "list audit", genuine(t, staffAuditRows, func(row scanner) (*staff.Entry, error) {
		e := new(staff.Entry)
		var at int64
		var details []byte
		err := row.Scan(&e.ID, &at, &e.UserID, &e.SessionID, &e.Action, &e.MerchantID, &e.Target, &details, &e.Chain)
		e.At = moment(at)
		if err == nil && len(details) > 0 {
			err = decode(details, &e.Details)
		}
		return e, err
	}), `SELECT `+staffAuditColumns+` FROM staff_audit WHERE `+where.String()+page, where.args...)
}

// DeleteStaffEnded implements engine.Tx.
func (t *tx) DeleteStaffEnded(at time.Time, limit int) (n int, err error) {
	d := t.s.dialect()
	for _, of := range []struct{ table, where string }{{"staff_logins", "ends_at < $1"}, {"staff_onces", "ends_at < $1"}, {"staff_tries",
		"at < $1 AND locked_till < $1"}} {
		one, err := t.exec("delete ended rows", `DELETE FROM `+of.table+` WHERE seq`+
			d.among(`SELECT seq FROM `+of.table+` WHERE `+of.where+` ORDER BY seq LIMIT $2`), millis(at), limit)
		if err != nil {
			return n, err
		}
		n += int(one)
	}
	return n, nil
}
