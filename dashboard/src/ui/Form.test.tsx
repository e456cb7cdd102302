import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { Refusal } from '../api/refusal';
import { theme } from '../theme';
import { Form, PasswordField, SwitchField, TextField, type Values } from './Form';

function show(send: (values: Values) => Promise<unknown>) {
  render(
    <MantineProvider theme={theme} env="test">
      <Form label="Send" send={send}>
        <TextField name="email" label="E-mail" />
        <PasswordField name="password" label="Password" />
        <SwitchField name="closed" label="Closed" />
      </Form>
    </MantineProvider>,
  );
  return userEvent.setup();
}

const press = () => screen.getByRole('button', { name: 'Send' });

describe('a form', () => {
  it('hands over what was filled in, a password as it was typed', async () => {
    const send = vi.fn(async (values: Values) => [values.text('email'), values.secret('password'), values.on('closed')]);
    const user = show(send);

    await user.type(screen.getByLabelText('E-mail'), ' ada@example.com ');
    await user.type(screen.getByLabelText('Password'), ' a secret ');
    await user.click(screen.getByLabelText('Closed'));
    await user.click(press());

    await expect(send.mock.results[0]?.value).resolves.toEqual(['ada@example.com', ' a secret ', true]);
  });

  it('shows the sentence of a refusal, with the focus on it, and each issue at its field', async () => {
    const issue = { field: 'email', message: 'Give an e-mail address.' };
    const user = show(() => Promise.reject(new Refusal(422, 'invalid', 'This cannot be used.', [issue])));

    await user.type(screen.getByLabelText('Password'), 'x{Enter}');

    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('This cannot be used.');
    expect(document.activeElement).toBe(alert);
    const email = screen.getByLabelText('E-mail');
    expect(email.getAttribute('aria-invalid')).toBe('true');
    const described = (email.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent);
    expect(described).toContain('Give an e-mail address.');
  });

  it('says so when no answer came', async () => {
    const user = show(() => Promise.reject(new TypeError('Failed to fetch')));

    await user.type(screen.getByLabelText('Password'), 'x{Enter}');

    expect((await screen.findByRole('alert')).textContent).toContain('did not answer');
  });

  it('is not sent a second time while it is on its way', async () => {
    const send = vi.fn(() => new Promise(() => undefined));
    const user = show(send);

    await user.type(screen.getByLabelText('Password'), 'x{Enter}{Enter}');
    await user.click(press());

    expect(send).toHaveBeenCalledOnce();
  });
});
