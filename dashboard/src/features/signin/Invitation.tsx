import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { acceptInvitation, invitationPreview, type Preview } from '../../api/invitations';
import { linkToken } from '../../api/link';
import { challengeOf, type Challenge } from '../../api/signin';
import { signedInAs } from '../../api/who';
import { Form, PasswordField, TextField, type Values } from '../../ui/Form';
import { Loaded } from '../../ui/Loaded';
import { Screen } from '../../ui/Screen';
import { NoLink } from './NoLink';
import { SecondStep } from './SecondStep';

export function Invitation() {
  return <Screen title="You are invited">{linkToken() === '' ? <NoLink /> : <Invited token={linkToken()} />}</Screen>;
}

function Invited({ token }: { token: string }) {
  const query = useQuery(invitationPreview(token));

  return (
    <Loaded query={query} what="the invitation">
      {(preview) => <Offer token={token} preview={preview} />}
    </Loaded>
  );
}

type Props = { token: string; preview: Preview };

function Offer({ token, preview }: Props) {
  const { data: email } = useQuery(signedInAs);
  const [challenge, setChallenge] = useState<Challenge>();
  const navigate = useNavigate();

  const goIn = () => navigate({ to: '/' });
  const accept = (given: Given = {}) => acceptInvitation({ token, ...given }).then(goIn);
  if (challenge) return <SecondStep challenge={challenge} onDone={accept} onBack={() => setChallenge(undefined)} />;

  return (
    <>
      <p>
        <strong>{preview.tenant_name}</strong> wants you, {preview.email}, as {preview.role}.
      </p>
      {email === preview.email ? (
        <Form label="Accept the invitation" send={() => accept()} />
      ) : (
        <Accept preview={preview} accept={accept} onChallenge={setChallenge} />
      )}
    </>
  );
}

type Given = { password?: string; name?: string };
type AcceptProps = { preview: Preview; accept: (given: Given) => Promise<void>; onChallenge: (challenge: Challenge) => void };

function Accept({ preview, accept, onChallenge }: AcceptProps) {
  const send = async (values: Values) => {
    const name = values.text('name');
    try {
      await accept({ password: values.secret('password'), ...(name ? { name } : {}) });
    } catch (refused) {
      const asked = challengeOf(refused);
      if (!asked) throw refused;
      onChallenge(asked);
    }
  };

  return (
    <Form label="Accept the invitation" send={send}>
      {preview.has_login ? (
        <PasswordField
          name="password"
          label="Password"
          description="Of the sign-in that you have here already"
          autoComplete="current-password"
        />
      ) : (
        <>
          <TextField name="name" label="Your name" autoComplete="name" required maxLength={120} />
          <PasswordField
            name="password"
            label="Choose a password"
            description="10 characters or more"
            autoComplete="new-password"
            minLength={10}
          />
        </>
      )}
    </Form>
  );
}
