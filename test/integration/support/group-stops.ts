/**
 * Stops of groups over an engine: sessions in several processes' worth of buses, more of them while it is stopped.
 *
 * @module
 */
import { expect } from 'vitest';

import { openStopBus, type StopBackend } from '../../../src/remote/index.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';

const GROUP = 'tenant:acme';
const LEASE_MS = 2_000;

/** Two hosts and one who only asks, all on one engine. */
async function threeProcesses(backend: StopBackend) {
  const buses = await Promise.all([1, 2, 3].map(() => openStopBus(backend, { leaseMs: LEASE_MS })));
  const [a, b, front] = buses.map((bus) => new SessionRegistry({ bus })) as [
    SessionRegistry,
    SessionRegistry,
    SessionRegistry,
  ];
  const open = async (id: string, groups: readonly string[]) => {
    const host = Number(id.replace(/\D/gu, '')) % 2 === 0 ? a : b;
    const session = host.open(id, { groups });
    await session.ready();
    return { id, turn: session.controller.runTurn(({ token }) => token.whenCancelled()), session };
  };
  const close = async (): Promise<void> => {
    await Promise.all([a, b].map((sessions) => sessions.drain({ timeoutMs: 0 })));
    await Promise.all(buses.map((bus) => bus.close()));
  };
  return { a, b, front, open, close };
}

const named = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}-${String(n)}`);

/** Everybody who was in the group is stopped and named; nobody else, and nobody who came later. */
export async function stopsWhoIsThere(backend: StopBackend): Promise<void> {
  const { front, open, close } = await threeProcesses(backend);
  const members = await Promise.all(named('member', 200).map((id) => open(id, [GROUP, `user:${id}`])));
  const others = await Promise.all(named('other', 50).map((id) => open(id, ['tenant:other'])));
  // An engine may have lost what it knew before it is half a lease old.
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS / 2));
  // Claimed while the stop is under way: either listed and told, or neither.
  const racing = named('racing', 50).map((id) => open(id, [GROUP]));
  const { isComplete, receipts } = await front.cancelGroup(
    GROUP,
    { kind: 'user', by: 'ops' },
    { wait: 'settled', timeoutMs: 30_000 },
  );
  const later = await Promise.all(named('later', 50).map((id) => open(id, [GROUP])));
  const listed = new Set(receipts.map(({ sessionId }) => sessionId));
  expect([isComplete, new Set(receipts.map(({ status }) => status))]).toEqual([true, new Set(['settled'])]);
  for (const { id, turn } of members) expect([listed.has(id), (await turn).status]).toEqual([true, 'cancelled']);
  // What is told may be told by the next heartbeat.
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS));
  const isRunning = ({ session }: Awaited<ReturnType<typeof open>>): boolean => session.controller.state === 'running';
  expect([others, later].map((some) => some.filter((each) => !isRunning(each)).map(({ id }) => id))).toEqual([[], []]);
  for (const each of await Promise.all(racing))
    expect([each.id, isRunning(each)]).toEqual([each.id, !listed.has(each.id)]);
  await close();
}

/** An engine that starts again with nothing lists everybody again within two leases. */
export async function listsAgain(backend: StopBackend, restart: () => Promise<void>): Promise<void> {
  const { front, open, close } = await threeProcesses(backend);
  const members = await Promise.all(named('member', 20).map((id) => open(id, [GROUP])));
  await restart();
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS * 2));
  const { isComplete, receipts } = await front.cancelGroup(GROUP, 'enough', { wait: 'settled', timeoutMs: 30_000 });
  expect([isComplete, receipts.filter(({ status }) => status === 'settled').length]).toEqual([true, members.length]);
  for (const { turn } of members) expect((await turn).status).toBe('cancelled');
  await close();
}
