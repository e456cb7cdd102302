import { cleanup } from '@testing-library/react';
import { afterEach, vi } from 'vitest';

// What Mantine asks of a browser and jsdom does not have.
vi.stubGlobal('matchMedia', (query: string) => ({
  matches: false,
  media: query,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  addListener: () => undefined,
  removeListener: () => undefined,
}));

vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);

vi.stubGlobal('scrollTo', () => undefined);

// Axe draws where it can; jsdom cannot, and says so at each attempt.
HTMLCanvasElement.prototype.getContext = () => null;

afterEach(() => {
  cleanup();
  localStorage.clear();
});
