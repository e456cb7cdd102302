import { QueryClient, type FetchQueryOptions, type QueryKey } from '@tanstack/react-query';
import { asRefusal } from './refusal';

const fresh = 10_000;

/** What the pages know of the service. A refusal is an answer and is not asked for again; silence is, twice. */
export function newQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: fresh,
        retry: (count, error) => {
          const { status } = asRefusal(error);
          return count < 2 && (status === 0 || status === 502 || status === 503);
        },
      },
    },
  });
}

/** The one of this page. */
export const queries = newQueries();

/** Makes every query whose key begins with one of the names ask again. */
export async function refresh(...names: string[]): Promise<void> {
  await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })));
}

/** The state of this moment, whatever is known already. */
export function newest<T, E, D, K extends QueryKey>(options: FetchQueryOptions<T, E, D, K>): Promise<D> {
  return queries.fetchQuery({ ...options, staleTime: 0 });
}
