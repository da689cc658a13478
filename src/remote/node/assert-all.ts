/**
 * Looks at what a node has written, and writes what is not there any more: an engine may have lost it.
 *
 * @module
 */
import type { Exchange } from './engine/exchange.ts';
import type { HostedRun } from './hosted-run.ts';
import type { Members } from './members.ts';

/** How many records are renewed by one operation. */
const BATCH = 500;
/** How many of these are under way: while some are looked at, others are written. */
const AT_ONCE = 4;

/**
 * Rejects if the engine does not answer, once nothing is under way any more; what was written until then stays.
 *
 * @param only The runs to be looked at; all by default.
 */
export async function assertAll(
  exchange: Exchange,
  hosted: ReadonlyMap<string, HostedRun>,
  members: Members,
  only?: ReadonlySet<string>,
): Promise<void> {
  const all = [...new Set([...hosted.keys(), ...members.runs])];
  const left = only === undefined ? all : all.filter((runId) => only.has(runId));
  const assertBatches = async (): Promise<void> => {
    for (let batch = left.splice(0, BATCH); batch.length > 0; batch = left.splice(0, BATCH)) {
      const records = await exchange.renew(batch);
      const writing: Promise<void>[] = [];
      for (const [index, runId] of batch.entries()) {
        const written = hosted.get(runId)?.assert(records[index], only === undefined);
        const rest = (): Promise<void> | undefined => members.assert(runId, records[index]);
        const all = written === undefined ? rest() : written.then(rest);
        if (all !== undefined) writing.push(all);
      }
      await Promise.all(writing);
    }
  };
  const lanes = Array.from({ length: AT_ONCE }, assertBatches);
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
}
