import { useEffect, useState } from 'react';
import { readiness, type Readiness } from '../../api/readiness';

const interval = 10_000;

/** The state of the service, asked at once, every ten seconds, and whenever the page is looked at again. */
export function useReadiness(): Readiness | undefined {
  const [state, setState] = useState<Readiness>();

  useEffect(() => {
    let gone = false;

    const look = async () => {
      if (document.hidden) return;
      const found = await readiness();
      if (!gone) setState(found);
    };

    void look();
    const timer = setInterval(() => void look(), interval);
    document.addEventListener('visibilitychange', look);

    return () => {
      gone = true;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);

  return state;
}
