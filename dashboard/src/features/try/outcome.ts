import type { Outcome } from '../../api/submit';

export type Explanation = {
  readonly tone: 'good' | 'same' | 'warn' | 'bad';
  /** Two words at most: what is stamped on the receipt. */
  readonly stamp: string;
  readonly sentence: string;
  readonly next: string;
};

/** Says in words what an outcome means and what to try next. */
export function explain(outcome: Outcome): Explanation {
  switch (outcome.kind) {
    case 'accepted':
      return {
        tone: 'good',
        stamp: 'Accepted',
        sentence: 'The submission is stored, and the key now belongs to it.',
        next: 'Send it again with the same key, as a browser does when an answer gets lost.',
      };
    case 'replayed':
      return {
        tone: 'same',
        stamp: 'Replay',
        sentence: 'Same key, same content: you get the first receipt again, and nothing is stored a second time.',
        next: 'Now change a field and send again with the same key.',
      };
    case 'conflict':
      return {
        tone: 'warn',
        stamp: 'Conflict',
        sentence: 'This key already belongs to a submission with other content. Nothing was stored, nothing was overwritten.',
        next: 'Take a new key to send these fields as a submission of their own.',
      };
    case 'unknown-endpoint':
      return {
        tone: 'warn',
        stamp: 'No endpoint',
        sentence: 'No endpoint has this id.',
        next: 'Was it given up in the meantime? Look at the list of endpoints.',
      };
    case 'limited':
      return {
        tone: 'warn',
        stamp: 'Too many',
        sentence: `More requests than the limit allows. Nothing was stored.${wait(outcome.retryAfter)}`,
        next: 'Keep the key: sending again with it is safe.',
      };
    case 'refused':
      return { tone: 'bad', stamp: 'Refused', sentence: outcome.message, next: 'Nothing was stored, and the key is still free.' };
    case 'failed':
      return {
        tone: 'bad',
        stamp: 'Failed',
        sentence: outcome.message,
        next: 'Send again with the same key: if the submission was stored after all, you get its receipt.',
      };
    case 'silent':
      return {
        tone: 'bad',
        stamp: 'No answer',
        sentence: 'The service did not answer.',
        next: 'Send again with the same key: if the submission was stored after all, you get its receipt.',
      };
  }
}

function wait(seconds: number | undefined): string {
  return seconds === undefined ? '' : ` Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
}
