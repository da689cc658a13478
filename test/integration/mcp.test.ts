import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { getEventListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cancellableRequest } from '../../src/adapters/mcp/index.ts';
import { CancelledError } from '../../src/core/foundation/errors.ts';
import type { TokenLike } from '../../src/core/token/handles.ts';
import { CancellationTokenSource } from '../../src/core/token/token.ts';

const serverFile = fileURLToPath(new URL('support/mcp-server.ts', import.meta.url));

let client: Client;
let complaints: Error[];

beforeEach(async () => {
  complaints = [];
  client = new Client({ name: 'test', version: '1.0.0' });
  client.onerror = (error) => complaints.push(error);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [serverFile] }));
});

afterEach(() => client.close());

function callTool(token: TokenLike, name: string, args: Record<string, number> = {}): Promise<string> {
  return cancellableRequest(token, async (context) => {
    const { content } = await client.callTool({ name, arguments: args }, undefined, context);
    return (content as { text: string }[])[0]?.text ?? '';
  });
}

/** What the server has received, by method. */
async function received(method: string): Promise<{ params: { reason?: string; name?: string } }[]> {
  const { content } = await client.callTool({ name: 'log' });
  const log = JSON.parse((content as { text: string }[])[0]?.text ?? '[]') as { method?: string }[];
  return log.filter((message) => message.method === method) as unknown as { params: { reason?: string } }[];
}

/** Waits until the server has got a call. */
async function whenReceived(name: string): Promise<void> {
  while (!(await received('tools/call')).some(({ params }) => params.name === name));
}

it('S25 a cancel is kind user here, and one neutral notification there', async () => {
  const person = new CancellationTokenSource();
  const call = callTool(person.token, 'polite');
  const outcome = call.catch((error: unknown) => error);
  await whenReceived('polite');
  const cancelledAt = performance.now();
  person.cancel({ kind: 'user', message: 'the secret plan changed', by: 'ada' });
  const error = await outcome;
  expect(performance.now() - cancelledAt).toBeLessThan(500);
  expect(error).toBeInstanceOf(CancelledError);
  expect(error).toBe(person.signal.reason);
  expect(error).toMatchObject({ reason: { kind: 'user' } });
  const notifications = await received('notifications/cancelled');
  expect(notifications.map(({ params }) => params.reason)).toEqual(['Request cancelled']);
  expect(JSON.stringify(notifications)).not.toMatch(/secret|ada/);
});

it('S25 100 calls leave no listener, and 50 finished calls are not announced as cancelled', async () => {
  const session = new AbortController();
  for (let call = 0; call < 100; call += 1) await callTool(session.signal, 'quick');
  expect(getEventListeners(session.signal, 'abort')).toHaveLength(0);
  const open = expect(callTool(session.signal, 'polite')).rejects.toBeInstanceOf(CancelledError);
  await whenReceived('polite');
  session.abort();
  await open;
  expect(await received('notifications/cancelled')).toHaveLength(1);
  expect(getEventListeners(session.signal, 'abort')).toHaveLength(0);
});

it('S25 a deaf server holds nobody up, and its late reply is dropped', async () => {
  const person = new CancellationTokenSource();
  const outcome = callTool(person.token, 'deaf', { ms: 150 }).catch((error: unknown) => error);
  await whenReceived('deaf');
  const cancelledAt = performance.now();
  person.cancel('user');
  expect(await outcome).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
  expect(performance.now() - cancelledAt).toBeLessThan(500);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await expect(callTool(new CancellationTokenSource().token, 'quick')).resolves.toBe('quick');
  // The SDK's own hook for "reply to an unknown request" is the only one that may hear of it; nothing is thrown.
  expect(complaints.filter(({ message }) => !message.includes('unknown message ID'))).toEqual([]);
});

it('counts progress as life, and stops a server that makes none', async () => {
  const seen: number[] = [];
  const call = cancellableRequest(
    undefined,
    (context) => client.callTool({ name: 'report', arguments: { times: 4, ms: 100 } }, undefined, context),
    { idleMs: 350, onProgress: ({ progress }) => seen.push(progress) },
  );
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError', limitMs: 350, reason: { kind: 'idle' } });
  expect(seen).toEqual([1, 2, 3, 4]);
  expect(await received('notifications/cancelled')).toHaveLength(1);
});

it('leaves the SDK’s own timeout the SDK’s error', async () => {
  const token = new CancellationTokenSource().token;
  const call = cancellableRequest(token, (context) =>
    client.callTool({ name: 'polite' }, undefined, { ...context, timeout: 50 }),
  );
  await expect(call).rejects.toMatchObject({ code: -32001, data: { timeout: 50 } });
});
