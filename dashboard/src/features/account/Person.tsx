import { changeAddress, updateAccount, type AccountInfo } from '../../api/account';
import { ChoiceField, Form, PasswordField, TextField } from '../../ui/Form';
import { Confirm } from '../../ui/Confirm';
import { languages } from '../../ui/languages';
import { say } from '../../ui/notice';
import { Panel } from '../../ui/Panel';

export function Person({ found }: { found: AccountInfo }) {
  return (
    <Panel title="You">
      <Form
        label="Save"
        send={async (values) => {
          await updateAccount({ name: values.text('name'), language: values.text('language') as AccountInfo['language'] });
          say('Saved.');
        }}
      >
        <TextField name="name" label="Name" defaultValue={found.name} autoComplete="name" maxLength={120} />
        <ChoiceField name="language" label="Language of mails to you" defaultValue={found.language} data={languages} />
      </Form>
      <div className="row">
        <div className="row-what">
          <strong>{found.email}</strong>
          <p className="muted small">{found.email_verified ? 'confirmed' : 'not confirmed yet'}</p>
        </div>
        <Confirm
          button="Change the address"
          title="Another address"
          label="Send the link"
          danger={false}
          send={async (values) => {
            await changeAddress(values.text('email'), values.secret('password'));
            say('Open the link that we sent to the new address.');
          }}
        >
          <TextField
            name="email"
            type="email"
            label="New e-mail"
            description="We send a link there; until you open it the old one stays."
            required
            autoComplete="email"
            data-autofocus
          />
          <PasswordField name="password" label="Your password" autoComplete="current-password" />
        </Confirm>
      </div>
    </Panel>
  );
}
