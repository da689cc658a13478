import { describe, expect, it, vi } from 'vitest';
import { callUnderTurn, requireModelOptions } from '../../../../src/adapters/internal/framework/turn-call.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { stage, tick } from '../../../core/interrupt/kit.ts';

describe('one call', () => {
  it('is one call of the turn, and returns what the model did', async () => {
    const { agent } = stage();
    const report = await agent.runTurn((turn) =>
      callUnderTurn(turn, undefined, ({ signal, interjections, cut }) => [signal.aborted, interjections, cut], {}),
    );
    expect(report.unwrap()).toEqual([false, [], undefined]);
  });

  it('does not start after a stop', async () => {
    const { agent } = stage();
    const call = vi.fn();
    const report = await agent.runTurn((turn) => {
      agent.cancel('user');
      return callUnderTurn(turn, undefined, call, {});
    });
    expect(report.status).toBe('cancelled');
    expect(call).not.toHaveBeenCalled();
  });

  it('ends with the framework’s own signal too, as whatever that is', async () => {
    const { agent } = stage();
    const theirs = new AbortController();
    const report = await agent.runTurn((turn) => {
      const call = callUnderTurn(
        turn,
        theirs.signal,
        ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reject(new Error('their limit'));
            });
          }),
        {},
      );
      theirs.abort();
      return call;
    });
    expect(report).toMatchObject({ status: 'failed', error: { message: 'their limit' } });
  });
});

it('a message that cuts is told in the next round, with what was cut', async () => {
  const { agent } = stage();
  const rounds: { interjections: unknown[]; cut: unknown }[] = [];
  const started = deferred();
  const running = agent.runTurn((turn) =>
    callUnderTurn(
      turn,
      undefined,
      async ({ token, partial, interjections, cut }) => {
        rounds.push({ interjections: interjections.map(({ message }) => message), cut });
        if (rounds.length > 1) return 'the answer';
        partial('half');
        started.resolve();
        await token.whenCancelled();
        return 'half an answer';
      },
      {},
    ),
  );
  await started.promise;
  agent.interject('use pnpm', { delivery: 'now' });
  expect((await running).unwrap()).toBe('the answer');
  expect(rounds).toEqual([
    { interjections: [], cut: undefined },
    { interjections: ['use pnpm'], cut: 'half' },
  ]);
});

it('a message that waits is told in the next call', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => {
    agent.interject('first');
    agent.interject('second');
    await tick();
    return callUnderTurn(turn, undefined, ({ interjections }) => interjections.map(({ message }) => message), {});
  });
  expect(report.unwrap()).toEqual(['first', 'second']);
});

it('a name that there is not is refused among the options of a model, and a limit that makes no sense', () => {
  const known = { idleMs: 1, graceMs: 1 } as const;
  expect(() => {
    requireModelOptions('model', { idleMs: -1 }, known);
  }).toThrow('idleMs');
  expect(() => {
    requireModelOptions('model', { graceMs: NaN }, known);
  }).toThrow('graceMs');
  expect(() => {
    requireModelOptions('model', { name: 'x' }, known);
  }).toThrow('model.name is no option: there are idleMs, graceMs');
});
