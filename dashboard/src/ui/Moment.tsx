const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dayOnly = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const timeOnly = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** A time of the API in the reader's zone; its exact text is there to be pointed at. */
export function Moment({ at, short = false }: { at: string; short?: boolean }) {
  const date = new Date(at);

  return (
    <time dateTime={at} title={at}>
      {short ? brief(date) : exact.format(date)}
    </time>
  );
}

function brief(date: Date): string {
  return date.toDateString() === new Date().toDateString() ? timeOnly.format(date) : dayOnly.format(date);
}
