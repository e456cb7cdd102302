import { useEffect, useRef } from 'react';
import type { Refusal } from '../api/refusal';

/** The sentence of a refusal, which takes the focus so that it is read at once. */
export function Refused({ refusal }: { refusal: Refusal }) {
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => box.current?.focus(), [refusal]);

  return (
    <div ref={box} className="refused" role="alert" tabIndex={-1} data-tone="bad">
      <p>{refusal.message}</p>
      {refusal.issues.length > 0 && (
        <ul>
          {refusal.issues.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              {field && <code>{field}</code>} {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
