import { Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';

type Props = { title: string; lead?: ReactNode; actions?: ReactNode; danger?: boolean; children?: ReactNode };

/** A part of a screen with its own heading. */
export function Panel({ title, lead, actions, danger = false, children }: Props) {
  const id = useId();

  return (
    <section className={danger ? 'panel panel-danger' : 'panel'} aria-labelledby={id}>
      <div className="panel-head">
        <Title order={2} id={id} className="panel-title">
          {title}
        </Title>
        {actions && <div className="actions">{actions}</div>}
      </div>
      {lead && <p className="muted panel-lead">{lead}</p>}
      {children}
    </section>
  );
}
