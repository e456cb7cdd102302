export function Wordmark() {
  return (
    <span className="wordmark">
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
        <path className="wordmark-paper" d="M6 2h20a2 2 0 0 1 2 2v26l-4-3-4 3-4-3-4 3-4-3-4 3V4a2 2 0 0 1 2-2z" />
        <path className="wordmark-tick" d="m10 14 4.5 4.5L22.5 9.5" />
      </svg>
      Formonce
    </span>
  );
}
