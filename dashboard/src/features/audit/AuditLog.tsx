import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { auditLog, type Entry } from '../../api/audit';
import { Empty } from '../../ui/Empty';
import { Form, TextField } from '../../ui/Form';
import { Loaded } from '../../ui/Loaded';
import { Moment } from '../../ui/Moment';
import { Pager } from '../../ui/Pager';
import { Screen } from '../../ui/Screen';

export function AuditLog() {
  const search = useSearch({ from: '/app/audit-log' });
  const query = useQuery(auditLog(search));

  return (
    <Screen title="Audit log" lead="Every change of this tenant: who, what, when, from where. The newest comes first.">
      <Filters />
      <Loaded query={query} what="the audit log">
        {({ data, next_cursor }) => (
          <>
            {data.length === 0 ? <Empty title="No entry matches" /> : <Entries data={data} />}
            <Pager next={next_cursor} />
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function Filters() {
  const search = useSearch({ from: '/app/audit-log' });
  const navigate = useNavigate();

  return (
    <Form
      key={JSON.stringify(search)}
      label="Filter"
      send={(values) => {
        const [since, until] = [values.text('since'), values.text('until')];
        const times = { since: since && startOf(since), until: until && startOf(until, 1) };
        return navigate({ to: '/audit-log', search: { action: values.text('action'), target: values.text('target'), ...times } });
      }}
      more={
        <Button variant="default" onClick={() => void navigate({ to: '/audit-log' })}>
          Clear
        </Button>
      }
    >
      <div className="filters" role="search">
        <TextField
          name="action"
          label="What"
          description="such as endpoint.created"
          defaultValue={search.action}
          autoComplete="off"
          autoCapitalize="none"
        />
        <TextField
          name="target"
          label="On"
          description="the id of a thing"
          defaultValue={search.target}
          autoComplete="off"
          autoCapitalize="none"
        />
        <TextField name="since" type="date" label="From" description="the first day" defaultValue={dayOf(search.since)} />
        <TextField name="until" type="date" label="To" description="the last day" defaultValue={dayOf(search.until, -1)} />
      </div>
    </Form>
  );
}

// The days are the reader's, the times of the address are exact.
function startOf(day: string, later = 0): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + later);
  return date.toISOString();
}

function dayOf(time: string | undefined, later = 0): string {
  if (time === undefined || Number.isNaN(Date.parse(time))) return '';
  const date = new Date(time);
  date.setDate(date.getDate() + later);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

function Entries({ data }: { data: readonly Entry[] }) {
  return (
    <div className="table-wrap" tabIndex={0} role="region" aria-label="Entries">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
            <th scope="col">On</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {data.map((entry) => (
            <tr key={entry.id}>
              <td>
                <Moment at={entry.at} />
              </td>
              <td>{entry.actor.name || entry.actor.kind}</td>
              <td className="mono small">{entry.action}</td>
              <td className="mono small">{entry.target}</td>
              <td className="mono small">{entry.address}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
