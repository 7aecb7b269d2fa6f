package simulator

import (
	"strings"

	"payswitch/sdk"
)

// memory is what the simulator asks to be told again of a payment, beside sdk.PaymentState: a set of the letters below, kept as
// ConnectorData.Payment. Letters are only ever added, so that what was kept before a lost answer is not wrong after it.
type memory string

const (
	verifying     = 'v' // it is a zero-amount check
	storing       = 's' // the card is stored with it
	challenged    = 'c' // the customer was sent to the redirect page
	authenticated = 'a' // and came back with approve
	refused       = 'n' // and came back with decline
	released      = 'r' // the rest of a partial capture is released
	outside       = 'o' // an authentication was made outside, whatever its result
)

const memoryVersion = 1

func remembered(r *sdk.Request) memory {
	if d := r.ConnectorData; d != nil && d.Version == memoryVersion {
		return memory(d.Payment)
	}
	return ""
}

func (m memory) has(letter byte) bool { return strings.IndexByte(string(m), letter) >= 0 }

func (m memory) with(letter byte) memory {
	if m.has(letter) {
		return m
	}
	return m + memory(letter)
}

func (m memory) data() *sdk.ConnectorData {
	if m == "" {
		return nil
	}
	return &sdk.ConnectorData{Version: memoryVersion, Payment: string(m)}
}

// networkID is the card network's id of a payment: fifteen digits, as Visa's are, made from our id of it.
func networkID(id string) string {
	hash := uint64(14695981039346656037) // FNV-1a
	for i := range len(id) {
		hash = (hash ^ uint64(id[i])) * 1099511628211
	}
	var digits [15]byte
	for i := range digits {
		digits[i] = '0' + byte(hash%10)
		hash /= 10
	}
	return string(digits[:])
}

// A stored credential's id begins with the BIN and last four digits of its card, so that the card goes on steering. A letter stands between
// them: ten digits that begin with the BIN would be masked as the beginning of a card number.
const storedPrefix = "simcard_"

func storedID(bin, lastFour, id string) string { return storedPrefix + bin + "x" + lastFour + "_" + id }

// cardOfStored reads the card's BIN and last four digits out of a stored credential's id, with or without the letter; "" where it is not
// one of ours.
func cardOfStored(id string) (bin, lastFour string) {
	s, ok := strings.CutPrefix(id, storedPrefix)
	if ok && len(s) > 6 && s[6] == 'x' {
		s = s[:6] + s[7:]
	}
	if !ok || len(s) < 11 || s[10] != '_' {
		return "", ""
	}
	return s[:6], s[6:10]
}
