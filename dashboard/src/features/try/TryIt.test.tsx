import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { fault, receipt, service } from '../../testing/service';
import { show, type Scheme } from '../../testing/show';
import { TryIt } from './TryIt';

async function open(scheme: Scheme = 'light') {
  const user = userEvent.setup();
  const { container } = show(<TryIt endpoint="contact-form" />, scheme);
  await screen.findByRole('heading', { name: 'Try it' });
  return { user, container };
}

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const key = () => screen.getByLabelText<HTMLInputElement>('Idempotency key').value;
const outcome = () => within(screen.getByRole('status'));

describe('trying it', () => {
  it('shows the receipt, then the same receipt as a replay under the same key', async () => {
    const { posted } = service({ submit: [receipt(false), receipt(true)] });
    const { user } = await open();

    await user.click(button('Send'));
    expect(await outcome().findByText('Accepted')).toBeTruthy();
    expect(outcome().getByText('sub_019365b2c0de7a3f8f2b4c1d9e8a7654')).toBeTruthy();

    await user.click(button('Send again with the same key'));
    expect(await outcome().findByText('Replay')).toBeTruthy();
    expect(posted[1]).toEqual(posted[0]);
    expect(within(screen.getByRole('region', { name: 'Earlier answers' })).getByText('Accepted')).toBeTruthy();
  });

  it('shows the conflict when a field was changed under the same key', async () => {
    const { posted } = service({ submit: [receipt(false), fault(409, 'idempotency_conflict')] });
    const { user } = await open();

    await user.click(button('Send'));
    await outcome().findByText('Accepted');
    await user.type(screen.getByLabelText('Message'), ' Today.');
    await user.click(button('Send again with the same key'));

    expect(await outcome().findByText('Conflict')).toBeTruthy();
    expect(outcome().getByText(/Take a new key/)).toBeTruthy();
    expect(posted[1]?.key).toBe(posted[0]?.key);
    expect(posted[1]?.body).not.toBe(posted[0]?.body);
  });

  it('sends something new under a key that was never sent', async () => {
    const { posted } = service({ submit: [receipt(false), receipt(false)] });
    const { user } = await open();

    await user.click(button('Send'));
    await outcome().findByText('Accepted');
    await user.click(button('Send'));
    await screen.findByText('Earlier answers');

    expect(posted[1]?.key).not.toBe(posted[0]?.key);
    expect(posted[1]?.key).toMatch(/^[!-~]{16,255}$/);
    expect(key()).toBe(posted[1]?.key);
  });

  it('keeps the key when no answer came, so that sending again is safe', async () => {
    const { posted } = service({ submit: ['down', receipt(true)] });
    const { user } = await open();

    await user.click(button('Send'));
    expect(await outcome().findByText('No answer')).toBeTruthy();
    await user.click(button('Send again with the same key'));
    await outcome().findByText('Replay');

    expect(posted[1]?.key).toBe(posted[0]?.key);
  });

  it('makes a new key on request, and has nothing to send again under it', async () => {
    service({ submit: [receipt(false)] });
    const { user } = await open();
    await user.click(button('Send'));
    await outcome().findByText('Accepted');
    const before = key();

    await user.click(button('New key'));

    expect(key()).not.toBe(before);
    expect(button('Send again with the same key')).toHaveProperty('disabled', true);
  });

  it('can be done with the keyboard alone', async () => {
    service({ submit: [receipt(false)] });
    const { user } = await open();

    await user.click(screen.getByLabelText('Name'));
    await user.keyboard('{Enter}');

    expect(await outcome().findByText('Accepted')).toBeTruthy();
  });
});

describe('accessibility', () => {
  const states = [
    ['before anything was sent', []],
    ['with a receipt', [receipt(false)]],
    ['with a refusal', [fault(422, 'empty_submission')]],
  ] as const;

  const rows = (['light', 'dark'] as const).flatMap((scheme) => states.map(([state, submit]) => ({ scheme, state, submit })));

  it.each(rows)('has no violation in $scheme $state', async ({ scheme, submit }) => {
    service({ submit });
    const { user, container } = await open(scheme);
    if (submit.length > 0) {
      await user.click(button('Send'));
      await outcome().findByText(/^(Accepted|Refused)$/);
    }

    const { violations } = await axe.run(container);
    expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
  });
});
