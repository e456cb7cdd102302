import { queryOptions } from '@tanstack/react-query';
import { api, take, whole, type Answer } from './client';
import { refresh } from './queries';
import { announceSession, endSession } from './session';

export type AccountInfo = Required<Answer<'/account', 'get'>>;

export const account = queryOptions({
  queryKey: ['account'],
  queryFn: async () => whole(await take(api.GET('/account'))),
});

export async function updateAccount(body: { name: string; language: AccountInfo['language'] }): Promise<void> {
  await take(api.PATCH('/account', { body }));
  await refresh('account', 'who');
}

export async function changePassword(current_password: string, new_password: string): Promise<void> {
  await take(api.PUT('/password', { body: { current_password, new_password } }));
  await refresh('sessions');
}

/** Sends a link to the new address; the old one counts until it is opened. */
export async function changeAddress(email: string, password: string): Promise<void> {
  await take(api.POST('/account/email', { body: { email, password } }));
}

/** Sends the link that proves the address once more. */
export async function sendVerification(): Promise<void> {
  await take(api.POST('/email/verification'));
}

/** Signs out, and erases the person after a time in which signing in again brings them back. */
export async function deleteAccount(password: string): Promise<void> {
  await take(api.DELETE('/account', { body: { password } }));
  endSession();
  announceSession();
}

/** Keeps an account that was going to be erased, with the tenants that were going with it. */
export async function restoreAccount(): Promise<void> {
  await take(api.POST('/account/restore'));
  await refresh('account', 'tenant', 'who');
}
