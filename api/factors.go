package api

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"formonce/internal/moment"
	"formonce/tenants"
)

var factorRoutes = []route{
	{method: http.MethodGet, path: "/second-factor", role: tenants.Viewer, self: true, handle: (*API).getFactor},
	{method: http.MethodPost, path: "/second-factor/totp", role: tenants.Viewer, self: true, handle: (*API).proposeTOTP},
	{method: http.MethodPost, path: "/second-factor/totp/confirm", role: tenants.Viewer, self: true, handle: (*API).confirmTOTP},
	{method: http.MethodDelete, path: "/second-factor/totp", role: tenants.Viewer, self: true, handle: (*API).removeTOTP},
	{
		method: http.MethodPost, path: "/second-factor/recovery-codes", role: tenants.Viewer, self: true,
		handle: (*API).renewRecoveryCodes,
	},
	{method: http.MethodPost, path: "/session/second-factor", open: true, handle: (*API).answerChallenge},
}

type factorState struct {
	TOTP          bool    `json:"totp"`
	EnabledAt     *string `json:"enabled_at"`
	RecoveryCodes int     `json:"recovery_codes_left"`
	Passkeys      int     `json:"passkeys"`
}

type proposal struct {
	Secret string `json:"secret"`
	URI    string `json:"uri"`
	QR     string `json:"qr_svg"`
}

type recoveryCodes struct {
	RecoveryCodes []string `json:"recovery_codes"`
}

// proof is the body of what is asked for only from the person themselves.
type proof struct {
	Password     string `json:"password"`
	Code         string `json:"code"`
	RecoveryCode string `json:"recovery_code"`
}

func (r *request) proof() (tenants.Proof, error) {
	var sent proof
	if err := r.decode(&sent); err != nil {
		return tenants.Proof{}, err
	}

	return tenants.Proof{Password: sent.Password, Code: sent.Code, RecoveryCode: sent.RecoveryCode}, nil
}

func (a *API) getFactor(r *request) (reply, error) {
	state, err := a.Entrance.Factors.State(r.ctx(), r.caller.LoginID)
	if err != nil {
		return reply{}, err
	}

	answer := factorState{TOTP: state.TOTP, RecoveryCodes: state.RecoveryCodes, Passkeys: state.Passkeys}
	if state.TOTP {
		since := moment.Write(state.Since)
		answer.EnabledAt = &since
	}

	return ok(answer), nil
}

func (a *API) proposeTOTP(r *request) (reply, error) {
	made, err := a.Entrance.Factors.ProposeTOTP(r.ctx(), r.caller.LoginID)
	if err != nil {
		return reply{}, err
	}

	drawn, err := drawQR(made.URI)
	if err != nil {
		return reply{}, err
	}

	return ok(proposal{Secret: made.Secret, URI: made.URI, QR: drawn}), nil
}

func (a *API) confirmTOTP(r *request) (reply, error) {
	var sent struct {
		Code string `json:"code"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	codes, err := a.Entrance.Factors.ConfirmTOTP(r.ctx(), r.caller.LoginID, sent.Code, r.client())
	if err != nil {
		return reply{}, err
	}

	return ok(recoveryCodes{codes}), nil
}

func (a *API) removeTOTP(r *request) (reply, error) {
	proven, err := r.proof()
	if err != nil {
		return reply{}, err
	}

	if err := a.Entrance.Factors.RemoveTOTP(r.ctx(), r.caller.LoginID, proven, r.client()); err != nil {
		return reply{}, err
	}

	return noContent(), nil
}

func (a *API) renewRecoveryCodes(r *request) (reply, error) {
	proven, err := r.proof()
	if err != nil {
		return reply{}, err
	}

	codes, err := a.Entrance.Factors.RenewRecoveryCodes(r.ctx(), r.caller.LoginID, proven, r.client())
	if err != nil {
		return reply{}, err
	}

	return ok(recoveryCodes{codes}), nil
}

func (a *API) answerChallenge(r *request) (reply, error) {
	var sent struct {
		Challenge    string         `json:"challenge"`
		Code         string         `json:"code"`
		RecoveryCode string         `json:"recovery_code"`
		CeremonyID   string         `json:"ceremony_id"`
		Credential   jsontext.Value `json:"credential"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	answer := tenants.FactorAnswer{
		Challenge: sent.Challenge, Code: sent.Code, RecoveryCode: sent.RecoveryCode, Credential: sent.Credential,
	}

	if len(sent.Credential) > 0 {
		var err error
		if answer.CeremonyID, err = tenants.ParseCeremonyID(sent.CeremonyID); err != nil {
			return reply{}, err
		}
	}

	grant, err := a.Entrance.Factors.Answer(r.ctx(), answer, r.client())
	if err != nil {
		return reply{}, err
	}

	return a.signedIn(grant, ok(wireToken(grant.Access))), nil
}
