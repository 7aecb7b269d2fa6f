package account

import (
	"context"

	"payswitch/engine/acquirer"
	"payswitch/engine/fault"
)

// CreateAcquirer adds an acquirer with one network to a profile. A new default replaces the earlier default. Errors: IR_04 for a missing
// field; IR_06 (422) for a field beyond EMV's limits; HE_02 for the profile; IR_16 if the profile has the maximum number of acquirers.
func (e *Registry) CreateAcquirer(ctx context.Context, a Auth, in acquirer.Input) (*acquirer.View, error) {
	if in.ProfileID == "" {
		return nil, fault.Missing("profile_id")
	}
	entry, err := acquirer.NewEntry(in)
	if err != nil {
		return nil, err
	}
	return e.changeAcquirers(ctx, a, in.ProfileID, "create profile acquirer", func(l *acquirer.List) (*acquirer.View, error) {
		return l.Add(in.ProfileID, entry, in.Default)
	})
}

// UpdateAcquirer changes an acquirer's entry for a network, or adds that entry. Without a network it changes the only entry. Errors: IR_04
// for a missing network or a missing field of a new entry; IR_06 (422) as in CreateAcquirer; HE_02 for the profile or acquirer.
func (e *Registry) UpdateAcquirer(ctx context.Context, a Auth, profileID, id string, in acquirer.Input) (*acquirer.View, error) {
	return e.changeAcquirers(ctx, a, profileID, "update profile acquirer", func(l *acquirer.List) (*acquirer.View, error) {
		return l.Change(profileID, id, in)
	})
}

func (e *Registry) changeAcquirers(ctx context.Context, a Auth, profileID, doing string, f func(l *acquirer.List) (*acquirer.View, error)) (v *acquirer.View, err error) {
	err = e.change(ctx, doing, func(tx Tx) error {
		p, err := profileOf(tx, a, profileID)
		if err != nil {
			return err
		}
		if v, err = f(&p.Settings.Acquirers); err != nil {
			return err
		}
		p.ModifiedAt = tx.Now()
		return tx.UpdateProfile(p)
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}
