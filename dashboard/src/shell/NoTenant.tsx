import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { signOut } from '../api/signin';
import { createTenant } from '../api/tenant';
import type { Who } from '../api/who';
import { Form, TextField } from '../ui/Form';
import { sayRefused } from '../ui/notice';
import { Screen } from '../ui/Screen';

/** What a person sees who is a member of nothing: they left, or were removed, or what they were in is gone. */
export function NoTenant({ who }: { who: Who }) {
  const navigate = useNavigate();

  return (
    <main className="visitor-main">
      <Screen
        title="You are in no tenant"
        lead={`${who.email} is a member of none at the moment. Make one, or open the link of an invitation.`}
      >
        <Form
          label="Make a tenant"
          send={(values) => createTenant(values.text('name'))}
          more={
            <Button variant="default" onClick={() => void signOut().then(() => navigate({ to: '/sign-in' }), sayRefused)}>
              Sign out
            </Button>
          }
        >
          <TextField name="name" label="Name of the tenant" required maxLength={120} />
        </Form>
      </Screen>
    </main>
  );
}
