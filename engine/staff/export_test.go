package staff

import (
	"crypto/sha1"
	"encoding/base32"
	"time"
)

// CodeOf returns the code that an authenticator app shows.
func CodeOf(key string, at time.Time) string {
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(key)
	if err != nil {
		panic(err)
	}
	return totpCode(sha1.New, b, at.Unix()/totpPeriod, totpDigits)
}
