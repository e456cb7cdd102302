import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { hasSession } from './session';
import { api, take, type Answer } from './client';

export type Who = Answer<'/session', 'get'>;

/** From the one who decides everything to the one who only looks. */
export const roles = ['owner', 'admin', 'editor', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** Who is signed in, and in which tenant with which role. */
export const whoAmI = queryOptions({
  queryKey: ['who'],
  queryFn: () => take(api.GET('/session')),
});

/** The address of whoever is signed in; null when nobody is. For screens that need nobody to be. */
export const signedInAs = queryOptions({
  queryKey: ['who', 'email'],
  queryFn: async () => ((await hasSession()) ? (await take(api.GET('/session'))).email : null),
});

/** Whether somebody may do what needs a role. The API decides; this spares people buttons that would be refused. */
export function may(who: Who, needed: Role): boolean {
  const role = who.member?.role;
  return role !== undefined && roles.indexOf(role) <= roles.indexOf(needed);
}

/** Whoever is signed in; for screens below the shell, which has asked already. */
export function useWho(): Who {
  return useSuspenseQuery(whoAmI).data;
}

export function useMay(needed: Role): boolean {
  return may(useWho(), needed);
}
