import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { newQueries } from '../api/queries';
import { theme, variables } from '../theme';

export type Scheme = 'light' | 'dark';

/** Renders a part of a screen with all that stands around it in the application. */
export function show(part: ReactNode, scheme: Scheme = 'light') {
  const router = createRouter({ routeTree: createRootRoute({ component: () => part }), history: createMemoryHistory() });

  return render(
    <MantineProvider theme={theme} cssVariablesResolver={variables} forceColorScheme={scheme} env="test">
      <QueryClientProvider client={newQueries()}>
        {/* The types know the router of the application alone. */}
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}
