/** Memory that a token which lives on must not gain. */
import { describe, expect, it } from 'vitest';

import { runModule } from './support/run-module.ts';

describe('memory', () => {
  /** Bytes that `work` leaves on the heap while `long`, a token that lives on, is still there. */
  async function growth(work: string): Promise<number> {
    const { stdout } = await runModule(`
      import { CancellationToken, CancellationTokenSource } from './src/index.ts';
      const controller = new AbortController();
      const session = new CancellationTokenSource({ name: 'session' });
      const foreign = CancellationToken.from(controller.signal);
      session.token.onCancelled(() => {});
      function round(i: number): void { ${work} }
      async function settle(): Promise<number> {
        for (let i = 0; i < 4; i++) { globalThis.gc!(); await new Promise((resolve) => setImmediate(resolve)); }
        return process.memoryUsage().heapUsed;
      }
      // As many before as after: tables that grew once stay that size. A leak grows each time, the collector's own
      // book-keeping now and then.
      const grown: number[] = [];
      for (let time = 0, before = 0; time < 4; time++) {
        for (let i = 0; i < 200_000; i++) round(i);
        const after = await settle();
        if (time > 0) grown.push(after - before);
        before = after;
      }
      console.log(Math.min(...grown));
      if (session.isCancelled || foreign.isCancelled || controller.signal.aborted) throw new Error('cancelled');
      process.exit(0);`);
    return Number(stdout.trim());
  }

  it.each([
    ['children', 'session.token.child();'],
    ['children that were asked', 'if (session.token.child({ name: "x" }).token.child().isCancelled) throw i;'],
    ['children whose listeners were taken back', 'session.token.child().token.onCancelled(() => {}).unregister();'],
    ['children with a signal, released', 'const c = session.token.child(); void c.signal; c.release();'],
    [
      'children with a limit, released',
      'const c = session.token.child({ timeoutMs: 1e6 }); c.token.onCancelled(() => {}); c.release();',
    ],
    [
      'children that were cancelled',
      'const c = session.token.child(); c.token.onCancelled(() => {}); c.cancel("user");',
    ],
    ['children that were killed', 'const c = session.token.child(); c.token.onKilled(() => {}); c.kill("user");'],
    ['links', 'CancellationToken.any(session.token, foreign, new CancellationTokenSource().token);'],
    [
      'children of a foreign signal',
      'new CancellationTokenSource({ parent: controller.signal }).token.onCancelled(() => {}).unregister();',
    ],
    ['observed children of none', 'CancellationToken.none.child().token.onCancelled(() => {});'],
    ['foreign signals', 'CancellationToken.from(new AbortController().signal).child().token.onCancelled(() => {});'],
    [
      'grandchildren of a cancelled child',
      'const c = session.token.child(); c.cancel(); c.token.child().token.onKilled(() => {}).unregister();',
    ],
  ])('200,000 forgotten %s leave nothing: less than one byte each', async (_title, work) => {
    expect(await growth(work)).toBeLessThan(200_000);
  });
});
