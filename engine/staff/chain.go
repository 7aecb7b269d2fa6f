package staff

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"payswitch/engine/fault"
	"payswitch/engine/vault"
)

// hashOf returns the hash of a line and of the chain before it.
func hashOf(before string, e *Entry) (string, error) {
	at := e.At.UnixMilli() // as it is stored
	details := e.Details
	if len(details) == 0 {
		details = nil // none are stored
	}
	text, err := json.Marshal([]any{before, e.ID, at, e.UserID, e.SessionID, e.Action, e.MerchantID, e.Target, details})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// link inserts a line at the end of the chain. The row of the end is locked until the transaction ends, so that lines of several nodes come one after
// the other.
func link(tx Tx, e *Entry) error {
	if err := tx.EnsureStaffChain(); err != nil {
		return err
	}
	end, err := tx.StaffChain()
	if err != nil {
		return err
	}
	if e.Chain, err = hashOf(end.Hash, e); err != nil {
		return err
	}
	if err := tx.InsertStaffEntry(e); err != nil {
		return err
	}
	return tx.PutStaffChain(&Chain{Lines: end.Lines + 1, Hash: e.Chain})
}

// Verified is what a check of the audit found.
type Verified struct {
	Lines int64  // of the chain
	Older int64  // lines from before the chain
	Hash  string // the end of the chain: note it elsewhere, and compare later
	Break string // what is wrong; "" if nothing is
	Known bool   // a line has the hash that the caller has noted before, or the caller has noted none
}

// chainWindow is the number of lines that one read takes.
const chainWindow = 500

// VerifyAudit follows the chain of the audit from its first line to its end. A changed, missing or added line is a break. Lines that were taken from
// the end together with an older end show only against noted, a hash that was noted elsewhere before.
func (s *Service) VerifyAudit(ctx context.Context, noted string) (*Verified, error) {
	var v *Verified
	err := s.view(ctx, "verify the audit", func(r Reader) (err error) {
		v = &Verified{Known: noted == ""}
		end, err := r.StaffChain()
		if errors.Is(err, fault.ErrNotFound) {
			end, err = &Chain{}, nil
		}
		if err != nil {
			return err
		}
		after := ""
		for {
			list, err := r.StaffEntries(EntryFilter{Oldest: true, After: after, Limit: chainWindow})
			var altered *vault.AlteredError
			if errors.As(err, &altered) {
				v.Break = altered.Error()
				return nil
			}
			if err != nil {
				return err
			}
			for _, e := range list {
				if v.follow(e); v.Break != "" {
					return nil
				}
				v.Known = v.Known || v.Hash == noted
			}
			if len(list) < chainWindow {
				break
			}
			after = list[len(list)-1].ID
		}
		switch {
		case v.Lines != end.Lines:
			v.Break = fmt.Sprintf("the chain has %d lines, and its end says %d", v.Lines, end.Lines)
		case v.Hash != end.Hash:
			v.Break = "the last line is not the one that the end of the chain names"
		}
		return nil
	})
	return v, err
}

// follow takes the next line.
func (v *Verified) follow(e *Entry) {
	if e.Chain == "" && v.Lines == 0 {
		v.Older++
		return
	}
	want, err := hashOf(v.Hash, e)
	if err != nil || e.Chain != want {
		v.Break = fmt.Sprintf("line %s of %s does not follow the line before it: one was changed, taken away or added", e.ID, e.At.UTC().Format("2 Jan 2006, 15:04:05 MST"))
		return
	}
	v.Lines, v.Hash = v.Lines+1, e.Chain
}
