import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Refusal } from '../api/refusal';
import { sayRefused } from './notice';

type Tagged = { readonly etag: string };

type Revised<T> = {
  /** What the form is filled with; the form is to have its ETag as its key. */
  base: T;
  /** The one to send as If-Match. */
  etag: string;
  /** Takes the state after saving as the new base. */
  saved: (next: T) => void;
  /** For the form: explains that somebody else was faster, and leads on. */
  explain: (refusal: Refusal) => ReactNode | undefined;
};

/**
 * Keeps under a form what it was filled with, so that a newer state that arrives by itself wipes nothing out. When saving
 * is refused since somebody else was faster, there are two ways on: their state, or the typed one over theirs.
 */
export function useRevised<T extends Tagged>(found: T, look: () => Promise<T>): Revised<T> {
  const [base, setBase] = useState(found);
  const [etag, setEtag] = useState(found.etag);

  const saved = (next: T) => {
    setBase(next);
    setEtag(next.etag);
  };
  const explain = ({ code }: Refusal) =>
    code === 'precondition_failed' ? <Stale look={look} onTheirs={saved} onMine={(theirs) => setEtag(theirs.etag)} /> : undefined;

  return { base, etag, saved, explain };
}

type Props<T> = { look: () => Promise<T>; onTheirs: (theirs: T) => void; onMine: (theirs: T) => void };

function Stale<T extends Tagged>({ look, onTheirs, onMine }: Props<T>) {
  const [mine, setMine] = useState(false);

  const keepMine = async () => {
    onMine(await look());
    setMine(true);
  };

  return (
    <div className="refused" role="alert" data-tone="warn">
      <p>Somebody else changed this while you were at it. Nothing of yours was saved, and nothing of theirs was lost.</p>
      {mine ? (
        <p>Save again, and yours replaces theirs.</p>
      ) : (
        <div className="actions">
          <Button variant="default" onClick={() => void look().then(onTheirs, sayRefused)}>
            Show theirs instead
          </Button>
          <Button variant="default" onClick={() => void keepMine().catch(sayRefused)}>
            Keep mine
          </Button>
        </div>
      )}
    </div>
  );
}
