import { Button, Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { asRefusal, type Refusal } from '../api/refusal';

type Props<T> = {
  query: UseQueryResult<T>;
  /** What is loaded, in the words of the reader: "the members". */
  what: string;
  children: (data: T) => ReactNode;
};

/** Shows what a query found, and says so while it waits, when it failed, and when the role of the reader forbids it. */
export function Loaded<T>({ query, what, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <Failure refusal={asRefusal(query.error)} what={what} onRetry={() => void query.refetch()} />;

  return (
    <div className="notice" role="status">
      <Loader size="sm" aria-hidden="true" />
      <p className="muted">Loading {what}…</p>
    </div>
  );
}

type FailureProps = { refusal: Refusal; what: string; onRetry: () => void };

export function Failure({ refusal, what, onRetry }: FailureProps) {
  const { tone, title, again } = words(refusal, what);

  return (
    <div className="notice" role="alert" data-tone={tone}>
      <p className="notice-title">{title}</p>
      <p className="muted">{refusal.message}</p>
      {again && (
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

function words({ status, code }: Refusal, what: string): { tone: string; title: string; again: boolean } {
  if (code === 'role_not_sufficient') return { tone: 'warn', title: `Your role does not open ${what}`, again: false };
  if (status === 403) return { tone: 'warn', title: 'This is closed', again: false };
  if (status === 410) return { tone: 'warn', title: 'This link does not work any more', again: false };
  if (status === 404) return { tone: 'warn', title: 'There is nothing here', again: false };
  if (status === 0) return { tone: 'bad', title: 'No answer', again: true };
  return { tone: 'bad', title: `We could not load ${what}`, again: true };
}
