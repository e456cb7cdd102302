import { queryOptions } from '@tanstack/react-query';
import { api, take, type Answer } from './client';
import { refresh } from './queries';

export type FactorState = Answer<'/second-factor', 'get'>;
export type TotpSetup = Answer<'/second-factor/totp', 'post'>;

export const factorState = queryOptions({
  queryKey: ['second-factor'],
  queryFn: () => take(api.GET('/second-factor')),
});

/** Begins anew each time: the secret of an attempt that was not confirmed is worth nothing. */
export const beginTotp = (): Promise<TotpSetup> => take(api.POST('/second-factor/totp'));

/** Switches the second step on and returns the recovery codes, which are shown this one time. */
export async function confirmTotp(code: string): Promise<readonly string[]> {
  const { recovery_codes } = await take(api.POST('/second-factor/totp/confirm', { body: { code } }));
  await refresh('second-factor', 'who');
  return recovery_codes;
}

export async function endTotp(password: string): Promise<void> {
  await take(api.DELETE('/second-factor/totp', { body: { password } }));
  await refresh('second-factor', 'who');
}

export async function renewRecoveryCodes(password: string): Promise<readonly string[]> {
  const { recovery_codes } = await take(api.POST('/second-factor/recovery-codes', { body: { password } }));
  await refresh('second-factor');
  return recovery_codes;
}
