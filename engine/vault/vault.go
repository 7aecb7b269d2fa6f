package vault

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tink-crypto/tink-go/v2/prf"

	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/secret"
)

// hashSize is the length of a Hash in bytes.
const hashSize = 32

// Vault seals data at rest, makes keyed hashes and signs the store's rows. Its keys are Tink keysets, which the store keeps encrypted with
// the master key. The primary key of a keyset seals new data; the other keys still open older data. Rotate makes a new primary key.
// Reencrypt moves older data to the primary key and destroys the older keys. Safe for concurrent use.
type Vault struct {
	store   Store
	log     *slog.Logger
	masters []MasterKey // the current one, then the next one
	refresh time.Duration
	now     port.Clock
	data    *keyring
	cards   *keyring
	hash    prf.PRF
	rows    *rowSigner
}

// Options configure a vault. Master is required.
type Options struct {
	// Master encrypts the keysets. RotateMaster moves the keysets to Next. A node that knows both keys keeps working during the move.
	Master, Next MasterKey
	// Refresh is the interval at which keysets are read again. All nodes must use the same value; default 10 s. A new key becomes primary 2
	// × Refresh after it was made, when all nodes have read it. A retired key is destroyed retireWait × Refresh after its end at the
	// earliest.
	Refresh time.Duration
	Logger  *slog.Logger // nil: logs are discarded
	Clock   port.Clock   // nil: time.Now
}

const (
	// promoteWait, staleWait and retireWait are multiples of Refresh. A node encrypts with a copy of a keyset that is at most staleWait
	// old. In the rest of retireWait, the ciphertext is either committed or given up.
	promoteWait = 2
	staleWait   = 3
	retireWait  = 12

	defaultRefresh = 10 * time.Second
)

// Open opens the vault in s with a LocalMasterKey and the default options.
func Open(ctx context.Context, s Store, masterKey secret.Value) (*Vault, error) {
	if masterKey.IsZero() {
		return nil, fmt.Errorf("open vault: no master key is configured; %s", MasterKeyRemedy)
	}
	master, err := LocalMasterKey(masterKey)
	if err != nil {
		return nil, fmt.Errorf("open vault: the master key %w", err)
	}
	return OpenWith(ctx, s, Options{Master: master})
}

// OpenWith opens the vault in s and makes its keys on the first start of an installation. Nodes that start together agree on one set
// of keys. A wrong master key is ErrMasterKey: the error names the key that is needed, and nothing changes. From then on the store s signs
// and checks rows with the vault's key. Rows of a release without signatures are all signed once, before OpenWith returns.
func OpenWith(ctx context.Context, s Store, o Options) (*Vault, error) {
	if o.Master == nil {
		return nil, errors.New("open vault: VaultOptions.Master is required")
	}
	if o.Refresh <= 0 {
		o.Refresh = defaultRefresh
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	v := &Vault{store: s, log: o.Logger, masters: []MasterKey{o.Master}, refresh: o.Refresh, now: o.Clock}
	if o.Next != nil {
		v.masters = append(v.masters, o.Next)
	}
	var err error
	if v.data, err = v.openRing(ctx, dataKeyset, o.Clock); err != nil {
		return nil, err
	}
	if err := v.openHash(ctx); err != nil {
		return nil, err
	}
	// The card keyset comes last. An older database lacks it, and the other two prove that the master key is right before this one is made.
	if v.cards, err = v.openRing(ctx, cardKeyset, o.Clock); err != nil {
		return nil, err
	}
	s.SignRows(v.rows)
	return v, nil
}

// WantedMasterKey returns MasterKey.ID of the key that opens the vault in s. It returns "" if there is no vault yet, or if its keyset does
// not record the ID.
func WantedMasterKey(ctx context.Context, s Store) (string, error) {
	stored, _, err := readKeyset(ctx, s, dataKeyset)
	if errors.Is(err, fault.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read keyset %q: %w", dataKeyset, err)
	}
	k, err := decodeKeyset(stored)
	return k.Master, err
}

func (v *Vault) openRing(ctx context.Context, name string, now port.Clock) (*keyring, error) {
	if err := v.ensureKeyset(ctx, name); err != nil {
		return nil, err
	}
	k := &keyring{name: name, store: v.store, masters: v.masters, stale: staleWait * v.refresh, now: now}
	_, err := k.reload(ctx, nil)
	return k, err
}

// openHash reads the keys that make hashes and sign rows.
func (v *Vault) openHash(ctx context.Context) error {
	if err := v.ensureKeyset(ctx, hashKeyset); err != nil {
		return err
	}
	for {
		stored, at, err := readKeyset(ctx, v.store, hashKeyset)
		if err != nil {
			return fmt.Errorf("open vault: read keyset %q: %w", hashKeyset, err)
		}
		h, k, err := unwrapKeyset(ctx, stored, hashKeyset, v.masters)
		if err != nil {
			return err
		}
		hash, rows, err := hashKeys(h)
		if err != nil {
			return fmt.Errorf("open vault: keyset %q: %w", hashKeyset, err)
		}
		if rows != nil {
			v.hash, v.rows = hash, v.signerWith(rows)
			return nil
		}
		if err := v.signAll(ctx, stored, h, k, at); err != nil && !errors.Is(err, fault.ErrConflict) {
			return fmt.Errorf("open vault: sign rows: %w", err)
		}
	}
}

// ensureKeyset makes a keyset if the store has none. Callers then read the keyset from the store, because another node may have been first.
func (v *Vault) ensureKeyset(ctx context.Context, name string) error {
	_, now, err := readKeyset(ctx, v.store, name)
	if errors.Is(err, fault.ErrNotFound) {
		if err := v.neverUsed(ctx, name); err != nil {
			return err
		}
		var stored []byte
		if stored, err = newKeyset(ctx, name, now, v.masters[0]); err != nil {
			return fmt.Errorf("open vault: make keyset %q: %w", name, err)
		}
		err = v.store.Update(ctx, func(tx Tx) error { return tx.InsertKeyset(name, stored) })
		if errors.Is(err, fault.ErrConflict) { // another node was first
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("open vault: keyset %q: %w", name, err)
	}
	return nil
}

// neverUsed refuses to make a missing keyset in a database that is in use. Databases of the first releases have merchants, but neither
// cards nor a card keyset.
func (v *Vault) neverUsed(ctx context.Context, name string) error {
	used := false
	err := v.store.View(ctx, func(r Reader) error {
		if name == cardKeyset {
			cards, _, err := r.SealedCounts(SealedCards, 0, 1)
			used = len(cards) > 0
			return err
		}
		merchants, _, err := r.SignedRows("merchants", 0, 1)
		used = len(merchants) > 0
		return err
	})
	if err == nil && used {
		err = errors.New("the keyset is missing, but the database is in use; restore the table keysets from a backup (nothing was changed)")
	}
	if err != nil {
		return fmt.Errorf("open vault: keyset %q: %w", name, err)
	}
	return nil
}

// Run reads the keysets every Refresh until ctx ends. Without Run, the vault reads them only when it needs to.
func (v *Vault) Run(ctx context.Context) error {
	tick := time.NewTicker(v.refresh)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		for _, k := range v.rings() {
			if _, err := k.refresh(ctx); err != nil && ctx.Err() == nil {
				v.log.LogAttrs(ctx, slog.LevelWarn, "the vault could not read its keys again; it goes on with the keys that it has", slog.String("keyset", k.name), slog.Any("error", err))
			}
		}
	}
}

func (v *Vault) rings() []*keyring { return []*keyring{v.cards, v.data} }

// Seal encrypts plain and binds it to associated. The associated text names the owner and the place, such as "account/{merchant}/{id}".
// Only Open with the same text opens the result.
func (v *Vault) Seal(plain []byte, associated string) ([]byte, error) {
	sealed, err := v.data.encrypt(plain, []byte(associated))
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return sealed, nil
}

// Open decrypts a result of Seal with the same associated text.
func (v *Vault) Open(sealed []byte, associated string) ([]byte, error) {
	plain, err := v.data.decrypt(sealed, []byte(associated))
	if err != nil {
		return nil, fmt.Errorf("open sealed value: %w", err)
	}
	return plain, nil
}

// Hash returns a keyed hash of data for one purpose (HMAC-SHA-256, 32 bytes). Equal data has equal hashes only within one purpose. Without
// the vault's key, data cannot be guessed from its hash.
func (v *Vault) Hash(purpose string, data []byte) []byte {
	in := make([]byte, 4, 4+len(purpose)+len(data))
	binary.BigEndian.PutUint32(in, uint32(len(purpose)))
	in = append(append(in, purpose...), data...)
	out, err := v.hash.ComputePRF(in, hashSize)
	if err != nil {
		panic("vault: " + err.Error()) // OpenWith has ruled this out
	}
	return out
}
