package engine

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"sync"
)

// masterKeyVariable is named in every complaint about the master key.
const masterKeyVariable = "PAYSWITCH_VAULT__MASTER_KEY"

// Names of the keysets in the store. The name is also what the wrapping binds a keyset to: they cannot be swapped.
const (
	dataKeyset = "data" // AES-256-GCM keys: Seal and Open
	hashKeyset = "hash" // HMAC-SHA-256 key: Hash
)

// Vault seals data at rest with AES-256-GCM and makes keyed hashes. Its keys are random, kept in the store wrapped by the master
// key. Safe for concurrent use.
type Vault struct {
	primary uint32
	keys    map[uint32]cipher.AEAD
	macs    sync.Pool // of hash.Hash, keyed: setting up HMAC costs more than using it
}

// keyset is what is stored, wrapped: one or more keys of 32 bytes. New data is sealed with the primary; the others still open what
// they sealed, so a key is rotated by adding one and making it primary.
type keyset struct {
	Primary uint32      `json:"primary"`
	Keys    []keysetKey `json:"keys"`
}

type keysetKey struct {
	ID  uint32 `json:"id"`
	Key []byte `json:"key"`
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
	v := &Vault{primary: data.Primary, keys: make(map[uint32]cipher.AEAD, len(data.Keys))}
	for _, k := range data.Keys {
		if v.keys[k.ID], err = newGCM(k.Key); err != nil {
			return nil, fmt.Errorf("open vault: key %d: %w", k.ID, err)
		}
	}
	if v.keys[v.primary] == nil {
		return nil, fmt.Errorf("open vault: keyset %q has no primary key", dataKeyset)
	}
	hashes, err := openKeyset(ctx, s, master, hashKeyset)
	if err != nil {
		return nil, err
	}
	for _, k := range hashes.Keys {
		if k.ID == hashes.Primary {
			v.macs.New = func() any { return hmac.New(sha256.New, k.Key) }
		}
	}
	if v.macs.New == nil {
		return nil, fmt.Errorf("open vault: keyset %q has no primary key", hashKeyset)
	}
	return v, nil
}

func parseMasterKey(masterKey Secret) (cipher.AEAD, error) {
	const remedy = "make one with `openssl rand -base64 32` and keep it safe: without it nothing sealed can be read"
	if masterKey.IsZero() {
		return nil, fmt.Errorf("open vault: %s is not set; %s", masterKeyVariable, remedy)
	}
	key, err := base64.StdEncoding.DecodeString(masterKey.Reveal())
	if err != nil || len(key) != 32 {
		return nil, fmt.Errorf("open vault: %s must be the base64 of exactly 32 bytes; %s", masterKeyVariable, remedy)
	}
	return newGCM(key)
}

// openKeyset reads a keyset, making it if it is the first. What counts is what the store holds afterwards, not what was made here.
func openKeyset(ctx context.Context, s Store, master cipher.AEAD, name string) (*keyset, error) {
	wrapped, err := readKeyset(ctx, s, name)
	if errors.Is(err, ErrNotFound) {
		if wrapped, err = newKeyset(master, name); err != nil {
			return nil, err
		}
		err = s.Update(ctx, func(tx Tx) error {
			if _, err := tx.Keyset(name); !errors.Is(err, ErrNotFound) {
				return err // there by now, or unreadable
			}
			return tx.PutKeyset(name, wrapped)
		})
		if err == nil || errors.Is(err, ErrConflict) {
			wrapped, err = readKeyset(ctx, s, name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open vault: read keyset %q: %w", name, err)
	}
	plain, err := master.Open(nil, nil, wrapped, []byte("keyset/"+name))
	if err != nil {
		return nil, fmt.Errorf("open vault: %s is not the key this database was set up with; start with that key (nothing was changed)", masterKeyVariable)
	}
	var k keyset
	if err := json.Unmarshal(plain, &k); err != nil {
		return nil, fmt.Errorf("open vault: decode keyset %q: %w", name, err)
	}
	return &k, nil
}

func readKeyset(ctx context.Context, s Store, name string) (wrapped []byte, err error) {
	err = s.View(ctx, func(r Reader) error {
		wrapped, err = r.Keyset(name)
		return err
	})
	return wrapped, err
}

func newKeyset(master cipher.AEAD, name string) ([]byte, error) {
	key := make([]byte, 32)
	rand.Read(key)
	var id [4]byte
	rand.Read(id[:])
	k := keyset{Primary: binary.BigEndian.Uint32(id[:])}
	k.Keys = []keysetKey{{ID: k.Primary, Key: key}}
	plain, err := json.Marshal(k)
	if err != nil {
		return nil, fmt.Errorf("open vault: encode keyset: %w", err)
	}
	return master.Seal(nil, nil, plain, []byte("keyset/"+name)), nil
}

// newGCM is AES-256-GCM that draws a random nonce for every message and puts it in front.
func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// A sealed value begins with a version byte and the key's id, as Tink's do: 0x01, four bytes big endian, nonce (12), ciphertext, tag (16).
const (
	sealedVersion = 0x01
	sealedPrefix  = 5
)

// Seal encrypts plain and binds it to associated, which says whose it is and where it belongs ("account/{merchant}/{id}"): only
// Open with the same text opens it again.
func (v *Vault) Seal(plain []byte, associated string) ([]byte, error) {
	key := v.keys[v.primary]
	out := make([]byte, sealedPrefix, sealedPrefix+len(plain)+key.Overhead())
	out[0] = sealedVersion
	binary.BigEndian.PutUint32(out[1:], v.primary)
	return key.Seal(out, nil, plain, []byte(associated)), nil
}

// Open decrypts what Seal made with the same associated text.
func (v *Vault) Open(sealed []byte, associated string) ([]byte, error) {
	if len(sealed) < sealedPrefix || sealed[0] != sealedVersion {
		return nil, errors.New("open sealed value: not one of ours")
	}
	key := v.keys[binary.BigEndian.Uint32(sealed[1:])]
	if key == nil {
		return nil, errors.New("open sealed value: its key is not in the vault")
	}
	plain, err := key.Open(nil, nil, sealed[sealedPrefix:], []byte(associated))
	if err != nil {
		return nil, errors.New("open sealed value: damaged, or it belongs to another record")
	}
	return plain, nil
}

// Hash is a keyed hash (HMAC-SHA-256, 32 bytes) of data for one purpose: equal data has equal hashes within a purpose only, and
// without the vault's key nobody can guess their way to data.
func (v *Vault) Hash(purpose string, data []byte) []byte {
	m := v.macs.Get().(hash.Hash)
	defer v.macs.Put(m)
	m.Reset()
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], uint32(len(purpose)))
	m.Write(n[:])
	m.Write([]byte(purpose))
	m.Write(data)
	return m.Sum(make([]byte, 0, sha256.Size))
}
