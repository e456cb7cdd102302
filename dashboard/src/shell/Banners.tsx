import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { account, restoreAccount, sendVerification } from '../api/account';
import { restoreTenant, tenant } from '../api/tenant';
import { may, type Who } from '../api/who';
import { Moment } from '../ui/Moment';
import { say, sayRefused } from '../ui/notice';

/** What concerns every screen: an address that is not proved yet, a tenant that is about to be erased. */
export function Banners({ who }: { who: Who }) {
  return (
    <>
      {who.tenant?.status === 'closing' && <Closing who={who} />}
      {who.tenant?.status === 'suspended' && <Banner>This tenant is suspended. Ask whoever runs this service.</Banner>}
      <Leaving />
      {!who.email_verified && (
        <Banner button="Send the link again" send={sendVerification} done="The mail is on its way.">
          Confirm your address by the link that we sent to {who.email}. Until then you cannot invite others.
        </Banner>
      )}
    </>
  );
}

function Leaving() {
  const { data } = useQuery(account);
  if (!data?.delete_after) return null;

  return (
    <Banner button="Keep my account" send={restoreAccount} done="Your account stays.">
      Your account will be erased on <Moment at={data.delete_after} />.
    </Banner>
  );
}

function Closing({ who }: { who: Who }) {
  const { data } = useQuery(tenant);

  return (
    <Banner button={may(who, 'owner') ? 'Keep the tenant' : undefined} send={restoreTenant} done="The tenant stays.">
      This tenant is closed{data?.delete_after && <>, and will be erased on <Moment at={data.delete_after} /></>}.
    </Banner>
  );
}

type Props = { button?: string | undefined; send?: () => Promise<unknown>; done?: string; children: ReactNode };

function Banner({ button, send = async () => undefined, done = '', children }: Props) {
  return (
    <div className="banner" data-tone="warn">
      <p>{children}</p>
      {button && (
        <Button variant="default" size="xs" onClick={() => void send().then(() => say(done), sayRefused)}>
          {button}
        </Button>
      )}
    </div>
  );
}
