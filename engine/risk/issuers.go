package risk

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"payswitch/engine/fault"
)

// Issuer is an entry of the installation's register of card issuers. Card blocking of profiles names issuers by their ids.
type Issuer struct {
	ID         string // five letters and digits
	Name       string // unique; case counts
	Folded     string // Name as rules compare it
	CreatedAt  time.Time
	ModifiedAt time.Time
}

const (
	maxIssuerName = 255 // characters
	issuerIDSize  = 5
	issuerDigits  = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" // of ids
)

// foldIssuer returns a name as rules compare it: without case, and with single blanks.
func foldIssuer(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// CheckIssuerName returns what is wrong with a name, "" for nothing.
func CheckIssuerName(name string) string {
	switch n := utf8.RuneCountInString(name); {
	case strings.TrimSpace(name) == "":
		return "issuer_name must not be empty"
	case n > maxIssuerName:
		return "issuer_name must be at most " + strconv.Itoa(maxIssuerName) + " characters long. Received " + strconv.Itoa(n) + " characters"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "issuer_name has a control character"
	}
	return ""
}

func issuerExists() *fault.Error {
	return &fault.Error{Kind: fault.KindInvalid, Code: "IR_38", Message: "A card issuer with this name already exists", Param: "issuer_name", Hint: "Choose another issuer_name."}
}

func noIssuer(id string) *fault.Error {
	return &fault.Error{Kind: fault.KindNotFound, Code: "IR_37", Message: "Card issuer with id " + id + " not found", Param: "issuer_id", Hint: "GET /card_issuers lists the issuers."}
}

// newIssuerID draws an id.
func newIssuerID() string {
	var out []byte
	for len(out) < issuerIDSize {
		var b [16]byte
		_, _ = rand.Read(b[:]) // it never fails
		for _, v := range b {
			if n := int(v) & 63; n < len(issuerDigits) && len(out) < issuerIDSize {
				out = append(out, issuerDigits[n])
			}
		}
	}
	return string(out)
}

// sameName returns the issuer that has exactly this name, nil without one.
func sameName(r Reader, name string) (*Issuer, error) {
	list, err := r.IssuersNamed(foldIssuer(name))
	if i := slices.IndexFunc(list, func(i *Issuer) bool { return i.Name == name }); i >= 0 {
		return list[i], nil
	}
	return nil, err
}

// CreateIssuer adds an issuer to the register. Errors: IR_38.
func (s *Risk) CreateIssuer(ctx context.Context, name string) (i *Issuer, err error) {
	err = s.Store.Update(ctx, func(tx Tx) error {
		if old, err := sameName(tx, name); old != nil || err != nil {
			return errors.Join(err, issuerExists())
		}
		var err error
		for range 8 { // of 900 million ids one may be taken
			i = &Issuer{ID: newIssuerID(), Name: name, Folded: foldIssuer(name), CreatedAt: tx.Now(), ModifiedAt: tx.Now()}
			if err = tx.InsertIssuer(i); !errors.Is(err, fault.ErrConflict) {
				return err
			}
		}
		return fault.IfConflict(err, issuerExists())
	})
	return i, fault.FromStore(err, "create a card issuer")
}

// UpdateIssuer renames an issuer. Errors: IR_37, IR_38.
func (s *Risk) UpdateIssuer(ctx context.Context, id, name string) (i *Issuer, err error) {
	err = s.Store.Update(ctx, func(tx Tx) (err error) {
		if i, err = issuer(tx, id); err != nil {
			return err
		}
		old, err := sameName(tx, name)
		if err != nil {
			return err
		}
		if old != nil && old.ID != id {
			return issuerExists()
		}
		i.Name, i.Folded, i.ModifiedAt = name, foldIssuer(name), tx.Now()
		return fault.IfConflict(tx.UpdateIssuer(i), issuerExists())
	})
	return i, fault.FromStore(err, "rename a card issuer")
}

// DeleteIssuer removes an issuer. Profiles that name its id block no card for it any more. Errors: IR_37.
func (s *Risk) DeleteIssuer(ctx context.Context, id string) error {
	err := s.Store.Update(ctx, func(tx Tx) error {
		if _, err := issuer(tx, id); err != nil {
			return err
		}
		return tx.DeleteIssuer(id)
	})
	return fault.FromStore(err, "delete a card issuer")
}

func issuer(r Reader, id string) (*Issuer, error) {
	if len(id) != issuerIDSize || strings.Trim(id, issuerDigits) != "" { // an id that no issuer can have
		return nil, noIssuer(id)
	}
	i, err := r.Issuer(id)
	return i, fault.IfMissing(err, noIssuer(id))
}

// Issuers lists the issuers whose name begins with a text, whatever its case, by name.
func (s *Risk) Issuers(ctx context.Context, prefix string, limit int) (list []*Issuer, err error) {
	prefix = strings.ToLower(strings.TrimLeft(prefix, " "))
	if strings.ContainsRune(prefix, 0) {
		return nil, nil
	}
	err = s.Store.View(ctx, func(r Reader) (err error) { list, err = r.Issuers(prefix, limit); return err })
	return list, fault.FromStore(err, "list card issuers")
}
