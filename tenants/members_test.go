package tenants_test

import (
	"sync"
	"testing"

	"formonce/internal/fault"
	"formonce/tenants"
)

func TestNobodyGivesOrTakesARoleAboveTheirOwn(t *testing.T) {
	t.Parallel()

	w := newTown(t)
	admin, viewer := w.join("admin@example.net", tenants.Admin), w.join("viewer@example.net", tenants.Viewer)

	for name, try := range map[string]struct {
		do   func() error
		code string
	}{
		"an admin makes an owner": {func() error {
			_, err := w.people.Members.ChangeRole(t.Context(), admin, viewer.MemberID, tenants.Owner)
			return err
		}, "role_too_high"},
		"an admin takes an owner's role": {func() error {
			_, err := w.people.Members.ChangeRole(t.Context(), admin, w.made.MemberID, tenants.Viewer)
			return err
		}, "role_too_high"},
		"an admin removes an owner": {func() error {
			return w.people.Members.Remove(t.Context(), admin, w.made.MemberID)
		}, "role_too_high"},
		"a viewer removes an admin": {func() error {
			return w.people.Members.Remove(t.Context(), viewer, admin.MemberID)
		}, "admin_needed"},
		"the last owner leaves": {func() error {
			return w.people.Members.Remove(t.Context(), w.owner(), w.made.MemberID)
		}, "last_owner"},
		"the last owner becomes less": {func() error {
			_, err := w.people.Members.ChangeRole(t.Context(), w.owner(), w.made.MemberID, tenants.Admin)
			return err
		}, "last_owner"},
		"an admin invites an owner": {func() error {
			_, err := w.people.Invitations.Create(t.Context(), admin, "x@example.net", tenants.Owner)
			return err
		}, "role_too_high"},
		"a role that there is not": {func() error {
			_, err := w.people.Members.ChangeRole(t.Context(), w.owner(), viewer.MemberID, "king")
			return err
		}, "invalid_role"},
	} {
		if err := try.do(); !fault.Has(err, try.code) {
			t.Errorf("%s: got %v, want %s", name, err, try.code)
		}
	}

	w.must(w.people.Members.Remove(t.Context(), viewer, viewer.MemberID))
}

func TestTwoOwnersWhoDemoteEachOtherLeaveOne(t *testing.T) {
	t.Parallel()

	w := newTown(t)
	other := w.join("other@example.net", tenants.Owner)

	for range 5 {
		change(t, w.db, "UPDATE members SET role = 'owner'")

		var group sync.WaitGroup

		for _, pair := range [][2]tenants.Caller{{w.owner(), other}, {other, w.owner()}} {
			group.Go(func() {
				_, _ = w.people.Members.ChangeRole(t.Context(), pair[0], pair[1].MemberID, tenants.Viewer)
			})
		}

		group.Wait()

		if n := count(t, w.db, "members WHERE role = 'owner'"); n != 1 {
			t.Fatalf("%d owners are left, want 1", n)
		}
	}
}

func TestAnInvitationMakesOneMember(t *testing.T) {
	t.Parallel()

	w := newTown(t)

	_, err := w.people.Invitations.Create(t.Context(), w.owner(), "Grace@Example.net", tenants.Editor)
	w.must(err)

	_, err = w.people.Invitations.Create(t.Context(), w.owner(), "grace@example.net", tenants.Viewer)
	wantFault(t, err, "already_invited")

	token := w.link()

	offer, err := w.people.Invitations.Preview(t.Context(), token, here)
	if err != nil || offer.TenantName != "Acme" || offer.Role != tenants.Editor || offer.HasLogin {
		t.Errorf("got %+v and %v", offer, err)
	}

	if through := race(t, 4, tenants.ErrLinkEnded.Code, func(int) error {
		_, err := w.people.Invitations.Accept(t.Context(), tenants.Acceptance{
			Token: token, Name: "Grace", Password: "a ship in port is safe", Client: here,
		})

		return err
	}); through != 1 {
		t.Errorf("the invitation was accepted %d times", through)
	}

	if n := count(t, w.db, `members m JOIN logins l ON l.id = m.login_id
		WHERE l.email = 'grace@example.net' AND l.email_verified_at IS NOT NULL AND m.role = 'editor'`); n != 1 {
		t.Errorf("%d members came of it, want 1", n)
	}

	_, err = w.people.Invitations.Create(t.Context(), w.owner(), "grace@example.net", tenants.Viewer)
	wantFault(t, err, "already_member")
}

func TestALoginThatThereIsHasToShowItsPassword(t *testing.T) {
	t.Parallel()

	w := newTown(t)
	beta := create(t, w.registry, tenants.NewTenant{Name: "Beta", Email: "bob@beta.example", Password: password})

	_, err := w.people.Invitations.Create(t.Context(), w.owner(), "bob@beta.example", tenants.Admin)
	w.must(err)

	token := w.link()

	_, err = w.people.Invitations.Accept(t.Context(), tenants.Acceptance{Token: token, Password: "not the one it is", Client: here})
	wantFault(t, err, "invalid_credentials")

	_, err = w.people.Invitations.Accept(t.Context(), tenants.Acceptance{Token: token, LoginID: w.made.LoginID, Client: here})
	wantFault(t, err, "invitation_for_another")

	grant, err := w.people.Invitations.Accept(t.Context(), tenants.Acceptance{Token: token, LoginID: beta.LoginID, Client: here})
	if err != nil || grant.TenantID != w.made.Tenant.ID {
		t.Errorf("got %+v and %v", grant, err)
	}
}

func TestAnUnprovenAddressInvitesNobody(t *testing.T) {
	t.Parallel()

	w := newTown(t)
	change(t, w.db, "UPDATE logins SET email_verified_at = NULL")

	_, err := w.people.Invitations.Create(t.Context(), w.owner(), "x@example.net", tenants.Viewer)
	wantFault(t, err, "email_not_verified")

	_, err = w.registry.CreateFor(t.Context(), w.made.LoginID, "Another", here)
	wantFault(t, err, "email_not_verified")

	w.must(w.people.Accounts.SendVerification(t.Context(), w.made.LoginID, here))
	w.must(w.people.Accounts.Verify(t.Context(), w.link(), here))

	_, err = w.people.Invitations.Create(t.Context(), w.owner(), "x@example.net", tenants.Viewer)
	w.must(err)
}

func TestAnAccountThatLeavesOthersWithoutAnOwnerStays(t *testing.T) {
	t.Parallel()

	w := newTown(t)
	other := w.join("other@example.net", tenants.Viewer)
	proof := tenants.Proof{Password: password}

	_, err := w.people.Accounts.Close(t.Context(), w.made.LoginID, proof, here)
	wantFault(t, err, "last_owner")

	w.must(w.people.Members.Remove(t.Context(), other, other.MemberID))

	closed, err := w.people.Accounts.Close(t.Context(), w.made.LoginID, proof, here)
	if err != nil || len(closed.Tenants) != 1 {
		t.Fatalf("got %+v and %v", closed, err)
	}

	found, err := w.registry.Get(t.Context(), w.made.Tenant.ID)
	if err != nil || found.Status != tenants.Closing {
		t.Errorf("got %+v and %v", found, err)
	}

	_, err = w.entrance.SignIns.SignIn(t.Context(), acme().Email, password, here)
	w.must(err)

	_, err = w.people.Accounts.Restore(t.Context(), w.made.LoginID, here)
	w.must(err)

	if found, err = w.registry.Get(t.Context(), w.made.Tenant.ID); err != nil || found.Status != tenants.Active {
		t.Errorf("got %+v and %v", found, err)
	}
}
