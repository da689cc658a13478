/**
 * Nothing starts after Stop, wherever in a framework's loop it falls: many seeded interleavings of the real loops, each
 * stopped at another moment – a request, a word of the model's, any await of a tool. A failure prints its seed and path;
 * `FC_SEED` and `FC_NUM_RUNS` set them.
 */
import { fc, test } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { InterruptController } from '../../src/index.ts';
import { startModelServer, type ModelServer } from '../../src/testing/model-server/index.ts';
import type { Work } from './support/frameworks/framework.ts';
import { frameworks } from './support/frameworks/index.ts';
import { callsOf } from './support/frameworks/loop-stage.ts';
import { propertyRuns } from '../support/property-runs.ts';

const numRuns = propertyRuns(200);

/** One turn of the event loop, or only one of the microtask queue. */
const pause = (isLong: boolean): Promise<void> => (isLong ? new Promise(setImmediate) : Promise.resolve());

/** What happens in a run, and what happened after the stop that must not. */
class Watch {
  readonly afterwards: string[] = [];
  moments = 0;
  hasStopped = false;
  readonly #stopAt: number;
  readonly #stop: () => void;

  constructor(stopAt: number, stop: () => void) {
    this.#stopAt = stopAt;
    this.#stop = stop;
  }

  /** Something starts: never after the stop. */
  readonly starts = (what: string): void => {
    if (this.hasStopped) this.afterwards.push(what);
    this.passes();
  };

  /** A moment at which the stop may fall. */
  readonly passes = (): void => {
    if (this.moments++ !== this.#stopAt || this.hasStopped) return;
    this.#stop();
    this.hasStopped = true;
  };
}

describe.each(frameworks)('$name', (framework) => {
  let server: ModelServer;
  let watch: Watch | undefined;
  const realFetch = globalThis.fetch;
  beforeAll(async () => {
    server = await startModelServer({
      script: ({ body }) => {
        watch?.passes();
        // One message each in Chat Completions, parts of one in the Messages API and in Gemini's.
        const results = JSON.stringify(body).match(/"role":"tool"|"type":"tool_result"|"functionResponse"/g) ?? [];
        return results.length < 6 ? { ...(callsOf('a', 'b', 'c') as object), text: 'let me see' } : 'All done.';
      },
    });
    // Every model request of every client goes through here; one whose signal is aborted sends nothing.
    globalThis.fetch = (input, init) => {
      if (init?.signal?.aborted !== true) watch?.starts('model');
      return realFetch(input, init);
    };
  });
  afterAll(async () => {
    globalThis.fetch = realFetch;
    await server.close();
  });

  test.prop(
    [
      fc.record({
        stopAt: fc.integer({ min: 0, max: 45 }),
        how: fc.constantFrom('cancel', 'kill'),
        stream: fc.boolean(),
        isDeaf: fc.boolean(),
        steer: fc.constantFrom('next-model-call', 'after-turn', undefined),
        pauses: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      }),
    ],
    { numRuns },
  )('S02 no tool, no model, no message, no hook', async ({ stopAt, how, stream, isDeaf, steer, pauses }) => {
    const agent = new InterruptController({ graceMs: 5 });
    const own = new Watch(stopAt, () => {
      if (steer !== undefined) agent.interject('steer', { delivery: steer });
      agent.interject('follow-up', { delivery: 'after-turn' });
      agent[how]('user');
    });
    watch = own;
    agent.onEvent(({ type }) => {
      if (type === 'interjection-delivered') own.starts('message');
    });
    const work: Work = async ({ signal }) => {
      own.starts('execute');
      for (const isLong of pauses) {
        await pause(isLong);
        if (!isDeaf) signal?.throwIfAborted();
        own.passes();
      }
      return 'ok';
    };
    const before = server.requests.length;
    const report = await agent.runTurn(async (turn) => {
      const tools = { a: work, b: work, c: work };
      const said = await framework.run(turn, { baseURL: `${server.url}/v1`, tools, stream, onPart: own.passes });
      turn.checkpoint();
      own.starts('hook');
      return said;
    });
    await pause(true);
    await pause(true);
    expect(own.afterwards).toEqual([]);
    expect(report.status).toBe(own.hasStopped ? 'cancelled' : 'completed');
    expect(server.requests.length - before).toBeLessThanOrEqual(3);
    for (const { status } of report.calls) {
      expect(own.hasStopped ? ['completed', 'stopped', 'unknown', 'not-started'] : ['completed']).toContain(status);
    }
    if (own.hasStopped) expect(report.undelivered.map(({ message }) => message)).toContain('follow-up');
    await agent.close();
  });
});
