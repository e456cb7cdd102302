package main_test

import (
	"strings"
	"testing"

	"github.com/oauth2-proxy/mockoidc"
)

// TestTheSettingsOfAProviderReachTheSignIn runs the program with a provider that is there.
func TestTheSettingsOfAProviderReachTheSignIn(t *testing.T) {
	t.Parallel()

	provider, err := mockoidc.Run()
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = provider.Shutdown() })

	s := install(t, map[string]string{
		"OIDC_ISSUER": provider.Issuer(), "OIDC_CLIENT_ID": provider.ClientID, "OIDC_CLIENT_SECRET": provider.ClientSecret,
	})
	s.start()

	host := strings.TrimPrefix(provider.Addr(), "http://")
	methods := s.want(200, "GET", "/api/v1/sign-in-methods", "")

	// Reached by a bare address, it offers no passkeys.
	if !strings.Contains(methods.body, `"name":"`+host+`"`) || !strings.Contains(methods.body, `"passkey":false`) {
		t.Errorf("got %s", methods.body)
	}

	left := s.want(302, "GET", "/api/v1/oidc/start?return_to=/dashboard/", "")
	if to := left.header.Get("Location"); !strings.HasPrefix(to, provider.AuthorizationEndpoint()+"?") ||
		!strings.Contains(to, "code_challenge_method=S256") {
		t.Errorf("led to %s", to)
	}

	back := s.want(303, "GET", "/api/v1/oidc/callback?state=a&code=b", "")
	if to := back.header.Get("Location"); to != "/dashboard/sign-in?error=oidc_state_wrong" {
		t.Errorf("led to %s", to)
	}
}
