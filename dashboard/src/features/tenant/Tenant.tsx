import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createTenant, deleteTenant, tenant, updateTenant, type TaggedTenant } from '../../api/tenant';
import { newest } from '../../api/queries';
import { useMay } from '../../api/who';
import { Confirm } from '../../ui/Confirm';
import { ChoiceField, Form, TextField } from '../../ui/Form';
import { languages } from '../../ui/languages';
import { Loaded } from '../../ui/Loaded';
import { say } from '../../ui/notice';
import { Panel } from '../../ui/Panel';
import { useRevised } from '../../ui/useRevised';
import { Screen } from '../../ui/Screen';

export function Tenant() {
  const query = useQuery(tenant);

  return (
    <Screen title="Tenant" lead="What everything here belongs to.">
      <Loaded query={query} what="the tenant">
        {(found) => (
          <>
            <Settings found={found} />
            <Another />
            <Erase found={found} />
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function Settings({ found: first }: { found: TaggedTenant }) {
  const admin = useMay('admin');
  const { base: found, etag, saved, explain } = useRevised(first, () => newest(tenant));

  return (
    <Panel title="Settings" lead={admin ? undefined : 'Admins and owners change these.'}>
      <Form
        key={found.etag}
        label="Save the settings"
        disabled={!admin}
        explain={explain}
        send={async (values) => {
          const settings = {
            name: values.text('name'),
            time_zone: values.text('time_zone'),
            default_language: values.text('default_language') as TaggedTenant['default_language'],
            default_region: values.text('default_region').toUpperCase(),
          };
          saved(await updateTenant(etag, settings));
          say('The settings are saved.');
        }}
      >
        <fieldset className="fields" disabled={!admin}>
          <TextField name="name" label="Name" defaultValue={found.name} required maxLength={120} />
          <TextField
            name="slug"
            label="Short name"
            description="Commands know the tenant by it. It stays."
            defaultValue={found.slug}
            readOnly
          />
          <TextField
            name="time_zone"
            label="Time zone"
            description="Such as Europe/Berlin; for exports and mails"
            defaultValue={found.time_zone}
            list="zones"
          />
          <Zones />
          <ChoiceField
            name="default_language"
            label="Language"
            description="For visitors whose own is not known"
            defaultValue={found.default_language}
            data={languages}
          />
          <TextField
            name="default_region"
            label="Country of phone numbers"
            description="Two letters, such as DE, for numbers without +"
            defaultValue={found.default_region}
            maxLength={2}
          />
        </fieldset>
      </Form>
    </Panel>
  );
}

function Zones() {
  return (
    <datalist id="zones">
      {Intl.supportedValuesOf('timeZone').map((zone) => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  );
}

function Another() {
  const navigate = useNavigate();

  return (
    <Panel title="Another tenant" lead="For another customer or project, with its own members. Your sign-in works for both.">
      <Form
        label="Make it"
        send={async (values) => {
          await createTenant(values.text('name'));
          await navigate({ to: '/endpoints' });
        }}
      >
        <TextField name="name" label="Name of the other tenant" required maxLength={120} />
      </Form>
    </Panel>
  );
}

function Erase({ found }: { found: TaggedTenant }) {
  const owner = useMay('owner');
  if (!owner || found.delete_after) return null;

  return (
    <Panel
      danger
      title="Erase this tenant"
      lead="Its endpoints refuse submissions at once. After 14 days all of it is erased; until then an owner can keep it after all."
    >
      <Confirm
        button="Erase the tenant"
        title={`Erase ${found.name}?`}
        label="Erase it"
        send={async (values) => {
          await deleteTenant(values.text('confirm'));
          say('The tenant is closed, and will be erased in 14 days.');
        }}
      >
        <TextField
          name="confirm"
          label={`Type ${found.slug} to show that you mean it`}
          required
          autoComplete="off"
          autoCapitalize="none"
          data-autofocus
        />
      </Confirm>
    </Panel>
  );
}
