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

/**
 * Rejects if the engine does not answer; what was written until then stays.
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
  const runIds = only === undefined ? all : all.filter((runId) => only.has(runId));
  for (let start = 0; start < runIds.length; start += BATCH) {
    const batch = runIds.slice(start, start + BATCH);
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
}
