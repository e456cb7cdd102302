import { queryOptions } from '@tanstack/react-query';
import { given } from '../search';
import { api, take, type Answer } from './client';
import { queries, refresh } from './queries';
import { renewSession } from './session';

export type Member = Answer<'/members', 'get'>['data'][number];

export const memberList = (cursor?: string) =>
  queryOptions({
    queryKey: ['members', cursor],
    queryFn: () => take(api.GET('/members', { params: { query: given({ cursor }) } })),
  });

export async function changeRole(member: string, role: Member['role']): Promise<void> {
  await take(api.PATCH('/members/{member}', { params: { path: { member } }, body: { role } }));
  await refresh('members', 'who');
}

/** Takes somebody out of the tenant. Whoever leaves it themselves goes on in another of theirs, or in none. */
export async function removeMember(member: string, self: boolean): Promise<void> {
  await take(api.DELETE('/members/{member}', { params: { path: { member } } }));
  if (!self) return refresh('members');

  await renewSession();
  queries.clear();
}
