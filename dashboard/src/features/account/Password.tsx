import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { changePassword, type AccountInfo } from '../../api/account';
import { Form, PasswordField } from '../../ui/Form';
import { say } from '../../ui/notice';
import { Panel } from '../../ui/Panel';

export function Password({ found }: { found: AccountInfo }) {
  const [round, setRound] = useState(0);

  if (!found.has_password) {
    return (
      <Panel title="Password" lead="You have none, and sign in another way.">
        <Link to="/forgotten">Choose one by the link of a mail</Link>
      </Panel>
    );
  }

  return (
    <Panel title="Password" lead="Changing it signs out all other devices.">
      <Form
        key={round}
        label="Change the password"
        send={async (values) => {
          await changePassword(values.secret('current_password'), values.secret('new_password'));
          say('The password is changed.');
          setRound(round + 1);
        }}
      >
        {/* Tells a password manager whose password this is. */}
        <input type="text" name="username" autoComplete="username" defaultValue={found.email} hidden readOnly />
        <PasswordField name="current_password" label="Current password" autoComplete="current-password" />
        <PasswordField
          name="new_password"
          label="New password"
          description="10 characters or more"
          autoComplete="new-password"
          minLength={10}
        />
      </Form>
    </Panel>
  );
}
