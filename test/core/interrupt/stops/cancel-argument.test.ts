import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import { readCancelArgument } from '../../../../src/core/interrupt/stops/cancel-argument.ts';
import { createReason } from '../../../../src/core/foundation/reason.ts';
import {
  CancellationTokenSource,
  CancelledError,
  type CancelReasonLike,
  type InterruptController,
  type TurnTicket,
} from '../../../../src/index.ts';
import { call, obedient, stage, tick } from '../kit.ts';

/** What is read, and what is reported. */
function read(input: unknown) {
  const reported: string[] = [];
  const reason = readCancelArgument(input as CancelReasonLike, { kind: 'user', source: 'main', at: 5 }, (error) => {
    reported.push((error as Error).message);
  });
  return { reason, reported };
}

describe('what a cancel was given', () => {
  it.each([
    [undefined, { kind: 'user', message: 'User cancelled', source: 'main', at: 5 }],
    [null, { kind: 'user', message: 'User cancelled' }],
    ['enough', { kind: 'unknown', message: 'enough' }],
    ['user', { kind: 'user', message: 'User cancelled' }],
    [{ kind: 'budget' }, { kind: 'budget', source: 'main' }],
    [
      { message: 'x', by: 'ada' },
      { kind: 'user', message: 'x', by: 'ada' },
    ],
    [{ kind: 'app:lease' }, { kind: 'app:lease' }],
  ])('%j is a reason, and nothing is reported', (input, expected) => {
    const { reason, reported } = read(input);
    expect(reason).toMatchObject(expected);
    expect(reported).toEqual([]);
  });

  it('of a kind that nobody knows keeps its message, and is reported', () => {
    const { reason, reported } = read({ kind: 'esc-pressed', message: 'by key' });
    expect(reason).toMatchObject({ kind: 'unknown', message: 'by key' });
    expect(reported).toEqual([expect.stringMatching(/^reason\.kind must be one of .* got "esc-pressed"$/)]);
  });

  it('is kept if it is a reason', () => {
    const given = createReason('idle');
    expect(read(given).reason).toBe(given);
  });

  it.each([
    ['this realm', new Error('socket closed')],
    ['another realm', runInNewContext(`new Error('socket closed')`) as Error],
  ])('is words, and the cause, if it is an error of %s: no person said so', (_realm, error) => {
    expect(read(error).reason).toMatchObject({ kind: 'unknown', message: 'socket closed', cause: error });
  });

  it('is the reason that an error carries, or the limit that it names', () => {
    const reason = createReason('user');
    expect(read(new CancelledError(reason)).reason).toBe(reason);
    expect(read(new DOMException('too late', 'TimeoutError')).reason).toMatchObject({ kind: 'deadline' });
  });

  it.each([7, true, [7], { kind: 7 }, Symbol('x')])(
    '%o stops with kind unknown, as the cause, and is reported',
    (input) => {
      const { reason, reported } = read(input);
      expect(reason).toMatchObject({ kind: 'unknown', cause: input, source: 'main', at: 5 });
      expect(reported).toHaveLength(1);
    },
  );

  it.each([
    ['all', 'write cancelAll() to stop everything'],
    [{ callId: 'c"1' }, 'write cancelCall("c\\"1") to stop one call'],
    [{ turnId: 3 }, 'write ticket.cancel() to stop one turn'],
  ])('%j was meant for something else: the report says what to write', (input, advice) => {
    const { reason, reported } = read(input);
    expect(['user', 'unknown']).toContain(reason.kind);
    expect(reported.join()).toContain(advice);
  });
});

const doors: Record<string, (agent: InterruptController, reason: never) => unknown> = {
  cancel: (agent, reason) => agent.cancel(reason),
  kill: (agent, reason) => agent.kill(reason),
  cancelAll: (agent, reason) => agent.cancelAll(reason),
  close: (agent, reason) => agent.close(reason),
};

const aimed: Record<string, (agent: InterruptController, reason: never, ticket: TurnTicket) => unknown> = {
  'the cancel of a ticket': (_agent, reason, ticket) => ticket.cancel(reason),
  cancelCall: (agent, reason) => agent.cancelCall('c1', reason),
};

describe('a stop by an error', () => {
  it.each(Object.entries({ ...doors, ...aimed }))('is nobody’s where %s is given it', async (_name, stop) => {
    const { agent, clock } = stage();
    const error = new Error('database down');
    const ticket = agent.accept();
    const turn = agent.runTurn(({ tool }) => tool(call('c1'), (_call, context) => obedient(context)), { ticket });
    await tick();
    void stop(agent, error as never, ticket);
    await clock.advance(0);
    const [{ reason } = {}] = (await turn).calls as readonly { readonly reason?: unknown }[];
    expect(reason).toMatchObject({ kind: 'unknown', message: 'database down', cause: error });
  });
});

describe('a cancel that was given what nobody can read', () => {
  it.each(Object.entries(doors))('%s stops all the same, and tells the source of its token', async (_name, stop) => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const reported: unknown[] = [];
    const { token } = new CancellationTokenSource({ onCallbackError: (error) => reported.push(error) });
    const { agent } = stage({ token });
    const turn = agent.runTurn(obedient);
    await tick();
    void stop(agent, proxy as never);
    expect(await turn).toMatchObject({ status: 'cancelled', reason: { kind: 'unknown', message: 'Cancelled' } });
    expect(reported).toEqual([expect.any(TypeError)]);
  });
});
