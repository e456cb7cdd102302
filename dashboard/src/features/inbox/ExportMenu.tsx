import { Button, Menu } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { downloadExport, type Format } from '../../api/submissions';
import { sayRefused } from '../../ui/notice';

const formats: { format: Format; label: string }[] = [
  { format: 'csv', label: 'CSV' },
  { format: 'xlsx', label: 'Excel (XLSX)' },
  { format: 'jsonl', label: 'JSON Lines' },
];

/** Saves what the filters show, all pages of it, as a file. */
export function ExportMenu() {
  const filter = useSearch({ from: '/app/inbox' });
  const [saving, setSaving] = useState(false);

  const save = (format: Format) => {
    setSaving(true);
    void downloadExport(format, filter)
      .catch(sayRefused)
      .finally(() => setSaving(false));
  };

  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" loading={saving}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {formats.map(({ format, label }) => (
          <Menu.Item key={format} onClick={() => save(format)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
