import { Button } from '@mantine/core';
import { useState } from 'react';
import { answerChallenge, type Challenge } from '../../api/signin';
import { answerWithPasskey, canUsePasskeys } from '../../api/passkeys';
import { asRefusal, type Refusal } from '../../api/refusal';
import { Form, TextField } from '../../ui/Form';
import { Refused } from '../../ui/Refused';

type Props = { challenge: Challenge; onDone: () => Promise<void>; onBack: () => void };

/** The second step of signing in: a code of the app, or one of the recovery codes. */
export function SecondStep({ challenge, onDone, onBack }: Props) {
  const [recovery, setRecovery] = useState(false);

  return (
    <>
      <p>{recovery ? 'Enter one of your recovery codes. Each works once.' : 'Enter the code that your app shows now.'}</p>
      <Form
        key={String(recovery)}
        label="Go on"
        send={async (values) => {
          const code = values.text('code');
          await answerChallenge({
            challenge: challenge.challenge,
            ...(recovery ? { recovery_code: code } : { code: code.replace(/\s/g, '') }),
          });
          await onDone();
        }}
        more={
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
        }
      >
        {recovery ? (
          <TextField
            name="code"
            label="Recovery code"
            required
            autoFocus
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        ) : (
          <TextField
            name="code"
            label="Code"
            required
            autoFocus
            autoComplete="one-time-code"
            inputMode="numeric"
            pattern="[0-9 ]{6,8}"
            title="Six digits"
          />
        )}
      </Form>
      {challenge.methods.includes('passkey') && canUsePasskeys() && (
        <PasskeyInstead challenge={challenge.challenge} onDone={onDone} />
      )}
      <button type="button" className="link" onClick={() => setRecovery(!recovery)}>
        {recovery ? 'Use the code of the app' : 'Use a recovery code'}
      </button>
    </>
  );
}

function PasskeyInstead({ challenge, onDone }: { challenge: string; onDone: () => Promise<void> }) {
  const [refusal, setRefusal] = useState<Refusal>();

  return (
    <div className="form">
      {refusal && <Refused refusal={refusal} />}
      <Button
        variant="default"
        onClick={() =>
          void answerWithPasskey(challenge)
            .then(onDone)
            .catch((error: unknown) => setRefusal(asRefusal(error)))
        }
      >
        Use a passkey
      </Button>
    </div>
  );
}
