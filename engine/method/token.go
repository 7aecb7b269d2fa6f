package method

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"math/big"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/payment"
)

// A payment_token names one saved method of one customer until its time is over. The store does not hold tokens: a token is made of its end, a
// nonce and a keyed hash over these, the merchant, the customer and the method. The payment that is charged names the customer, and the token names
// that one of the customer's few methods whose hash fits. So listing writes nothing, tokens work on every node, and another customer's token fits
// no method. The hash has 56 bits: each guess takes one call.
const (
	tokenPrefix  = "token_"
	tokenEnd     = 4 // bytes: Unix seconds
	tokenNonce   = 3
	tokenTag     = 7
	tokenBytes   = tokenEnd + tokenNonce + tokenTag
	tokenChars   = 20
	tokenPurpose = "payment token"
)

// newMethodToken makes a token for a method. The token is good until end.
func (s *Methods) newMethodToken(m *PaymentMethod, end time.Time) string {
	var b [tokenBytes]byte
	binary.BigEndian.PutUint32(b[:], uint32(end.Unix()))
	rand.Read(b[tokenEnd : tokenEnd+tokenNonce])
	copy(b[tokenEnd+tokenNonce:], s.tokenTag(m, b[:tokenEnd+tokenNonce]))
	var n big.Int
	text := n.SetBytes(b[:]).Text(62)
	return tokenPrefix + strings.Repeat("0", tokenChars-len(text)) + text
}

func (s *Methods) tokenTag(m *PaymentMethod, head []byte) []byte {
	in := make([]byte, 0, 128)
	in = append(in, head...)
	for _, part := range []string{m.MerchantID, m.CustomerID, m.ID} {
		in = append(append(in, strconv.Itoa(len(part))...), ':')
		in = append(in, part...)
	}
	return s.vault.Hash(tokenPurpose, in)[:tokenTag]
}

// methodOfToken finds and opens the method of the payment's customer that a token names. It returns nil for a token that is wrong or expired. A
// method's id works as a token that does not expire.
func (s *Methods) methodOfToken(ctx context.Context, p *payment.Payment, token string, now time.Time) (*PaymentMethod, error) {
	if p.CustomerID == "" {
		return nil, nil
	}
	var fits func(m *PaymentMethod) bool
	if strings.HasPrefix(token, methodPrefix) {
		fits = func(m *PaymentMethod) bool { return m.ID == token }
	} else {
		b, ok := readToken(token)
		if !ok || now.Unix() >= int64(binary.BigEndian.Uint32(b[:])) {
			return nil, nil
		}
		fits = func(m *PaymentMethod) bool {
			return subtle.ConstantTimeCompare(b[tokenEnd+tokenNonce:], s.tokenTag(m, b[:tokenEnd+tokenNonce])) == 1
		}
	}
	var list []*PaymentMethod
	err := s.read(ctx, "read payment methods", func(r Reader) (err error) {
		list, err = r.PaymentMethods(p.MerchantID, p.CustomerID, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if fits(m) {
			return m, s.openMethod(m)
		}
	}
	return nil, nil
}

func readToken(token string) (b [tokenBytes]byte, ok bool) {
	text, ok := strings.CutPrefix(token, tokenPrefix)
	if !ok || len(text) != tokenChars {
		return b, false
	}
	var n big.Int
	if _, ok = n.SetString(text, 62); !ok || n.Sign() < 0 || n.BitLen() > 8*tokenBytes {
		return b, false
	}
	n.FillBytes(b[:])
	return b, true
}

const methodPrefix = "pm_"
