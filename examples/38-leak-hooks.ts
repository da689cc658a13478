/**
 * The leak check around the tests of a file: `leakHooks` takes the functions of any runner. Here a runner of a few lines plays two
 * files, one of which leaves a listener on a session's signal.
 */
import { CancellationTokenSource } from 'desist';
import { leakHooks } from 'desist/testing';

/** What a runner has: something before all tests, something after them. In earnest `beforeAll` and `afterAll`. */
async function runFile(name: string, test: () => void) {
  const before: (() => void)[] = [];
  const after: (() => Promise<void>)[] = [];
  leakHooks({ before: (fn) => before.push(fn), after: (fn) => after.push(fn) }, { settleMs: 10 });
  for (const hook of before) hook();
  test();
  try {
    for (const hook of after) await hook();
    console.log(`${name}: ok`);
  } catch (error) {
    console.log(`${name}: ${(error as Error).message.split(';')[0]}`);
  }
}

const kept: AbortController[] = [];

await runFile('gives everything back', () => {
  const session = new AbortController();
  kept.push(session);
  const work = new CancellationTokenSource({ parent: session.signal });
  work.token.onCancelled(() => {});
  work.release();
});

await runFile('forgets a listener', () => {
  const session = new AbortController();
  kept.push(session);
  session.signal.addEventListener('abort', () => {});
});

// Output:
// gives everything back: ok
// forgets a listener: left behind: 1 × abort listener
