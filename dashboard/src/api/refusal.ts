import { member, text } from './door';

export type Issue = { readonly field: string; readonly message: string };

/** Why the service did not do what it was asked for. Its message is a sentence that is meant for the reader. */
export class Refusal extends Error {
  constructor(
    /** The status of the answer; 0 when there was none. */
    readonly status: number,
    /** Stable, such as endpoint_not_found; no_answer when there was none. */
    readonly code: string,
    message: string,
    /** What is wrong with single members of what was sent. */
    readonly issues: readonly Issue[] = [],
    readonly details: unknown = undefined,
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** The refusal that the body of an answer with the status of an error describes. */
export function refusalOf(status: number, body: unknown): Refusal {
  const error = member(body, 'error');
  const details = member(error, 'details');

  return new Refusal(
    status,
    text(error, 'code') ?? `http_${status}`,
    text(error, 'message') ?? 'The answer was not one of Formonce. Is there a proxy in between?',
    issuesOf(member(details, 'issues')),
    details,
  );
}

/** The refusal for a request that no answer came to, which says nothing about whether it arrived. */
export function noAnswer(): Refusal {
  return new Refusal(0, 'no_answer', 'The service did not answer. Look at your connection, then try again.');
}

/** Whatever was thrown, as a refusal with a sentence. */
export function asRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  if (thrown instanceof TypeError || (thrown instanceof DOMException && thrown.name === 'TimeoutError')) return noAnswer();
  return new Refusal(0, 'unexpected', 'This page met something unexpected. Open it again.');
}

export function issuesOf(found: unknown): Issue[] {
  if (!Array.isArray(found)) return [];
  return found.map((issue) => ({ field: text(issue, 'field') ?? '', message: text(issue, 'message') ?? '' }));
}
