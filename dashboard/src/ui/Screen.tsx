import { Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';

type Props = {
  title: string;
  /** A sentence below the title. */
  lead?: ReactNode;
  /** Buttons and links that belong to the whole screen. */
  actions?: ReactNode;
  children?: ReactNode;
};

// The browser places the focus on the page that was opened first; afterwards this application does.
let opened = false;

/** A screen with its heading. Whoever moves to it by keyboard or hears it begins at the heading. */
export function Screen({ title, lead, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    document.title = `${title} · Formonce`;
  }, [title]);

  useEffect(() => {
    const screen = heading.current?.closest('.screen');
    if (opened && !screen?.contains(document.activeElement)) heading.current?.focus();
    opened = true;
  }, []);

  return (
    <div className="screen">
      <header className="screen-head">
        <div>
          <Title order={1} ref={heading} tabIndex={-1} className="screen-title">
            {title}
          </Title>
          {lead && <p className="muted screen-lead">{lead}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
