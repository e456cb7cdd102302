import type { Parameters } from '../../search';

const filters = ['endpoint', 'q', 'status', 'tag', 'starred', 'read'] as const;

export type Filter = Parameters<(typeof filters)[number]>;

export function isFiltered(filter: Filter): boolean {
  return filters.some((name) => filter[name] !== undefined);
}
