import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, endless, sendSigned, take, type Schemas } from './client';
import { queries, refresh } from './queries';
import { refusalOf } from './refusal';
import type { Parameters } from '../search';

export type Submission = Schemas['Submission'];
export type Page = { data: Submission[]; next_cursor: string | null };
export type Event = Schemas['SubmissionEvent'];
export type Marks = { starred?: boolean; read?: boolean; tags?: string[]; status?: Submission['status'] };
export type Format = 'csv' | 'xlsx' | 'jsonl';

/** What stands in the address of the inbox. */
export type InboxSearch = Parameters<'endpoint' | 'q' | 'status' | 'tag' | 'starred' | 'read' | 'cursor'>;

const pageSize = 30;

type Filter = {
  endpoint_id?: string;
  q?: string;
  status?: Submission['status'];
  tag?: string;
  starred?: boolean;
  read?: boolean;
};

function filterOf({ endpoint, q, status, tag, starred, read }: InboxSearch): Filter {
  return {
    ...(endpoint ? { endpoint_id: endpoint } : {}),
    ...(q ? { q } : {}),
    ...(status === 'accepted' || status === 'spam' ? { status } : {}),
    ...(tag ? { tag } : {}),
    ...(starred ? { starred: starred === 'true' } : {}),
    ...(read ? { read: read === 'true' } : {}),
  };
}

export const submissionList = (search: InboxSearch) =>
  queryOptions({
    queryKey: ['submissions', 'list', search],
    queryFn: () => {
      const page = { limit: pageSize, ...(search.cursor ? { cursor: search.cursor } : {}) };
      return take(api.GET('/submissions', { params: { query: { ...filterOf(search), ...page } } }));
    },
    placeholderData: keepPreviousData,
  });

export const submissionById = (submission: string) =>
  queryOptions({
    queryKey: ['submissions', 'one', submission],
    queryFn: () => take(api.GET('/submissions/{submission}', { params: { path: { submission } } })),
  });

export const timelineOf = (submission: string) =>
  queryOptions({
    queryKey: ['submissions', 'timeline', submission],
    queryFn: () => take(api.GET('/submissions/{submission}/timeline', { params: { path: { submission } } })),
  });

export const tagList = queryOptions({
  queryKey: ['submissions', 'tags'],
  queryFn: () => take(api.GET('/submissions/tags')),
});

export async function markSubmission(submission: string, body: Marks): Promise<void> {
  const changed = await take(api.PATCH('/submissions/{submission}', { params: { path: { submission } }, body }));
  queries.setQueryData(submissionById(submission).queryKey, changed);
  await refresh('submissions');
}

export async function eraseSubmission(submission: string): Promise<void> {
  await take(api.DELETE('/submissions/{submission}', { params: { path: { submission } } }));
  queries.removeQueries({ queryKey: submissionById(submission).queryKey });
  await queries.invalidateQueries({ queryKey: ['submissions', 'list'] });
}

/** Saves all that a filter means as a file. The browser asks where, or puts it with its other downloads. */
export async function downloadExport(format: Format, search: InboxSearch): Promise<void> {
  const parameters = Object.entries({ format, ...filterOf(search), time_zone: zone() }).map(([name, value]) => [
    name,
    String(value),
  ]);
  const address = `${window.location.origin}/api/v1/submissions/export?${new URLSearchParams(parameters)}`;
  const response = await sendSigned(new Request(address), endless);
  if (!response.ok) throw refusalOf(response.status, await response.json().catch(() => null));

  const file = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement('a'), { href: file, download: nameOf(response) ?? `submissions.${format}` });
  link.click();
  URL.revokeObjectURL(file);
}

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

function nameOf(response: Response): string | undefined {
  return /filename="?([^";]+)"?/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
}
