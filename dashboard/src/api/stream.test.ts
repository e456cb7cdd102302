import { describe, expect, it } from 'vitest';
import { readNews, type News } from './stream';

async function read(...chunks: string[]): Promise<News[]> {
  const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of bytes) controller.enqueue(chunk);
      controller.close();
    },
  });

  const found: News[] = [];
  for await (const news of readNews(new Response(body))) found.push(news);
  return found;
}

describe('a stream of news', () => {
  it.each([
    [
      'an event',
      ['id: 7\nevent: submission.accepted\ndata: {"a":1}\n\n'],
      [{ id: '7', event: 'submission.accepted', data: '{"a":1}' }],
    ],
    ['an event in pieces', ['id: 7\nda', 'ta: x', '\n', '\n'], [{ id: '7', event: 'message', data: 'x' }]],
    [
      'several at once',
      ['data: a\n\ndata: b\n\n'],
      [
        { id: '', event: 'message', data: 'a' },
        { id: '', event: 'message', data: 'b' },
      ],
    ],
    ['lines that end as on Windows', ['id: 1\r\ndata: a\r\n\r\n'], [{ id: '1', event: 'message', data: 'a' }]],
    ['data in several lines', ['data: a\ndata: b\n\n'], [{ id: '', event: 'message', data: 'a\nb' }]],
    ['heartbeats and the time to wait', [': still here\n\n', 'retry: 1000\n\n'], []],
    ['an event that was cut off', ['id: 7\ndata: x\n'], []],
  ])('brings %s', async (_, chunks, news) => {
    await expect(read(...chunks)).resolves.toEqual(news);
  });
});
