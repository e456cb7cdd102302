// What the service puts into the address when signing in at the provider did not work out.
export const oidcErrors: Record<string, string> = {
  oidc_not_configured: 'There is no sign-in at a provider here. Use your password or a passkey.',
  oidc_unavailable: 'The provider does not answer at the moment. Try again, or sign in another way.',
  oidc_state_wrong: 'This sign-in was begun in another browser, took too long, or is over already. Begin again.',
  oidc_denied: 'The provider did not let you in, or you stopped it. Begin again, or sign in another way.',
  oidc_refused: 'What the provider answered cannot be trusted. Begin again; if it stays, ask whoever runs this service.',
  oidc_email_not_verified: 'The provider has not made sure of your address. Confirm it there, or sign in another way.',
  oidc_login_not_verified:
    'Your address was never confirmed here. Sign in with its password, confirm it, and use the provider then.',
  oidc_not_invited: 'Nobody with your address is known here. Ask for an invitation.',
  rate_limit_exceeded: 'That was tried too often. Wait some minutes, then try again.',
};

export const oidcError = 'Signing in at the provider did not work. Try again, or sign in another way.';
