package routing

import (
	"context"
	"errors"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/fault"
)

// configValue reads a config key, "" for a key that does not exist.
func configValue(r ConfigReader, name string) (string, error) {
	k, err := r.ConfigKey(name)
	if errors.Is(err, fault.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return k.Value, nil
}

func noConfigKey() *fault.Error {
	return &fault.Error{Kind: fault.KindNotFound, Code: "HE_02", Message: "Config key does not exist in our records.", Param: "config_key",
		Hint: "Check the name, or create the key with POST /configs."}
}

// CreateConfigKey stores a value under a name. Like the two functions below, it returns once a switch counts at every node. Errors: HE_01 for a name that exists.
func (s *Rules) CreateConfigKey(ctx context.Context, name, value string) (*ConfigKey, error) {
	k := &ConfigKey{Name: name, Value: value}
	err := s.update(ctx, "create config key", func(tx Tx) error {
		k.ModifiedAt = tx.Now()
		return fault.IfConflict(tx.InsertConfigKey(k), fault.Duplicate("The config with the specified key already exists in our records").WithParam("key").WithHint("Update the key instead."))
	})
	return k, s.spread(ctx, name, err)
}

// spread waits until every node knows of a change of a switch. Other keys are read whenever they are needed. It passes the change's error on.
func (s *Rules) spread(ctx context.Context, name string, err error) error {
	if err != nil || !isSwitch(name) {
		return err
	}
	return s.Registry.Spread(ctx)
}

// isSwitch reports whether a config key is a switch of a merchant.
func isSwitch(name string) bool {
	return slices.ContainsFunc(account.Switches[:], func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// ConfigKey reads a value. It asks the store, so that every node sees the latest value. Errors: HE_02.
func (s *Rules) ConfigKey(ctx context.Context, name string) (k *ConfigKey, err error) {
	err = s.view(ctx, "read config key", func(r Reader) error { k, err = r.ConfigKey(name); return fault.IfMissing(err, noConfigKey()) })
	return k, err
}

// UpdateConfigKey changes a value. It creates none. Errors: HE_02.
func (s *Rules) UpdateConfigKey(ctx context.Context, name, value string) (*ConfigKey, error) {
	k := &ConfigKey{Name: name, Value: value}
	err := s.update(ctx, "update config key", func(tx Tx) error {
		k.ModifiedAt = tx.Now()
		return fault.IfMissing(tx.UpdateConfigKey(k), noConfigKey())
	})
	return k, s.spread(ctx, name, err)
}

// DeleteConfigKey removes a value and returns it. Errors: HE_02.
func (s *Rules) DeleteConfigKey(ctx context.Context, name string) (k *ConfigKey, err error) {
	err = s.update(ctx, "delete config key", func(tx Tx) (err error) {
		if k, err = tx.ConfigKey(name); err != nil {
			return fault.IfMissing(err, noConfigKey())
		}
		return tx.DeleteConfigKey(name)
	})
	return k, s.spread(ctx, name, err)
}
