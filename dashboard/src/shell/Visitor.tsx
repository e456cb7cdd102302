import { Outlet } from '@tanstack/react-router';
import { SchemeToggle } from '../ui/SchemeToggle';
import { Wordmark } from '../ui/Wordmark';

/** The frame of the screens before sign-in. */
export function Visitor() {
  return (
    <div className="visitor">
      <header className="top">
        <Wordmark />
        <SchemeToggle />
      </header>
      <main className="visitor-main">
        <Outlet />
      </main>
    </div>
  );
}
