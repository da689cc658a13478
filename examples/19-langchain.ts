/**
 * A batch of LangChain's that is stopped half-way: the SDK's own goes on to start items, a guarded one starts none.
 */
import { RunnableLambda } from '@langchain/core/runnables';
import { InterruptController, delay } from 'desist';
import { guardRunnable } from 'desist/langchain';

const agent = new InterruptController({ name: 'main' });
const pages = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

for (const isGuarded of [false, true]) {
  let startedAfterStop = 0;
  let isStopped = false;
  const fetchPage = RunnableLambda.from(async (page: number) => {
    if (isStopped) startedAfterStop++;
    if (page === 2) {
      isStopped = true;
      agent.cancel('user');
    }
    await delay(undefined, 10);
    return `page ${String(page)}`;
  });

  const report = await agent.runTurn((turn) => {
    const own = isGuarded ? guardRunnable(fetchPage, { turn }) : fetchPage;
    return own.batch(pages, { signal: turn.signal, maxConcurrency: 2 });
  });
  await delay(undefined, 300);
  console.log(isGuarded ? 'guarded:' : 'bare:', report.status, startedAfterStop > 0 ? 'and goes on' : 'and stays so');
}
await agent.close();

// Output:
// bare: cancelled and goes on
// guarded: cancelled and stays so
