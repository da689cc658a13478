/**
 * A race is tested by order, not by sleeping: fast-check's scheduler puts a save, a Stop and a kill in every order it
 * can think of, and one law has to hold in all of them – a file that was written is never reported as cancelled.
 */
import { CancellationTokenSource, runUntilCancelled, type CancelContext } from 'desist';
import { VirtualClock, deferred } from 'desist/testing';
import fc from 'fast-check';

/** What is under test: a tool that asks first and writes then. */
type Tool = (context: CancelContext, allowed: Promise<void>, write: () => Promise<string>) => Promise<string>;

/** Checks the law for one tool; says how many orders were tried, or which one broke it. */
async function check(tool: Tool): Promise<string> {
  const law = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    const clock = new VirtualClock();
    const session = new CancellationTokenSource({ clock });
    const allowed = deferred();
    const disk = deferred();
    let written = false;

    const running = runUntilCancelled(session.token, (context) =>
      tool(context, allowed.promise, async () => {
        await disk.promise;
        written = true;
        return 'saved';
      }),
    );
    const acts = { allow: allowed.resolve, write: disk.resolve, stop: () => session.cancel('user'), wait: () => {} };
    for (const [label, act] of Object.entries(acts)) {
      // A turn of the event loop follows each act, or five seconds: longer than any grace.
      const builder = () => (act(), clock.advance(label === 'wait' ? 5_000 : 0));
      scheduler.scheduleSequence([{ label, builder }]);
    }
    await scheduler.waitIdle();
    await clock.advance(5_000);

    const outcome = await running;
    return outcome.status === 'completed' || !written;
  });
  const result = await fc.check(law, { seed: 8, numRuns: 200 });
  return result.failed
    ? 'broken: a file was written, and the report says otherwise'
    : `holds in ${result.numRuns} orders`;
}

// It writes as soon as it may. A Stop that comes meanwhile gives up on it after the grace; the file appears later.
console.log(`bare write: ${await check(async (_context, allowed, write) => (await allowed, write()))}`);

// It writes inside commit(): not begun once stopped, and once begun never given up on.
console.log(`commit: ${await check(async ({ commit }, allowed, write) => (await allowed, commit(write)))}`);

// Output:
// bare write: broken: a file was written, and the report says otherwise
// commit: holds in 200 orders
