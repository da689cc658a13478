/**
 * `desist/pi` stopped at any event of the real loop: the next request is taken by the strict server, and holds each prompt,
 * each call and each result once. A failure prints its seed and path; `FC_SEED` and `FC_NUM_RUNS` set them.
 */
import { fc, test } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { underTurn } from '../../src/adapters/pi/index.ts';
import { InterruptController } from '../../src/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { startModelServer, type ModelReply, type ModelServer } from '../../src/testing/model-server/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import type { Work } from './support/frameworks/framework.ts';
import { piAgent } from './support/frameworks/pi.ts';

const pause = (isLong: boolean): Promise<void> => (isLong ? new Promise(setImmediate) : Promise.resolve());

const scenario = fc.record({
  stopAt: fc.integer({ min: 0, max: 60 }),
  how: fc.constantFrom('cancel', 'kill', 'abort'),
  delivery: fc.constantFrom('next-model-call', 'now', undefined),
  /** The ids of the calls of each round: as a server numbers them, and as one should not. */
  rounds: fc.array(fc.array(fc.constantFrom('a', 'b', 'call_0', ''), { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
  behaviours: fc.array(fc.constantFrom('works', 'obeys', 'deaf', 'throws'), { minLength: 6, maxLength: 6 }),
  isAsked: fc.constantFrom('no', 'allowed', 'blocked', 'unanswered'),
  toolExecution: fc.constantFrom('parallel', 'sequential'),
  api: fc.constantFrom('openai-completions', 'anthropic-messages'),
});

describe('pi under a turn, stopped at any event', () => {
  let server: ModelServer;
  let replies: ModelReply[] = [];
  beforeAll(async () => {
    server = await startModelServer({ script: () => replies.shift() ?? 'All is said.' });
  });
  afterAll(() => server.close());

  test.prop([scenario], { numRuns: propertyRuns(150) })(
    'S17 goes on with each prompt, call and result once',
    async (given) => {
      const { stopAt, how, delivery, rounds, behaviours, isAsked, toolExecution, api } = given;
      let calls = 0;
      replies = rounds.map((ids, round) => ({
        text: `words of round ${String(round)}`,
        toolCalls: ids.map((id, at) => ({
          name: 'work',
          input: { place: `call ${String(round)}.${String(at)}.` },
          id,
        })),
      }));
      const turnEnded = deferred<undefined>();
      let stops = 0;
      let moments = 0;
      let stop = (): void => undefined;
      const passes = (): void => {
        if (moments++ === stopAt) stop();
      };
      const agent = new InterruptController({ graceMs: 5 });
      const work: Work = async ({ signal }) => {
        const at = calls++;
        const behaviour = behaviours[at % behaviours.length];
        passes();
        for (const isLong of [false, true]) {
          await pause(isLong);
          passes();
        }
        if (behaviour === 'deaf') {
          for (const isLong of [true, true, true]) await pause(isLong);
          // Once somebody has stopped the turn, that ends without it.
          if (stops > 0) await turnEnded.promise;
        }
        if (behaviour === 'obeys') signal?.throwIfAborted();
        if (behaviour === 'throws') throw new Error(`broken ${String(at)}.`);
        return `result ${String(at)}.`;
      };
      const answer = {
        no: undefined,
        allowed: undefined,
        blocked: { block: true, reason: 'no' },
        unanswered: undefined,
      };
      const beforeToolCall = async () => {
        passes();
        await pause(true);
        passes();
        if (isAsked === 'unanswered' && moments > stopAt) return await new Promise<undefined>(() => undefined);
        return answer[isAsked];
      };
      const options = { toolExecution, ...(isAsked === 'no' ? {} : { beforeToolCall }) };
      const pi = piAgent({ baseURL: `${server.url}/v1`, tools: { work }, api, options });
      stop = () => {
        if (delivery !== undefined) agent.interject('meanwhile.', { delivery });
        stops += 1;
        if (how === 'abort') pi.abort();
        else agent[how]('user');
      };
      pi.subscribe(passes);
      const run = (prompt: string) =>
        agent.runTurn((turn) => underTurn(turn, pi, { dialect: openaiChat, graceMs: 5 }).prompt(prompt));
      const before = server.requests.length;
      const first = await run('first prompt.');
      turnEnded.resolve(undefined);
      const asked = server.requests.length - before;
      stop = () => undefined;
      replies = [];
      expect(first.status).toBe(stops > 0 ? 'cancelled' : 'completed');
      await pause(true);
      expect(server.requests.length - before).toBe(asked);
      expect(await run('second prompt.')).toMatchObject({ status: 'completed' });
      expect(server.requests.slice(before).map(({ refusal }) => refusal)).toEqual(
        server.requests.slice(before).map(() => undefined),
      );
      const last = server.requests.at(-1)!;
      const text = JSON.stringify(last.body);
      const times = (words: string): number => text.split(words).length - 1;
      expect([times('first prompt.'), times('second prompt.')]).toEqual([1, 1]);
      const told = last.history;
      const callsTold = told.filter(({ kind }) => kind === 'call').map(({ text: input }) => input);
      expect(told.filter(({ kind }) => kind === 'result')).toHaveLength(callsTold.length);
      expect(new Set(callsTold).size).toBe(callsTold.length);
      // A kill does not wait until the loop has come to the rest of its calls.
      if (how === 'kill') expect(callsTold.length).toBeGreaterThanOrEqual(first.calls.length);
      else expect(callsTold).toHaveLength(first.calls.length);
      for (let at = 0; at < calls; at += 1) expect(times(`result ${String(at)}.`)).toBeLessThanOrEqual(1);
      const whole = first.calls.filter(({ status }) => status === 'completed').length;
      expect(text.match(/result \d+\./g) ?? []).toHaveLength(whole);
      expect(times('meanwhile.')).toBeLessThanOrEqual(1);
      expect(pi.state.isStreaming).toBe(false);
      await agent.close();
    },
  );
});
