// News of the tenant as they happen. Only ids travel, so that the screens ask again for what they show.
import { useEffect } from 'react';
import { endless, sendSigned } from './client';
import { refresh } from './queries';

export type News = { readonly id: string; readonly event: string; readonly data: string };

const shortest = 1_000;
const longest = 60_000;

/** Keeps the inbox current for as long as the screen is open. */
export function useLive(): void {
  useEffect(() => {
    const stop = new AbortController();
    void follow(stop.signal, () => void refresh('submissions', 'endpoints'));
    return () => stop.abort();
  }, []);
}

// A connection that ends is made again from the last event on, more slowly each time that there is none.
async function follow(signal: AbortSignal, onNews: (news: News) => void): Promise<void> {
  let last = '';
  let wait = shortest;

  while (!signal.aborted) {
    try {
      const response = await sendSigned(request(last, signal), endless);
      if (response.status === 401 || response.status === 403 || response.status === 404) return;
      if (response.ok) wait = shortest;

      for await (const news of readNews(response)) {
        last = news.id || last;
        if (news.event !== 'ready') onNews(news);
      }
    } catch {
      // A line that broke is what the loop is for.
    }

    await pause(wait, signal);
    wait = Math.min(wait * 2, longest);
  }
}

function request(last: string, signal: AbortSignal): Request {
  const headers = new Headers({ Accept: 'text/event-stream' });
  if (last !== '') headers.set('Last-Event-ID', last);
  return new Request(`${window.location.origin}/api/v1/stream`, { headers, signal });
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The events of an answer of the type text/event-stream (WHATWG HTML, 9.2.6), as they arrive. */
export async function* readNews(response: Response): AsyncGenerator<News> {
  if (!response.ok || response.body === null) return;

  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;

    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const news = readBlock(block);
      if (news) yield news;
    }
  }
}

function readBlock(block: string): News | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === '') continue; // A comment keeps the line open and says nothing.
    fields.set(name, name === 'data' && fields.has('data') ? `${fields.get('data')}\n${value}` : value);
  }

  return fields.has('data')
    ? { id: fields.get('id') ?? '', event: fields.get('event') ?? 'message', data: fields.get('data') ?? '' }
    : undefined;
}
