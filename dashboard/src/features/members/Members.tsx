import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { changeRole, memberList, removeMember, type Member } from '../../api/members';
import { may, roles, useMay, useWho, type Who } from '../../api/who';
import { Confirm } from '../../ui/Confirm';
import { Loaded } from '../../ui/Loaded';
import { Moment } from '../../ui/Moment';
import { say, sayRefused } from '../../ui/notice';
import { Pager } from '../../ui/Pager';
import { Panel } from '../../ui/Panel';
import { Screen } from '../../ui/Screen';
import { Invitations } from './Invitations';

export function Members() {
  const { cursor } = useSearch({ from: '/app/members' });
  const query = useQuery(memberList(cursor));
  const who = useWho();
  const admin = useMay('admin');

  return (
    <Screen title="Members" lead="Viewers look, editors work, admins decide who and what gets in, owners decide everything.">
      <Panel title="Who is in">
        <Loaded query={query} what="the members">
          {({ data, next_cursor }) => (
            <>
              <ul className="rows">
                {data.map((member) => (
                  <Row key={member.id} member={member} who={who} />
                ))}
              </ul>
              <Pager next={next_cursor} />
            </>
          )}
        </Loaded>
      </Panel>
      {admin && <Invitations who={who} />}
    </Screen>
  );
}

function Row({ member, who }: { member: Member; who: Who }) {
  const self = member.id === who.member?.id;
  // Nobody gives or takes a role above their own.
  const changeable = may(who, 'admin') && may(who, member.role);

  return (
    <li className="row">
      <div className="row-what">
        <strong>{member.name || member.email}</strong> {self && <span className="muted">(you)</span>}
        <p className="muted small">
          {member.name && `${member.email} · `}since <Moment at={member.created_at} />
        </p>
      </div>
      <div className="actions">
        {changeable ? <RoleChoice member={member} who={who} /> : <span className="tag">{member.role}</span>}
        {(changeable || self) && <Leave member={member} self={self} />}
      </div>
    </li>
  );
}

function RoleChoice({ member, who }: { member: Member; who: Who }) {
  const change = (role: string) =>
    void changeRole(member.id, role as Member['role']).then(() => say(`${member.email} is ${role} now.`), sayRefused);

  return (
    <NativeSelect
      size="xs"
      aria-label={`Role of ${member.email}`}
      value={member.role}
      onChange={(event) => change(event.currentTarget.value)}
      data={roles.filter((role) => may(who, role))}
    />
  );
}

function Leave({ member, self }: { member: Member; self: boolean }) {
  const navigate = useNavigate();

  return (
    <Confirm
      quiet
      button={self ? 'Leave' : 'Remove'}
      name={member.email}
      title={self ? 'Leave this tenant?' : `Remove ${member.email}?`}
      label={self ? 'Leave it' : 'Remove them'}
      send={async () => {
        await removeMember(member.id, self);
        say(self ? 'You left.' : `${member.email} is removed.`);
        if (self) await navigate({ to: '/' });
      }}
    >
      <p>
        {self
          ? 'You need an invitation to come back.'
          : 'They are signed out of this tenant at once, and need an invitation to come back.'}
      </p>
    </Confirm>
  );
}
