import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { endpointById } from '../../api/endpoints';
import { CopyText } from '../../ui/CopyText';
import { Loaded } from '../../ui/Loaded';
import { Screen } from '../../ui/Screen';

const tabs = [
  { to: '/endpoints/$endpoint', label: 'Use it' },
  { to: '/endpoints/$endpoint/fields', label: 'Fields' },
  { to: '/endpoints/$endpoint/try', label: 'Try it' },
  { to: '/endpoints/$endpoint/settings', label: 'Settings' },
] as const;

/** An endpoint's name, its address and the ways into it; the chosen one stands below. */
export function EndpointFrame() {
  const { endpoint } = useParams({ from: '/app/endpoints/$endpoint' });
  const query = useQuery(endpointById(endpoint));

  return (
    <Screen
      title={query.data?.name ?? 'Endpoint'}
      actions={
        <Link to="/inbox" search={{ endpoint }}>
          Its inbox
        </Link>
      }
    >
      <Loaded query={query} what="the endpoint">
        {({ submit_url, closed }) => (
          <>
            {closed && <p className="refused" data-tone="warn">This endpoint is closed: what is posted to it is refused.</p>}
            <CopyText name="Address to post to" text={submit_url} />
            <nav className="tabs" aria-label="Endpoint">
              {tabs.map(({ to, label }) => (
                <Link key={to} to={to} params={{ endpoint }} activeOptions={{ exact: true }} className="tab">
                  {label}
                </Link>
              ))}
            </nav>
            <Outlet />
          </>
        )}
      </Loaded>
    </Screen>
  );
}
