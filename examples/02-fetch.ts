/**
 * A download that a person stops half-way, and one that stalls: the body ends with the right error, and the server sees
 * its socket close.
 */
import { CancellationTokenSource } from 'desist';
import { cancellableFetch } from 'desist/fetch';
import { startModelServer } from 'desist/testing';

const server = await startModelServer({
  script: [
    { text: 'one two three four five six', chunkMs: 30 },
    { text: 'one two three', silentAfter: 2 },
    'All of it.',
  ],
});
const request = {
  method: 'POST',
  body: JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: 'Count.' }] }),
};
const address = `${server.url}/v1/chat/completions`;

// The person stops after the first chunk.
const stop = new CancellationTokenSource({ name: 'download' });
const response = await cancellableFetch(address, { ...request, token: stop.token });
console.log('response:', response instanceof Response, response.status);
const reader = response.body?.getReader();
await reader?.read();
stop.cancel({ kind: 'user', by: 'ada' });
await reader?.read().catch((error: unknown) => {
  console.log('body:', error === stop.signal.reason, stop.reason?.kind);
});
await server.waitFor(({ requests }) => requests[0]?.closedEarly);
console.log('server: the client left early');

// The server stalls after two words; nobody pressed anything.
const stalled = await cancellableFetch(address, { ...request, idleMs: 400 });
await stalled.text().catch((error: unknown) => {
  console.log('stalled:', error instanceof Error && error.message);
});

// A body that is read to its end lets the token go.
const whole = await cancellableFetch(address, { ...request, token: new CancellationTokenSource().token });
console.log('whole:', (await whole.text()).endsWith('data: [DONE]\n\n'));
await server.close();

// Output:
// response: true 200
// body: true user
// server: the client left early
// stalled: Nothing moved for 400 ms
// whole: true
