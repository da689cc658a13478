import { expect, it } from 'vitest';

import { asUntoldRequest, untoldRequest } from '../../../src/adapters/internal/untold-request.ts';
import { InterruptController } from '../../../src/core/interrupt/controller.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** A client that gives up at once, with the reason's text. */
const giveUp = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(Object.assign(new Error(String(signal.reason)), { code: -32001 }));
    });
  });

it('says nothing of the reason to the client, and that the request is over and its work unknown', async () => {
  const stop = new CancellationTokenSource();
  let said = '';
  const call = untoldRequest(stop.token, 'pay', async (signal) => {
    await giveUp(signal).catch((error: unknown) => {
      said = (error as Error).message;
      throw error;
    });
  });
  stop.cancel({ kind: 'user', message: 'the customer is the one from Monday' });
  await expect(call).rejects.toMatchObject({ reason: { kind: 'user' }, abandoned: { name: 'pay', isOver: true } });
  expect(said).toBe('Request cancelled');
});

it('leaves a result that came, and a failure that is none of the stop, what they are', async () => {
  const stop = new CancellationTokenSource();
  const late = untoldRequest(stop.token, 'pay', () => {
    stop.cancel('user');
    return 'paid';
  });
  await expect(late).resolves.toBe('paid');
  const failed = untoldRequest(stop.token, 'pay', () => Promise.reject(new RangeError('no such account')));
  await expect(failed).rejects.toThrow('no such account');
});

it('a method of a client becomes such a request by the signal in its options, and hangs on it no longer than it runs', async () => {
  const clock = new VirtualClock();
  const agent = new InterruptController({ clock });
  const seen: unknown[] = [];
  const around = asUntoldRequest(1, 'signal', ([name]) => String(name));
  const client = {
    self: 'client',
    call(this: { self: string }, name: string, options?: { signal?: AbortSignal; more: number }) {
      seen.push([this.self, name, options?.more]);
      return options?.signal === undefined ? 'at once' : giveUp(options.signal);
    },
  };
  const call = (...args: unknown[]) => around(client.call as never, args, client) as Promise<unknown>;
  expect(await call('a')).toBe('at once');
  expect(await call('b', null)).toBe('at once');
  const turn = agent.runTurn(({ tool }) =>
    tool({ id: '1', name: 'pay' }, (_call, { signal }) => call('pay', { signal, more: 7 }).catch(String)),
  );
  await clock.advance(0);
  agent.cancel('user');
  const { calls, stop } = await turn;
  expect([calls[0]?.status, stop?.abandoned]).toEqual(['unknown', []]);
  expect(seen).toEqual([
    ['client', 'a', undefined],
    ['client', 'b', undefined],
    ['client', 'pay', 7],
  ]);
});
