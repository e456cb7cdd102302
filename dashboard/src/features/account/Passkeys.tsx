import { useQuery } from '@tanstack/react-query';
import { canUsePasskeys, deletePasskey, passkeyList, registerPasskey, renamePasskey, type Passkey } from '../../api/passkeys';
import { Confirm } from '../../ui/Confirm';
import { Form, TextField } from '../../ui/Form';
import { Loaded } from '../../ui/Loaded';
import { Moment } from '../../ui/Moment';
import { say } from '../../ui/notice';
import { Panel } from '../../ui/Panel';

export function Passkeys() {
  const query = useQuery(passkeyList);

  return (
    <Panel title="Passkeys" lead="Sign in with a fingerprint, a face or a key of hardware, without a password.">
      <Loaded query={query} what="your passkeys">
        {({ data }) => (
          <ul className="rows">
            {data.map((one) => (
              <Row key={one.id} one={one} />
            ))}
          </ul>
        )}
      </Loaded>
      {canUsePasskeys() ? (
        <Form
          label="Add a passkey"
          send={async (values) => {
            await registerPasskey(values.text('name'));
            say('The passkey is added.');
          }}
        >
          <TextField
            name="name"
            label="Name of the passkey"
            description="Such as: my phone"
            required
            maxLength={120}
            autoComplete="off"
          />
        </Form>
      ) : (
        <p className="muted small">This browser, or this address without https, has no passkeys.</p>
      )}
    </Panel>
  );
}

function Row({ one }: { one: Passkey }) {
  return (
    <li className="row">
      <div className="row-what">
        <strong>{one.name}</strong>
        <p className="muted small">
          since <Moment at={one.created_at} /> ·{' '}
          {one.last_used_at ? (
            <>
              used <Moment at={one.last_used_at} />
            </>
          ) : (
            'never used'
          )}
        </p>
      </div>
      <div className="actions">
        <Confirm
          quiet
          danger={false}
          button="Rename"
          name={one.name}
          title={`Rename ${one.name}`}
          label="Rename it"
          send={(values) => renamePasskey(one.id, values.text('name'))}
        >
          <TextField name="name" label="Name" defaultValue={one.name} required maxLength={120} data-autofocus />
        </Confirm>
        <Confirm
          quiet
          button="Remove"
          name={one.name}
          title={`Remove ${one.name}?`}
          label="Remove it"
          send={() => deletePasskey(one.id)}
        >
          <p>It does not sign you in any more.</p>
        </Confirm>
      </div>
    </li>
  );
}
