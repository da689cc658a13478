/** S34 for loops that somebody else wrote: turn after turn under one session, and nothing is left of them. */
import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InterruptController } from '../../src/index.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { isLong } from '../support/long.ts';
import { majors } from './majors.ts';
import { frameworks } from './support/frameworks/index.ts';
import { callsOf } from './support/frameworks/loop-stage.ts';

/** Listeners show after a few turns, memory after many. */
const [WARM, TURNS] = isLong ? [20, 60] : [2, 6];
const MAX_GROWTH_BYTES = 5 * 1024 * 1024;

/** Only where memory is watched: with all SDKs on the heap, to collect takes longer than the turns. What a finalizer lets go of goes with the second. */
async function heapUsed(): Promise<number> {
  if (!isLong) return 0;
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return process.memoryUsage().heapUsed;
}

/** One major of each: what is left of a turn is this package's, or shows in both. */
const newest = frameworks.filter((_framework, at) => at % majors.length === 0);

describe.each(newest)('S34 $name', (framework) => {
  it(`${String(TURNS)} turns with a tool leave nothing on the session`, async () => {
    const script = ({ n }: { readonly n: number }) => (n % 2 === 1 ? callsOf('idle') : 'All done.');
    let server = await startModelServer({ script });
    onTestFinished(() => server.close());
    const session = new AbortController();
    const agent = new InterruptController({ name: 'main', token: session.signal });
    const run = async (turns: number): Promise<void> => {
      for (let turn = 0; turn < turns; turn++) {
        const options = { baseURL: `${server.url}/v1`, tools: { idle: () => 'ok' }, stream: turn % 2 === 0 };
        expect((await agent.runTurn((own) => framework.run(own, options))).unwrap()).toBe('All done.');
        expect(getEventListeners(session.signal, 'abort').length).toBeLessThanOrEqual(1);
      }
      // The server remembers its requests: that is not what is measured.
      await server.close();
      server = await startModelServer({ script });
    };
    await run(WARM);
    const before = await heapUsed();
    await run(TURNS);
    const grown = (await heapUsed()) - before;
    if (isLong) console.log(`S34 ${framework.name}: heap ${(grown / 1024).toFixed(0)} kB after ${String(TURNS)} turns`);
    expect(grown).toBeLessThan(MAX_GROWTH_BYTES);
    await agent.close();
    expect(getEventListeners(session.signal, 'abort')).toEqual([]);
  });
});
