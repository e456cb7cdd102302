package forms

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"formonce/internal/postgres"
)

// ChangeKind says what a change of a schema means for those who send submissions.
type ChangeKind string

// The kinds of changes. After a stricter one something is refused that was taken before, after a looser one something is
// taken that was refused, after a relabelled one only what people read is different, and after a changed one something is
// judged or stored in another way.
const (
	ChangeAdded      ChangeKind = "added"
	ChangeRemoved    ChangeKind = "removed"
	ChangeRetyped    ChangeKind = "retyped"
	ChangeStricter   ChangeKind = "stricter"
	ChangeLooser     ChangeKind = "looser"
	ChangeRelabelled ChangeKind = "relabelled"
	ChangeOther      ChangeKind = "changed"
)

// SchemaChange is one thing that is different in another version of a schema.
type SchemaChange struct {
	Kind ChangeKind
	// Field is the key of the field, empty for what is about the whole schema.
	Field string
	// Member is the setting by its wire name, empty for the whole field.
	Member string
}

// SchemaDiff is what publishing a draft would do.
type SchemaDiff struct {
	Changes []SchemaChange
	// Conflicts are the keys for which it would be refused.
	Conflicts []KeyConflict
	// Published is the version that is compared with; 0 for none.
	Published int
	// Revision is the draft's, see Draft.
	Revision int64
}

// Changes compares the draft with what is published.
func (s *Schemas) Changes(ctx context.Context, tenantID uuid.UUID, endpointID string) (SchemaDiff, error) {
	return s.changes(ctx, tenantID, endpointID, nil)
}

// ChangesOf is Changes for a schema that was not saved yet. The errors are the Faults invalid_schema and endpoint_not_found.
func (s *Schemas) ChangesOf(ctx context.Context, tenantID uuid.UUID, endpointID string, wanted *Schema) (SchemaDiff, error) {
	if err := wanted.Check(); err != nil {
		return SchemaDiff{}, err
	}

	return s.changes(ctx, tenantID, endpointID, wanted)
}

func (s *Schemas) changes(ctx context.Context, tenantID uuid.UUID, endpointID string, wanted *Schema) (SchemaDiff, error) {
	var found SchemaDiff

	err := s.db.InScope(ctx, tenantID, func(ctx context.Context, scope *postgres.Scope) error {
		desk, err := openDesk(ctx, scope.Tx, tenantID, endpointID, publishedVersion)
		if err != nil {
			return err
		}

		if wanted != nil {
			desk.draft.Schema = wanted
		}

		found = SchemaDiff{
			Changes:   changesBetween(desk.published, desk.draft.Schema),
			Published: desk.published.Version, Revision: desk.draft.Revision,
		}
		found.Conflicts, err = desk.conflicts(ctx)

		return err
	})

	return found, postgres.Fault("compare a schema with what is published", err)
}

// FirstChanges returns the changes that a schema makes where there is no endpoint yet. The error is the Fault
// invalid_schema.
func FirstChanges(wanted *Schema) (SchemaDiff, error) {
	if err := wanted.Check(); err != nil {
		return SchemaDiff{}, err
	}

	return SchemaDiff{Changes: changesBetween(&Schema{}, wanted), Revision: 1}, nil
}

func changesBetween(before, after *Schema) []SchemaChange {
	found := changesOfWhole(before, after)
	now := keysOf(after)

	for i := range before.Fields {
		if _, stays := now[before.Fields[i].Key]; !stays {
			found = append(found, SchemaChange{Kind: ChangeRemoved, Field: before.Fields[i].Key})
		}
	}

	then := keysOf(before)

	for i := range after.Fields {
		field := &after.Fields[i]

		old, known := then[field.Key]
		if !known {
			found = append(found, SchemaChange{Kind: ChangeAdded, Field: field.Key})

			if field.Required {
				found = append(found, SchemaChange{ChangeStricter, field.Key, "required"})
			}

			continue
		}

		found = append(found, changesOfField(old, field)...)
	}

	return found
}

func keysOf(s *Schema) map[string]*SchemaField {
	made := make(map[string]*SchemaField, len(s.Fields))
	for i := range s.Fields {
		made[s.Fields[i].Key] = &s.Fields[i]
	}

	return made
}

func changesOfWhole(before, after *Schema) []SchemaChange {
	var found []SchemaChange

	then, now := cmp.Or(before.Unknown, UnknownKeep), cmp.Or(after.Unknown, UnknownKeep)

	switch {
	case then == now:
	case now == UnknownRefuse:
		found = append(found, SchemaChange{Kind: ChangeStricter, Member: "unknown_fields"})
	case then == UnknownRefuse:
		found = append(found, SchemaChange{Kind: ChangeLooser, Member: "unknown_fields"})
	default:
		found = append(found, SchemaChange{Kind: ChangeOther, Member: "unknown_fields"})
	}

	if before.Region != after.Region {
		found = append(found, SchemaChange{Kind: ChangeOther, Member: "default_region"})
	}

	if !slices.Equal(orderOfShared(before, after), orderOfShared(after, before)) {
		found = append(found, SchemaChange{Kind: ChangeRelabelled, Member: "order"})
	}

	return found
}

// orderOfShared are the keys of s that other has too.
func orderOfShared(s, other *Schema) []string {
	known := keysOf(other)

	var keys []string

	for i := range s.Fields {
		if _, shared := known[s.Fields[i].Key]; shared {
			keys = append(keys, s.Fields[i].Key)
		}
	}

	return keys
}

func changesOfField(before, after *SchemaField) []SchemaChange {
	if before.Type != after.Type {
		return []SchemaChange{{ChangeRetyped, after.Key, "type"}}
	}

	var found []SchemaChange

	for _, member := range fieldMembers {
		then, now := member.read(before), member.read(after)
		if slices.Equal(then, now) {
			continue
		}

		for _, kind := range member.compare(then, now) {
			found = append(found, SchemaChange{kind, after.Key, member.name})
		}
	}

	return found
}
