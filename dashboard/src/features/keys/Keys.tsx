import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { changeKey, keyList, revokeKey, rotateKey, type ApiKey, type NewKey } from '../../api/keys';
import { Confirm } from '../../ui/Confirm';
import { Empty } from '../../ui/Empty';
import { ChoiceField, TextField } from '../../ui/Form';
import { Loaded } from '../../ui/Loaded';
import { Moment } from '../../ui/Moment';
import { Once } from '../../ui/Once';
import { say } from '../../ui/notice';
import { Pager } from '../../ui/Pager';
import { Panel } from '../../ui/Panel';
import { Screen } from '../../ui/Screen';
import { MakeKey } from './MakeKey';

export function Keys() {
  const { cursor } = useSearch({ from: '/app/api-keys' });
  const query = useQuery(keyList(cursor));
  const [made, setMade] = useState<NewKey>();

  return (
    <Screen title="API keys" lead="With a key a program may do what its scopes say. Sending a form needs none.">
      {made && <Once name={`The key ${made.name}`} text={made.key} />}
      <Loaded query={query} what="the API keys">
        {({ data, next_cursor }) => (
          <>
            <MakeKey onMade={setMade} />
            {data.length === 0 ? (
              <Empty title="No key yet" />
            ) : (
              <ul className="cards">
                {data.map((key) => (
                  <Card key={key.id} one={key} onRotated={setMade} />
                ))}
              </ul>
            )}
            <Pager next={next_cursor} />
          </>
        )}
      </Loaded>
    </Screen>
  );
}

const graces = [
  { value: '0', label: 'at once' },
  { value: '3600', label: 'in an hour' },
  { value: '86400', label: 'in a day' },
  { value: '604800', label: 'in a week' },
];

function Card({ one, onRotated }: { one: ApiKey; onRotated: (key: NewKey) => void }) {
  return (
    <li>
      <Panel title={one.name} actions={<State one={one} />}>
        <p className="mono small">{one.prefix}…</p>
        <p className="muted small">
          {one.scopes.join(', ')} · made <Moment at={one.created_at} /> ·{' '}
          {one.last_used_at ? <>used <Moment at={one.last_used_at} /></> : 'never used'}
          {one.expires_at && <> · until <Moment at={one.expires_at} /></>}
        </p>
        <div className="actions">
          <Confirm
            button="Rename"
            name={one.name}
            title={`Rename ${one.name}`}
            label="Rename it"
            danger={false}
            send={(values) => changeKey(one.id, { name: values.text('name') })}
          >
            <TextField name="name" label="Name" defaultValue={one.name} required maxLength={120} />
          </Confirm>
          <Confirm
            button="Rotate"
            name={one.name}
            title={`A new secret for ${one.name}`}
            label="Rotate it"
            danger={false}
            send={async (values) => onRotated(await rotateKey(one.id, values.number('grace') ?? 0))}
          >
            <ChoiceField name="grace" label="The old secret ends" data={graces} />
          </Confirm>
          <Confirm
            button="Revoke"
            name={one.name}
            title={`Revoke ${one.name}?`}
            label="Revoke it"
            send={async () => {
              await revokeKey(one.id);
              say('The key is revoked.');
            }}
          >
            <p>Programs that use it are refused from now on.</p>
          </Confirm>
        </div>
      </Panel>
    </li>
  );
}

function State({ one }: { one: ApiKey }) {
  if (!one.expires_at || new Date(one.expires_at) > new Date()) return null;

  return (
    <span className="pill" data-tone="bad">
      Expired
    </span>
  );
}
