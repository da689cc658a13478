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

it('a scripted server records why it refused, and what it was asked that it does not have', async () => {
  const server = new ScriptedServer(() => Promise.resolve({ text: 'Hello.' }), true);
  await server.listen(0);
  const post = (path: string, body: string) => fetch(`${server.url}${path}`, { method: 'POST', body });
  const messages = [{ role: 'tool', tool_call_id: 'a', content: 'stray' }];
  const { status } = await post('/chat/completions', JSON.stringify({ model: 'm', messages }));
  await post('/messages', JSON.stringify({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Go.' }] }));
  await fetch(`${server.url}/v1/models?limit=1`);
  await post('/v1/messages', '[]');
  const { requests, unknownRequests } = server;
  expect([status, requests.map(({ dialect }) => dialect)]).toEqual([400, ['openai-chat', 'anthropic']]);
  expect(requests.map(({ refusal }) => refusal?.slice(0, 18))).toEqual(['Invalid parameter:', undefined]);
  expect(unknownRequests.map((one) => [one.method, one.path, one.status])).toEqual([
    ['GET', '/v1/models?limit=1', 404],
    ['POST', '/v1/messages', 400],
  ]);
  await server.close();
});
