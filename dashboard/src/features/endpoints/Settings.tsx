import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { deleteEndpoint, endpointById, updateEndpoint, type EndpointSettings, type TaggedEndpoint } from '../../api/endpoints';
import { newest } from '../../api/queries';
import { useMay } from '../../api/who';
import { Confirm } from '../../ui/Confirm';
import { ChoiceField, Form, LongField, SwitchField, TextField, type Values } from '../../ui/Form';
import { say } from '../../ui/notice';
import { Panel } from '../../ui/Panel';
import { useRevised } from '../../ui/useRevised';

export function Settings() {
  const { endpoint } = useParams({ from: '/app/endpoints/$endpoint' });
  const { data } = useSuspenseQuery(endpointById(endpoint));
  const editor = useMay('editor');
  const admin = useMay('admin');

  return (
    <>
      <Panel title="Settings" lead={editor ? undefined : 'Editors, admins and owners change these.'}>
        <SettingsForm found={data} editor={editor} />
      </Panel>
      {admin && <GiveUp endpoint={data} />}
    </>
  );
}

function SettingsForm({ found, editor }: { found: TaggedEndpoint; editor: boolean }) {
  const { base: endpoint, etag, saved, explain } = useRevised(found, () => newest(endpointById(found.id)));

  const save = async (values: Values) => {
    saved(await updateEndpoint(endpoint.id, etag, read(values)));
    say('The settings are saved.');
  };

  return (
    <Form key={endpoint.etag} label="Save the settings" send={save} disabled={!editor} explain={explain}>
      <fieldset className="fields" disabled={!editor}>
        <TextField name="name" label="Name" defaultValue={endpoint.name} required maxLength={120} />
        <SwitchField
          name="closed"
          label="Closed"
          description="Refuses submissions and keeps what was received."
          defaultChecked={endpoint.closed ?? false}
        />
        <LongField
          name="allowed_origins"
          label="Pages that may post here"
          description="One origin a line, such as https://www.example.com or https://*.example.com. Empty: all may."
          defaultValue={(endpoint.allowed_origins ?? []).join('\n')}
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextField
          name="redirect_url"
          type="url"
          label="After success a browser goes to"
          description="When the form itself does not say. Empty: a page of Formonce that says thank you."
          defaultValue={endpoint.redirect_url ?? ''}
        />
        <Keeping endpoint={endpoint} />
        <OnceSettings endpoint={endpoint} />
        <SpamSettings endpoint={endpoint} />
      </fieldset>
    </Form>
  );
}

type PartProps = { endpoint: TaggedEndpoint };

function Keeping({ endpoint }: PartProps) {
  return (
    <fieldset className="group">
      <legend>Keeping</legend>
      <TextField
        name="retention_days"
        type="number"
        min={1}
        max={3650}
        label="Erase submissions after days"
        description="Empty: they are kept until somebody erases them."
        defaultValue={endpoint.retention_days ?? ''}
      />
      <SwitchField
        name="keep_client_hash"
        label="Keep a hash of the sender's address"
        description="Tells whether two submissions came from one place, without telling from where."
        defaultChecked={endpoint.keep_client_hash ?? false}
      />
    </fieldset>
  );
}

function OnceSettings({ endpoint: { idempotency = {} } }: PartProps) {
  return (
    <fieldset className="group">
      <legend>Exactly once</legend>
      <SwitchField
        name="required"
        label="Every submission needs an idempotency key"
        description="Without one it is refused. Plain HTML forms get one by themselves."
        defaultChecked={idempotency.required ?? false}
      />
      <ChoiceField
        name="format"
        label="A key is"
        defaultValue={idempotency.format ?? 'any'}
        data={[
          { value: 'any', label: 'any text' },
          { value: 'uuid', label: 'a UUID' },
        ]}
      />
      <ChoiceField
        name="order"
        label="Fields in another order are"
        defaultValue={idempotency.order ?? 'significant'}
        data={[
          { value: 'significant', label: 'another submission' },
          { value: 'ignored', label: 'the same submission' },
        ]}
      />
      <ChoiceField
        name="replay_status"
        label="A retry is answered with"
        defaultValue={String(idempotency.replay_status ?? 202)}
        data={[
          { value: '202', label: '202, as the first time' },
          { value: '200', label: '200' },
        ]}
      />
      <TextField
        name="tombstone_days"
        type="number"
        min={0}
        max={3650}
        label="Remember the key of an erased submission for days"
        defaultValue={idempotency.tombstone_days ?? 0}
        required
      />
    </fieldset>
  );
}

function SpamSettings({ endpoint: { spam = {} } }: PartProps) {
  return (
    <fieldset className="group">
      <legend>Spam</legend>
      <TextField
        name="honeypot"
        label="Trap field"
        description="The name of a field that people do not see. Who fills it in is a program."
        defaultValue={spam.honeypot ?? ''}
        autoCapitalize="none"
        maxLength={120}
      />
      <SwitchField
        name="refuse"
        label="Refuse spam"
        description="Otherwise it is kept under the status spam."
        defaultChecked={spam.refuse ?? false}
      />
    </fieldset>
  );
}

function read(values: Values): EndpointSettings {
  return {
    name: values.text('name'),
    closed: values.on('closed'),
    allowed_origins: values.lines('allowed_origins'),
    redirect_url: values.text('redirect_url'),
    retention_days: values.number('retention_days'),
    keep_client_hash: values.on('keep_client_hash'),
    idempotency: {
      required: values.on('required'),
      format: values.text('format') === 'uuid' ? 'uuid' : 'any',
      order: values.text('order') === 'ignored' ? 'ignored' : 'significant',
      replay_status: values.text('replay_status') === '200' ? 200 : 202,
      tombstone_days: values.number('tombstone_days') ?? 0,
    },
    spam: { honeypot: values.text('honeypot'), refuse: values.on('refuse') },
  };
}

function GiveUp({ endpoint }: PartProps) {
  const navigate = useNavigate();

  return (
    <Panel
      danger
      title="Give up this endpoint"
      lead="Its address stops working at once, and its submissions are erased. Nobody else gets the address."
    >
      <Confirm
        button="Give it up"
        title={`Give up ${endpoint.name}?`}
        label="Give it up for good"
        send={async () => {
          await deleteEndpoint(endpoint.id);
          say('The endpoint is given up.');
          await navigate({ to: '/endpoints' });
        }}
      >
        <p>All submissions of this endpoint are erased with it. That cannot be undone.</p>
      </Confirm>
    </Panel>
  );
}
