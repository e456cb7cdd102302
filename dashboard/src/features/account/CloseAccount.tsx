import { useNavigate } from '@tanstack/react-router';
import { deleteAccount, type AccountInfo } from '../../api/account';
import { Confirm } from '../../ui/Confirm';
import { PasswordField } from '../../ui/Form';
import { Panel } from '../../ui/Panel';

export function CloseAccount({ found }: { found: AccountInfo }) {
  const navigate = useNavigate();

  return (
    <Panel
      danger
      title="Delete your account"
      lead="After 14 days everything of yours is erased, with the tenants in which you are alone. Sign in before that to keep it."
    >
      <Confirm
        button="Delete the account"
        title={`Delete the account of ${found.email}?`}
        label="Delete it"
        send={async (values) => {
          await deleteAccount(values.secret('password'));
          await navigate({ to: '/sign-in' });
        }}
      >
        <PasswordField name="password" label="Your password" autoComplete="current-password" data-autofocus />
      </Confirm>
    </Panel>
  );
}
