package risk

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"
	"unicode"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/routing"
	"payswitch/engine/vault"
)

// Risk has the use cases of the block list and decides about payments. Safe for concurrent use.
type Risk struct {
	Deps
	known known
}

// Deps are the parts that Risk is built from. BINTable may be nil.
type Deps struct {
	Store    Store
	Vault    *vault.Vault
	Registry *account.Registry
	Rules    *routing.Rules
	Methods  *method.Methods
	Changes  *change.Changes
	Now      port.Clock
	Log      *slog.Logger
	Metrics  port.Metrics
	BINTable *card.BINTable
	// TokenCard opens the card that a payment has kept until its confirm.
	TokenCard func(ctx context.Context, p *payment.Payment, token string, now time.Time) (*card.Input, error)
}

// Type is what a request blocks. Its constants are the API's values.
type Type string

const (
	TypeBIN         Type = "card_bin"
	TypeExtendedBIN Type = "extended_card_bin"
	TypeFingerprint Type = "fingerprint"
)

// Types lists the types of entries in requests, Kinds the kinds in answers.
var (
	Types = []Type{TypeBIN, TypeExtendedBIN, TypeFingerprint}
	Kinds = []Kind{KindBIN, KindExtendedBIN, KindMethod}
)

// maxData is the largest number of bytes of an entry. A fingerprint has 128.
const maxData = 255

// kindOf returns the kind of a type, and the number of digits that its data has; 0 for any text.
func kindOf(t Type) (Kind, int) {
	switch t {
	case TypeBIN:
		return KindBIN, 6
	case TypeExtendedBIN:
		return KindExtendedBIN, 8
	}
	return KindMethod, 0
}

// checkData returns what is wrong with the data of an entry.
func checkData(t Type, data string) *fault.Error {
	if _, digits := kindOf(t); digits > 0 {
		if len(data) != digits || strings.Trim(data, "0123456789") != "" {
			return fault.BadFormat("data", expected(digits))
		}
		return nil
	}
	switch {
	case len(data) > maxData:
		return fault.Unprocessable("data", "data must be at most "+strconv.Itoa(maxData)+" characters long. Received "+strconv.Itoa(len(data))+" characters").WithHint("Shorten the text to " + strconv.Itoa(maxData) + " characters.")
	case strings.ContainsFunc(data, unicode.IsControl):
		return fault.Unprocessable("data", "data has a control character").WithHint("Remove control characters.")
	case card.HoldsCard(data):
		return fault.Unprocessable("data", "data is a card number: send the fingerprint that a payment with the card shows").WithHint("Send the fingerprint.")
	}
	return nil
}

func expected(digits int) string {
	if digits == 8 {
		return "an 8 digit number"
	}
	return "a 6 digit number"
}

func exists(t Type) *fault.Error {
	if t == TypeFingerprint {
		return fault.Refused("data associated with the given fingerprint is already blocked").WithParam("data").WithHint("Nothing needs to be changed.")
	}
	return fault.Refused("provided bin is already blocked").WithParam("data").WithHint("Nothing needs to be changed.")
}

func missing(t Type) *fault.Error {
	text := "could not find a blocklist entry for the given bin"
	if t == TypeFingerprint {
		text = "no blocklist record for the given fingerprint id was found"
	}
	return &fault.Error{Kind: fault.KindNotFound, Code: "IR_37", Message: text, Param: "data", Hint: "GET /blocklist lists what is blocked."}
}

// Block adds an entry. The next confirm at this node meets it, and at other nodes within knownFor. Errors: IR_05 (422) for a BIN of another length; IR_06
// (422) for a fingerprint that cannot be one; IR_16 for data that an entry of any kind has.
func (s *Risk) Block(ctx context.Context, a account.Auth, t Type, data string) (*Entry, error) {
	if err := checkData(t, data); err != nil {
		return nil, err
	}
	e := &Entry{MerchantID: a.MerchantID, Data: data}
	e.Kind, _ = kindOf(t)
	err := s.Store.Update(ctx, func(tx Tx) error {
		e.CreatedAt = tx.Now()
		if _, err := tx.Blocked(a.MerchantID, data); err == nil {
			return exists(t) // nothing was written, so that nothing has to be undone
		}
		return fault.IfConflict(tx.InsertBlocked(e), exists(t))
	})
	s.known.changed()
	return e, fault.FromStore(err, "add to the block list")
}

// Unblock removes the entry with the data, whatever its kind. Errors: IR_37.
func (s *Risk) Unblock(ctx context.Context, a account.Auth, t Type, data string) (e *Entry, err error) {
	if strings.ContainsRune(data, 0) {
		return nil, missing(t)
	}
	err = s.Store.Update(ctx, func(tx Tx) (err error) {
		if e, err = tx.Blocked(a.MerchantID, data); err == nil {
			err = tx.DeleteBlocked(a.MerchantID, data)
		}
		return fault.IfMissing(err, missing(t))
	})
	return e, fault.FromStore(err, "remove from the block list")
}

// BlockList lists the entries of a kind, the newest first, and counts all of them.
func (s *Risk) BlockList(ctx context.Context, a account.Auth, kind Kind, limit, offset int) (list []*Entry, total int, err error) {
	err = s.Store.View(ctx, func(r Reader) (err error) {
		if total, err = r.CountBlocked(a.MerchantID, kind); err != nil {
			return err
		}
		list, err = r.BlockList(a.MerchantID, kind, limit, offset)
		return err
	})
	return list, total, fault.FromStore(err, "list the block list")
}

// ToggleBlocklist switches the guard on or off. It writes the config key of the guard, so that operators see and set the same value. The answer
// follows once every node knows.
func (s *Risk) ToggleBlocklist(ctx context.Context, a account.Auth, on bool) error {
	name, value := account.SwitchBlocklist+a.MerchantID, strconv.FormatBool(on)
	_, err := s.Rules.UpdateConfigKey(ctx, name, value)
	if fault.IsNotFound(err) {
		_, err = s.Rules.CreateConfigKey(ctx, name, value)
		if known := (*fault.Error)(nil); errors.As(err, &known) && known.Code == "HE_01" { // another request made the key just now
			_, err = s.Rules.UpdateConfigKey(ctx, name, value)
		}
	}
	return err
}

// Switch returns the value of a merchant's switch, "" without one. prefix is one of account.Switches.
func (s *Risk) Switch(ctx context.Context, merchantID, prefix string) (value string, err error) {
	return s.Registry.Dir.Switch(ctx, merchantID, prefix)
}
