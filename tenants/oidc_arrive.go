package tenants

import (
	"context"
	"crypto/subtle"
	"errors"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Return is what a person brings back from the provider: the parameters of the authorization response (RFC 6749, section
// 4.1.2; RFC 9207), and the cookie of their departure.
type Return struct {
	Code, State, Issuer, Error string

	Cookie string
}

// persona is a person as the provider knows them.
type persona struct {
	issuer, subject string
	// email is the provider's word; verified says that it has made sure of it.
	email    string
	verified bool
	name     string
}

// Arrive begins a session for the person whom the provider has sent back, and returns where they wanted to be. Every way in
// which the answer could be another one's is refused. The errors are the Faults whose codes begin with oidc_, those of
// signing in, and second_factor_required.
func (p *Provider) Arrive(ctx context.Context, back Return, client Client) (Grant, string, error) {
	if p.options.Issuer == "" {
		return Grant{}, "", errNoProvider
	}

	if err := p.guard.Spend(ctx, ActSignIn, "", client.Network); err != nil {
		return Grant{}, "", err
	}

	departed, err := p.open(back)
	if err != nil {
		return Grant{}, "", err
	}

	if err := p.spend(ctx, departed); err != nil {
		return Grant{}, "", err
	}

	if back.Error != "" {
		return Grant{}, "", errProviderDenied
	}

	if back.Issuer != "" && back.Issuer != p.options.Issuer {
		return Grant{}, "", errTokenRefused
	}

	who, err := p.redeem(ctx, back.Code, departed)
	if err != nil {
		return Grant{}, "", err
	}

	loginID, err := p.recognise(ctx, who, client)
	if err != nil {
		return Grant{}, "", err
	}

	// A provider is trusted for who somebody is; a second factor that the person has set up here is asked for all the same.
	if err := p.signIns.askForMore(ctx, loginID); err != nil {
		return Grant{}, "", err
	}

	grant, err := p.signIns.sessions.Start(ctx, Arrival{LoginID: loginID, Method: ByOIDC, Client: client})

	return grant, departed.landing, err
}

// redeem turns the code into a person. The token has to be signed with a key of the provider, by an algorithm with a public
// key, for this service, for this departure, and not to have expired.
func (p *Provider) redeem(ctx context.Context, code string, departed departure) (persona, error) {
	provider, err := p.discover(ctx)
	if err != nil {
		return persona{}, err
	}

	ctx = oidc.ClientContext(ctx, p.client)

	tokens, err := p.oauth(provider).Exchange(ctx, code, oauth2.VerifierOption(departed.verifier))
	if _, refused := errors.AsType[*oauth2.RetrieveError](err); refused {
		return persona{}, errTokenRefused.Because(err)
	}

	if err != nil {
		return persona{}, errProviderAway.Because(err)
	}

	text, _ := tokens.Extra("id_token").(string)

	token, err := provider.Verifier(&oidc.Config{ClientID: p.options.ClientID}).Verify(ctx, text)
	if err != nil {
		return persona{}, errTokenRefused.Because(err)
	}

	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(departed.nonce)) != 1 {
		return persona{}, errTokenRefused
	}

	return p.personaOf(ctx, provider, tokens, token)
}

// personaOf reads the claims. A provider that leaves the address out of the token may tell it when asked (OpenID Connect
// Core 1.0, section 5.3).
func (p *Provider) personaOf(
	ctx context.Context, provider *oidc.Provider, tokens *oauth2.Token, token *oidc.IDToken,
) (persona, error) {
	claims := map[string]any{}
	if err := token.Claims(&claims); err != nil {
		return persona{}, errTokenRefused.Because(err)
	}

	// A token for several clients says which of them it was given to (section 3.1.3.7).
	if party, named := claims["azp"].(string); named && party != p.options.ClientID || !named && len(token.Audience) > 1 {
		return persona{}, errTokenRefused
	}

	if _, told := claims["email"]; !told && provider.UserInfoEndpoint() != "" {
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
		if err != nil {
			return persona{}, errProviderAway.Because(err)
		}

		if info.Subject != token.Subject {
			return persona{}, errTokenRefused
		}

		if err := info.Claims(&claims); err != nil {
			return persona{}, errTokenRefused.Because(err)
		}
	}

	who := persona{issuer: p.options.Issuer, subject: token.Subject}
	who.email, _ = claims["email"].(string)
	who.email = plainEmail(who.email)
	who.name, _ = claims["name"].(string)
	who.verified = affirmed(claims["email_verified"])

	if who.subject == "" || strings.ContainsRune(who.subject, 0) {
		return persona{}, errTokenRefused
	}

	return who, nil
}

// affirmed takes the text "true" as well, since some providers write their claims so.
func affirmed(claim any) bool { return claim == true || claim == "true" }
