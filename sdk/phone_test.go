package sdk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// A number goes out with its country code, or as the merchant wrote it.
func TestE164(t *testing.T) {
	for _, row := range [][3]string{
		{"+1", "4155550100", "+14155550100"},
		{"1", "(415) 555-0100", "+14155550100"},
		{"+44", "07700 900123", "+447700900123"},
		{"+44", "+44 7700 900123", "+447700900123"},
		{"+44", "0044 7700 900123", "+447700900123"},
		{"+39", "06 1234 5678", "+390612345678"},
		{"", "+49 30 901820", "+4930901820"},
		{"", "4155550100", "4155550100"},
		{"+1", "", ""},
		{"+1", "call me", "call me"},
		{"+1", "12", "12"},
		{"+1234", "4155550100", "4155550100"},
		{"+1", "4155550100415555", "4155550100415555"},
	} {
		require.Equal(t, row[2], (&sdk.Address{PhoneCountry: row[0], Phone: row[1]}).E164(), row)
		require.Equal(t, row[2], (&sdk.Customer{PhoneCountry: row[0], Phone: row[1]}).E164(), row)
	}
}
