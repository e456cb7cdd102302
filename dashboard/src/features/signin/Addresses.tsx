import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { linkToken } from '../../api/link';
import { confirmNewAddress, verifyAddress } from '../../api/signin';
import { Form } from '../../ui/Form';
import { Screen } from '../../ui/Screen';
import { NoLink } from './NoLink';

/** The landing page of the link that proves an address at sign-up. */
export function Verify() {
  return <Confirmed title="Confirm your address" label="Confirm it" done="Your address is confirmed." send={verifyAddress} />;
}

/** The landing page of the link that goes to a new address. */
export function NewAddress() {
  return (
    <Confirmed title="Use this address from now on" label="Use it" done="Your address is changed." send={confirmNewAddress} />
  );
}

type Props = { title: string; label: string; done: string; send: (token: string) => Promise<void> };

// A button, since programs that look at mails open their links as well.
function Confirmed({ title, label, done, send }: Props) {
  const [confirmed, setConfirmed] = useState(false);
  const token = linkToken();

  return (
    <Screen title={title}>
      {token === '' && <NoLink />}
      {token !== '' && confirmed && (
        <p className="refused" role="status" data-tone="good">
          {done} <Link to="/">Go to the dashboard</Link>
        </p>
      )}
      {token !== '' && !confirmed && (
        <Form
          label={label}
          send={async () => {
            await send(token);
            setConfirmed(true);
          }}
        />
      )}
    </Screen>
  );
}
