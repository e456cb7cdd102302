import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { forgottenPassword } from '../../api/signin';
import { Form, TextField } from '../../ui/Form';
import { Screen } from '../../ui/Screen';

export function Forgotten() {
  const [sent, setSent] = useState<string>();

  return (
    <Screen title="Forgotten your password?" lead="We send you a link by which you choose a new one. It works for an hour.">
      {sent ? (
        <p className="refused" role="status" data-tone="good">
          If {sent} belongs to somebody here, the mail is on its way. Look into the folder for spam as well.
        </p>
      ) : (
        <Form
          label="Send the link"
          send={async (values) => {
            const email = values.text('email');
            await forgottenPassword(email);
            setSent(email);
          }}
        >
          <TextField name="email" type="email" label="E-mail" autoComplete="username" required />
        </Form>
      )}
      <p className="small">
        <Link to="/sign-in">Back to sign-in</Link>
      </p>
    </Screen>
  );
}
