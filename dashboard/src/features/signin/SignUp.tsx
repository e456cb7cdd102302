import { Link, useNavigate } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { signInMethods, signUp } from '../../api/signin';
import { Empty } from '../../ui/Empty';
import { Form, PasswordField, TextField } from '../../ui/Form';
import { Screen } from '../../ui/Screen';

export function SignUp() {
  const navigate = useNavigate();
  const { data: methods } = useQuery(signInMethods);

  if (methods && methods.signup !== 'open') {
    return (
      <Screen title="Sign up">
        <Empty title="By invitation only" action={<Link to="/sign-in">Go to sign-in</Link>}>
          Nobody can sign up here by themselves. Ask a member to invite you, or whoever runs this service.
        </Empty>
      </Screen>
    );
  }

  return (
    <Screen title="Sign up" lead="A tenant of your own: endpoints, inbox, colleagues.">
      <Form
        label="Sign up"
        send={async (values) => {
          await signUp({
            tenant_name: values.text('tenant_name'),
            email: values.text('email'),
            password: values.secret('password'),
          });
          await navigate({ to: '/endpoints' });
        }}
      >
        <TextField
          name="tenant_name"
          label="Name of the tenant"
          description="Your company, team or project"
          required
          autoComplete="organization"
          maxLength={120}
        />
        <TextField name="email" type="email" label="E-mail" autoComplete="username" required />
        <PasswordField
          name="password"
          label="Password"
          description="10 characters or more"
          autoComplete="new-password"
          minLength={10}
        />
      </Form>
      <p className="small">
        Signed up already? <Link to="/sign-in">Sign in</Link>
      </p>
    </Screen>
  );
}
