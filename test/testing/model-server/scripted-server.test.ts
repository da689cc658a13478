import { expect, it } from 'vitest';
import { ScriptedServer } from '../../../src/testing/model-server/scripted-server.ts';

function silentServer(): ScriptedServer {
  return new ScriptedServer(() => Promise.resolve({ silent: true }), true);
}

it('a scripted server closes without ever having listened, as often as it is told to', async () => {
  const server = silentServer();
  const first = server.close();
  expect(server.close()).toBe(first);
  await first;
  await server[Symbol.asyncDispose]();
});

it('a scripted server sends those who wait home when it closes, and lets nobody wait afterwards', async () => {
  const server = silentServer();
  const waiting = expect(server.waitFor(({ requests }) => requests[0])).rejects.toThrow('The model server was closed');
  await server.close();
  await waiting;
  await expect(server.waitFor(() => true)).rejects.toThrow('The model server is closed');
});
