import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { versionOf, versionsOf } from '../../api/schemas';
import { Loaded } from '../../ui/Loaded';
import { Moment } from '../../ui/Moment';
import { Panel } from '../../ui/Panel';

/** The published versions, the newest first. Each can be looked at, none can be changed. */
export function Versions({ endpoint, published }: { endpoint: string; published: number }) {
  const query = useQuery(versionsOf(endpoint));
  if (published === 0) return null;

  return (
    <Panel title="Published versions">
      <Loaded query={query} what="the versions">
        {({ data }) => (
          <ul className="rows">
            {data.map(({ version, published_at }) => (
              <li key={version} className="row row-tall">
                <span>
                  Version {version} <span className="muted">· <Moment at={published_at} /></span>
                  {version === published && <span className="tag">current</span>}
                </span>
                <Look endpoint={endpoint} version={version} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}

function Look({ endpoint, version }: { endpoint: string; version: number }) {
  const [opened, setOpened] = useState(false);

  return (
    <>
      <button type="button" className="link" aria-expanded={opened} onClick={() => setOpened(!opened)}>
        {opened ? 'Hide the fields' : 'Show the fields'} <span className="hidden-text">of version {version}</span>
      </button>
      {opened && <Fields endpoint={endpoint} version={version} />}
    </>
  );
}

function Fields({ endpoint, version }: { endpoint: string; version: number }) {
  const query = useQuery(versionOf(endpoint, version));

  return (
    <div className="row-below">
      <Loaded query={query} what="the fields">
        {({ fields }) => (
          <ul className="timeline">
            {fields.map(({ key, type, label, required }) => (
              <li key={key}>
                <code>{key}</code> {label && `“${label}”`} <span className="muted">{type}{required && ', required'}</span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </div>
  );
}
