package plugins

import (
	"slices"
	"strings"
)

// credentialNames are the folded names under which processors take credentials. In a body the host compares whole names. A name that only contains
// such a word is honest there ("authenticationValue", "authorizationType", the "token" of a saved card).
var credentialNames = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(`login user username userid userlogin loginid pass password passwd pwd pin passphrase passcode secret credential credentials
		auth authorization bearer signature hmac appid appkey clientid clientkey partnerkey vendorkey
		merchantkey merchantlogin merchantuser merchantpassword merchantsecret merchantpin merchanttoken accountkey accountpassword sessiontoken jwt idtoken`) {
		all[name] = true
	}
	for _, name := range credentialEnds {
		all[name] = true
	}
	return all
}()

// credentialGroups are names of groups that hold a login in parts, whatever the names of the parts.
var credentialGroups = map[string]bool{"auth": true, "login": true, "credential": true, "credentials": true, "userlogin": true, "merchantauth": true,
	"merchantauthentication": true, "merchantcredentials": true, "apicredentials": true}

// credentialEnds are names that a longer name may end in: x-api-key, gateway_password.
var credentialEnds = []string{"apikey", "secretkey", "accesskey", "accesskeyid", "securitykey", "transactionkey", "trankey", "subscriptionkey", "privatekey",
	"sharedkey", "authkey", "signingkey", "licensekey", "apilogin", "apiuser", "apiusername", "apipassword", "apisecret", "apitoken", "authtoken", "accesstoken",
	"bearertoken", "clientsecret", "sharedsecret", "apiloginid", "gatewaylogin", "xlogin", "password", "passwd", "passphrase", "merchantauth",
	"merchantauthentication"}

// endsByLast are credentialEnds by their last letter.
var endsByLast = func() (all [256][]string) {
	for _, end := range credentialEnds {
		last := end[len(end)-1]
		all[last] = append(all[last], end)
	}
	return all
}()

// nameLengths holds, for each last letter of credentialNames, the set of their lengths: bit n stands for n letters.
var nameLengths = func() (all [256]uint64) {
	for name := range credentialNames {
		all[name[len(name)-1]] |= 1 << len(name)
	}
	return all
}()

// isCredentialName reports whether a processor might take a credential under a folded name.
func isCredentialName(name []byte) bool {
	if len(name) < 3 {
		return false
	}
	last := name[len(name)-1]
	if nameLengths[last]>>len(name)&1 != 0 && credentialNames[string(name)] {
		return true
	}
	for _, end := range endsByLast[last] {
		if len(name) > len(end) && string(name[len(name)-len(end):]) == end {
			return true
		}
	}
	return false
}

// authenticationWords are folded words in names of headers and query fields that processors may take for authentication.
var authenticationWords = []string{"auth", "cookie", "token", "secret", "passw", "signature", "credential", "apikey", "accesskey", "securitykey", "login"}

// looksLikeAuthentication reports whether the folded name of a header or query field has such a word. The words of idempotency keys' names do not
// count; the rest of such a name does.
func looksLikeAuthentication(name string) bool {
	for _, end := range []string{"idempotencykey", "idempotencytoken", "idempotencyid", "idempotency"} {
		if rest, ok := strings.CutSuffix(name, end); ok {
			name = rest
			break
		}
	}
	for _, end := range []string{"key", "user", "username", "pass", "pwd"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return isCredentialName([]byte(name)) || slices.ContainsFunc(authenticationWords, func(w string) bool { return strings.Contains(name, w) })
}
