import { describe, expect, it } from 'vitest';

import { cancellableRequest } from '../../src/adapters/mcp/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { rigs } from './support/mcp-rigs.ts';
import { limitMs } from '../support/limit.ts';

const requests = 40;

/** Those that answer over HTTP: every request has a response stream, and a socket below it. */
const overHttp = rigs.filter(({ name }) => name.includes('HTTP'));

/** Long enough for a server to have heard of what happened on its sockets. */
const moment = () => new Promise((resolve) => setTimeout(resolve, 100));

describe.each(overHttp)('the response streams of cancelled requests, $name', ({ cancelsBy, open }) => {
  const isLegacy = cancelsBy === 'notification';

  it(isLegacy ? 'stay open until the client is closed, and no longer' : 'are closed by the cancel', async () => {
    await using rig = await open();
    const person = new CancellationTokenSource();
    const asked = Array.from({ length: requests }, () =>
      cancellableRequest(person.token, (options) => rig.call('polite', {}, options)).catch((error: unknown) => error),
    );
    const count = async (method: string) =>
      (await rig.journal()).received.filter((one) => one.method === method).length;
    await expect.poll(() => count('tools/call'), { timeout: limitMs(20_000) }).toBe(requests);
    expect(rig.closedStreams()).toBe(0);
    person.cancel('user');
    const kinds = (await Promise.all(asked)).map((error) => (error as { reason?: { kind?: string } }).reason?.kind);
    expect(kinds).toEqual(Array(requests).fill('user'));
    if (isLegacy) {
      await expect.poll(() => count('notifications/cancelled'), { timeout: limitMs(20_000) }).toBe(requests);
      await moment();
      expect(rig.closedStreams()).toBe(0);
      await rig.client.close();
    }
    await expect.poll(() => rig.closedStreams(), { timeout: limitMs(20_000) }).toBe(requests);
  });
});
