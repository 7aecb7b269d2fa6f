package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tink-crypto/tink-go/v2/prf"
)

// hashSize is the length of a Hash, bytes.
const hashSize = 32

// Vault seals data at rest, makes keyed hashes and signs the store's rows. Its keys are Tink keysets, kept in the store encrypted by the master key. New data is
// sealed with the primary key of a keyset, the others still open what they sealed: Rotate adds a key and makes it primary, Reencrypt
// moves what older ones sealed and destroys them. Safe for concurrent use.
type Vault struct {
	store   VaultStore
	log     *slog.Logger
	masters []MasterKey // the one in use, then the next
	refresh time.Duration
	now     Clock
	data    *keyring
	cards   *keyring
	hash    prf.PRF
	rows    *rowSigner
}

// VaultOptions are how a vault is opened. Master is required.
type VaultOptions struct {
	// Master encrypts the keysets. Next is the one that RotateMaster moves them to: nodes that know both run on through the change.
	Master, Next MasterKey
	// Refresh is how often keysets are read again, the same on every node; default 10 s. A new key is used once all nodes have it,
	// 2 × Refresh after it was made; a retired one is destroyed at the earliest retireWait × Refresh after.
	Refresh time.Duration
	Logger  *slog.Logger // nil: discarded
	Clock   Clock        // nil: time.Now
}

const (
	// promoteWait and retireWait count in Refresh. A node encrypts with a copy of a keyset that is at most staleWait old; what it has
	// encrypted is durable, or given up, within the rest of retireWait.
	promoteWait = 2
	staleWait   = 3
	retireWait  = 12

	defaultRefresh = 10 * time.Second
)

// openVault opens the vault in s with a LocalMasterKey and the default options.
func openVault(ctx context.Context, s VaultStore, masterKey Secret) (*Vault, error) {
	if masterKey.IsZero() {
		return nil, fmt.Errorf("open vault: there is no master key; %s", MasterKeyRemedy)
	}
	master, err := LocalMasterKey(masterKey)
	if err != nil {
		return nil, fmt.Errorf("open vault: the master key %w", err)
	}
	return openVaultWith(ctx, s, VaultOptions{Master: master})
}

// openVaultWith opens the vault in s, making its keys on the first start of an installation; nodes that start together agree on them. A
// master key that is not the one the vault was made with is ErrMasterKey, says which key is wanted, and changes nothing. From then on the
// vault signs the rows of s, and s checks them; rows of a release that did not sign are signed first, all of them, once.
func openVaultWith(ctx context.Context, s VaultStore, o VaultOptions) (*Vault, error) {
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
	// Last: an older database has the others, and they tell whether the master key is right before this one is made.
	if v.cards, err = v.openRing(ctx, cardKeyset, o.Clock); err != nil {
		return nil, err
	}
	s.SignRows(v.rows)
	return v, nil
}

// wantedMasterKey is MasterKey.ID of the key that a vault in s opens with; "" where there is no vault yet, or it does not say.
func wantedMasterKey(ctx context.Context, s VaultStore) (string, error) {
	stored, _, err := readKeyset(ctx, s, dataKeyset)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read keyset %q: %w", dataKeyset, err)
	}
	k, err := decodeKeyset(stored)
	return k.Master, err
}

func (v *Vault) openRing(ctx context.Context, name string, now Clock) (*keyring, error) {
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
		if err := v.signAll(ctx, stored, h, k, at); err != nil && !errors.Is(err, ErrConflict) {
			return fmt.Errorf("open vault: sign rows: %w", err)
		}
	}
}

// ensureKeyset makes a keyset if it is the first. What counts is what the store holds afterwards, not what was made here.
func (v *Vault) ensureKeyset(ctx context.Context, name string) error {
	_, now, err := readKeyset(ctx, v.store, name)
	if errors.Is(err, ErrNotFound) {
		if err := v.neverUsed(ctx, name); err != nil {
			return err
		}
		var stored []byte
		if stored, err = newKeyset(ctx, name, now, v.masters[0]); err != nil {
			return fmt.Errorf("open vault: make keyset %q: %w", name, err)
		}
		err = v.store.Update(ctx, func(tx VaultTx) error { return tx.InsertKeyset(name, stored) })
		if errors.Is(err, ErrConflict) { // another node was faster
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("open vault: keyset %q: %w", name, err)
	}
	return nil
}

// neverUsed refuses to make keys anew that a database in use must have. The first releases had merchants, and neither cards nor their keys.
func (v *Vault) neverUsed(ctx context.Context, name string) error {
	used := false
	err := v.store.View(ctx, func(r VaultReader) error {
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
		err = errors.New("it is gone, and the database is in use: restore the table keysets from a back-up (nothing was changed)")
	}
	if err != nil {
		return fmt.Errorf("open vault: keyset %q: %w", name, err)
	}
	return nil
}

// Run keeps the keys as the store has them, until ctx ends. A vault that is not run reads them when it needs to.
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
				v.log.LogAttrs(ctx, slog.LevelWarn, "keys not refreshed", slog.String("keyset", k.name), slog.Any("error", err))
			}
		}
	}
}

func (v *Vault) rings() []*keyring { return []*keyring{v.cards, v.data} }

// Seal encrypts plain and binds it to associated, which says whose it is and where it belongs ("account/{merchant}/{id}"): only
// Open with the same text opens it again.
func (v *Vault) Seal(plain []byte, associated string) ([]byte, error) {
	sealed, err := v.data.encrypt(plain, []byte(associated))
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return sealed, nil
}

// Open decrypts what Seal made with the same associated text.
func (v *Vault) Open(sealed []byte, associated string) ([]byte, error) {
	plain, err := v.data.decrypt(sealed, []byte(associated))
	if err != nil {
		return nil, fmt.Errorf("open sealed value: %w", err)
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
		panic("vault: " + err.Error()) // ruled out by openVaultWith
	}
	return out
}
