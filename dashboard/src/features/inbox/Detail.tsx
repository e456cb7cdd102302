import { ActionIcon, Button, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { eraseSubmission, markSubmission, submissionById, timelineOf, type Marks, type Submission } from '../../api/submissions';
import { useMay } from '../../api/who';
import { Confirm } from '../../ui/Confirm';
import { Loaded } from '../../ui/Loaded';
import { Moment } from '../../ui/Moment';
import { say, sayRefused } from '../../ui/notice';
import { summary } from './Letters';
import { Tags } from './Tags';
import { eventWords } from './eventWords';

/** One submission: what was filled in, what it is marked with, and what has become of it. */
export function Detail({ id }: { id: string }) {
  const query = useQuery(submissionById(id));

  return (
    <section className="panel" aria-label="The open submission">
      <Loaded query={query} what="the submission">
        {(one) => <Letter one={one} />}
      </Loaded>
    </section>
  );
}

function Letter({ one }: { one: Submission }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const editor = useMay('editor');
  const mark = (marks: Marks) => markSubmission(one.id, marks).catch(sayRefused);

  useEffect(() => heading.current?.focus(), [one.id]);
  useRead(one, editor);

  return (
    <>
      <div className="panel-head">
        <Title order={2} ref={heading} tabIndex={-1} className="panel-title screen-title">
          {summary(one).title}
        </Title>
        <Close />
      </div>
      <p className="muted small">
        <Moment at={one.received_at} /> at{' '}
        <Link to="/endpoints/$endpoint" params={{ endpoint: one.endpoint_id }}>
          {one.endpoint_id}
        </Link>
      </p>
      {one.status === 'spam' && (
        <p className="refused" data-tone="warn">
          This was taken for spam, and nothing was done with it.
        </p>
      )}
      {editor && <Acts one={one} mark={mark} />}
      <dl className="values">
        {one.fields.map(({ name, value }, i) => (
          <div key={`${i} ${name}`}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? value || '—' : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
      <Tags tags={one.tags} onChange={editor ? (tags) => mark({ tags }) : undefined} />
      <Timeline id={one.id} />
    </>
  );
}

// Whoever opens a submission has read it; marking it unread again lasts until it is opened the next time.
function useRead(one: Submission, editor: boolean): void {
  const opened = useRef('');

  useEffect(() => {
    if (!editor || opened.current === one.id) return;
    opened.current = one.id;
    if (!one.read) void markSubmission(one.id, { read: true }).catch(() => undefined);
  }, [one.id, one.read, editor]);
}

function Close() {
  const navigate = useNavigate();

  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      className="ink"
      aria-label="Close the submission"
      onClick={() => void navigate({ to: '/inbox', search: (before) => ({ ...before, open: undefined }) })}
    >
      <svg
        viewBox="0 0 24 24"
        width="18"
        height="18"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <path d="M5 5l14 14M19 5L5 19" />
      </svg>
    </ActionIcon>
  );
}

function Acts({ one, mark }: { one: Submission; mark: (marks: Marks) => Promise<unknown> }) {
  const navigate = useNavigate();
  const spam = one.status === 'spam';
  const buttons = [
    { label: one.starred ? 'Remove the star' : 'Star', marks: { starred: !one.starred } },
    { label: one.read ? 'Mark as unread' : 'Mark as read', marks: { read: !one.read } },
    { label: spam ? 'Not spam' : 'Spam', marks: { status: spam ? ('accepted' as const) : ('spam' as const) } },
  ];

  return (
    <div className="actions">
      {buttons.map(({ label, marks }) => (
        <Button key={label} variant="default" size="xs" onClick={() => void mark(marks)}>
          {label}
        </Button>
      ))}
      <Confirm
        button="Erase"
        title="Erase this submission?"
        label="Erase it for good"
        send={async () => {
          await eraseSubmission(one.id);
          say('The submission is erased.');
          await navigate({ to: '/inbox', search: (before) => ({ ...before, open: undefined }) });
        }}
      >
        <p>All of its fields are gone then. That cannot be undone.</p>
      </Confirm>
    </div>
  );
}

function Timeline({ id }: { id: string }) {
  const { data } = useQuery(timelineOf(id));
  if (!data) return null;

  return (
    <>
      <h3 className="small-title above">What has become of it</h3>
      <ol className="timeline">
        {data.data.map((event, i) => (
          <li key={`${i} ${event.at}`}>
            {eventWords(event)}{' '}
            <span className="muted">
              · <Moment at={event.at} />
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
