/**
 * Calls that block, many at a time: each answer arrives, however long it is. `BLOCKING_CALLS=1000` makes it longer.
 *
 * @module
 */
import { strict as assert } from 'node:assert';

/** Called in the processes of the calls. */
export const answer = (number) => ({ number, text: 'x'.repeat((number % 7) * 10_000) });

const calls = Number(process.env.BLOCKING_CALLS ?? 60);
const atOnce = 20;

export const blockingChecks = {
  async 'no answer of a blocking call is lost, 20 at a time'() {
    const { runBlocking } = await import('desist/worker');
    const wrong = [];
    let next = 0;
    const callOnAndOn = async () => {
      while (next < calls) {
        const number = next++;
        const got = await runBlocking(null, import.meta.url, [number], { exportName: 'answer' }).catch(String);
        if (got?.number !== number || got.text.length !== answer(number).text.length) wrong.push(got);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, callOnAndOn));
    assert.deepEqual(wrong, []);
  },
};
