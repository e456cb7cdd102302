import { queryOptions } from '@tanstack/react-query';
import { api, take, type Answer } from './client';
import { refresh } from './queries';

export type Session = Answer<'/sessions', 'get'>['data'][number];

export const sessionList = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => take(api.GET('/sessions')),
});

export async function endSessionById(session: string): Promise<void> {
  await take(api.DELETE('/sessions/{session}', { params: { path: { session } } }));
  await refresh('sessions');
}

export async function endOtherSessions(): Promise<void> {
  await take(api.DELETE('/sessions'));
  await refresh('sessions');
}
