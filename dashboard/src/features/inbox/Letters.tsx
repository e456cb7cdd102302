import { Link, useSearch } from '@tanstack/react-router';
import type { Page, Submission } from '../../api/submissions';
import { Moment } from '../../ui/Moment';

/** The list: who wrote, the beginning of what, and what it is marked with. */
export function Letters({ page }: { page: Page }) {
  const { open } = useSearch({ from: '/app/inbox' });

  return (
    <ul className="letters" aria-label="Submissions">
      {page.data.map((one) => (
        <li key={one.id}>
          <Letter one={one} current={one.id === open} />
        </li>
      ))}
    </ul>
  );
}

function Letter({ one, current }: { one: Submission; current: boolean }) {
  const { title, text } = summary(one);

  return (
    <Link
      to="/inbox"
      search={(before) => ({ ...before, open: one.id })}
      className="letter"
      data-unread={!one.read}
      {...(current ? { 'aria-current': 'true' as const } : {})}
    >
      <span className="letter-title">
        {one.starred && <span aria-label="Starred">★ </span>}
        {title}
        {!one.read && <span className="hidden-text"> (unread)</span>}
      </span>
      <span className="muted small">
        <Moment at={one.received_at} short />
      </span>
      <span className="letter-text">{text}</span>
      <Marks one={one} />
    </Link>
  );
}

function Marks({ one }: { one: Submission }) {
  if (one.status !== 'spam' && one.tags.length === 0 && one.replay_count === 0) return null;

  return (
    <span className="letter-marks">
      {one.status === 'spam' && (
        <span className="pill" data-tone="warn">
          Spam
        </span>
      )}
      {one.replay_count > 0 && (
        <span className="pill" data-tone="same">
          {one.replay_count === 1 ? '1 replay' : `${one.replay_count} replays`}
        </span>
      )}
      {one.tags.map((tag) => (
        <span key={tag} className="tag">
          {tag}
        </span>
      ))}
    </span>
  );
}

const telling = ['name', 'full_name', 'fullname', 'email', 'e-mail', 'subject', 'company'];

/** What stands for a submission in a list: the field that says who it is from, and the others after each other. */
export function summary({ fields, id }: Pick<Submission, 'fields' | 'id'>): { title: string; text: string } {
  const first =
    telling.map((name) => fields.find((field) => field.name.toLowerCase() === name && field.value !== '')).find(Boolean) ??
    fields[0];
  const others = fields.filter((field) => field !== first && field.value !== '').map(({ value }) => shown(value));

  return { title: first && first.value !== '' ? shown(first.value) : id, text: others.join(' · ') };
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
