/**
 * A user's own race with a Stop, as a property: `raceScheduler` puts the stop and the test's promises in any order, and
 * one law has to hold in all of them – a file that was written is never reported as stopped.
 */
import { runUntilCancelled, type CancelContext } from 'desist';
import { raceScheduler } from 'desist/testing/fast-check';
import fc from 'fast-check';

type Save = (context: CancelContext, write: () => Promise<void>) => Promise<void>;

/** Checks the law for one way to save. */
async function check(save: Save): Promise<string> {
  const law = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    const { token, gate, wait, settle } = raceScheduler(scheduler);
    let isWritten = false;
    const write = () => gate('written', () => void (isWritten = true));
    const running = runUntilCancelled(token, async (context) => {
      await gate('allowed'); // a person says yes
      await save(context, write);
    });
    wait(5_000); // longer than any grace
    const result = await settle(running);
    return result.status === 'fulfilled' && (result.value.status === 'completed' || !isWritten);
  });
  const { failed, numRuns } = await fc.check(law, { seed: 8, numRuns: 200 });
  return failed ? 'broken: a file was written, and the outcome says otherwise' : `holds in ${numRuns} runs`;
}

console.log(`bare write: ${await check((_context, write) => write())}`);
console.log(`commit: ${await check(({ commit }, write) => commit(write))}`);

// Output:
// bare write: broken: a file was written, and the outcome says otherwise
// commit: holds in 200 runs
