package engine

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// A payment_token names one saved method of one customer until its time is over. It is not stored: it is made of its end, a nonce and a
// keyed hash over these, the merchant, the customer and the method. Whoever presents it says which customer by the payment; the
// customer's methods are few, and the one whose hash fits is meant. So listing writes nothing, tokens work on every node, and one
// of another customer fits nothing. Guessing one of 56 bits takes as many calls.
const (
	tokenPrefix  = "token_"
	tokenEnd     = 4 // bytes: Unix seconds
	tokenNonce   = 3
	tokenTag     = 7
	tokenBytes   = tokenEnd + tokenNonce + tokenTag
	tokenChars   = 20
	tokenPurpose = "payment token"
)

// newMethodToken makes a token for a method that ends at end.
func (e *Engine) newMethodToken(m *PaymentMethod, end time.Time) string {
	var b [tokenBytes]byte
	binary.BigEndian.PutUint32(b[:], uint32(end.Unix()))
	rand.Read(b[tokenEnd : tokenEnd+tokenNonce])
	copy(b[tokenEnd+tokenNonce:], e.tokenTag(m, b[:tokenEnd+tokenNonce]))
	var n big.Int
	text := n.SetBytes(b[:]).Text(62)
	return tokenPrefix + strings.Repeat("0", tokenChars-len(text)) + text
}

func (e *Engine) tokenTag(m *PaymentMethod, head []byte) []byte {
	in := make([]byte, 0, 128)
	in = append(in, head...)
	for _, part := range []string{m.MerchantID, m.CustomerID, m.ID} {
		in = append(append(in, strconv.Itoa(len(part))...), ':')
		in = append(in, part...)
	}
	return e.vault.Hash(tokenPurpose, in)[:tokenTag]
}

// methodOfToken finds the method of the payment's customer that a token means, opened; nil when it means none (any more). The id of
// a method is as good as a token.
func (e *Engine) methodOfToken(ctx context.Context, p *Payment, token string, now time.Time) (*PaymentMethod, error) {
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
			return subtle.ConstantTimeCompare(b[tokenEnd+tokenNonce:], e.tokenTag(m, b[:tokenEnd+tokenNonce])) == 1
		}
	}
	var list []*PaymentMethod
	err := e.read(ctx, "read payment methods", func(r Reader) (err error) {
		list, err = r.PaymentMethods(p.MerchantID, p.CustomerID, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if fits(m) {
			return m, e.openMethod(m)
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
