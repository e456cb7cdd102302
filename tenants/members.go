package tenants

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/postgres"
)

const (
	selectMembers = `
SELECT m.id, m.login_id, l.email, l.name, m.role, l.email_verified_at IS NOT NULL, m.created_at
FROM members m JOIN logins l ON l.id = m.login_id WHERE m.tenant_id = $1`
	pageOfMembers = selectMembers + ` AND m.id > $2 ORDER BY m.id LIMIT $3`
	oneMember     = selectMembers + ` AND m.id = $2`
	// Whoever changes who is an owner does so one after the other: two owners who remove each other at the same time would
	// leave none.
	lockTenant  = `SELECT id FROM tenants WHERE id = $1 FOR NO KEY UPDATE`
	otherOwners = `
SELECT EXISTS (SELECT FROM members m JOIN logins l ON l.id = m.login_id
    WHERE m.tenant_id = $1 AND m.role = 'owner' AND m.id <> $2 AND l.delete_after IS NULL)`
	findRole     = `SELECT role FROM members WHERE tenant_id = $1 AND id = $2`
	changeRole   = `UPDATE members SET role = $3 WHERE tenant_id = $1 AND id = $2`
	removeMember = `DELETE FROM members WHERE tenant_id = $1 AND id = $2`
)

// The refusals around members.
var (
	errMemberNotFound = fault.New(fault.NotFound, "member_not_found",
		"There is no such member in this tenant. List the members to see who there is.")
	errLastOwner = fault.New(fault.Conflict, "last_owner",
		"A tenant needs an owner. Make somebody else an owner first, or delete the tenant.")
	errRoleTooHigh = fault.New(fault.Forbidden, "role_too_high",
		"Nobody gives or takes a role above their own. Ask an owner of the tenant.")
	errOnlyAdminsRemove = fault.New(fault.Forbidden, "admin_needed",
		"You can leave the tenant yourself. Ask an owner or an admin to remove somebody else.")
	errUnknownRole = fault.New(fault.Unprocessable, "invalid_role",
		"There is no such role. Choose one of "+roleNames()+".").In("role")
)

func roleNames() string {
	names := make([]string, len(Roles))
	for i, role := range Roles {
		names[i] = string(role)
	}

	return strings.Join(names, ", ")
}

// Member is a person in a tenant.
type Member struct {
	ID, LoginID   uuid.UUID
	Email, Name   string
	Role          Role
	EmailVerified bool
	CreatedAt     time.Time
}

// Members are the members of tenants.
type Members struct {
	db *postgres.DB
}

// ParseMemberID is the inverse of PublicMemberID; a text that is none is the Fault member_not_found.
func ParseMemberID(text string) (uuid.UUID, error) {
	return parseID(memberIDPrefix, text, errMemberNotFound)
}

// pageSize is that of lists whose caller asked for none.
const pageSize = 50

// errCursor is the answer to a cursor that no list has given out.
var errCursor = fault.New(fault.Invalid, "invalid_cursor",
	"The parameter cursor is none of ours. Send the next_cursor of the page before, or leave it out.")

// List returns a page of the tenant's members, the one who was there first first, and the cursor of the next page; empty on
// the last. A limit of 0 stands for 50.
func (m *Members) List(ctx context.Context, tenantID uuid.UUID, limit int, cursor string) ([]Member, string, error) {
	var after uuid.UUID

	if cursor != "" {
		read, err := id.Parse(memberIDPrefix, cursor)
		if err != nil {
			return nil, "", errCursor
		}

		after = read
	}

	if limit == 0 {
		limit = pageSize
	}

	var found []Member

	err := m.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		rows, err := s.Tx.Query(ctx, pageOfMembers, tenantID, after, limit+1)
		if err != nil {
			return err
		}

		found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Member])

		return err
	})
	if err != nil || len(found) <= limit {
		return found, "", postgres.Fault("list members", err)
	}

	return found[:limit], PublicMemberID(found[limit-1].ID), nil
}

// ChangeRole gives a member another role. Neither the role they have nor the new one may be above the caller's. The last
// owner stays one: the Fault last_owner.
func (m *Members) ChangeRole(ctx context.Context, caller Caller, memberID uuid.UUID, role Role) (Member, error) {
	if !slices.Contains(Roles, role) {
		return Member{}, errUnknownRole
	}

	var changed Member

	err := m.db.InScope(ctx, caller.TenantID, func(ctx context.Context, s *postgres.Scope) error {
		mine, target, err := meet(ctx, s.Tx, caller, memberID)
		if err != nil {
			return err
		}

		if !mine.Covers(target.Role) || !mine.Covers(role) {
			return errRoleTooHigh
		}

		changed = target
		changed.Role = role

		if target.Role == role {
			return nil
		}

		if err := keepAnOwner(ctx, s.Tx, caller.TenantID, target); err != nil {
			return err
		}

		if _, err := s.Tx.Exec(ctx, changeRole, caller.TenantID, memberID, role); err != nil {
			return err
		}

		return Record(ctx, s.Tx, caller.TenantID, Change{
			Action: "member.role_changed", Target: PublicMemberID(memberID),
			Details: map[string]any{"email": target.Email, "from": string(target.Role), "to": string(role)},
		})
	})

	return changed, postgres.Fault("change a member's role", err)
}

// Remove takes a member out of the tenant; their sessions in it end with the next request. Everybody may leave, and admins
// may remove whose role is not above theirs. The last owner stays: the Fault last_owner.
func (m *Members) Remove(ctx context.Context, caller Caller, memberID uuid.UUID) error {
	err := m.db.InScope(ctx, caller.TenantID, func(ctx context.Context, s *postgres.Scope) error {
		mine, target, err := meet(ctx, s.Tx, caller, memberID)
		if err != nil {
			return err
		}

		action := "member.left"

		if memberID != caller.MemberID {
			action = "member.removed"

			if !mine.Covers(Admin) {
				return errOnlyAdminsRemove
			}

			if !mine.Covers(target.Role) {
				return errRoleTooHigh
			}
		}

		if err := keepAnOwner(ctx, s.Tx, caller.TenantID, target); err != nil {
			return err
		}

		if _, err := s.Tx.Exec(ctx, removeMember, caller.TenantID, memberID); err != nil {
			return err
		}

		return Record(ctx, s.Tx, caller.TenantID, Change{
			Action: action, Target: PublicMemberID(memberID),
			Details: map[string]any{"email": target.Email, "role": string(target.Role)},
		})
	})

	return postgres.Fault("remove a member", err)
}

// meet reads the caller's role and the member, both as they are once nobody else changes members any more.
func meet(ctx context.Context, tx pgx.Tx, caller Caller, memberID uuid.UUID) (Role, Member, error) {
	if _, err := tx.Exec(ctx, lockTenant, caller.TenantID); err != nil {
		return "", Member{}, err
	}

	rows, err := tx.Query(ctx, oneMember, caller.TenantID, memberID)
	if err != nil {
		return "", Member{}, err
	}

	target, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Member])
	if errors.Is(err, pgx.ErrNoRows) {
		return "", Member{}, errMemberNotFound
	}

	if err != nil {
		return "", Member{}, err
	}

	var mine Role

	err = tx.QueryRow(ctx, findRole, caller.TenantID, caller.MemberID).Scan(&mine)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", Member{}, ErrUnauthenticated // Removed since the request began.
	}

	return mine, target, err
}

// keepAnOwner refuses what would leave the tenant without an owner who stays.
func keepAnOwner(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, leaving Member) error {
	if leaving.Role != Owner {
		return nil
	}

	var others bool
	if err := tx.QueryRow(ctx, otherOwners, tenantID, leaving.ID).Scan(&others); err != nil {
		return err
	}

	if !others {
		return errLastOwner
	}

	return nil
}
