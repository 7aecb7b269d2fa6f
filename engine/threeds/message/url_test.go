package message

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckChallengeURL(t *testing.T) {
	for _, raw := range []string{"https://acs.issuer.example/chal", "https://acs.issuer.example:8443/chal?x=1", "https://8.8.8.8/c",
		"https://[2001:4860:4860::8888]/c", "https://ACS.Issuer.Example./c", "https://dead.cafe/", "https://0x7f.example/"} {
		require.NoError(t, CheckChallengeURL(raw, false), raw)
	}
	for _, raw := range []string{"", "javascript:alert(1)", "data:text/html,x", "//acs.example/c", "http://acs.issuer.example/c",
		"https://u:p@acs.issuer.example/c", "https://127.0.0.1/c", "https://10.1.2.3/c", "https://192.168.0.1/", "https://172.16.0.1/",
		"https://169.254.169.254/latest", "https://100.64.1.1/", "https://0.0.0.0/", "https://[::1]/", "https://[fe80::1]/",
		"https://[fd00::1]/", "https://[::ffff:127.0.0.1]/", "https://localhost/", "https://acs.localhost/", "https://acs/", "https://acs.local./",
		"https://metadata.google.internal/", "https://2130706433/", "https://0x7f.1/", "https://0177.0.0.1/", "https://127.1/", "https://1.0x7F/", "https://acs.example.0x/", "https://acs..",
		"https://224.0.0.1/", "https://255.255.255.255/", "https://" + strings.Repeat("a", 2048) + ".example/"} {
		require.Error(t, CheckChallengeURL(raw, false), raw)
	}
	for _, raw := range []string{"http://127.0.0.1:8080/sim/acs/challenge", "https://localhost:1/x"} {
		require.NoError(t, CheckChallengeURL(raw, true), raw)
	}
	for _, raw := range []string{"javascript:alert(1)", "https://u@localhost/", "", "https://"} {
		require.Error(t, CheckChallengeURL(raw, true), raw)
	}
}

// FuzzChallengeURL: an accepted URL is a web address that takes no browser to a private place.
func FuzzChallengeURL(f *testing.F) {
	f.Add("https://acs.issuer.example/chal")
	f.Add("https://0x7f000001/")
	f.Add("https://[::ffff:10.0.0.1]:443/")
	f.Fuzz(func(t *testing.T, raw string) {
		if CheckChallengeURL(raw, false) != nil {
			return
		}
		u, err := url.Parse(raw)
		require.NoError(t, err)
		require.Equal(t, "https", u.Scheme)
		require.Nil(t, u.User)
		require.NotContains(t, []string{"", "localhost"}, strings.ToLower(u.Hostname()))
		require.NoError(t, CheckChallengeURL(raw, true))
	})
}
