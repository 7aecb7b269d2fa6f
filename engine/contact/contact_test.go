package contact

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a contact has stays; what it lacks comes from the other one, field by field. Neither changes.
func TestOr(t *testing.T) {
	own := &Contact{Address: &Address{Line1: "1 Main St", City: "Springfield"}, Phone: &Phone{Number: "5550100"}}
	other := &Contact{Address: &Address{Line1: "9 Elm St", Zip: "12345", FirstName: "Ada"}, Phone: &Phone{Number: "1", CountryCode: "+1"}, Email: "ada@example.com"}
	was, wasOther := *own.Address, *other.Address
	require.Equal(t, &Contact{Address: &Address{Line1: "1 Main St", City: "Springfield", Zip: "12345", FirstName: "Ada"},
		Phone: &Phone{Number: "5550100"}, Email: "ada@example.com"}, own.Or(other))
	require.Equal(t, []Address{was, wasOther}, []Address{*own.Address, *other.Address})
	require.Equal(t, other, (*Contact)(nil).Or(other))
	require.Equal(t, own, own.Or(nil))
	require.Nil(t, (*Contact)(nil).Or(nil))
	require.Equal(t, other.Address, (&Contact{Email: "x"}).Or(other).Address)
	require.Equal(t, &Phone{Number: "1", CountryCode: "+1"}, (&Contact{Phone: &Phone{}}).Or(other).Phone)
}
