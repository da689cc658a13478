/** A server with a Stop route: a person stops her own run, and nobody stops another's. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { delay } from 'desist';
import { stopHandler } from 'desist/http-request';
import { SessionRegistry } from 'desist/sessions';

const sessions = new SessionRegistry();
const owners = new Map([
  ['run-1', 'ada'],
  ['run-2', 'bob'],
]);
const stop = stopHandler(sessions, {
  authorize: ({ header }, runId) => {
    const by = header('x-user'); // in earnest a session cookie or a bearer token
    return by !== undefined && owners.get(runId) === by && { by };
  },
});

const server = createServer(stop.node);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

const turns = [...owners.keys()].map((id) => sessions.open(id).controller.runTurn(({ token }) => delay(token, 60_000)));

async function press(runId: string, user: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/runs/${runId}/cancel`, {
    method: 'POST',
    headers: { 'x-user': user },
    body: JSON.stringify({ reason: 'wrong branch', wait: 'settled' }),
  });
  const body = (await response.json()) as { status?: string; error?: string };
  console.log(`${user} stops ${runId}: ${response.status} ${body.status ?? body.error}`);
}
await press('run-2', 'ada');
await press('run-3', 'ada');
await press('run-1', 'ada');

const { controller } = sessions.open('run-2');
console.log('run-1:', (await turns[0])?.status);
console.log('run-2:', controller.state);

server.close();
server.closeAllConnections();
await sessions.drain({ timeoutMs: 0 });

// Output:
// ada stops run-2: 404 no such run
// ada stops run-3: 404 no such run
// ada stops run-1: 200 settled
// run-1: cancelled
// run-2: running
