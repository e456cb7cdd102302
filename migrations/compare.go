package migrations

import (
	"cmp"
	"fmt"
	"slices"
)

// compatible refuses a database that this program cannot work with even after it has migrated it.
func compatible(steps, applied []Migration) error {
	sums := make(map[int64]string, len(steps))
	for _, m := range steps {
		sums[m.Version] = m.Checksum
	}

	for _, m := range applied {
		if _, ok := sums[m.Version]; !ok {
			return fmt.Errorf("%w (it has migration %s, this program knows them up to %d): start that release, "+
				"or restore a backup from before it", ErrAhead, m.Name, latest(steps))
		}
	}

	for _, m := range applied {
		if sums[m.Version] != m.Checksum {
			return fmt.Errorf("%w (%s.sql is not the file that made this database): start the release that migrated it; "+
				"a released file is never edited, a change is a new file", ErrChanged, m.Name)
		}
	}

	return nil
}

// complete refuses a database that lacks a step.
func complete(steps, applied []Migration) error {
	missing := len(steps) - len(applied)

	switch {
	case missing == 0:
		return nil
	case len(applied) == 0:
		return fmt.Errorf("%w (it was never migrated): run `formonce migrate`, then start again", ErrBehind)
	case missing == 1:
		return fmt.Errorf("%w by 1 migration: run `formonce migrate`, then start again", ErrBehind)
	default:
		return fmt.Errorf("%w by %d migrations: run `formonce migrate`, then start again", ErrBehind, missing)
	}
}

// merge joins what the program knows with what the database has.
func merge(steps, applied []Migration) []Migration {
	have := make(map[int64]Migration, len(applied))
	for _, m := range applied {
		have[m.Version] = m
	}

	plan := slices.Clone(steps)
	for i, m := range plan {
		if done, ok := have[m.Version]; ok {
			plan[i].AppliedAt, plan[i].Checksum = done.AppliedAt, done.Checksum
			delete(have, m.Version)
		}
	}

	for _, m := range have {
		plan = append(plan, m)
	}

	slices.SortFunc(plan, func(a, b Migration) int { return cmp.Compare(a.Version, b.Version) })

	return plan
}

// latest returns the highest version, 0 when there is none. The list is in the order of the versions.
func latest(list []Migration) int64 {
	if len(list) == 0 {
		return 0
	}

	return list[len(list)-1].Version
}
