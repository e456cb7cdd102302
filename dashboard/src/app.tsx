import { MantineProvider } from '@mantine/core';
import { StartPage } from './features/start/StartPage';
import { theme } from './theme';

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <StartPage />
    </MantineProvider>
  );
}
