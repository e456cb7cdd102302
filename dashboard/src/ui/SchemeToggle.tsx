import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

const sun = 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4';
const moon = 'M20.5 14A8.5 8.5 0 0 1 10 3.5 8.5 8.5 0 1 0 20.5 14z';

/** Follows the system until the reader chooses; the choice is kept in the browser. */
export function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';

  return (
    <ActionIcon variant="subtle" color="gray" size="lg" className="ink" aria-label={`Use ${other} colours`} onClick={() => setColorScheme(other)}>
      <svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
        <path d={scheme === 'dark' ? sun : moon} />
      </svg>
    </ActionIcon>
  );
}
