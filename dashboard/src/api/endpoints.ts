import { queryOptions } from '@tanstack/react-query';
import { api, intent, take, takeTagged, type Schemas } from './client';
import { queries, refresh } from './queries';

export type Endpoint = Schemas['Endpoint'];
export type EndpointSettings = Schemas['EndpointSettings'];
export type TaggedEndpoint = Endpoint & { etag: string };

export const endpointList = queryOptions({
  queryKey: ['endpoints', 'list'],
  queryFn: () => take(api.GET('/endpoints')),
});

export const endpointById = (endpoint: string) =>
  queryOptions({
    queryKey: ['endpoints', 'one', endpoint],
    queryFn: () => takeTagged(api.GET('/endpoints/{endpoint}', { params: { path: { endpoint } } })),
  });

export async function createEndpoint(body: EndpointSettings & { name: string; id?: string }): Promise<Endpoint> {
  const made = await take(api.POST('/endpoints', { params: intent(), body }));
  await refresh('endpoints');
  return made;
}

/**
 * Changes the settings that are given and returns the endpoint as it is then. Throws precondition_failed when somebody
 * else has changed it since the answer that had the ETag.
 */
export async function updateEndpoint(endpoint: string, etag: string, body: EndpointSettings): Promise<TaggedEndpoint> {
  const params = { path: { endpoint }, header: { 'If-Match': etag } };
  const changed = await takeTagged(api.PATCH('/endpoints/{endpoint}', { params, body }));
  queries.setQueryData(endpointById(endpoint).queryKey, changed);
  await refresh('endpoints');
  return changed;
}

/** Gives an endpoint up with all of its submissions, for good. */
export async function deleteEndpoint(endpoint: string): Promise<void> {
  await take(api.DELETE('/endpoints/{endpoint}', { params: { path: { endpoint } } }));
  await refresh('endpoints', 'submissions');
}

export const snippetList = (endpoint: string) =>
  queryOptions({
    queryKey: ['snippets', endpoint],
    queryFn: () => take(api.GET('/endpoints/{endpoint}/snippets', { params: { path: { endpoint } } })),
  });

export const usageOf = (endpoint: string) =>
  queryOptions({
    queryKey: ['endpoints', 'usage', endpoint],
    queryFn: () => take(api.GET('/endpoints/{endpoint}/usage', { params: { path: { endpoint } } })),
  });
