/**
 * A process that runs, and can be paused or killed: `stop-runner.ts engine port leaseMs ids...`. A line of output for each
 * thing that happened, written before anything else is done, so that it is there also when the process is not any more:
 * `ready`, `stopped id kind`, `heard id` (of the bus that only publishes), `over` when every run has ended.
 *
 * A pause may come between what a process decides and what it writes. So that one does, every second run's writes wait for
 * the end of a pause, and are sent then however late it is: `late id swapped` or `late id refused`.
 *
 * @module
 */
import { writeSync } from 'node:fs';

import { openStopBus, type StopBackend } from '../../../src/remote/index.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import { reachEngine, type EngineName } from './runner-engine.ts';

const [engine, port, leaseMs, runs] = process.argv.slice(2) as [EngineName, string, string, string];
const say = (...words: readonly string[]): void => {
  writeSync(1, `${words.join(' ')}\n`);
};

/** Whether the pause comes before the writes of a run. */
const isSlow = (id: string): boolean => /[13579]$/.test(id);

const { backend, subscribe } = reachEngine(engine, Number(port));
await subscribe((id) => {
  say('heard', id);
});
let isReady = false;
const resumed = new Promise<void>((resolve) => process.once('SIGCONT', () => void resolve()));
/** An engine that has just been started on a busy machine may need more than one lease for its first answer. */
async function openAtLast(opened: StopBackend): ReturnType<typeof openStopBus> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await openStopBus(opened, { leaseMs: Number(leaseMs) });
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}

const bus = await openAtLast({
  ...backend,
  connect: async (node, events) => {
    const connection = await backend.connect(node, events);
    const swap = connection.swap.bind(connection);
    connection.swap = async (change) => {
      // A run is taken out of the inbox by a write that changes nothing.
      if (!isReady || !isSlow(change.runId) || change.from === change.to) return swap(change);
      await resumed;
      const answer = await swap(change);
      say('late', change.runId, answer.swapped ? 'swapped' : 'refused');
      return answer;
    };
    return connection;
  },
});
const sessions = new SessionRegistry({ bus });
const ids = runs.split(',');
const ended = ids.map((id) =>
  sessions.open(id).controller.runTurn(async ({ token }) => {
    token.onCancelled(({ kind }) => {
      say('stopped', id, kind);
    });
    await token.whenCancelled();
  }),
);
for (const id of ids)
  while ((await sessions.look(id)).state !== 'open') await new Promise((resolve) => setTimeout(resolve, 10));
isReady = true;
say('ready');
await Promise.all(ended);
say('over');
