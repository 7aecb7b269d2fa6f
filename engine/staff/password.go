package staff

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
)

// Lengths of passwords, in characters. The longest one bounds the work of a login.
const (
	MinPassword = 12
	MaxPassword = 200
)

// Parameters of argon2id: 19 MiB, two passes, one lane. A hash carries its own, so that a later change leaves old hashes usable.
const (
	argonMemory = 19 * 1024
	argonTime   = 2
	argonLanes  = 1
	argonBytes  = 32
)

// hasher bounds how many hashes are made at once, because each takes 19 MiB.
type hasher struct {
	turns chan struct{}
	dummy string
}

func newHasher() *hasher {
	return &hasher{turns: make(chan struct{}, 4), dummy: formatHash(make([]byte, 16), make([]byte, argonBytes))}
}

func (h *hasher) turn(ctx context.Context, f func()) error {
	select {
	case h.turns <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-h.turns }()
	f()
	return nil
}

// make returns the hash of a password.
func (h *hasher) make(ctx context.Context, password secret.Value) (out string, err error) {
	salt := make([]byte, 16)
	rand.Read(salt)
	err = h.turn(ctx, func() {
		out = formatHash(salt, argon2.IDKey([]byte(password.Reveal()), salt, argonTime, argonMemory, argonLanes, argonBytes))
	})
	return out, err
}

func formatHash(salt, sum []byte) string {
	b := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonLanes, b(salt), b(sum))
}

// matches compares a password with a hash. Without a hash it does the same work, and the answer is false.
func (h *hasher) matches(ctx context.Context, password secret.Value, hash string) (ok bool, err error) {
	real := hash != ""
	if !real {
		hash = h.dummy
	}
	var memory, passes uint32
	var lanes uint8
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, errors.New("a stored password hash is not argon2id")
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes); err != nil {
		return false, fmt.Errorf("a stored password hash has bad parameters: %w", err)
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("a stored password hash has a bad salt: %w", err)
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil {
		return false, fmt.Errorf("a stored password hash is not base64: %w", err)
	}
	err = h.turn(ctx, func() {
		got := argon2.IDKey([]byte(password.Reveal()), salt, passes, memory, lanes, uint32(len(want)))
		ok = subtle.ConstantTimeCompare(got, want) == 1
	})
	return ok && real, err
}

// CheckPassword refuses a password that is too short, too long or easy to guess. It asks for no kinds of characters.
func CheckPassword(password secret.Value, email, name string) error {
	text := password.Reveal()
	n := utf8.RuneCountInString(text)
	switch {
	case !utf8.ValidString(text):
		return refuse(fault.KindInvalid, "password", "The password is not valid text: choose another")
	case n < MinPassword:
		return refuse(fault.KindInvalid, "password", fmt.Sprintf("The password has %d characters: choose at least %d", n, MinPassword))
	case n > MaxPassword:
		return refuse(fault.KindInvalid, "password", fmt.Sprintf("The password has %d characters: choose at most %d", n, MaxPassword))
	case isCommon(text, email, name):
		return refuse(fault.KindInvalid, "password",
			"The password is among those that are guessed first: choose one that is not a common word, a row of keys, or your own name")
	}
	return nil
}

// commonParts are words and rows that common passwords are made of. A password that holds little else is refused.
var commonParts = strings.Fields(`password passwort passw0rd motdepasse contrasena wachtwoord senha parola welcome willkommen bienvenue letmein
	qwertyuiop qwertzuiop azertyuiop qwerty qwertz azerty asdfghjkl asdfgh zxcvbnm yxcvbn 1q2w3e4r5t6y 1q2w3e4r 1qaz2wsx3edc 1qaz2wsx zaq12wsx
	1234567890 123456789 12345678 1234567 123456 12345 1234 123 0987654321 987654321 654321 abcdefghijklmnop abcdefgh abcdef abcd abc
	administrator administrador admin root user login test guest default master superuser secret changeme trustno iloveyou loveyou sunshine princess
	football baseball basketball superman batman dragon monkey shadow michael jennifer jordan charlie ashley daniel starwars pokemon
	computer internet samsung google facebook whatever freedom hello ninja mustang killer pepper cheese summer winter spring autumn
	january february march april june july august september october november december monday friday company business payment payments payswitch
	money bank visa mastercard credit card dashboard merchant`)

// isCommon reports whether fewer than five characters are left of a password without its common parts, years, repeats and the person's own names.
func isCommon(text, email, name string) bool {
	low := strings.ToLower(text)
	own := strings.FieldsFunc(strings.ToLower(email+" "+name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, form := range []string{low, plain.Replace(low)} {
		left := form
		for _, part := range append(own, commonParts...) {
			if utf8.RuneCountInString(part) >= 3 {
				left = strings.ReplaceAll(left, part, "\x00")
			}
		}
		if distinctLetters(left) < 5 {
			return true
		}
	}
	return false
}

// plain undoes the usual substitutions of letters.
var plain = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// distinctLetters counts what is worth guessing: the different characters, without the marks of removed parts. Digits and punctuation at the
// end, where people put years and exclamation marks, do not count.
func distinctLetters(left string) int {
	left = strings.TrimRightFunc(left, func(r rune) bool { return r == 0 || !unicode.IsLetter(r) })
	seen := map[rune]bool{}
	for _, r := range left {
		if r != 0 && !unicode.IsSpace(r) {
			seen[r] = true
		}
	}
	return len(seen)
}
