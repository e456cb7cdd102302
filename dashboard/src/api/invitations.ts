import { queryOptions } from '@tanstack/react-query';
import { api, intent, open, take, type Answer } from './client';
import { refresh } from './queries';
import { begin } from './signin';
import type { Role } from './who';

export type Invitation = Answer<'/invitations', 'get'>['data'][number];
export type Preview = Answer<'/invitations/preview', 'post'>;

export const invitationList = queryOptions({
  queryKey: ['invitations'],
  queryFn: () => take(api.GET('/invitations', { params: { query: { limit: 100 } } })),
});

export async function invite(body: { email: string; role: Role }): Promise<void> {
  await take(api.POST('/invitations', { params: intent(), body }));
  await refresh('invitations');
}

export async function resendInvitation(invitation: string): Promise<void> {
  await take(api.POST('/invitations/{invitation}/resend', { params: { path: { invitation } } }));
  await refresh('invitations');
}

export async function withdrawInvitation(invitation: string): Promise<void> {
  await take(api.DELETE('/invitations/{invitation}', { params: { path: { invitation } } }));
  await refresh('invitations');
}

/** What the link of an invitation leads into. It can be looked at as often as one likes. */
export const invitationPreview = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => take(open.POST('/invitations/preview', { body: { token } })),
    staleTime: Infinity,
  });

/**
 * Joins the tenant and signs in to it. Somebody who is signed in joins as who they are; others give the password of their
 * sign-in, or choose one. Throws second_factor_required where a password is not enough.
 */
export async function acceptInvitation(body: { token: string; password?: string; name?: string }): Promise<void> {
  const door = body.password === undefined ? api : open;
  begin(await take(door.POST('/invitations/accept', { body })));
}
