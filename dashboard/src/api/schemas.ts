import { queryOptions } from '@tanstack/react-query';
import { api, intent, take, takeTagged, whole, type Answer } from './client';
import { refresh } from './queries';

export type Draft = Required<Answer<'/endpoints/{endpoint}/schema', 'get'>> & { etag: string };
export type Schema = Pick<Draft, 'fields' | 'unknown_fields' | 'default_region'>;
export type Changes = Answer<'/endpoints/{endpoint}/schema/changes', 'get'>;
export type SchemaField = Draft['fields'][number];
export type FieldType = SchemaField['type'];

export const fieldTypes = [
  'text',
  'multiline',
  'email',
  'phone',
  'url',
  'number',
  'integer',
  'date',
  'time',
  'select',
  'multiselect',
  'checkbox',
  'consent',
  'rating',
  'country',
  'hidden',
  'file',
] as const satisfies readonly FieldType[];

export const draftOf = (endpoint: string) =>
  queryOptions({
    queryKey: ['schemas', endpoint, 'draft'],
    queryFn: async (): Promise<Draft> =>
      whole(await takeTagged(api.GET('/endpoints/{endpoint}/schema', { params: { path: { endpoint } } }))),
  });

export const changesOf = (endpoint: string) =>
  queryOptions({
    queryKey: ['schemas', endpoint, 'changes'],
    queryFn: () => take(api.GET('/endpoints/{endpoint}/schema/changes', { params: { path: { endpoint } } })),
  });

export const versionsOf = (endpoint: string) =>
  queryOptions({
    queryKey: ['schemas', endpoint, 'versions'],
    queryFn: () => take(api.GET('/endpoints/{endpoint}/versions', { params: { path: { endpoint }, query: { limit: 100 } } })),
  });

export const versionOf = (endpoint: string, version: number) =>
  queryOptions({
    queryKey: ['schemas', endpoint, 'version', version],
    queryFn: () => take(api.GET('/endpoints/{endpoint}/versions/{version}', { params: { path: { endpoint, version } } })),
    staleTime: Infinity,
  });

/** Replaces the draft and returns it as it is then. Throws precondition_failed when somebody else has changed it since the answer that had the ETag. */
export async function saveDraft(endpoint: string, etag: string, body: Schema): Promise<Draft> {
  const params = { path: { endpoint }, header: { 'If-Match': etag } };
  const saved = whole(await takeTagged(api.PUT('/endpoints/{endpoint}/schema', { params, body })));
  await refresh('schemas');
  return saved;
}

/** Publishes the draft that the ETag came with, as a version that stays as it is. */
export async function publishDraft(endpoint: string, etag: string): Promise<{ version: number }> {
  const header = { ...intent().header, 'If-Match': etag };
  const published = await take(api.POST('/endpoints/{endpoint}/schema/publish', { params: { path: { endpoint }, header } }));
  await refresh('schemas', 'snippets');
  return published;
}
