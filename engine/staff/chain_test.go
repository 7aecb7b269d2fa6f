package staff_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/storage"
)

// TestAuditChain: the chain holds while people work at the same moment, and shows each way to change it without the keys.
func TestAuditChain(t *testing.T) {
	t.Parallel()
	for name, attack := range map[string]string{
		"":                           "",
		"takes a line away":          `DELETE FROM staff_audit WHERE seq = 3`,
		"takes the last line away":   `DELETE FROM staff_audit WHERE seq = (SELECT max(seq) FROM staff_audit)`,
		"takes the first line away":  `DELETE FROM staff_audit WHERE seq = 1`,
		"changes a line":             `UPDATE staff_audit SET action = 'nothing' WHERE seq = 3`,
		"moves a line":               `UPDATE staff_audit SET seq = 1000 WHERE seq = 3`,
		"copies a line":              `INSERT INTO staff_audit SELECT 1000, 'aud_new', at, user_id, session_id, action, merchant_id, target, details, signature, chain FROM staff_audit WHERE seq = 3`,
		"blanks the chain of a line": `UPDATE staff_audit SET chain = '' WHERE seq = 1`,
		"moves the end":              `UPDATE staff_chains SET lines = lines - 1`,
		"takes the end away":         `DELETE FROM staff_chains`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "p.db")
			db, err := storage.Open(t.Context(), "sqlite:"+file, storage.Options{})
			require.NoError(t, err)
			defer db.Close()
			vault, err := engine.OpenVault(t.Context(), db, secret.New(masterKey))
			require.NoError(t, err)
			s := staff.New(staff.Deps{Store: port.Narrow[staff.Reader, staff.Tx](db), Vault: vault, Now: time.Now}, staff.Options{})
			v, err := s.VerifyAudit(t.Context(), "")
			require.NoError(t, err)
			require.Equal(t, &staff.Verified{Known: true}, v)
			var people sync.WaitGroup
			for i := range 6 {
				people.Go(func() {
					_, _, err := s.Invite(t.Context(), nil, staff.InviteInput{Email: fmt.Sprintf("p%d@example.com", i), Grants: []staff.Grant{{MerchantID: "acme", Role: staff.Viewer}}})
					require.NoError(t, err)
				})
			}
			people.Wait()
			raw, err := sql.Open("sqlite", file)
			require.NoError(t, err)
			defer raw.Close()
			if attack != "" {
				_, err = raw.Exec(attack)
				require.NoError(t, err)
			}
			v, err = s.VerifyAudit(t.Context(), "")
			if name == "" {
				require.NoError(t, err)
				require.Empty(t, v.Break)
				require.GreaterOrEqual(t, v.Lines, int64(6))
				require.Len(t, v.Hash, 64)
				again, err := s.VerifyAudit(t.Context(), v.Hash)
				require.NoError(t, err)
				require.True(t, again.Known)
				again, err = s.VerifyAudit(t.Context(), "00ff")
				require.NoError(t, err)
				require.False(t, again.Known)
				return
			}
			require.True(t, err != nil || v.Break != "", "%+v", v)
		})
	}
}

// TestAuditBeforeChain: lines that are older than the chain stay readable, and the chain begins behind them.
func TestAuditBeforeChain(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	require.NoError(t, h.db.Update(t.Context(), func(tx engine.Tx) error {
		return tx.InsertStaffEntry(&staff.Entry{ID: "aud_old", At: tx.Now(), Action: "login"})
	}))
	h.user("vi@example.com", staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	v, err := h.VerifyAudit(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, v.Break)
	require.EqualValues(t, 1, v.Older)
	require.Positive(t, v.Lines)
}

// TestAuditWithItsChange: the line of a change is written by the transaction of the change: a change that is undone has a line that it failed, and the
// line of a change is there as soon as the change is.
func TestAuditWithItsChange(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	_, _, in := h.admin("ad@example.com", adminOne)
	by := h.session(in.Token)
	e := staff.Entry{Action: "a.change", MerchantID: "m1"}
	actions := func() (out []string) {
		lines, _, err := h.Lines(ctx, by, staff.EntryFilter{MerchantID: "m1"})
		require.NoError(t, err)
		for _, l := range lines {
			if strings.HasPrefix(l.Action, e.Action) {
				out = append(out, l.Action)
			}
		}
		return out
	}
	failed := errors.New("failed")
	write := func(ctx context.Context, fails error) error {
		return h.db.Update(ctx, func(tx engine.Tx) error {
			if err := tx.InsertKeyset("k", []byte("v")); err != nil {
				return err
			}
			return fails
		})
	}
	require.ErrorIs(t, h.Perform(ctx, by, here, staff.SeeAudit, false, e, func(ctx context.Context) error { return write(ctx, failed) }), failed)
	require.Equal(t, []string{"a.change.failed"}, actions())
	require.NoError(t, h.Perform(ctx, by, here, staff.SeeAudit, false, e, func(ctx context.Context) error {
		require.NoError(t, write(ctx, nil))
		require.Equal(t, []string{"a.change", "a.change.failed"}, actions(), "the line is there with the change")
		return h.db.Update(ctx, func(engine.Tx) error { return nil })
	}))
	require.Equal(t, []string{"a.change", "a.change.failed"}, actions(), "one line")
	require.NoError(t, h.Perform(ctx, by, here, staff.SeeAudit, false, e, func(context.Context) error { return nil }), "a change without a transaction")
	require.Len(t, actions(), 3)
}
