import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { given, type Parameters } from '../search';
import { api, take, type Answer } from './client';

export type Entry = Answer<'/audit-log', 'get'>['data'][number];
export type AuditSearch = Parameters<'actor' | 'action' | 'target' | 'since' | 'until' | 'cursor'>;

export const auditLog = (search: AuditSearch) =>
  queryOptions({
    queryKey: ['audit', search],
    queryFn: () => take(api.GET('/audit-log', { params: { query: given(search) } })),
    placeholderData: keepPreviousData,
  });
