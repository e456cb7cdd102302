import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { snippetList, usageOf } from '../../api/endpoints';
import { CopyText } from '../../ui/CopyText';
import { Loaded } from '../../ui/Loaded';
import { Moment } from '../../ui/Moment';
import { Panel } from '../../ui/Panel';

/** How to post to the endpoint, ready to be copied, and what has come of it. */
export function Snippets() {
  const { endpoint } = useParams({ from: '/app/endpoints/$endpoint' });
  const query = useQuery(snippetList(endpoint));

  return (
    <>
      <Usage endpoint={endpoint} />
      <Loaded query={query} what="the snippets">
        {({ data }) => (
          <>
            {data.map(({ kind, title, code }) => (
              <Panel key={kind} title={title}>
                <CopyText name={`Code: ${title}`} text={code} code />
              </Panel>
            ))}
          </>
        )}
      </Loaded>
    </>
  );
}

function Usage({ endpoint }: { endpoint: string }) {
  const { data } = useQuery(usageOf(endpoint));
  if (!data) return null;

  const facts = [
    ['This month', data.this_month.accepted],
    ['In all', data.total.accepted],
    ['Spam', data.total.spam],
    ['Replays prevented', data.total.replays_prevented],
  ] as const;

  return (
    <Panel title="What has arrived" actions={<Link to="/inbox" search={{ endpoint }}>Open the inbox</Link>}>
      <dl className="figures">
        {facts.map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value.toLocaleString()}</dd>
          </div>
        ))}
        <div>
          <dt>Last</dt>
          <dd>{data.last_received_at ? <Moment at={data.last_received_at} /> : 'never'}</dd>
        </div>
      </dl>
    </Panel>
  );
}
