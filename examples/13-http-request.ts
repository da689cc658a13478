/**
 * Two clients close their connections half-way: the run that was started goes on to its end, the preview stops. Then a
 * third is stopped by a person, from another request.
 */
import { createServer, request as open } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type CancellationTokenSource, CancelledError, withCancellation } from 'desist';
import { fromRequest } from 'desist/http-request';
import { deferred } from 'desist/testing';

const runs = new Map<string, CancellationTokenSource>();
const answers = new Map([1, 2, 3].map((n) => [`/${n}`, deferred<string>()]));
const ended = deferred();

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://local');
  if (searchParams.has('stop')) {
    runs.get(pathname)?.cancel({ kind: 'user', by: 'ada' });
    response.end();
    return;
  }
  const run = fromRequest(request, { disconnect: pathname === '/2' ? 'cancel' : 'ignore' });
  runs.set(pathname, run);
  response.write('working\n');
  withCancellation(run.token, () => answers.get(pathname)?.promise, { settle: 'abandon' })
    .then(
      (answer) => console.log(`${pathname}: ${answer}`),
      (error: unknown) => console.log(`${pathname}: ${error instanceof CancelledError ? error.reason.kind : 'failed'}`),
    )
    .finally(() => {
      run.release();
      response.end();
      if (runs.delete(pathname) && runs.size === 0) ended.resolve();
    });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

/** Asks, and waits for the first byte; the connection stays open. */
function ask(path: string): Promise<{ leave: () => void }> {
  return new Promise((resolve) => {
    open({ port, path, agent: false }, (response) => {
      response.on('error', () => {});
      response.once('readable', () => resolve({ leave }));
      const leave = () => response.destroy();
    }).end();
  });
}

const [first, second] = [await ask('/1'), await ask('/2'), await ask('/3')];
const stopped = runs.get('/2')?.token.whenCancelled();
first.leave();
second.leave();
await stopped;
await fetch(`http://127.0.0.1:${port}/3?stop`, { method: 'POST' });
answers.get('/1')?.resolve('the whole answer');
await ended.promise;
server.closeAllConnections();
server.close();

// Output:
// /2: disconnect
// /3: user
// /1: the whole answer
