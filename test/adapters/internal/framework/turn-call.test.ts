import { describe, expect, it, vi } from 'vitest';
import {
  callUnderTurn,
  requireModelOptions,
  type Round,
} from '../../../../src/adapters/internal/framework/turn-call.ts';
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

/** What a call is told. */
const told = ({ interjections }: Round): unknown[] => interjections.map(({ message }) => message);

it('a message that waits is told in the next call', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => {
    agent.interject('first');
    agent.interject('second');
    await tick();
    return callUnderTurn(turn, undefined, told, {});
  });
  expect(report.unwrap()).toEqual(['first', 'second']);
});

describe.each(['tool', 'aside'] as const)('a call whose asker is: %s', (asker) => {
  const record = { asker, reply: { read: () => undefined } };

  it('reads no message and is cut by none: it waits for the loop', async () => {
    const { agent } = stage();
    const seen: unknown[] = [];
    const started = deferred();
    const end = deferred();
    const running = agent.runTurn(async (turn) => {
      const call = async ({ partial, signal, interjections }: Round): Promise<string> => {
        seen.push(interjections);
        partial({ text: 'half' });
        started.resolve();
        await end.promise;
        return signal.aborted ? 'cut' : 'whole';
      };
      const answer = await callUnderTurn(turn, undefined, call, {}, { record });
      return [answer, await callUnderTurn(turn, undefined, told, {})];
    });
    agent.interject('for the next call');
    await started.promise;
    agent.interject('for now', { delivery: 'now' });
    end.resolve();
    const report = await running;
    expect(report.unwrap()).toEqual(['whole', ['for the next call', 'for now']]);
    expect([seen, report.partials]).toEqual([[[]], []]);
  });

  it.each(['turn', 'framework'] as const)(
    'keeps of what it said what a tool says, if it is stopped by: the %s',
    async (who) => {
      const { agent } = stage();
      const theirs = new AbortController();
      const started = deferred();
      const running = agent.runTurn((turn) => {
        const call = async ({ partial, token }: Round): Promise<void> => {
          partial({ text: 'half', message: 'a reply' });
          started.resolve();
          await token.whenCancelled();
          token.throwIfCancelled();
        };
        return callUnderTurn(turn, theirs.signal, call, {}, { record });
      });
      await started.promise;
      if (who === 'turn') agent.cancel('user');
      else theirs.abort();
      const { partials } = await running;
      const kept = { text: 'half', message: undefined, isOfTool: true };
      expect(partials.map(({ value }) => value)).toEqual(asker === 'tool' ? [kept] : []);
    },
  );

  it('leaves the last words of the loop to the loop, if it is aside', async () => {
    const { agent } = stage();
    const wordsOf = (said: string): object => ({ text: said });
    const report = await agent.runTurn(async (turn) => {
      await callUnderTurn(turn, undefined, () => 'the answer', {}, { wordsOf });
      await callUnderTurn(turn, undefined, () => 'a title', {}, { wordsOf, record });
      agent.cancel('user');
    });
    const said = report.partials.map(({ value }) => (value as { text: string }).text);
    expect(said).toEqual(asker === 'aside' ? ['the answer'] : ['a title']);
  });
});

it('a name that there is not is refused among the options of a model, and a value that makes no sense', () => {
  const known = { idleMs: 1, graceMs: 1, aside: 1 } as const;
  expect(() => {
    requireModelOptions('model', { idleMs: -1 }, known);
  }).toThrow('idleMs');
  expect(() => {
    requireModelOptions('model', { graceMs: NaN }, known);
  }).toThrow('graceMs');
  expect(() => {
    requireModelOptions('model', { name: 'x' }, known);
  }).toThrow('model.name is no option: there are idleMs, graceMs, aside');
  expect(() => {
    requireModelOptions('model', { aside: 'yes' as never }, known);
  }).toThrow('aside');
});
