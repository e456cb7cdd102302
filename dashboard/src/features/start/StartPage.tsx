import { SchemeToggle } from '../../ui/SchemeToggle';
import { Wordmark } from '../../ui/Wordmark';
import { FirstCommands } from './FirstCommands';
import { ServiceState } from './ServiceState';
import { TryIt } from './TryIt';
import { useReadiness } from './useReadiness';

/** What a newcomer sees first: that the service runs, what "exactly once" means, and how to begin. */
export function StartPage() {
  const state = useReadiness();

  return (
    <div className="page">
      <header className="top">
        <Wordmark />
        <SchemeToggle />
      </header>
      <main className="content">
        <ServiceState state={state} />
        <TryIt />
        <FirstCommands />
      </main>
    </div>
  );
}
