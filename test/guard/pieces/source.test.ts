import { describe, expect, it } from 'vitest';

import { CancellationToken } from '../../../src/index.ts';
import { guardTool } from '../../../src/guard/index.ts';
import { Source } from '../../../src/guard/pieces/source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { errorOf, hasSettled, stage, tick } from '../../core/interrupt/kit.ts';

/** What can be read by iteration, and used in another way. */
class Answer {
  readonly #text = 'four';
  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    yield await Promise.resolve('fo');
    yield 'ur';
  }
  async finalText(): Promise<string> {
    return await Promise.resolve(this.#text);
  }
}

async function* two(): AsyncGenerator<number, string> {
  yield await Promise.resolve(1);
  return 'all';
}

describe('the source of a call', () => {
  it('the source of a call ends it with what it returned', async () => {
    const source = new Source(two(), () => undefined, CancellationToken.none);
    const call = source.run();
    expect([await source.step('next', undefined), source.isSettled]).toEqual([{ done: false, value: 1 }, false]);
    await source.step('next', undefined);
    expect([await call, source.isSettled]).toEqual(['all', true]);
  });

  it.each<[string, (answer: Answer) => Promise<unknown>, unknown]>([
    ['used in another way', (answer) => answer.finalText(), expect.any(Answer)],
    [
      'read, then used in another way',
      async (answer) => {
        for await (const _piece of answer) await answer.finalText();
        return answer.finalText();
      },
      'ur',
    ],
  ])('the source of a call that is %s does not keep its turn', async (_name, use, value) => {
    const { agent } = stage();
    const kept: Answer[] = [];
    const report = await agent.runTurn(async ({ signal }) => {
      const answer = guardTool((_options: object) => new Answer())({ signal });
      kept.push(answer);
      return await use(answer);
    });
    expect(report.unwrap()).toBe('four');
    expect(report.calls).toMatchObject([{ status: 'completed', value }]);
    expect(kept).toHaveLength(1);
  });

  /** What can be read, and left, by whatever methods it has. */
  const feed = (methods: object) => ({
    [Symbol.asyncIterator]: () => ({ next: async () => await Promise.resolve({ done: false as const, value: 1 }) }),
    ...methods,
  });
  type Feed = ReturnType<typeof feed> & Readonly<Record<PropertyKey, () => unknown>>;
  const disposers = [Symbol.dispose, Symbol.asyncDispose, 'close', 'destroy'];

  it.each(disposers.flatMap((way) => [false, true].map((isRead) => ({ way, isRead }))))(
    'the source of a call that is left by $way ends when that has; begun to read: $isRead',
    async ({ way, isRead }) => {
      const { agent } = stage();
      const closed = deferred();
      const given = feed({ [way]: () => (way === Symbol.dispose ? undefined : closed.promise) });
      let left: unknown;
      const turn = agent.runTurn(async ({ signal }) => {
        const read = guardTool((_options: object) => given)({ signal }) as Feed;
        if (isRead) await read[Symbol.asyncIterator]().next();
        left = read[way]?.();
        await left;
      });
      await tick();
      expect(await hasSettled(turn)).toBe(way === Symbol.dispose);
      closed.resolve();
      expect((await turn).calls).toMatchObject([{ status: 'completed', value: isRead ? 1 : given }]);
    },
  );

  it.each(disposers)('the source of a call that cannot be left by %s has failed', async (way) => {
    const { agent } = stage();
    const fails = (): unknown => {
      const error = new RangeError('stuck');
      if (way === Symbol.dispose) throw error;
      return Promise.reject(error);
    };
    const report = await agent.runTurn(async ({ signal }) => {
      const read = guardTool((_options: object) => feed({ [way]: fails }))({ signal }) as Feed;
      return await errorOf((async () => await read[way]?.())());
    });
    expect(report.unwrap()).toBeInstanceOf(RangeError);
    expect(report.calls).toMatchObject([{ status: 'failed', error: { message: 'stuck' } }]);
  });

  it('the source of a call is disposed of by the language, which takes no proxy of a method', async () => {
    const { agent } = stage();
    const closed: string[] = [];
    const report = await agent.runTurn(({ signal }) => {
      const given = feed({ [Symbol.dispose]: () => void closed.push('closed') });
      using _read = guardTool((_options: object) => given)({ signal }) as unknown as Disposable;
    });
    expect([report.calls.map(({ status }) => status), closed]).toEqual([['completed'], ['closed']]);
  });
});
