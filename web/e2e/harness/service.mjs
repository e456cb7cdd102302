// Starts the program as its users do, and looks at what it stored through its own commands.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const program = resolve(process.env.FORMONCE_BIN ?? join(import.meta.dirname, '../../../bin/formonce'));

const startWithin = 30_000;
const stopWithin = 10_000;

// The settings of whoever runs the tests stay out: only what is needed to find programs is passed on.
function environment(dataDir, settings) {
  const { PATH, HOME, TMPDIR, PG_BIN_DIR } = process.env;
  const own = {
    DATA_DIR: dataDir,
    LISTEN_ADDR: '127.0.0.1:0',
    RATE_LIMIT_CLIENT: 'off',
    RATE_LIMIT_ENDPOINT: 'off',
    ...settings,
  };

  return Object.fromEntries(Object.entries({ PATH, HOME, TMPDIR, PG_BIN_DIR, ...own }).filter(([, value]) => value));
}

/**
 * A running service with its own database and one tenant. Settings are environment variables of the program; without
 * them nothing is limited. Whoever starts it stops it.
 */
export async function startService(settings = {}) {
  assert.ok(existsSync(program), `There is no ${program}. Run \`make build\`, or name another program in FORMONCE_BIN.`);

  const dataDir = await mkdtemp(join(tmpdir(), 'formonce-e2e-'));
  await chmod(dataDir, 0o755); // PostgreSQL runs under another account when the tests run as root.

  const service = new Service(dataDir, environment(dataDir, settings));

  try {
    await service.start();
  } catch (error) {
    await service.abandon();
    throw error;
  }

  return service;
}

class Service {
  constructor(dataDir, env) {
    this.dataDir = dataDir;
    this.env = env;
    this.log = '';
    this.endpoints = [];
  }

  async start() {
    this.process = spawn(program, ['serve'], { env: this.env, cwd: this.dataDir, stdio: ['ignore', 'ignore', 'pipe'] });
    this.process.stderr.setEncoding('utf8').on('data', (text) => (this.log += text));
    this.exited = once(this.process, 'exit');
    process.once('exit', () => this.process.kill('SIGTERM')); // A run that is broken off leaves nothing behind.

    this.url = await this.address();
    const ready = await fetch(`${this.url}/readyz`);
    assert.equal(ready.status, 200, `the service is not ready: ${await ready.text()}`);

    this.tenant = 'acme';
    await this.command('tenant', 'create', '--name', 'Acme', '--email', 'ada@example.com', '--password', 'correct horse battery');
  }

  // The log names the address, since the system chose the port.
  async address() {
    const deadline = AbortSignal.timeout(startWithin);
    const ended = this.exited.then(([code]) => {
      throw new Error(`${program} serve ended with status ${code}:\n${this.log}`);
    });
    ended.catch(() => {}); // Once the address is known, an exit is judged by stop.

    for (;;) {
      const [, address] = /"address":"([^"]+)"/.exec(this.log) ?? [];
      if (address) return `http://${address}`;

      await Promise.race([once(this.process.stderr, 'data', { signal: deadline }), ended]);
    }
  }

  /** Runs a command of the program beside the service and returns what it printed, read as JSON. */
  async command(...args) {
    const { stdout } = await promisify(execFile)(program, args, { env: this.env, cwd: this.dataDir, maxBuffer: 64 << 20 });

    return JSON.parse(stdout);
  }

  /** Makes an endpoint with a random id. The flags are those of `formonce endpoint create`; a list repeats its flag. */
  async endpoint(flags = {}) {
    const { id } = await this.command('endpoint', 'create', '--tenant', this.tenant, ...flagsOf(flags));
    this.endpoints.push(id);

    return { id, url: `${this.url}/f/${id}` };
  }

  /** What is stored for an endpoint, the oldest first. */
  async submissions(endpoint) {
    const { data, next_cursor: more } = await this.command(
      'submission', 'list', '--tenant', this.tenant, '--endpoint', endpoint.id, '--limit', '100', '--json',
    );
    assert.equal(more, null, 'a test here stores at most 100 submissions in an endpoint');

    return data.reverse();
  }

  /** The stored fields of the only submission of an endpoint, as [name, value] in the order in which they are stored. */
  async onlyFields(endpoint) {
    const stored = await this.submissions(endpoint);
    assert.equal(stored.length, 1, 'one submission is stored');

    return stored[0].fields.map(({ name, value }) => [name, value]);
  }

  /** Stops the service as a supervisor does. It must end well, have failed at nothing and have logged no content. */
  async stop() {
    try {
      await this.assertSilence();
      this.process.kill('SIGTERM');
      const [code, signal] = await withDeadline(this.exited, stopWithin, 'the service does not stop');
      assert.deepEqual({ code, signal }, { code: 0, signal: null }, this.log);
      assert.deepEqual(this.log.split('\n').filter(isFailure), []);
    } finally {
      await this.abandon();
    }
  }

  // Short values, such as a number, stand in a log for other reasons.
  async assertSilence() {
    const stored = (await Promise.all(this.endpoints.map((id) => this.submissions({ id })))).flat();
    const values = stored.flatMap(({ fields }) => fields.map(({ value }) => String(value)));

    for (const value of new Set(values.filter(({ length }) => length >= 6))) {
      assert.ok(!this.log.includes(value), 'a submitted value stands in the log');
    }
  }

  async abandon() {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGKILL');
      await this.exited;
    }

    await rm(this.dataDir, { recursive: true, force: true });
  }
}

// A page that is left takes its requests with it, which is no failure of the service.
const isFailure = (line) => /"level":"ERROR"|"status":5\d\d/.test(line) && !line.includes('"code":"request_canceled"');

const flagsOf = (flags) =>
  Object.entries(flags).flatMap(([name, value]) => [value].flat().map((one) => `--${name}=${one}`));

async function withDeadline(promise, milliseconds, sentence) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(sentence)), milliseconds);
  });

  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
