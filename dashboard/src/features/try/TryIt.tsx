import { Button, TextInput, Textarea, Title } from '@mantine/core';
import type { FormEvent } from 'react';
import { Outcomes } from './Outcomes';
import { useTrial, type Trial } from './useTrial';

const labels: Record<string, string> = { name: 'Name', email: 'E-mail', message: 'Message' };

/** Sends to an endpoint as a form would, and explains every answer. */
export function TryIt({ endpoint }: { endpoint: string }) {
  const trial = useTrial(endpoint);

  return (
    <section className="panel try" aria-labelledby="try-title">
      <div className="try-form">
        <Title order={2} id="try-title" className="panel-title">
          Try it
        </Title>
        <p className="muted">Send a submission, then send it again. Every answer is explained.</p>
        <TrialForm trial={trial} />
      </div>
      <Outcomes tries={trial.tries} />
    </section>
  );
}

function TrialForm({ trial }: { trial: Trial }) {
  const send = (event: FormEvent) => {
    event.preventDefault();
    void trial.sendNew();
  };

  return (
    <form onSubmit={send} className="stack">
      <TrialFields trial={trial} />
      <KeyField trial={trial} />
      <div className="actions">
        <Button type="submit" loading={trial.sending}>
          Send
        </Button>
        <Button variant="default" disabled={!trial.keyWasSent || trial.sending} onClick={() => void trial.sendAgain()}>
          Send again with the same key
        </Button>
      </div>
    </form>
  );
}

function TrialFields({ trial }: { trial: Trial }) {
  return trial.fields.map(({ name, value }) => {
    const Input = name === 'message' ? Textarea : TextInput;
    return (
      <Input
        key={name}
        label={labels[name]}
        value={value}
        onChange={(event) => trial.setField(name, event.currentTarget.value)}
        autoComplete="off"
      />
    );
  });
}

function KeyField({ trial }: { trial: Trial }) {
  return (
    <div className="key-row">
      <TextInput
        label="Idempotency key"
        description="Names this one intent, however often it is sent"
        value={trial.key}
        readOnly
        classNames={{ input: 'mono' }}
      />
      <Button variant="default" onClick={trial.renewKey}>
        New key
      </Button>
    </div>
  );
}
