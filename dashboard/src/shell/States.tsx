import { Button, Loader } from '@mantine/core';
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { asRefusal } from '../api/refusal';

export function Waiting() {
  return (
    <div className="notice" role="status">
      <Loader size="sm" aria-hidden="true" />
      <p className="muted">One moment…</p>
    </div>
  );
}

/** What stands in place of a screen that could not be shown. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const router = useRouter();

  // A script that is gone belongs to a version of the program that was replaced while the page was open.
  const replaced = /dynamically imported module|Importing a module script/i.test(String(error));
  const message = replaced ? 'Formonce was updated while this page was open.' : asRefusal(error).message;
  const again = () => {
    if (replaced) window.location.reload();
    reset();
    void router.invalidate();
  };

  return (
    <div className="notice" role="alert">
      <h1 className="notice-title">This page could not be shown</h1>
      <p className="muted">{message}</p>
      <Button onClick={again}>{replaced ? 'Load it anew' : 'Try again'}</Button>
    </div>
  );
}

export function Lost() {
  return (
    <main className="notice">
      <h1 className="notice-title">There is no page here</h1>
      <p className="muted">The address is mistyped, or what it showed is gone.</p>
      <Link to="/">Go to the dashboard</Link>
    </main>
  );
}
