/**
 * A worker of a queue as the guide has it: `drained-worker.ts redis|postgres port`. It says `began`, `told kind` and how the turn
 * ended; a signal drains it, and SIGKILL does not.
 *
 * @module
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { drainOnSignals } from '../../../src/adapters/process-signals/index.ts';
import { openStopBus } from '../../../src/remote/index.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import { reachEngine, type EngineName } from './runner-engine.ts';

const [engine, port] = process.argv.slice(2) as [EngineName, string];
const say = (...words: readonly string[]): void => {
  writeSync(1, `${words.join(' ')}\n`);
};
const sessions = new SessionRegistry({ bus: await openStopBus(reachEngine(engine, Number(port)).backend) });
drainOnSignals(sessions, { willRetry: true, timeoutMs: 5_000 });
const session = sessions.open('job');
await session.ready();
const turn = session.controller.runTurn(async ({ token }) => {
  say('began');
  await token.whenCancelled();
  say('told', token.reason?.kind ?? '');
  // What it has begun it brings to its end.
  await sleep(1_000);
});
say((await turn).status);
