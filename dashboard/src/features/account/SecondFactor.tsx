import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  beginTotp,
  confirmTotp,
  endTotp,
  factorState,
  renewRecoveryCodes,
  type FactorState,
  type TotpSetup,
} from '../../api/factors';
import { Confirm } from '../../ui/Confirm';
import { CopyText } from '../../ui/CopyText';
import { Form, PasswordField, TextField } from '../../ui/Form';
import { Loaded } from '../../ui/Loaded';
import { say, sayRefused } from '../../ui/notice';
import { Once } from '../../ui/Once';
import { Panel } from '../../ui/Panel';

export function SecondFactor() {
  const query = useQuery(factorState);
  const [codes, setCodes] = useState<readonly string[]>();

  return (
    <Panel title="Second step at sign-in" lead="Besides the password, a code that an app on your phone shows.">
      {codes && <Once name="Each of these recovery codes" text={codes.join('\n')} />}
      <Loaded query={query} what="your second step">
        {(state) => (state.totp ? <On state={state} onCodes={setCodes} /> : <Off onCodes={setCodes} />)}
      </Loaded>
    </Panel>
  );
}

type Props = { onCodes: (codes: readonly string[] | undefined) => void };

function On({ state, onCodes }: Props & { state: FactorState }) {
  return (
    <>
      <p>
        <span className="pill" data-tone="good">
          On
        </span>{' '}
        {state.recovery_codes_left} recovery codes are left.
      </p>
      <div className="actions">
        <Confirm
          button="New recovery codes"
          title="New recovery codes"
          label="Make new codes"
          danger={false}
          send={async (values) => onCodes(await renewRecoveryCodes(values.secret('password')))}
        >
          <p>The codes that you have end with that.</p>
          <PasswordField name="password" label="Your password" autoComplete="current-password" data-autofocus />
        </Confirm>
        <Confirm
          button="Switch it off"
          title="Switch the second step off?"
          label="Switch it off"
          send={async (values) => {
            await endTotp(values.secret('password'));
            onCodes(undefined);
            say('The second step is off.');
          }}
        >
          <PasswordField name="password" label="Your password" autoComplete="current-password" data-autofocus />
        </Confirm>
      </div>
    </>
  );
}

function Off({ onCodes }: Props) {
  const [setup, setSetup] = useState<TotpSetup>();
  if (!setup) {
    return (
      <div className="actions">
        <Button variant="default" onClick={() => void beginTotp().then(setSetup, sayRefused)}>
          Set it up
        </Button>
      </div>
    );
  }

  return (
    <Form
      label="Switch it on"
      send={async (values) => {
        onCodes(await confirmTotp(values.text('code').replace(/\s/g, '')));
        say('The second step is on.');
      }}
    >
      <p>Scan this with your app, or type the secret into it, then enter the code that it shows.</p>
      {setup.qr_svg && (
        <img className="qr" alt="The secret as a QR code" src={`data:image/svg+xml,${encodeURIComponent(setup.qr_svg)}`} />
      )}
      <CopyText name="Secret" text={setup.secret} />
      <TextField
        name="code"
        label="Code"
        required
        autoComplete="one-time-code"
        inputMode="numeric"
        pattern="[0-9 ]{6,8}"
        title="Six digits"
      />
    </Form>
  );
}
