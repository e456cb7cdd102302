import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { takeLink } from './api/link';
import { onSessionAnnounced, onSessionEnd } from './api/session';
import { queries } from './api/queries';
import { App } from './app';
import { router } from './router';

takeLink();

// Nothing of the member who was signed in stays behind for the next one.
onSessionEnd(() => {
  queries.clear();
  void router.invalidate();
});
onSessionAnnounced(() => window.location.reload());

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
