import { Badge, Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { createEndpoint, endpointList, type Endpoint } from '../../api/endpoints';
import { useMay } from '../../api/who';
import { Empty } from '../../ui/Empty';
import { Form, TextField } from '../../ui/Form';
import { Loaded } from '../../ui/Loaded';
import { Moment } from '../../ui/Moment';
import { Screen } from '../../ui/Screen';

export function EndpointList() {
  const query = useQuery(endpointList);

  return (
    <Screen title="Endpoints" lead="Each is a public address that a form or a script posts to." actions={<Make />}>
      <Loaded query={query} what="the endpoints">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No endpoint yet">Make one, and point a form at its address.</Empty>
          ) : (
            <ul className="cards">
              {data.map((one) => (
                <Card key={one.id} endpoint={one} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Screen>
  );
}

function Card({ endpoint }: { endpoint: Endpoint }) {
  return (
    <li className="panel card">
      <div className="card-head">
        <Link to="/endpoints/$endpoint" params={{ endpoint: endpoint.id }} className="card-title">
          {endpoint.name}
        </Link>
        {endpoint.closed && (
          <span className="pill" data-tone="warn">
            Closed
          </span>
        )}
      </div>
      <p className="mono small">{endpoint.submit_url}</p>
      <p className="muted small">
        Made <Moment at={endpoint.created_at} /> · <Link to="/inbox" search={{ endpoint: endpoint.id }}>Inbox</Link>
      </p>
    </li>
  );
}

function Make() {
  const [opened, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  if (!useMay('editor')) return <Badge variant="default">Editors make endpoints</Badge>;

  return (
    <>
      <Button onClick={open}>Make an endpoint</Button>
      <Modal opened={opened} onClose={close} title="Make an endpoint" closeButtonProps={{ 'aria-label': 'Close' }} centered>
        <Form
          label="Make it"
          send={async (values) => {
            const id = values.text('id');
            const made = await createEndpoint({ name: values.text('name'), ...(id ? { id } : {}) });
            await navigate({ to: '/endpoints/$endpoint', params: { endpoint: made.id } });
          }}
        >
          <TextField name="name" label="Name" description="For you and your colleagues" required data-autofocus maxLength={120} />
          <TextField
            name="id"
            label="Address"
            description="The last part of its public address: 3 to 64 of a-z, 0-9, - and _. Left empty, a random one."
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            pattern="[a-z0-9_\-]{3,64}"
            title="3 to 64 of a-z, 0-9, - and _"
          />
        </Form>
      </Modal>
    </>
  );
}
