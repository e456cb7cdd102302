import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { endpointList } from '../../api/endpoints';
import { submissionList, type Page } from '../../api/submissions';
import { Empty } from '../../ui/Empty';
import { Loaded } from '../../ui/Loaded';
import { Pager } from '../../ui/Pager';
import { Screen } from '../../ui/Screen';
import { Detail } from './Detail';
import { ExportMenu } from './ExportMenu';
import { Filters } from './Filters';
import { Letters } from './Letters';
import { isFiltered } from './filter';

export function Inbox() {
  const { open, ...search } = useSearch({ from: '/app/inbox' });
  const query = useQuery(submissionList(search));

  return (
    <Screen title="Inbox" actions={<ExportMenu />}>
      <Filters />
      <div className="inbox" data-open={open !== undefined}>
        <Loaded query={query} what="the submissions">
          {(page) => (page.data.length === 0 ? <Nothing filtered={isFiltered(search)} /> : <List page={page} />)}
        </Loaded>
        {open && <Detail key={open} id={open} />}
      </div>
    </Screen>
  );
}

function List({ page }: { page: Page }) {
  return (
    <div>
      <Letters page={page} />
      <Pager next={page.next_cursor} />
    </div>
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  const { data: endpoints } = useQuery(endpointList);

  if (filtered) return <Empty title="Nothing matches" action={<Link to="/inbox">Show everything</Link>} />;
  if (endpoints?.data.length === 0) {
    return (
      <Empty title="Nothing has arrived yet" action={<Link to="/endpoints">Make an endpoint</Link>}>
        Make an endpoint first, then point a form at its address.
      </Empty>
    );
  }

  return (
    <Empty title="Nothing has arrived yet" action={<Link to="/endpoints">See how to post to your endpoints</Link>}>
      What is posted to your endpoints appears here at once.
    </Empty>
  );
}
