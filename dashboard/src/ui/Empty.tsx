import type { ReactNode } from 'react';

type Props = { title: string; children?: ReactNode; action?: ReactNode };

/** What stands where a list would, when it has nothing in it. */
export function Empty({ title, children, action }: Props) {
  return (
    <div className="notice notice-empty">
      <p className="notice-title">{title}</p>
      {children && <p className="muted">{children}</p>}
      {action}
    </div>
  );
}
