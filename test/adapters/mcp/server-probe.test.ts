import { expect, it, vi } from 'vitest';

import { defaultProbe, isNoAnswer } from '../../../src/adapters/mcp/server-probe.ts';
import { CancellationToken } from '../../../src/core/token/cancellation-token.ts';
import { FakeClient } from './fake-client.ts';

const context = { signal: new AbortController().signal, onprogress: () => undefined, token: CancellationToken.none };

it('asks with a ping', async () => {
  const client = new FakeClient();
  await defaultProbe(client, context);
  expect(client.pings).toBe(1);
});

it('asks a server of revision 2026-07-28, which has no ping, to discover', async () => {
  const discover = vi.fn(() => Promise.resolve({}));
  const client = Object.assign(new FakeClient(), { getProtocolEra: () => 'modern', discover });
  await defaultProbe(client, context);
  expect([discover.mock.calls.length, client.pings]).toEqual([1, 0]);
});

it.each([
  [Object.assign(new Error('Request timed out'), { code: -32_001 }), true],
  [Object.assign(new Error('Request timed out'), { code: 'REQUEST_TIMEOUT' }), true],
  [Object.assign(new Error('Connection closed'), { code: -32_000 }), false],
  [null, false],
])('a limit of an SDK’s own is no answer: %s', (error, expected) => {
  expect(isNoAnswer(error)).toBe(expected);
});
