import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { linkToken } from '../../api/link';
import { resetPassword } from '../../api/signin';
import { Form, PasswordField } from '../../ui/Form';
import { Screen } from '../../ui/Screen';
import { NoLink } from './NoLink';

export function Reset() {
  const [done, setDone] = useState(false);
  const token = linkToken();

  return (
    <Screen title="Choose a new password">
      {token === '' && <NoLink />}
      {token !== '' && done && (
        <p className="refused" role="status" data-tone="good">
          The password is changed, and every device is signed out. <Link to="/sign-in">Sign in with the new one</Link>
        </p>
      )}
      {token !== '' && !done && (
        <Form
          label="Change the password"
          send={async (values) => {
            await resetPassword(token, values.secret('password'));
            setDone(true);
          }}
        >
          <PasswordField
            name="password"
            label="New password"
            description="10 characters or more"
            autoComplete="new-password"
            minLength={10}
          />
        </Form>
      )}
    </Screen>
  );
}
