import { queryOptions } from '@tanstack/react-query';
import { api, take, takeTagged, whole, type Answer } from './client';
import { refresh } from './queries';
import { switchTenant } from './signin';

export type TenantInfo = Required<Answer<'/tenant', 'get'>>;
export type TaggedTenant = TenantInfo & { etag: string };
export type TenantSettings = Pick<TenantInfo, 'name' | 'time_zone' | 'default_language' | 'default_region'>;

export const tenant = queryOptions({
  queryKey: ['tenant'],
  queryFn: async (): Promise<TaggedTenant> => whole(await takeTagged(api.GET('/tenant'))),
});

export async function updateTenant(etag: string, body: TenantSettings): Promise<TaggedTenant> {
  const changed = whole(await takeTagged(api.PATCH('/tenant', { params: { header: { 'If-Match': etag } }, body })));
  await refresh('tenant', 'who');
  return changed;
}

/** Makes another tenant for whoever is signed in, and goes into it. */
export async function createTenant(name: string): Promise<void> {
  const made = await take(api.POST('/tenants', { body: { name } }));
  await switchTenant(made.id);
}

/** Closes the tenant now and erases it after a time in which it can be restored. */
export async function deleteTenant(confirm: string): Promise<void> {
  await take(api.DELETE('/tenant', { body: { confirm } }));
  await refresh('tenant', 'who');
}

export async function restoreTenant(): Promise<void> {
  await take(api.POST('/tenant/restore'));
  await refresh('tenant', 'who');
}
