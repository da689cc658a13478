import { describe, expect, it } from 'vitest';

import { CancellationToken } from '../../../src/index.ts';
import { guardTool } from '../../../src/guard/index.ts';
import { Source } from '../../../src/guard/pieces/source.ts';
import { stage } from '../../core/interrupt/kit.ts';

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
});
