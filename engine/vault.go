package engine

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// masterKeyVariable is named in every complaint about the master key.
const masterKeyVariable = "PAYSWITCH_VAULT__MASTER_KEY"

// Names of the keysets in the store. The name is also what the wrapping binds a keyset to: they cannot be swapped.
const (
	dataKeyset = "data"  // AES-256-GCM: Seal and Open
	cardKeyset = "cards" // AES-256-GCM: wraps the data keys of cards
	hashKeyset = "hash"  // HMAC-SHA-256 as a PRF: Hash
)

// hashSize is the length of a Hash, bytes.
const hashSize = 32

// Vault seals data at rest and makes keyed hashes. Its keys are Tink keysets, kept in the store encrypted by the master key. New
// data is sealed with the primary key of a keyset, the others still open what they sealed: a key is rotated by adding one and making
// it primary. Safe for concurrent use.
type Vault struct {
	data  tink.AEAD
	cards tink.AEAD
	hash  prf.PRF
}

// OpenVault opens the vault in s, making its keys on the first start of an installation; nodes that start together agree on them.
// masterKey is the base64 of 32 bytes. A master key that is missing, malformed or not the one the vault was made with is an error
// that says so, and changes nothing.
func OpenVault(ctx context.Context, s Store, masterKey Secret) (*Vault, error) {
	master, err := parseMasterKey(masterKey)
	if err != nil {
		return nil, err
	}
	data, err := openKeyset(ctx, s, master, dataKeyset)
	if err != nil {
		return nil, err
	}
	cards, err := openKeyset(ctx, s, master, cardKeyset)
	if err != nil {
		return nil, err
	}
	hashes, err := openKeyset(ctx, s, master, hashKeyset)
	if err != nil {
		return nil, err
	}
	v := &Vault{}
	if v.data, err = aead.New(data); err != nil {
		return nil, fmt.Errorf("open vault: keyset %q: %w", dataKeyset, err)
	}
	if v.cards, err = aead.New(cards); err != nil {
		return nil, fmt.Errorf("open vault: keyset %q: %w", cardKeyset, err)
	}
	set, err := prf.NewPRFSet(hashes)
	if err == nil {
		_, err = set.ComputePrimaryPRF(nil, hashSize) // there is a primary, and it is long enough: Hash relies on it
	}
	if err != nil {
		return nil, fmt.Errorf("open vault: keyset %q: %w", hashKeyset, err)
	}
	v.hash = set.PRFs[set.PrimaryID]
	return v, nil
}

func parseMasterKey(masterKey Secret) (tink.AEAD, error) {
	const remedy = "make one with `openssl rand -base64 32` and keep it safe: without it nothing sealed can be read"
	if masterKey.IsZero() {
		return nil, fmt.Errorf("open vault: %s is not set; %s", masterKeyVariable, remedy)
	}
	key, err := base64.StdEncoding.DecodeString(masterKey.Reveal())
	if err != nil || len(key) != 32 {
		return nil, fmt.Errorf("open vault: %s must be the base64 of exactly 32 bytes; %s", masterKeyVariable, remedy)
	}
	return subtle.NewAESGCM(key)
}

// openKeyset reads a keyset, making it if it is the first. What counts is what the store holds afterwards, not what was made here.
func openKeyset(ctx context.Context, s Store, master tink.AEAD, name string) (*keyset.Handle, error) {
	wrapped, err := readKeyset(ctx, s, name)
	if errors.Is(err, ErrNotFound) {
		if wrapped, err = newKeyset(master, name); err != nil {
			return nil, fmt.Errorf("open vault: make keyset %q: %w", name, err)
		}
		err = s.Update(ctx, func(tx Tx) error { return tx.InsertKeyset(name, wrapped) })
		if err == nil || errors.Is(err, ErrConflict) { // another node was faster
			wrapped, err = readKeyset(ctx, s, name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open vault: read keyset %q: %w", name, err)
	}
	h, err := keyset.ReadWithAssociatedData(keyset.NewBinaryReader(bytes.NewReader(wrapped)), master, keysetAD(name))
	if err != nil {
		return nil, fmt.Errorf("open vault: %s is not the key this database was set up with; start with that key (nothing was changed): %w",
			masterKeyVariable, err)
	}
	return h, nil
}

func readKeyset(ctx context.Context, s Store, name string) (wrapped []byte, err error) {
	err = s.View(ctx, func(r Reader) error {
		wrapped, err = r.Keyset(name)
		return err
	})
	return wrapped, err
}

// newKeyset makes a keyset of one key and wraps it.
func newKeyset(master tink.AEAD, name string) ([]byte, error) {
	template := aead.AES256GCMKeyTemplate()
	if name == hashKeyset {
		template = prf.HMACSHA256PRFKeyTemplate()
	}
	h, err := keyset.NewHandle(template)
	if err != nil {
		return nil, err
	}
	var wrapped bytes.Buffer
	err = h.WriteWithAssociatedData(keyset.NewBinaryWriter(&wrapped), master, keysetAD(name))
	return wrapped.Bytes(), err
}

func keysetAD(name string) []byte { return []byte("keyset/" + name) }

// Seal encrypts plain and binds it to associated, which says whose it is and where it belongs ("account/{merchant}/{id}"): only
// Open with the same text opens it again.
func (v *Vault) Seal(plain []byte, associated string) ([]byte, error) {
	sealed, err := v.data.Encrypt(plain, []byte(associated))
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return sealed, nil
}

// Open decrypts what Seal made with the same associated text.
func (v *Vault) Open(sealed []byte, associated string) ([]byte, error) {
	plain, err := v.data.Decrypt(sealed, []byte(associated))
	if err != nil { // Tink does not say why
		return nil, errors.New("open sealed value: it is damaged, belongs to another record, or its key is not in the vault")
	}
	return plain, nil
}

// Hash is a keyed hash (HMAC-SHA-256, 32 bytes) of data for one purpose: equal data has equal hashes within a purpose only, and
// without the vault's key nobody can guess their way to data.
func (v *Vault) Hash(purpose string, data []byte) []byte {
	in := make([]byte, 4, 4+len(purpose)+len(data))
	binary.BigEndian.PutUint32(in, uint32(len(purpose)))
	in = append(append(in, purpose...), data...)
	out, err := v.hash.ComputePRF(in, hashSize)
	if err != nil {
		panic("vault: " + err.Error()) // ruled out by OpenVault
	}
	return out
}
