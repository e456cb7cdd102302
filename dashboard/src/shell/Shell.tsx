import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { signOut } from '../api/signin';
import { useLive } from '../api/stream';
import { may, whoAmI, type Role, type Who } from '../api/who';
import { Loaded } from '../ui/Loaded';
import { sayRefused } from '../ui/notice';
import { SchemeToggle } from '../ui/SchemeToggle';
import { Wordmark } from '../ui/Wordmark';
import { Banners } from './Banners';
import { TenantSwitch } from './TenantSwitch';
import { NoTenant } from './NoTenant';

const places = [
  { to: '/inbox', label: 'Inbox', role: 'viewer' },
  { to: '/endpoints', label: 'Endpoints', role: 'viewer' },
  { to: '/members', label: 'Members', role: 'viewer' },
  { to: '/api-keys', label: 'API keys', role: 'admin' },
  { to: '/audit-log', label: 'Audit log', role: 'admin' },
  { to: '/tenant', label: 'Tenant', role: 'viewer' },
  { to: '/account', label: 'Your account', role: 'viewer' },
] as const satisfies readonly { to: string; label: string; role: Role }[];

/** The frame of every screen of a member: where they are, what else there is, and the screen. */
export function Shell() {
  const query = useQuery(whoAmI);

  return (
    <Loaded query={query} what="your session">
      {(who) => (who.tenant ? <Frame who={who} /> : <NoTenant who={who} />)}
    </Loaded>
  );
}

function Frame({ who }: { who: Who }) {
  useLive();

  return (
    <div className="shell">
      <a href="#main" className="skip">
        Go to the content
      </a>
      <Side who={who} />
      <main id="main" tabIndex={-1} className="main">
        <Banners who={who} />
        <Outlet />
      </main>
    </div>
  );
}

function Side({ who }: { who: Who }) {
  const [shown, setShown] = useState(false);
  const { pathname } = useLocation();

  // On a phone the menu lies over the screen, and is out of the way once a place is chosen.
  useEffect(() => setShown(false), [pathname]);

  return (
    <header className="side">
      <div className="side-top">
        <Wordmark />
        <Button
          className="side-toggle"
          variant="default"
          size="xs"
          aria-expanded={shown}
          aria-controls="places"
          onClick={() => setShown(!shown)}
        >
          Menu
        </Button>
      </div>
      <div id="places" className="side-body" data-shown={shown}>
        <TenantSwitch who={who} />
        <nav aria-label="Main">
          <ul className="places">
            {places
              .filter(({ role }) => may(who, role))
              .map(({ to, label }) => (
                <li key={to}>
                  <Link to={to} className="place">
                    {label}
                  </Link>
                </li>
              ))}
          </ul>
        </nav>
        <Foot who={who} />
      </div>
    </header>
  );
}

function Foot({ who }: { who: Who }) {
  const navigate = useNavigate();
  const leave = () => void signOut().then(() => navigate({ to: '/sign-in' }), sayRefused);

  return (
    <div className="side-foot">
      <p className="small muted side-who">{who.email}</p>
      <div className="actions">
        <Button variant="default" size="xs" onClick={leave}>
          Sign out
        </Button>
        <SchemeToggle />
      </div>
    </div>
  );
}
