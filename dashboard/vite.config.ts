import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const service = 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/dashboard/',
  plugins: [react()],
  // Nothing is put into the page as a data: address, which the content security policy would have to allow.
  build: { assetsInlineLimit: 0, target: 'es2022' },
  server: { proxy: { '/api/': service, '/f/': service } },
  test: {
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'http://127.0.0.1:8080/dashboard/' } },
    setupFiles: ['src/testing/setup.ts'],
    restoreMocks: true,
  },
});
