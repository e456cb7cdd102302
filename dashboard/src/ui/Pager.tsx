import { Link, useSearch } from '@tanstack/react-router';

/** The ways through a list that comes in pages. Each page has its address; the browser's back leads to the one before. */
export function Pager({ next }: { next: string | null }) {
  const { cursor } = useSearch({ strict: false });
  if (!next && !cursor) return null;

  return (
    <nav className="actions pager" aria-label="Pages">
      {cursor && (
        <Link to="." search={(before) => ({ ...before, cursor: undefined, open: undefined })}>
          First page
        </Link>
      )}
      {next && (
        <Link to="." search={(before) => ({ ...before, cursor: next, open: undefined })}>
          Next page
        </Link>
      )}
    </nav>
  );
}
