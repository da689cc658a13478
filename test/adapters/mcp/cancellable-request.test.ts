import { afterEach, describe, expect, it, vi } from 'vitest';
import { cancellableRequest, type McpRequestContext } from '../../../src/adapters/mcp/cancellable-request.ts';
import { CancelledError } from '../../../src/core/foundation/errors.ts';
import { InterruptController } from '../../../src/core/interrupt/controller.ts';
import type { CancellationToken } from '../../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

/** Behaves as the SDK does: rejects with −32001 and the reason's text, and never takes its listener off. */
function sdkRequest({ signal }: McpRequestContext): Promise<string> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(Object.assign(new Error(`MCP error -32001: ${String(signal.reason)}`), { code: -32001 }));
    });
  });
}

it('returns what the request returned', async () => {
  await expect(cancellableRequest(undefined, () => Promise.resolve({ content: [] }))).resolves.toEqual({ content: [] });
});

describe('S25 a cancel', () => {
  it('is the token’s error, not the SDK’s −32001', async () => {
    const person = new CancellationTokenSource({ clock });
    const call = cancellableRequest(person.token, sdkRequest);
    const outcome = expect(call).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    person.cancel({ kind: 'user', message: 'the secret plan changed' });
    await outcome;
  });

  it('says that what became of the request is unknown, and the ledger says so of its call', async () => {
    const agent = new InterruptController({ clock });
    const rowOf = async (name: string, run: (token: CancellationToken) => Promise<unknown>): Promise<unknown> => {
      const turn = agent.runTurn(({ tool }) => tool({ id: name, name }, (_call, { token }) => run(token)));
      await clock.advance(0);
      agent.cancel('user');
      const { calls, stop } = await turn;
      return [calls[0]?.status, stop?.abandoned];
    };
    const unknown = ['unknown', []];
    expect(await rowOf('throws', (token) => cancellableRequest(token, sdkRequest))).toEqual(unknown);
    expect(await rowOf('words', (token) => cancellableRequest(token, sdkRequest).catch(String))).toEqual(unknown);
    const { token } = new CancellationTokenSource({ clock });
    const late = cancellableRequest(token, sdkRequest, { timeoutMs: 10, name: 'deploy' });
    const outcome = expect(late).rejects.toMatchObject({
      name: 'TimeoutError',
      abandoned: { name: 'deploy', isOver: true },
    });
    await clock.advance(10);
    await outcome;
  });

  it('says a fixed text on the wire, whatever the caller said', () => {
    const person = new CancellationTokenSource({ clock });
    let signal: AbortSignal | undefined;
    const call = cancellableRequest(person.token, (context) => {
      signal = context.signal;
      return sdkRequest(context);
    });
    person.cancel({ kind: 'user', message: 'the secret plan changed', by: 'ada' });
    const reason = signal?.reason as Error;
    expect([String(reason), reason.message, reason.name]).toEqual([
      'Request cancelled',
      'Request cancelled',
      'AbortError',
    ]);
    expect(JSON.stringify(reason)).not.toContain('secret');
    return expect(call).rejects.toBeInstanceOf(CancelledError);
  });

  it('of a request that is deaf abandons it after its grace, and hears it later', async () => {
    const person = new CancellationTokenSource({ clock });
    const reply = deferred<string>();
    const onLateSettle = vi.fn();
    const call = cancellableRequest(person.token, () => reply.promise, { graceMs: 30, onLateSettle });
    const outcome = expect(call).rejects.toMatchObject({
      reason: { kind: 'user' },
      abandoned: { name: 'mcp request' },
    });
    person.cancel('user');
    await clock.advance(30);
    await outcome;
    reply.resolve('late');
    await clock.advance(0);
    expect(onLateSettle).toHaveBeenCalledExactlyOnceWith({ status: 'completed', value: 'late' });
  });

  it('before the call sends nothing', async () => {
    const person = new CancellationTokenSource({ clock });
    person.cancel('user');
    const send = vi.fn(sdkRequest);
    await expect(cancellableRequest(person.token, send)).rejects.toBeInstanceOf(CancelledError);
    expect(send).not.toHaveBeenCalled();
  });

  it('after the reply fires no signal', async () => {
    const person = new CancellationTokenSource({ clock });
    let signal: AbortSignal | undefined;
    await cancellableRequest(person.token, (context) => {
      signal = context.signal;
      return Promise.resolve('done');
    });
    person.cancel('user');
    expect(signal?.aborted).toBe(false);
  });
});

it('leaves the SDK’s own timeout and its failures what they are', async () => {
  const failures = [
    Object.assign(new Error('MCP error -32001: Request timed out'), { code: -32001, data: { timeout: 60_000 } }),
    Object.assign(new Error('MCP error -32602: no such tool'), { code: -32602 }),
  ];
  for (const failure of failures) {
    await expect(cancellableRequest(undefined, () => Promise.reject(failure))).rejects.toBe(failure);
  }
});

it('counts progress as life, and hands it on', async () => {
  const person = new CancellationTokenSource({ clock });
  let report: McpRequestContext['onprogress'] = () => undefined;
  let wire: AbortSignal | undefined;
  const seen: number[] = [];
  const call = cancellableRequest(
    person.token,
    (context) => {
      ({ onprogress: report, signal: wire } = context);
      return sdkRequest(context);
    },
    { idleMs: 20, onProgress: ({ progress }) => seen.push(progress) },
  );
  const outcome = expect(call).rejects.toMatchObject({ name: 'TimeoutError', limitMs: 20, reason: { kind: 'idle' } });
  for (const progress of [1, 2, 3]) {
    await clock.advance(19);
    report({ progress });
  }
  await clock.advance(19);
  expect(wire?.aborted).toBe(false);
  await clock.advance(1);
  await outcome;
  expect(seen).toEqual([1, 2, 3]);
  expect(person.isCancelled).toBe(false);
});

it.each([
  [undefined, {}, 'send must be a function, got undefined'],
  [sdkRequest, { graceMs: -1 }, 'graceMs must be 0 or more milliseconds, got -1'],
  [sdkRequest, { onProgress: 'x' }, 'onProgress must be a function, got "x"'],
])('refuses %o %o', async (send, options, message) => {
  await expect(cancellableRequest(undefined, send as never, options as never)).rejects.toThrow(message);
});
