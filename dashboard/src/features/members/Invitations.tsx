import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { invitationList, invite, resendInvitation, withdrawInvitation, type Invitation } from '../../api/invitations';
import { may, roles, type Role, type Who } from '../../api/who';
import { Confirm } from '../../ui/Confirm';
import { ChoiceField, Form, TextField } from '../../ui/Form';
import { Loaded } from '../../ui/Loaded';
import { Moment } from '../../ui/Moment';
import { say, sayRefused } from '../../ui/notice';
import { Panel } from '../../ui/Panel';

export function Invitations({ who }: { who: Who }) {
  const query = useQuery(invitationList);

  return (
    <Panel title="Invite somebody" lead="They get a link by mail, which works for seven days.">
      <Form
        label="Send the invitation"
        send={async (values) => {
          const email = values.text('email');
          await invite({ email, role: values.text('role') as Role });
          say(`The invitation to ${email} is on its way.`);
        }}
      >
        <TextField name="email" type="email" label="E-mail" required autoComplete="off" />
        <ChoiceField name="role" label="Role" defaultValue="editor" data={roles.filter((role) => may(who, role))} />
      </Form>
      <Loaded query={query} what="the invitations">
        {({ data }) => (
          <ul className="rows" aria-label="Open invitations">
            {data.map((one) => (
              <Row key={one.id} one={one} />
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}

function Row({ one }: { one: Invitation }) {
  const resend = () => void resendInvitation(one.id).then(() => say(`Sent again to ${one.email}.`), sayRefused);

  return (
    <li className="row">
      <div className="row-what">
        <strong>{one.email}</strong> <span className="tag">{one.role}</span>
        <p className="muted small">
          works until <Moment at={one.expires_at} />
        </p>
      </div>
      <div className="actions">
        <Button variant="subtle" size="compact-sm" className="ink" onClick={resend} aria-label={`Send again: ${one.email}`}>
          Send again
        </Button>
        <Confirm
          quiet
          button="Withdraw"
          name={one.email}
          title={`Withdraw the invitation of ${one.email}?`}
          label="Withdraw it"
          send={() => withdrawInvitation(one.id)}
        >
          <p>The link of its mail stops working.</p>
        </Confirm>
      </div>
    </li>
  );
}
