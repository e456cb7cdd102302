// The customers' web sites: pages on origins that are not the service's.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '../node_modules');
const html = { 'Content-Type': 'text/html; charset=utf-8' };

/**
 * One server under two names, which browsers take for two sites. `show` puts up a page and returns its address on the
 * first; files of the installed packages are served as they ship, below /packages/.
 */
export async function startSite() {
  const pages = new Map();
  const server = createServer((request, response) => answer(pages, request, response));

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();

  const origin = `http://localhost:${port}`;

  return {
    origin,
    otherOrigin: `http://127.0.0.1:${port}`,
    show(body) {
      const path = `/page-${pages.size + 1}`;
      pages.set(path, document(body));

      return origin + path;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const document = (body) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A customer's page</title><link rel="icon" href="data:,"></head>
<body>${body}</body></html>`;

async function answer(pages, request, response) {
  const { pathname } = new URL(request.url, 'http://site');

  if (pages.has(pathname)) {
    response.writeHead(200, html).end(pages.get(pathname));
  } else if (pathname.startsWith('/packages/')) {
    response.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8' });
    response.end(await readFile(join(packages, pathname.slice('/packages/'.length))));
  } else {
    response.writeHead(200, html).end(document(`<h1>${pathname}</h1>`));
  }
}
