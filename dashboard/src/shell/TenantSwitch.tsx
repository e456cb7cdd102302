import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { switchTenant } from '../api/signin';
import type { Who } from '../api/who';
import { sayRefused } from '../ui/notice';

/** Says which tenant all of this is of, and leads to the others of the same person. */
export function TenantSwitch({ who }: { who: Who }) {
  const navigate = useNavigate();
  if (who.tenants.length < 2) return <p className="tenant-name">{who.tenant?.name}</p>;

  const change = (tenant: string) => void switchTenant(tenant).then(() => navigate({ to: '/inbox' }), sayRefused);

  return (
    <NativeSelect
      label="Tenant"
      value={who.tenant?.id ?? ''}
      onChange={(event) => change(event.currentTarget.value)}
      data={who.tenants.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
