package forms

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
)

// KeyConflict is a key that a draft uses for another type than the one that was published under it. Stored submissions
// hold values of that type, so a key never changes it; a field of another type takes another key.
type KeyConflict struct {
	Key string
	// Wanted is the draft's type, Published the one that the key has for good, since the version Since.
	Wanted, Published FieldType
	Since             int
}

const (
	publishedKeys = `SELECT key, type, since_version FROM endpoint_fields WHERE tenant_id = $1 AND endpoint_id = $2`

	claimKeys = `
INSERT INTO endpoint_fields (tenant_id, endpoint_id, key, type, since_version)
SELECT $1, $2, wanted.key, wanted.type, $3 FROM unnest($4::text[], $5::text[]) AS wanted (key, type)
ON CONFLICT (tenant_id, endpoint_id, key) DO NOTHING`
)

// conflicts returns the keys that the draft may not have, in the order of its fields.
func (d *desk) conflicts(ctx context.Context) ([]KeyConflict, error) {
	rows, err := d.tx.Query(ctx, publishedKeys, d.tenantID, d.endpointID)
	if err != nil {
		return nil, err
	}

	known := map[string]KeyConflict{}

	var one KeyConflict

	_, err = pgx.ForEachRow(rows, []any{&one.Key, &one.Published, &one.Since}, func() error {
		known[one.Key] = one
		return nil
	})
	if err != nil {
		return nil, err
	}

	var found []KeyConflict

	for i := range d.draft.Schema.Fields {
		field := &d.draft.Schema.Fields[i]

		if taken, ok := known[field.Key]; ok && taken.Published != field.Type {
			taken.Wanted = field.Type
			found = append(found, taken)
		}
	}

	return found, nil
}

// claimKeys remembers what the draft's keys mean, for good.
func (d *desk) claimKeys(ctx context.Context, version int) error {
	conflicts, err := d.conflicts(ctx)
	if err != nil {
		return err
	}

	if len(conflicts) > 0 {
		return refusedKeys(conflicts)
	}

	fields := d.draft.Schema.Fields
	keys, types := make([]string, len(fields)), make([]string, len(fields))

	for i := range fields {
		keys[i], types[i] = fields[i].Key, string(fields[i].Type)
	}

	_, err = d.tx.Exec(ctx, claimKeys, d.tenantID, d.endpointID, version, keys, types)

	return err
}

func refusedKeys(conflicts []KeyConflict) error {
	failed := fault.New(fault.Conflict, "field_type_changed",
		"A key keeps the type that was published under it. Give the fields that are listed other keys, or their types back.")

	for _, conflict := range conflicts {
		failed.Issues = append(failed.Issues, fault.Issue{
			Field: conflict.Key, Rule: "field_type_changed", Message: conflict.String(),
		})
	}

	return failed
}

// String says the conflict in a sentence.
func (k KeyConflict) String() string {
	return fmt.Sprintf("The key %s stands for the type %s since version %d, and cannot become %s. Take another key.",
		k.Key, k.Published, k.Since, k.Wanted)
}
