import { Checkbox, Input } from '@mantine/core';
import { createKey, scopes, type NewKey, type Scope } from '../../api/keys';
import { ChoiceField, Form, TextField } from '../../ui/Form';
import { Panel } from '../../ui/Panel';

const lives = [
  { value: '', label: 'does not end' },
  { value: '30', label: 'ends in 30 days' },
  { value: '90', label: 'ends in 90 days' },
  { value: '365', label: 'ends in a year' },
];

const day = 24 * 60 * 60 * 1000;

export function MakeKey({ onMade }: { onMade: (key: NewKey) => void }) {
  return (
    <Panel title="Make a key">
      <Form
        label="Make the key"
        send={async (values) => {
          const days = values.number('days');
          const expires_at = days === null ? null : new Date(Date.now() + days * day).toISOString();
          onMade(await createKey({ name: values.text('name'), scopes: values.all('scope') as Scope[], expires_at }));
        }}
      >
        <TextField name="name" label="Name" description="What uses it" required maxLength={120} />
        <Input.Wrapper label="It may" labelElement="div">
          <div className="checks" role="group" aria-label="It may">
            {scopes.map((scope) => (
              <Checkbox key={scope} name="scope" value={scope} label={scope} />
            ))}
          </div>
        </Input.Wrapper>
        <ChoiceField name="days" label="The key" data={lives} />
      </Form>
    </Panel>
  );
}
