// A line to the service that is slow at the worst moment: what was sent has arrived, and the answer is on its way.
import { EventEmitter, once } from 'node:events';
import { createServer, request } from 'node:http';

/**
 * Carries requests to the service at once, and holds every answer back until `count` requests were carried and answered.
 * `carried(n)` is fulfilled when the service has answered n of them. The line is cut at the end of the test.
 */
export async function startSlowLine(t, target, count) {
  const progress = new EventEmitter();
  let answered = 0;

  const carried = async (wanted) => {
    while (answered < wanted) await once(progress, 'answer');
  };

  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const onward = request(new URL(url, target), { method, headers }, async (answer) => {
      answered += 1;
      progress.emit('answer');
      await carried(count);
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });

  return { url: `http://127.0.0.1:${server.address().port}`, carried };
}
