import { describe, expect, it } from 'vitest';

import { CancellationTokenSource } from '../../../src/index.ts';
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

const sourceOf = (given: ConstructorParameters<typeof Source>[0], token = new CancellationTokenSource()) =>
  new Source(given, () => undefined, token.token);

describe('the source of a call', () => {
  it('the source of a call ends it with what it returned', async () => {
    const source = sourceOf({ open: two });
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

  it('the source of a call that is cut ends it once the cut is done, whatever is read meanwhile', async () => {
    const stop = new CancellationTokenSource();
    const done = deferred();
    const reasons: unknown[] = [];
    const cut = (reason: unknown): Promise<void> => {
      reasons.push(reason);
      return done.promise;
    };
    const source = sourceOf({ open: two, cut }, stop);
    const call = source.run();
    stop.cancel('user');
    await source.step('next', undefined);
    await source.step('next', undefined);
    expect(await hasSettled(call)).toBe(false);
    done.resolve();
    expect([await errorOf(call), reasons]).toEqual([stop.signal.reason, [stop.signal.reason]]);
  });

  it.each([true, false])(
    'the source of a call that nobody can read any more; read by somebody unseen: %o',
    async (isTaken) => {
      let cuts = 0;
      const source = sourceOf({ open: two, cut: async () => void (cuts += 1), isTaken: () => isTaken }); // prettier-ignore
      const call = source.run();
      source.close('reader');
      await tick();
      expect([cuts, await hasSettled(call)]).toEqual(isTaken ? [0, false] : [1, true]);
    },
  );

  it('the source of a call is not ended by a watch while somebody waits for a piece', async () => {
    let tell: (failure?: unknown) => void = () => undefined;
    const left: string[] = [];
    const source = sourceOf({
      open: two,
      watch: (ended) => {
        tell = ended;
        return () => void left.push('unwatched');
      },
    });
    const call = source.run();
    const step = source.step('next', undefined);
    tell();
    await step;
    expect(source.isSettled).toBe(false);
    tell();
    expect([await call, left]).toEqual([1, ['unwatched']]);
  });
});
