import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancellableRequest } from '../../src/adapters/mcp/index.ts';
import type { CancelledError } from '../../src/core/foundation/errors.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import type { TokenLike } from '../../src/core/token/cancellation-token.ts';
import { rigs, type Rig } from './support/mcp-rigs.ts';
import type { Message } from './support/mcp-tools.ts';
import { describeBare } from '../support/bare.ts';

/** At once: a stop that waited for the server, or for its grace, would take far longer. */
const soonMs = 50;

const spoken = 'the secret plan changed';

describe.each(rigs)('S25 $name', ({ sdk, cancelsBy, open }) => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await open();
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  const notified = cancelsBy === 'notification';

  async function cancellations(): Promise<Message[]> {
    const { received } = await rig.journal();
    return received.filter(({ method }) => method === 'notifications/cancelled');
  }

  async function whenReceived(name: string): Promise<void> {
    for (;;) {
      const { received } = await rig.journal();
      if (received.some(({ method, params }) => method === 'tools/call' && params?.name === name)) return;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Waits until the server has seen as many cancels as that, and then a moment for one too many. */
  async function whenCancelled(count: number): Promise<void> {
    const seen = async () => (notified ? (await cancellations()).length : rig.closedStreams());
    await expect.poll(seen).toBe(count);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await seen()).toBe(count);
  }

  function call(token: TokenLike, name: string, args?: Record<string, number>): Promise<string> {
    return cancellableRequest(token, (options) => rig.call(name, args, options));
  }

  describeBare('the bare SDK', () => {
    it('takes a cancel for a timeout, and tells the server what the person said', async () => {
      const person = new AbortController();
      const outcome = rig.call('polite', {}, { signal: person.signal }).catch((error: unknown) => error);
      await whenReceived('polite');
      person.abort(new Error(spoken));
      const error = await outcome;
      expect(error).toMatchObject({ code: sdk === 1 ? -32001 : 'REQUEST_TIMEOUT' });
      expect(String(error)).toContain(spoken);
      await whenCancelled(1);
      const texts = (await cancellations()).map(({ params }) => params?.reason);
      expect(texts).toEqual(notified ? [`Error: ${spoken}`] : []);
    });

    it('of version 1 keeps a listener per call, and announces every finished call as cancelled', async () => {
      const session = new AbortController();
      for (let done = 0; done < 200; done += 1) await rig.call('quick', {}, { signal: session.signal });
      expect(getEventListeners(session.signal, 'abort')).toHaveLength(sdk === 1 ? 200 : 0);
      const last = expect(rig.call('polite', {}, { signal: session.signal })).rejects.toThrow();
      await whenReceived('polite');
      session.abort();
      await last;
      await whenCancelled(sdk === 1 ? 201 : 1);
    });
  });

  // Once slow is a busy machine; three times is a stop that waits for something.
  it('a cancel is kind user here, and neutral there', { retry: 2 }, async () => {
    const person = new CancellationTokenSource();
    const outcome = call(person.token, 'polite').catch((error: unknown) => error);
    await whenReceived('polite');
    const cancelledAt = performance.now();
    person.cancel({ kind: 'user', message: spoken, by: 'ada' });
    const error = await outcome;
    expect(performance.now() - cancelledAt).toBeLessThan(soonMs);
    expect((error as CancelledError).reason).toBe(person.reason);
    expect(error).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    await whenCancelled(1);
    const sent = await cancellations();
    expect(sent.map(({ params }) => params?.reason)).toEqual(notified ? ['Request cancelled'] : []);
    expect(JSON.stringify(sent)).not.toMatch(/secret|ada/);
  });

  it('200 calls leave no listener; 50 finished calls are not announced', async () => {
    const session = new AbortController();
    for (let done = 0; done < 200; done += 1) {
      await call(session.signal, 'quick');
      expect(getEventListeners(session.signal, 'abort')).toHaveLength(0);
    }
    const last = expect(call(session.signal, 'polite')).rejects.toMatchObject({ name: 'AbortError' });
    await whenReceived('polite');
    session.abort();
    await last;
    await whenCancelled(1);
    expect(getEventListeners(session.signal, 'abort')).toHaveLength(0);
  });

  it('a deaf server holds nobody up, and its late reply is dropped', { retry: 2 }, async () => {
    const person = new CancellationTokenSource();
    const outcome = call(person.token, 'deaf', { ms: 400 }).catch((error: unknown) => error);
    await whenReceived('deaf');
    const cancelledAt = performance.now();
    person.cancel('user');
    expect(await outcome).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    expect(performance.now() - cancelledAt).toBeLessThan(soonMs);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await expect(call(new CancellationTokenSource().token, 'quick')).resolves.toBe('quick');
    // The SDK's own hook for replies to nobody is the only one that may hear of it.
    expect(rig.complaints.filter(({ message }) => !message.includes('unknown message ID'))).toEqual([]);
  });

  it('progress is life, and silence is not', async () => {
    const seen: number[] = [];
    const silent = cancellableRequest(undefined, (options) => rig.call('report', { times: 4, ms: 100 }, options), {
      idleMs: 350,
      onProgress: ({ progress }) => seen.push(progress),
    });
    await expect(silent).rejects.toMatchObject({ name: 'TimeoutError', limitMs: 350, reason: { kind: 'idle' } });
    expect(seen).toEqual([1, 2, 3, 4]);
    await whenCancelled(1);
  });

  it('a timeout of the SDK’s own stays the SDK’s error', async () => {
    const { token } = new CancellationTokenSource();
    const slow = cancellableRequest(token, (options) => rig.call('polite', {}, { ...options, timeout: 50 }));
    await expect(slow).rejects.toMatchObject({
      code: sdk === 1 ? -32001 : 'REQUEST_TIMEOUT',
      data: { timeout: 50 },
    });
    await whenCancelled(1);
  });
});
