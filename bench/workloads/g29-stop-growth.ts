/** G29: a stop of a group with many sessions, and the members of many sessions that end, in CPU time: both sides are one process here. */
import { memoryBackend, openStopBus } from 'desist/remote';
import { SessionRegistry } from 'desist/sessions';
import { growthRows } from '../growth.ts';
import type { Workload } from '../workload.ts';

/** Milliseconds of CPU time. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function stage() {
  const backend = memoryBackend();
  const [front, worker] = [await openStopBus(backend), await openStopBus(backend)];
  return { front, worker, asking: new SessionRegistry({ bus: front }), running: new SessionRegistry({ bus: worker }) };
}

const idsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `run-${String(n)}`);

/** From the request to the last receipt, which says that the work of its session is over. */
async function stopGroup(count: number): Promise<number> {
  const { front, worker, asking, running } = await stage();
  const sessions = idsOf(count).map((id) => running.open(id, { groups: ['all'] }));
  await Promise.all(sessions.map((session) => session.ready()));
  const turns = sessions.map(({ controller }) => controller.runTurn(({ token }) => token.whenCancelled()));
  const ms = await cpuOf(async () => {
    const { receipts } = await asking.cancelGroup('all', 'enough', { wait: 'settled', timeoutMs: 60_000 });
    if (receipts.filter(({ status }) => status === 'settled').length !== count) throw new Error('all are stopped');
    await Promise.all(turns);
  });
  await running.drain({ timeoutMs: 0 });
  await Promise.all([front.close(), worker.close()]);
  return ms;
}

/** From the end of the sessions until every member elsewhere has heard of it, and has left. */
async function endAll(count: number): Promise<number> {
  const { front, worker, asking, running } = await stage();
  const ids = idsOf(count);
  await Promise.all(ids.map((id) => running.open(id).ready()));
  const members = ids.map((id) => front.join(id));
  const isListed = async (id: string): Promise<boolean> => (await asking.look(id)).state === 'open';
  while (!(await Promise.all(ids.map(isListed))).every(Boolean));
  const ms = await cpuOf(async () => {
    await Promise.all([
      running.drain({ timeoutMs: 0 }),
      ...members.map(async (member) => {
        await member.token.whenCancelled();
        member.release();
      }),
    ]);
    await front.close();
  });
  await worker.close();
  return ms;
}

const cases = {
  'sessions of a group, stopped by one request from another process': stopGroup,
  'sessions that end, each with a member elsewhere': endAll,
};

export const workload: Workload = {
  id: 'G29',
  title: '800 sessions of another process, against 100: growth for each',
  measure: () => growthRows(cases, 100),
};
