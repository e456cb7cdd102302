import { Button, Divider } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { canUsePasskeys, signInWithPasskey } from '../../api/passkeys';
import { asRefusal, type Refusal } from '../../api/refusal';
import { challengeOf, challengeOfAddress, signIn, signInMethods } from '../../api/signin';
import { placeOf } from '../../search';
import { Form, PasswordField, TextField } from '../../ui/Form';
import { Refused } from '../../ui/Refused';
import { Screen } from '../../ui/Screen';
import { oidcError, oidcErrors } from './oidcErrors';
import { SecondStep } from './SecondStep';

/** Goes where somebody wanted to go when they were asked to sign in; only to pages of the dashboard. */
function useGoOn(): () => Promise<void> {
  const { to } = useSearch({ from: '/visitor/sign-in' });
  const navigate = useNavigate();

  return () => navigate(placeOf(to));
}

export function SignIn() {
  const { error } = useSearch({ from: '/visitor/sign-in' });
  const [challenge, setChallenge] = useState(challengeOfAddress);
  const goOn = useGoOn();

  if (challenge) {
    return (
      <Screen key="second" title="Second step">
        <SecondStep challenge={challenge} onDone={goOn} onBack={() => setChallenge(undefined)} />
      </Screen>
    );
  }

  return (
    <Screen title="Sign in">
      {error && error !== 'second_factor_required' && (
        <p className="refused" role="alert" data-tone="bad">
          {oidcErrors[error] ?? oidcError}
        </p>
      )}
      <Form
        label="Sign in"
        send={async (values) => {
          try {
            await signIn(values.text('email'), values.secret('password'));
          } catch (refused) {
            const asked = challengeOf(refused);
            if (!asked) throw refused;
            setChallenge(asked);
            return;
          }
          await goOn();
        }}
      >
        <TextField name="email" type="email" label="E-mail" autoComplete="username webauthn" required />
        <PasswordField name="password" label="Password" autoComplete="current-password" />
      </Form>
      <OtherWays onDone={goOn} />
      <p className="small">
        <Link to="/forgotten">Forgotten your password?</Link>
        <SignUpLink />
      </p>
    </Screen>
  );
}

function OtherWays({ onDone }: { onDone: () => Promise<void> }) {
  const { to = '/' } = useSearch({ from: '/visitor/sign-in' });
  const { data: methods } = useQuery(signInMethods);
  const [refusal, setRefusal] = useState<Refusal>();
  const passkey = methods?.passkey === true && canUsePasskeys();
  if (!methods || (!passkey && !methods.oidc)) return null;

  const usePasskey = () => {
    setRefusal(undefined);
    void signInWithPasskey()
      .then(onDone)
      .catch((error: unknown) => setRefusal(asRefusal(error)));
  };

  return (
    <div className="form">
      <Divider label="or" labelPosition="center" />
      {refusal && <Refused refusal={refusal} />}
      {passkey && (
        <Button variant="default" fullWidth onClick={usePasskey}>
          Sign in with a passkey
        </Button>
      )}
      {methods.oidc && (
        <Button
          variant="default"
          fullWidth
          component="a"
          href={`${methods.oidc.start_url}?${new URLSearchParams({ return_to: `/dashboard${to}` })}`}
        >
          Sign in with {methods.oidc.name}
        </Button>
      )}
    </div>
  );
}

function SignUpLink() {
  const { data: methods } = useQuery(signInMethods);
  if (methods?.signup !== 'open') return null;

  return (
    <>
      {' '}
      · <Link to="/sign-up">Sign up</Link>
    </>
  );
}
