package rule

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Input holds the facts of one payment that rules compare. The zero value has no fact. Build it once for each payment.
type Input struct {
	enums     [enumKeys]uint8
	numbers   [2]int64 // amount, and the fraud rate in millionths of a percent
	known     [2]bool
	texts     [IssuerName - CardBIN + 1]string
	textKnown [IssuerName - CardBIN + 1]bool
	metadata  map[string]string
}

// SetEnum sets the value of an enum key. It reports whether the key has this value; an unknown value leaves the key without a value.
func (in *Input) SetEnum(k Key, value string) bool {
	if k >= enumKeys {
		return false
	}
	in.enums[k] = codes()[k][value]
	return in.enums[k] > 0
}

// SetCountry sets a country key by the two letters of ISO 3166-1. Unknown letters leave the key without a value.
func (in *Input) SetCountry(k Key, letters string) {
	codes()
	in.enums[k] = alpha2[letters]
}

// SetAmount sets the amount in minor units.
func (in *Input) SetAmount(n int64) { in.setNumber(Amount, n) }

// SetFraudRate sets the acquirer's fraud rate, in millionths of a percent.
func (in *Input) SetFraudRate(n int64) { in.setNumber(FraudRate, n) }

func (in *Input) setNumber(k Key, n int64) { in.numbers[k-Amount], in.known[k-Amount] = n, true }

// SetText sets the value of a text key. "" is no value.
func (in *Input) SetText(k Key, text string) {
	in.texts[k-CardBIN], in.textKnown[k-CardBIN] = text, text != ""
}

// SetMetadata sets the payment's metadata, an object. Members that are no texts do not count.
func (in *Input) SetMetadata(raw json.RawMessage) {
	in.metadata = nil
	var members map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &members) != nil {
		return
	}
	for name, value := range members {
		if len(value) == 0 || value[0] != '"' {
			continue
		}
		var text string
		if json.Unmarshal(value, &text) == nil {
			if in.metadata == nil {
				in.metadata = make(map[string]string, len(members))
			}
			in.metadata[name] = text
		}
	}
}

// AddMetadata adds one text to the metadata.
func (in *Input) AddMetadata(key, text string) {
	if in.metadata == nil {
		in.metadata = map[string]string{}
	}
	in.metadata[key] = text
}

// methodKeys are the keys whose value is the payment_method_type.
var methodKeys = []Key{CardType, PayLater, Wallet, UPI, BankRedirect, BankTransfer, BankDebit, Crypto, Reward, Voucher, CardRedirect, RealTimePayment, NetworkToken}

// SetMethodType sets the keys that have a value for this payment_method_type.
func (in *Input) SetMethodType(value string) {
	for _, k := range methodKeys {
		in.SetEnum(k, value)
	}
	if strings.HasPrefix(value, "classic") {
		in.SetEnum(Reward, "classic_reward")
	}
}

// EnumName returns the value of an enum key as rules name it, "" without a value.
func (in *Input) EnumName(k Key) string {
	if c := in.enums[k]; c > 0 {
		return keyTable[k].values[c-1]
	}
	return ""
}

// CountryCode returns the two letters of a country key's value, "" if the key has none.
func (in *Input) CountryCode(k Key) string {
	if c := in.enums[k]; c > 0 {
		return strings.Fields(countryNames)[2*(int(c)-1)]
	}
	return ""
}

// Set sets a fact from the form that rules give values: a type, and JSON. Its error says what does not fit.
func (in *Input) Set(k Key, valueType string, raw json.RawMessage) error {
	f := k.facts()
	want := typesOf[f.kind][0]
	if valueType != want {
		return fmt.Errorf("a fact of type %s does not fit this key, expected %s", valueType, want)
	}
	switch f.kind {
	case numberKind:
		n, ok := Number(raw, f.decimals)
		if !ok {
			return errors.New("expected a number of 0 or more")
		}
		in.setNumber(k, n)
		return nil
	case metadataKind:
		var m struct{ Key, Value *string }
		if json.Unmarshal(raw, &m) != nil || m.Key == nil || m.Value == nil {
			return errors.New("expected an object with key and value")
		}
		in.AddMetadata(*m.Key, *m.Value)
		return nil
	}
	var v string
	if json.Unmarshal(raw, &v) != nil {
		return errors.New("expected a string")
	}
	if f.kind == textKind {
		in.SetText(k, v)
		return nil
	}
	if !in.SetEnum(k, v) {
		values, _ := expected(k, v)
		return fmt.Errorf("%q is no value of %s; expected %s", v, k.Name(), values)
	}
	return nil
}
