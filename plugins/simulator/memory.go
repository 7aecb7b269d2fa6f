package simulator

import (
	"strings"

	"payswitch/sdk"
)

// memory is what the simulator asks the host to store about a payment in addition to sdk.PaymentState: a set of the
// letters below, in ConnectorData.Payment. The simulator only adds letters, so a value stored before a lost answer
// stays correct.
type memory string

const (
	verifying     = 'v' // the payment is a zero-amount verification
	storing       = 's' // the payment stores the card
	challenged    = 'c' // the customer was sent to the redirect page
	authenticated = 'a' // the customer came back with approve
	refused       = 'n' // the customer came back with decline
	released      = 'r' // a partial capture has released the rest
	outside       = 'o' // the request had a result of an outside authentication
	lessAllowed   = 'p' // the issuer may approve less than the amount
	moreAllowed   = 'x' // a capture may take more than what is held
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

// networkID returns the card network's id of a payment: fifteen digits like Visa's, made from the payment's id.
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

// The id of a stored credential begins with the BIN and last four digits of its card, so the card still decides. A
// letter stands between them: the host would mask ten digits that begin with a BIN as the beginning of a card number.
const storedPrefix = "simcard_"

func storedID(bin, lastFour, id string) string { return storedPrefix + bin + "x" + lastFour + "_" + id }

// cardOfStored reads BIN and last four digits from the id of a stored credential, with or without the letter; "" for
// any other id.
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
