const program = 'bin/formonce';
const tenant = 'demo';

/** An endpoint id of the reader's own, other than that of the demo, so that the first command works as it stands. */
export const ownEndpoint = 'my-form';

export function createCommand(endpoint: string): string {
  return `${program} endpoint create --tenant ${tenant} --id ${endpoint}`;
}

// A key of its own in the shell: run twice, the command is two submissions, as two visitors would be.
export function curlCommand(origin: string, endpoint: string): string {
  return [
    `curl ${origin}/f/${endpoint} \\`,
    `  -H "Idempotency-Key: curl-$(date +%s)-$RANDOM" \\`,
    `  -d email=ada@example.com -d message=Hello`,
  ].join('\n');
}

export function listCommand(endpoint: string): string {
  return `${program} submission list --tenant ${tenant} --endpoint ${endpoint}`;
}
