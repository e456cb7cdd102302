import type { Event } from '../../api/submissions';

const words: Record<string, string> = {
  received: 'Received',
  replayed: 'Sent again with the same key, and answered with the first receipt',
  marked_as_spam: 'Taken for spam',
  marked_as_not_spam: 'Found to be no spam',
  starred: 'Got a star',
  unstarred: 'Lost its star',
  read: 'Read',
  marked_as_unread: 'Marked as unread',
  tagged: 'Tagged',
  untagged: 'Lost the tag',
};

/** An event in words; a kind that this page does not know yet by its own name. */
export function eventWords({ kind, tag, by }: Event): string {
  const what = [words[kind] ?? kind.replaceAll('_', ' '), tag].filter(Boolean).join(' ');
  return by?.name ? `${what}, by ${by.name}` : what;
}
