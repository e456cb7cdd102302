package tenants

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/postgres"
)

const entryIDPrefix = "aud_"

// Ids are made in the order of time, so that the key is the order of the list. The texts are compared for equality only:
// whatever else row-level security would keep from using an index.
const pageOfHistory = `
SELECT id, at, actor_kind, actor_id, actor_name, action, target, changes, address, agent, request_id FROM audit_log
WHERE tenant_id = $1 AND ($2::uuid IS NULL OR id < $2)
AND ($3::text IS NULL OR actor_kind = $3) AND ($4::uuid IS NULL OR actor_id = $4)
AND ($5::text IS NULL OR action = $5) AND ($6::text IS NULL OR target = $6)
AND ($7::timestamptz IS NULL OR at >= $7) AND ($8::timestamptz IS NULL OR at < $8)
ORDER BY id DESC LIMIT $9`

// Entry is one thing that happened to a tenant's things.
type Entry struct {
	Change

	ID    uuid.UUID
	At    time.Time
	Actor Actor
}

// HistoryFilter says which entries are wanted; what is empty asks for none in particular.
type HistoryFilter struct {
	// Actor is the public id of a member or a key, or a kind: member, api_key, operator, system.
	Actor          string
	Action, Target string
	// Since is part of the time, Until is not.
	Since, Until time.Time
}

// History reads the audit log.
type History struct {
	db *postgres.DB
}

var errUnknownActor = fault.New(fault.Invalid, "invalid_actor",
	"The parameter actor is the id of a member (mem_…) or of a key (key_…), or one of member, api_key, operator, system.")

// PublicEntryID shows an entry's id to people and programs.
func PublicEntryID(entryID uuid.UUID) string { return id.Write(entryIDPrefix, entryID) }

// List returns a page of the tenant's log, the newest entry first, and the cursor of the next page; empty on the last. A limit
// of 0 stands for 50.
func (h *History) List(
	ctx context.Context, tenantID uuid.UUID, filter HistoryFilter, limit int, cursor string,
) ([]Entry, string, error) {
	kind, actorID, err := filter.actor()
	if err != nil {
		return nil, "", err
	}

	var before *uuid.UUID

	if cursor != "" {
		read, err := id.Parse(entryIDPrefix, cursor)
		if err != nil {
			return nil, "", errCursor
		}

		before = &read
	}

	if limit == 0 {
		limit = pageSize
	}

	var found []Entry

	err = h.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		rows, err := s.Tx.Query(ctx, pageOfHistory, tenantID, before, kind, actorID, given(filter.Action), given(filter.Target),
			given(filter.Since), given(filter.Until), limit+1)
		if err != nil {
			return err
		}

		found, err = pgx.CollectRows(rows, scanEntry)

		return err
	})
	if err != nil || len(found) <= limit {
		return found, "", postgres.Fault("read the audit log", err)
	}

	return found[:limit], PublicEntryID(found[limit-1].ID), nil
}

// given is null for what was not given.
func given[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}

	return &value
}

func (f *HistoryFilter) actor() (kind *string, actorID *uuid.UUID, err error) {
	switch ActorKind(f.Actor) {
	case "":
		return nil, nil, nil
	case ActorMember, ActorKey, ActorOperator, ActorSystem:
		return &f.Actor, nil, nil
	}

	for prefix, kind := range map[string]ActorKind{memberIDPrefix: ActorMember, keyIDPrefix: ActorKey} {
		if found, err := id.Parse(prefix, f.Actor); err == nil {
			named := string(kind)
			return &named, &found, nil
		}
	}

	return nil, nil, errUnknownActor
}

func scanEntry(row pgx.CollectableRow) (Entry, error) {
	var (
		found   Entry
		actorID *uuid.UUID
		details []byte
	)

	err := row.Scan(&found.ID, &found.At, &found.Actor.Kind, &actorID, &found.Actor.Name, &found.Action, &found.Target, &details,
		&found.Actor.Address, &found.Actor.Agent, &found.Actor.RequestID)
	if err != nil {
		return Entry{}, err
	}

	if actorID != nil {
		found.Actor.ID = *actorID
	}

	if err := json.Unmarshal(details, &found.Details); err != nil {
		return Entry{}, fmt.Errorf("read an entry of the audit log: %w", err)
	}

	return found, nil
}

// PublicActorID shows who an actor is; empty for an operator and the service itself.
func PublicActorID(actor Actor) string {
	switch actor.Kind {
	case ActorMember:
		return PublicMemberID(actor.ID)
	case ActorKey:
		return PublicKeyID(actor.ID)
	default:
		return ""
	}
}
