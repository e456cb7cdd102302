import { queryOptions } from '@tanstack/react-query';
import { given } from '../search';
import { api, intent, take, whole, type Answer } from './client';
import { refresh } from './queries';

export type ApiKey = Required<Answer<'/api-keys', 'get'>['data'][number]>;
export type Scope = ApiKey['scopes'][number];
/** A key with its secret, which is in this answer and in no other. */
export type NewKey = Required<Answer<'/api-keys', 'post'>>;

export const scopes = [
  'endpoints:read',
  'endpoints:write',
  'submissions:read',
  'submissions:write',
  'integrations:write',
  'deliveries:write',
  'billing:read',
] as const satisfies readonly Scope[];

export const keyList = (cursor?: string) =>
  queryOptions({
    queryKey: ['keys', cursor],
    queryFn: async () => {
      const page = await take(api.GET('/api-keys', { params: { query: given({ cursor }) } }));
      return { ...page, data: page.data.map(whole) };
    },
  });

export async function createKey(body: { name: string; scopes: Scope[]; expires_at: string | null }): Promise<NewKey> {
  const made = whole(await take(api.POST('/api-keys', { params: intent(), body })));
  await refresh('keys');
  return made;
}

export async function changeKey(key: string, body: { name: string }): Promise<void> {
  await take(api.PATCH('/api-keys/{key}', { params: { path: { key } }, body }));
  await refresh('keys');
}

/** A new secret for a key; the old one works for as many seconds more. */
export async function rotateKey(key: string, grace_seconds: number): Promise<NewKey> {
  const params = { path: { key }, ...intent() };
  const made = whole(await take(api.POST('/api-keys/{key}/rotate', { params, body: { grace_seconds } })));
  await refresh('keys');
  return made;
}

export async function revokeKey(key: string): Promise<void> {
  await take(api.DELETE('/api-keys/{key}', { params: { path: { key } } }));
  await refresh('keys');
}
