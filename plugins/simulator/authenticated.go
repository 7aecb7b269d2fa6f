package simulator

import (
	"encoding/base64"
	"hash"
	"hash/fnv"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// issued is the content of a dsTransID from the built-in 3DS server. Package plugins/simulator3ds makes these ids and
// documents their layout.
type issued struct {
	// hexadecimal digit: 0 Visa, 1 Mastercard, 2 American Express, 3 JCB, 4 Discover, 5 Diners Club, 6 UnionPay, 7 CB
	scheme byte
	number string // the currency's ISO 4217 number, "000" without a purchase
	amount int64  // minor units
	own    bool   // the card is a test card of that server
}

// readTransID reads an id of the built-in 3DS server; ok is false for any other id.
func readTransID(id string) (i issued, ok bool) {
	id = strings.ToLower(id)
	if !uuid(id) || !strings.HasPrefix(id, "513d50") || id[14] != '8' {
		return issued{}, false
	}
	third, err := strconv.ParseUint(id[14:18], 16, 16)
	amount, err2 := strconv.ParseInt(id[24:], 16, 64)
	if err != nil || err2 != nil {
		return issued{}, false
	}
	number := strconv.FormatUint(third>>2&0x3ff, 10)
	return issued{scheme: id[6], number: "000"[min(len(number), 3):] + number, amount: amount,
		own: strings.IndexByte("13579bdf", id[7]) >= 0}, true
}

// cavv returns the authentication value of a result.
func cavv(dsTransID, status string) string {
	long, short := fnv.New128a(), fnv.New32a()
	for _, h := range [...]hash.Hash{long, short} {
		h.Write([]byte("payswitch simulator3ds " + dsTransID + " " + status))
	}
	return base64.StdEncoding.EncodeToString(short.Sum(long.Sum(nil)))
}

// eci returns the indicator of a result.
func (i issued) eci(status string) string {
	list := "Y05 A06 I07 U07"
	if i.scheme == '1' {
		list = "Y02 A01 I06 U04" // U with an authentication value is a data-only transaction
	}
	_, rest, _ := strings.Cut(list, status)
	return rest[:min(2, len(rest))]
}

// Refusal codes for results that do not belong to the payment.
const (
	codeCAVV     = "authentication_value_invalid"
	codeECI      = "authentication_eci_invalid"
	codeExceeded = "authentication_amount_exceeded"
)

// inside3DS judges a result of the built-in 3DS server as an issuer would: it refuses a payment whose authentication
// value, indicator or amount differs from the issued one. It cannot judge results of other servers.
func (p *payment) inside3DS(c *sdk.Call) (*sdk.Decline, error) {
	t := p.request.ThreeDS
	if t == nil || t.CAVV == "" {
		return nil, nil
	}
	i, ours := readTransID(t.DSTransID)
	if !ours {
		return nil, nil
	}
	p.own = i.own
	status := t.TransStatus
	if status == "" {
		status = "Y"
	}
	right, err := c.VerifyCAVV(cavv(strings.ToLower(t.DSTransID), status))
	switch {
	case err != nil:
		return nil, err
	case !right:
		return refuse(codeCAVV, "The authentication value does not belong to this authentication.",
			sdk.DeclineAuthenticationFailed), nil
	case t.ECI != i.eci(status):
		return refuse(codeECI, "The ECI does not belong to the scheme and the result.", sdk.DeclineAuthenticationFailed), nil
	case p.amount.Minor > i.amount || p.amount.Minor > 0 && p.amount.Currency.Number() != i.number:
		return refuse(codeExceeded, "The amount is larger than the authenticated amount, or in another currency.",
			sdk.DeclineAuthenticationFailed), nil
	}
	return nil, nil
}

// soft reports whether the issuer asks for an authentication first: the amount ends in 65, and the request has no
// result of one.
func (p *payment) soft() bool {
	return p.amount.Minor > 0 && p.amount.Minor%100 == 65 && p.rule.act == approve && !p.memory.has(outside) &&
		!merchantInitiated(p.request)
}
