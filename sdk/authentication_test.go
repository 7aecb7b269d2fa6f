package sdk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCountryNumber(t *testing.T) {
	for alpha2, number := range map[string]string{"AF": "004", "US": "840", "CH": "756", "DK": "208", "GB": "826", "ZW": "716", "AX": "248"} {
		require.Equal(t, number, CountryNumber(alpha2), alpha2)
	}
	for _, none := range []string{"", "U", "us", "XX", "USA", "20", "0A"} {
		require.Empty(t, CountryNumber(none), none)
	}
	require.Zero(t, len(countries)%5)
}

func TestEMVErrorClass(t *testing.T) {
	for code, class := range map[string]ErrorClass{"101": ErrorBadRequest, "203": ErrorBadRequest, "305": ErrorBadRequest, "103": ErrorTechnical, "302": ErrorTechnical,
		"303": ErrorConfig, "306": ErrorConfig, "402": ErrorTechnical, "405": ErrorTechnical, "": ErrorTechnical, "999": ErrorTechnical} {
		require.Equal(t, class, EMVErrorClass(code), code)
	}
}

func TestAuthenticatorRule(t *testing.T) {
	good := AuthenticatorRule{Channels: []DeviceChannel{ChannelBrowser, Channel3RI}, MessageVersions: []string{"2.2.0"}, Result: "pull"}
	require.Empty(t, good.Problems())
	require.True(t, good.Offers(Channel3RI))
	require.False(t, good.Offers(ChannelApp))
	require.True(t, good.Pulls() && !good.Pushes())
	bad := AuthenticatorRule{Channels: []DeviceChannel{"WEB"}, MessageVersions: []string{"2.2"}, Result: "later", Method: "x", Completion: "x", Challenge: "x",
		PushAuthentication: "x", SessionTTL: -1}
	require.Len(t, bad.Problems(), 8)
	require.Contains(t, bad.Problems()[0], "channels: \"WEB\" is not one of")
	require.Contains(t, (&AuthenticatorRule{Result: "push"}).Problems()[0], "needs at least one channel")
}
