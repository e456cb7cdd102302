package main

import (
	"context"
	"errors"
	"time"

	"formonce/forms"
	"formonce/tenants"
)

// purgeEvery is how soon a tenant or an account is erased after its grace.
const purgeEvery = 10 * time.Minute

// purger erases the tenants and accounts whose grace has ended. It joins two domains that do not know each other: what a
// tenant has received goes first, the tenant itself last, so that an erasure that was interrupted is found again.
type purger struct {
	tenants   *tenants.Registry
	directory *forms.Directory
}

// pass is one look. Several processes may make it at the same time, and again after any of them was killed.
func (p *purger) pass(ctx context.Context) error {
	// An account hands the tenants over in which it is alone.
	early := p.tenants.PurgeAccounts(ctx)

	due, err := p.tenants.Due(ctx)
	faults := append(make([]error, 0, len(due)+2), early, err)

	for _, tenantID := range due {
		err := p.directory.EraseTenant(ctx, tenantID)
		if err == nil {
			err = p.tenants.Delete(ctx, tenantID)
		}

		faults = append(faults, ignoreGone(err))
	}

	return errors.Join(faults...)
}

// ignoreGone lets another process have been faster.
func ignoreGone(err error) error {
	if errors.Is(err, tenants.ErrNotFound) {
		return nil
	}

	return err
}
