/**
 * Tools that give their result in pieces, against themselves without a guard: whatever a body does with what its reader asks
 * for, and however the reader asks, both see the same. And a reader that has left, or read all, keeps no turn open. A failure
 * prints its seed and path.
 */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';

import { guardTool } from '../../src/guard/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { stage, tick } from '../core/interrupt/kit.ts';
import { propertyRuns } from '../support/property-runs.ts';

type Log = (said: unknown) => void;
type Body = (log: Log) => () => AsyncGenerator<unknown, unknown, unknown>;

const late = (): Promise<never> => {
  const error = Promise.reject(new Error('late'));
  // It may be asked for, and then go nowhere.
  error.catch(() => undefined);
  return error;
};

const bodies: Record<string, Body> = {
  'returns at once': () => async function* () { return 'all'; }, // prettier-ignore
  'yields and returns': () => async function* () { yield 1; yield 2; return 'all'; }, // prettier-ignore
  'returns nothing': () => async function* () { yield 1; yield 2; }, // prettier-ignore
  'tells what it is sent': (log) => async function* () { for (;;) log(yield 1); }, // prettier-ignore
  'yields promises': () => async function* () { yield Promise.resolve(1); yield late(); }, // prettier-ignore
  'returns a rejected promise': () => async function* () { yield 1; return late(); }, // prettier-ignore
  'throws at once': () => async function* () { throw new Error('at once'); }, // prettier-ignore
  'throws later': () => async function* () { yield 1; await tick(); throw new Error('later'); }, // prettier-ignore
  'catches and yields': (log) => async function* () { try { log(yield 1); yield 2; } catch (error) { log(yield String(error)); } return 'all'; }, // prettier-ignore
  'catches all': () => async function* () { for (let n = 0; n < 4; n++) try { yield n; } catch { yield 'caught'; } }, // prettier-ignore
  'finally logs': (log) => async function* () { try { log(yield 1); yield 2; } finally { log('closed'); } }, // prettier-ignore
  'finally yields': (log) => async function* () { try { yield 1; yield 2; } finally { log(yield 'summary'); log('closed'); } }, // prettier-ignore
  'finally yields twice, and throws': (log) => async function* () { try { yield 1; } finally { yield 'a'; log(yield 'b'); throw new Error('unclosed'); } }, // prettier-ignore
  'finally awaits': (log) => async function* () { try { yield 1; yield 2; } finally { await tick(); log('closed'); } }, // prettier-ignore
  'finally awaits and yields': (log) => async function* () { try { yield 1; } finally { await tick(); yield 'summary'; await tick(); log('closed'); } }, // prettier-ignore
  'finally throws': () => async function* () { try { yield 1; yield 2; } finally { await tick(); throw new Error('unclosed'); } }, // prettier-ignore
  'finally returns': () => async function* () { try { yield 1; yield 2; } finally { return 'other'; } }, // prettier-ignore
  'finally keeps on': (log) => async function* () { for (let n = 0; n < 3; n++) try { yield n; } finally { log(n); continue; } return 'all'; }, // prettier-ignore
  'two finallys': (log) => async function* () { try { try { yield 1; } finally { yield 2; log('inner'); } } finally { yield 3; log('outer'); } }, // prettier-ignore
};

type Tool = (given: object) => AsyncIterable<unknown>;

/** How a tool comes by its pieces. */
const kinds: Record<string, (pieces: ReturnType<Body>) => Tool> = {
  'a generator function': (pieces) => pieces,
  'a function that returns a generator': (pieces) => () => pieces(),
  'a function that returns what can be read': (pieces) => () => ({ [Symbol.asyncIterator]: pieces }),
  'a function that returns its own iterator': (pieces) => () => {
    const made = pieces();
    return {
      next: (value: unknown) => made.next(value),
      return: (value: unknown) => made.return(value),
      throw: (error: unknown) => made.throw(error),
      [Symbol.asyncIterator](): AsyncIterator<unknown> {
        return this as unknown as AsyncIterator<unknown>;
      },
    };
  },
};

const thenable = { then: (done: (value: string) => void) => { done('z'); } }; // prettier-ignore

const values: Record<string, () => unknown> = {
  'a value': () => 'x',
  nothing: () => undefined,
  'a promise': () => Promise.resolve('y'),
  'a rejected promise': late,
  'a thenable': () => thenable,
};

interface Request {
  readonly asked: 'next' | 'return' | 'throw';
  readonly value: string;
  /** Whether the reader waits for it before the next one. */
  readonly waits: boolean;
}

const request: fc.Arbitrary<Request> = fc.record({
  asked: fc.constantFrom('next', 'next', 'next', 'return', 'throw'),
  value: fc.constantFrom(...Object.keys(values)),
  waits: fc.boolean(),
});

/** What one reader sees of a tool, request by request. */
async function see(pieces: AsyncGenerator, requests: readonly Request[]): Promise<readonly unknown[]> {
  const answers: Promise<unknown>[] = [];
  for (const { asked, value, waits } of requests) {
    const answer = pieces[asked](values[value]?.()).catch((error: unknown) => ({ done: true, threw: String(error) }));
    answers.push(answer);
    if (waits) await answer;
  }
  return await Promise.all(answers);
}

/** Reads a tool in a turn, which ends by itself if the reader has left it or read it to its end. */
async function readIn(tool: Tool, requests: readonly Request[]) {
  const { agent, clock } = stage();
  const done = deferred<readonly unknown[]>();
  const turn = agent.runTurn(async ({ signal }) => {
    const pieces = tool({ signal })[Symbol.asyncIterator]() as AsyncGenerator;
    done.resolve(await see(pieces, requests));
  });
  const seen = await done.promise;
  const isOver =
    requests.some(({ asked }) => asked === 'return') || seen.some((each) => (each as { done: boolean }).done);
  const end = async () => {
    agent.cancel();
    await clock.advance(10_000);
  };
  return { seen, turn, end: isOver ? () => undefined : end };
}

describe('a tool that gives its result in pieces', () => {
  test.prop(
    [
      fc.constantFrom(...Object.values(bodies)),
      fc.constantFrom(...Object.values(kinds)),
      fc.array(request, { minLength: 1, maxLength: 6 }),
    ],
    { numRuns: propertyRuns(1_000) },
  )(
    'a tool that gives its result in pieces is to every reader what it is without its guard',
    async (body, kind, requests) => {
      const look = async (guard: (tool: Tool) => Tool) => {
        const said: unknown[] = [];
        const { seen, turn, end } = await readIn(guard(kind(body((each) => said.push(each)))), requests);
        const looked = [seen, [...said]];
        await end();
        return [looked, (await turn).calls.length] as const;
      };
      const [[bare], [guarded, rows]] = [await look((tool) => tool), await look(guardTool)];
      expect(guarded).toEqual(bare);
      expect(rows).toBeLessThan(2);
    },
  );
});
