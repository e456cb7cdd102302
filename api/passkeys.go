package api

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"formonce/internal/moment"
	"formonce/tenants"
)

var passkeyRoutes = []route{
	{method: http.MethodGet, path: "/passkeys", role: tenants.Viewer, self: true, handle: (*API).listPasskeys},
	{method: http.MethodPost, path: "/passkeys/registration", role: tenants.Viewer, self: true, handle: (*API).beginRegistration},
	// A ceremony makes one passkey, whatever is sent again.
	{method: http.MethodPost, path: "/passkeys", role: tenants.Viewer, self: true, handle: (*API).registerPasskey},
	{method: http.MethodPatch, path: "/passkeys/:passkey", role: tenants.Viewer, self: true, handle: (*API).renamePasskey},
	{method: http.MethodDelete, path: "/passkeys/:passkey", role: tenants.Viewer, self: true, handle: (*API).removePasskey},
	{method: http.MethodPost, path: "/session/passkey/options", open: true, handle: (*API).beginPasskeySignIn},
	{method: http.MethodPost, path: "/session/passkey", open: true, handle: (*API).signInByPasskey},
}

type passkey struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Synced     bool    `json:"synced"`
	CreatedAt  string  `json:"created_at"`
	LastUsedAt *string `json:"last_used_at"`
}

// ceremony has the options in the shape that browsers read with parseCreationOptionsFromJSON and parseRequestOptionsFromJSON.
type ceremony struct {
	CeremonyID string         `json:"ceremony_id"`
	PublicKey  jsontext.Value `json:"public_key"`
}

func wirePasskey(p tenants.Passkey) passkey {
	wire := passkey{
		ID: tenants.PublicPasskeyID(p.ID), Name: p.Name, Synced: p.Synced, CreatedAt: moment.Write(p.CreatedAt),
	}

	if p.LastUsedAt != nil {
		used := moment.Write(*p.LastUsedAt)
		wire.LastUsedAt = &used
	}

	return wire
}

func wireCeremony(c tenants.Ceremony) ceremony {
	return ceremony{CeremonyID: tenants.PublicCeremonyID(c.ID), PublicKey: c.Options}
}

func (a *API) listPasskeys(r *request) (reply, error) {
	found, err := a.Entrance.Passkeys.List(r.ctx(), r.caller.LoginID)
	if err != nil {
		return reply{}, err
	}

	data := make([]passkey, len(found))
	for i := range found {
		data[i] = wirePasskey(found[i])
	}

	return ok(listOf(data, "")), nil
}

func (a *API) beginRegistration(r *request) (reply, error) {
	begun, err := a.Entrance.Passkeys.BeginRegistration(r.ctx(), r.caller.LoginID)
	if err != nil {
		return reply{}, err
	}

	return ok(wireCeremony(begun)), nil
}

func (a *API) registerPasskey(r *request) (reply, error) {
	var sent struct {
		CeremonyID string         `json:"ceremony_id"`
		Name       string         `json:"name"`
		Credential jsontext.Value `json:"credential"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	ceremonyID, err := tenants.ParseCeremonyID(sent.CeremonyID)
	if err != nil {
		return reply{}, err
	}

	made, err := a.Entrance.Passkeys.Register(r.ctx(), r.caller.LoginID, tenants.NewPasskey{
		CeremonyID: ceremonyID, Name: sent.Name, Credential: sent.Credential,
	}, r.client())
	if err != nil {
		return reply{}, err
	}

	return created(wirePasskey(made)), nil
}

func (a *API) renamePasskey(r *request) (reply, error) {
	var sent struct {
		Name string `json:"name"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	passkeyID, err := tenants.ParsePasskeyID(r.param("passkey"))
	if err != nil {
		return reply{}, err
	}

	renamed, err := a.Entrance.Passkeys.Rename(r.ctx(), r.caller.LoginID, passkeyID, sent.Name, r.client())
	if err != nil {
		return reply{}, err
	}

	return ok(wirePasskey(renamed)), nil
}

func (a *API) removePasskey(r *request) (reply, error) {
	passkeyID, err := tenants.ParsePasskeyID(r.param("passkey"))
	if err != nil {
		return reply{}, err
	}

	if err := a.Entrance.Passkeys.Remove(r.ctx(), r.caller.LoginID, passkeyID, r.client()); err != nil {
		return reply{}, err
	}

	return noContent(), nil
}

// beginPasskeySignIn is for somebody who is not known yet, or with a challenge for somebody whose password was right.
func (a *API) beginPasskeySignIn(r *request) (reply, error) {
	var sent struct {
		Challenge string `json:"challenge"`
	}

	if len(r.body) > 0 {
		if err := r.decode(&sent); err != nil {
			return reply{}, err
		}
	}

	var (
		begun tenants.Ceremony
		err   error
	)

	if sent.Challenge != "" {
		begun, err = a.Entrance.Factors.PasskeyOptions(r.ctx(), sent.Challenge)
	} else {
		begun, err = a.Entrance.Passkeys.BeginSignIn(r.ctx(), r.client())
	}

	if err != nil {
		return reply{}, err
	}

	return ok(wireCeremony(begun)), nil
}

func (a *API) signInByPasskey(r *request) (reply, error) {
	var sent struct {
		CeremonyID string         `json:"ceremony_id"`
		Credential jsontext.Value `json:"credential"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	ceremonyID, err := tenants.ParseCeremonyID(sent.CeremonyID)
	if err != nil {
		return reply{}, err
	}

	grant, err := a.Entrance.Passkeys.SignIn(r.ctx(), ceremonyID, sent.Credential, r.client())
	if err != nil {
		return reply{}, err
	}

	return a.signedIn(grant, ok(wireToken(grant.Access))), nil
}
