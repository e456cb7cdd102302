import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { endpointList } from '../../api/endpoints';
import { tagList } from '../../api/submissions';
import { isFiltered, type Filter } from './filter';

const statuses = [
  { value: '', label: 'Any status' },
  { value: 'accepted', label: 'Accepted' },
  { value: 'spam', label: 'Spam' },
];

const marks = [
  { value: '', label: 'Any mark' },
  { value: 'unread', label: 'Unread' },
  { value: 'read', label: 'Read' },
  { value: 'starred', label: 'Starred' },
];

/** The filters stand in the address, so that a filtered inbox can be kept and sent around. */
export function Filters() {
  const search = useSearch({ from: '/app/inbox' });
  const navigate = useNavigate();
  const { data: endpoints } = useQuery(endpointList);
  const { data: tags } = useQuery(tagList);

  // Another filter is another list, which begins at its first page.
  const change = (changed: Filter) =>
    void navigate({ to: '/inbox', search: (before) => ({ ...before, ...changed, cursor: undefined }), replace: true });

  return (
    <search className="filters" aria-label="Filter the inbox">
      <SearchBox value={search.q ?? ''} onChange={(q) => change({ q })} />
      <NativeSelect
        label="Endpoint"
        value={search.endpoint ?? ''}
        onChange={(event) => change({ endpoint: event.currentTarget.value })}
        data={[
          { value: '', label: 'All endpoints' },
          ...(endpoints?.data ?? []).map(({ id, name = id }) => ({ value: id, label: name })),
        ]}
      />
      <NativeSelect
        label="Status"
        value={search.status ?? ''}
        onChange={(event) => change({ status: event.currentTarget.value })}
        data={statuses}
      />
      <NativeSelect
        label="Mark"
        value={markOf(search)}
        onChange={(event) => change(filterOf(event.currentTarget.value))}
        data={marks}
      />
      {(tags?.data.length ?? 0) > 0 && (
        <NativeSelect
          label="Tag"
          value={search.tag ?? ''}
          onChange={(event) => change({ tag: event.currentTarget.value })}
          data={[
            { value: '', label: 'Any tag' },
            ...(tags?.data ?? []).map(({ tag, count }) => ({ value: tag, label: `${tag} (${count})` })),
          ]}
        />
      )}
      {isFiltered(search) && (
        <Button variant="default" onClick={() => void navigate({ to: '/inbox' })}>
          Clear
        </Button>
      )}
    </search>
  );
}

function SearchBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const box = useRef<HTMLInputElement>(null);
  const change = useDebouncedCallback(onChange, 250);

  // The address changes by links as well; what is being typed is never taken away.
  useEffect(() => {
    if (box.current && box.current !== document.activeElement) box.current.value = value;
  }, [value]);

  return (
    <TextInput
      ref={box}
      type="search"
      label="Search"
      className="filters-wide"
      defaultValue={value}
      onChange={(event) => change(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

function markOf({ starred, read }: Filter): string {
  if (starred === 'true') return 'starred';
  if (read !== undefined) return read === 'true' ? 'read' : 'unread';
  return '';
}

function filterOf(mark: string): Filter {
  return {
    starred: mark === 'starred' ? 'true' : '',
    read: { read: 'true', unread: 'false' }[mark] ?? '',
  };
}
