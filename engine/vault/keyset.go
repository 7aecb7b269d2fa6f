package vault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
)

// Names of the keysets in the store. The encryption binds a keyset to its name, so keysets cannot be swapped.
const (
	dataKeyset = "data"  // AES-256-GCM: Seal and Open
	cardKeyset = "cards" // AES-256-GCM: wraps the data keys of cards
	hashKeyset = "hash"  // HMAC-SHA-256 as a PRF: one key makes hashes, a second one signs rows
)

func keysetAD(name string) []byte { return []byte("keyset/" + name) }

// KeyInfo is the life of one vault key. A zero time means that the step has not happened, or was not recorded.
type KeyInfo struct {
	ID         string    `json:"id"` // 8 hex digits; a record sealed with the key names the same id
	CreatedAt  time.Time `json:"created_at,omitzero"`
	PromotedAt time.Time `json:"promoted_at,omitzero"` // from this time on, the key seals new records
	RetiredAt  time.Time `json:"retired_at,omitzero"`  // from this time on, the key only opens records that it sealed
	// DestroyedAt is when the key was removed for good. No record was sealed with it any more.
	DestroyedAt time.Time `json:"destroyed_at,omitzero"`
}

// storedKeyset is the stored form of a keyset, in JSON. The first releases stored only Wrapped.
type storedKeyset struct {
	Master  string    `json:"master"`  // MasterKey.ID of the key that encrypts Wrapped; "" if not recorded
	Wrapped []byte    `json:"wrapped"` // Tink's encrypted keyset
	Keys    []KeyInfo `json:"keys"`    // oldest first, destroyed keys included
}

func decodeKeyset(stored []byte) (storedKeyset, error) {
	if !bytes.HasPrefix(stored, []byte("{")) { // Tink's own form begins with a field tag, never with a brace
		return storedKeyset{Wrapped: stored}, nil
	}
	var k storedKeyset
	err := json.Unmarshal(stored, &k)
	return k, err
}

// wrapKeyset encrypts a keyset with master and returns its stored form.
func wrapKeyset(ctx context.Context, h *keyset.Handle, name string, keys []KeyInfo, master MasterKey) ([]byte, error) {
	var wrapped bytes.Buffer
	if err := h.WriteWithContext(ctx, keyset.NewBinaryWriter(&wrapped), master, keysetAD(name)); err != nil {
		return nil, fmt.Errorf("encrypt keyset %q with master key %s: %w", name, master.ID(), err)
	}
	return json.Marshal(storedKeyset{Master: master.ID(), Wrapped: wrapped.Bytes(), Keys: keys})
}

// newKeyset makes a keyset and returns its stored form.
func newKeyset(ctx context.Context, name string, at time.Time, master MasterKey) ([]byte, error) {
	h, err := keyset.NewHandle(keyTemplate(name))
	if err != nil {
		return nil, err
	}
	keys := []KeyInfo{{ID: shownKeyID(h.KeysetInfo().PrimaryKeyId), CreatedAt: at, PromotedAt: at}}
	if name == hashKeyset {
		var rows KeyInfo
		if h, rows, err = addRowKey(h, at); err != nil {
			return nil, err
		}
		keys = append(keys, rows)
	}
	return wrapKeyset(ctx, h, name, keys, master)
}

func keyTemplate(name string) *tinkpb.KeyTemplate {
	if name == hashKeyset {
		return prf.HMACSHA256PRFKeyTemplate()
	}
	return aead.AES256GCMKeyTemplate()
}

func shownKeyID(id uint32) string { return fmt.Sprintf("%08x", id) }

// unwrapKeyset decrypts a stored keyset with the master key that it names, and completes its list of keys.
func unwrapKeyset(ctx context.Context, stored []byte, name string, masters []MasterKey) (*keyset.Handle, storedKeyset, error) {
	k, err := decodeKeyset(stored)
	if err != nil {
		return nil, k, fmt.Errorf("open vault: keyset %q is damaged: %w", name, err)
	}
	usable := masters
	if k.Master != "" {
		usable = slices.DeleteFunc(slices.Clone(masters), func(m MasterKey) bool { return m.ID() != k.Master })
	}
	var problems []error
	for _, m := range usable {
		h, err := keyset.ReadWithContext(ctx, keyset.NewBinaryReader(bytes.NewReader(k.Wrapped)), m, keysetAD(name))
		if err == nil {
			k.Master = m.ID()
			k.complete(h)
			return h, k, nil
		}
		problems = append(problems, err)
	}
	wanted := k.Master
	if wanted == "" {
		wanted = "its id is not recorded"
	}
	if k.Master != "" && len(usable) > 0 {
		return nil, k, fmt.Errorf("open vault: keyset %q: master key %s cannot open it; check that the key service answers, else restore the keyset from a backup (nothing was changed): %w",
			name, wanted, errors.Join(problems...))
	}
	return nil, k, fmt.Errorf("open vault: the master key given (%s) is not the key this database was set up with (needed: %s); start with that key (nothing was changed): %w",
		masterIDs(masters), wanted, errors.Join(append(problems, ErrMasterKey)...))
}

// ErrMasterKey is returned for a master key that does not belong to the database.
var ErrMasterKey = errors.New("wrong master key")

func masterIDs(masters []MasterKey) string {
	var ids []string
	for _, m := range masters {
		ids = append(ids, m.ID())
	}
	return strings.Join(ids, ", ")
}

// complete adds the keys that the list lacks. Keysets of the first releases have no list.
func (k *storedKeyset) complete(h *keyset.Handle) {
	for _, key := range h.KeysetInfo().KeyInfo {
		id := shownKeyID(key.KeyId)
		if k.key(id) == nil {
			k.Keys = append(k.Keys, KeyInfo{ID: id})
		}
	}
}

// key returns the listed key with the id, or nil.
func (k *storedKeyset) key(id string) *KeyInfo {
	if i := slices.IndexFunc(k.Keys, func(i KeyInfo) bool { return i.ID == id }); i >= 0 {
		return &k.Keys[i]
	}
	return nil
}
