package card

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"payswitch/engine/optional"
	"payswitch/sdk"
)

// minKeyBits is the shortest key of a merchant that a card is encrypted for.
const minKeyBits = 2048

// cardInfo is a card as a merchant reads it after decryption. Every field is always there, null if it is unknown.
type cardInfo struct {
	Number   string           `json:"card_number"`
	ExpMonth string           `json:"card_exp_month"`
	ExpYear  string           `json:"card_exp_year"`
	Holder   *string          `json:"card_holder_name"`
	CVC      *string          `json:"card_cvc"`
	Issuer   *string          `json:"card_issuer"`
	Network  *sdk.CardNetwork `json:"card_network"`
	Type     *string          `json:"card_type"`
	Country  *string          `json:"card_issuing_country"`
	BankCode *string          `json:"bank_code"`
}

// EncryptFor encrypts the card for the holder of an RSA key: a compact JWE with RSA-OAEP-256 and A256GCM. publicKey is PEM, with the label
// PUBLIC KEY or RSA PUBLIC KEY. The card must have its number.
func (c *Card) EncryptFor(publicKey string) (string, error) {
	key, err := readRSA(publicKey)
	if err != nil {
		return "", err
	}
	f := &c.Facts
	plain, err := json.Marshal(cardInfo{Number: c.Secrets.Number.Reveal(), ExpMonth: f.ExpMonth, ExpYear: f.ExpYear, Holder: optional.OrNil(c.Holder),
		CVC: optional.OrNil(c.Secrets.CVC.Reveal()), Issuer: optional.OrNil(f.Issuer), Network: optional.OrNil(f.Network), Type: optional.OrNil(f.Type), Country: optional.OrNil(f.Country)})
	if err != nil {
		return "", err
	}
	defer clear(plain)
	return encryptJWE(key, plain)
}

func readRSA(text string) (key *rsa.PublicKey, err error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the public key is not PEM")
	}
	switch block.Type {
	case "PUBLIC KEY":
		var any any
		if any, err = x509.ParsePKIXPublicKey(block.Bytes); err == nil {
			key, _ = any.(*rsa.PublicKey)
		}
	case "RSA PUBLIC KEY":
		key, err = x509.ParsePKCS1PublicKey(block.Bytes)
	default:
		return nil, fmt.Errorf("the PEM block is %q, not PUBLIC KEY", block.Type)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the public key: %w", err)
	case key == nil:
		return nil, errors.New("the public key is not an RSA key")
	case key.N.BitLen() < minKeyBits:
		return nil, fmt.Errorf("the public key has %d bits, fewer than %d", key.N.BitLen(), minKeyBits)
	}
	return key, nil
}

// encryptJWE makes a compact JWE (RFC 7516, section 7.1) under a fresh content key.
func encryptJWE(to *rsa.PublicKey, plain []byte) (string, error) {
	content := make([]byte, 32)
	defer clear(content)
	nonce := make([]byte, 12)
	_, _ = rand.Read(content) // Read never fails
	_, _ = rand.Read(nonce)
	wrapped, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, to, content, nil)
	if err != nil {
		return "", err
	}
	block, err := aes.NewCipher(content)
	if err != nil {
		return "", err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString
	header := text([]byte(`{"alg":"RSA-OAEP-256","enc":"A256GCM"}`))
	sealed := gcm.Seal(nil, nonce, plain, []byte(header))
	end := len(sealed) - gcm.Overhead()
	return header + "." + text(wrapped) + "." + text(nonce) + "." + text(sealed[:end]) + "." + text(sealed[end:]), nil
}
