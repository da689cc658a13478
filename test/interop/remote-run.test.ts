/** Work on another machine, by the real clients of four protocols against a machine that counts what it is told. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancelRun } from '../../src/adapters/remote-run/index.ts';
import { CancellationTokenSource } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import type { RemoteRig } from './support/remote-run/rig.ts';
import { rigMakers } from './support/remote-run/rigs.ts';
import { WorkMachine } from './support/remote-run/work-machine.ts';
import { itBare } from '../support/bare.ts';

/** Long enough that only a machine that is deaf lets it pass. */
const LONG = 30_000;

describe.each(rigMakers)('$name', ({ make, namesLate }) => {
  let machine: WorkMachine;
  let rig: RemoteRig;
  let person: CancellationTokenSource;

  beforeEach(async () => {
    machine = new WorkMachine();
    rig = await make(machine);
    person = new CancellationTokenSource();
  });
  afterEach(async () => {
    machine.release();
    await rig.kill();
  });

  const running = () =>
    eventually(() => {
      expect(machine.jobs.size).toBe(1);
      return machine.only;
    });

  itBare('alone goes on with its work when the signal fires', async () => {
    const call = rig.alone(person.signal).catch(() => undefined);
    const job = await running();
    person.cancel('user');
    await call;
    expect([job.state, job.cancels]).toEqual(['running', 0]);
  });

  it('is cancelled once, and the call is over when that is answered', async () => {
    let id: string | undefined;
    const call = rig
      .run(person.token, { graceMs: LONG, onNamed: (name) => (id = name) })
      .catch((error: unknown) => error);
    const job = await running();
    await eventually(() => expect(id).toBeDefined());
    person.cancel({ kind: 'user', message: 'no, the customer from Monday' });
    expect(await call).toMatchObject({ name: 'AbortError', abandoned: undefined, reason: { kind: 'user' } });
    expect([job.state, job.cancels]).toEqual(['cancelled', 1]);
  });

  it('that is deaf is left behind by name and id', async () => {
    machine.isDeaf = true;
    let id: string | undefined;
    const call = rig
      .run(person.token, { graceMs: 100, onNamed: (name) => (id = name) })
      .catch((error: unknown) => error);
    await running();
    await eventually(() => expect(id).toBeDefined());
    person.cancel('user');
    const error = (await call) as { abandoned?: { name: string } };
    expect(error.abandoned?.name).toContain(id);
    expect([machine.only.state, machine.only.cancels]).toEqual(['running', 1]);
  });

  const late = namesLate ? it : undefined;
  late?.('is cancelled, once it has a name, by a stop that came before', async () => {
    const name = machine.holdNames();
    const call = rig.run(person.token, { graceMs: LONG }).catch((error: unknown) => error);
    await eventually(async () => expect(await rig.connections()).toBe(1));
    person.cancel('user');
    name();
    expect(await call).toMatchObject({ name: 'AbortError', abandoned: undefined });
    expect([machine.only.state, machine.only.cancels]).toEqual(['cancelled', 1]);
  });

  it('that has finished hears nothing of a later stop', async () => {
    const call = rig.run(person.token);
    const job = await running();
    machine.end(job.id, 'completed');
    await call;
    person.cancel('user');
    await eventually(async () => expect(await rig.connections()).toBe(0));
    expect(job.cancels).toBe(0);
  });

  it('is attached to, and cancelled, by a process that only kept its name', async () => {
    const first = new CancellationTokenSource();
    let id = '';
    const lost = rig.run(first.token, { onNamed: (name) => (id = name) }).catch((error: unknown) => error);
    const job = await running();
    await eventually(() => expect(id).not.toBe(''));
    const again = rig.attach(person.token, id).catch((error: unknown) => error);
    await eventually(async () => expect(await rig.connections()).toBe(2));
    person.cancel('user');
    expect(await again).toMatchObject({ name: 'AbortError', abandoned: undefined });
    await lost;
    expect([job.state, job.cancels]).toEqual(['cancelled', 1]);
  });

  it('is cancelled by its name alone', async () => {
    let id = '';
    const lost = rig.run(undefined, { onNamed: (name) => (id = name) }).catch((error: unknown) => error);
    const job = await running();
    await eventually(() => expect(id).not.toBe(''));
    expect(await cancelRun(id, rig.cancel, { graceMs: LONG })).toEqual({ status: 'cancelled', id });
    await lost;
    expect([job.state, job.cancels]).toEqual(['cancelled', 1]);
  });

  it('whose server is killed while it stops is named, for nobody knows', async () => {
    machine.isDeaf = true;
    let id = '';
    const call = rig
      .run(person.token, { graceMs: 1_000, onNamed: (name) => (id = name) })
      .catch((error: unknown) => error);
    const job = await running();
    await eventually(() => expect(id).not.toBe(''));
    person.cancel('user');
    await eventually(() => expect(job.cancels).toBe(1));
    await rig.kill();
    const error = (await call) as { abandoned?: { name: string } };
    expect(error.abandoned?.name).toContain(id);
  });

  it('two hundred at once are told once each, and nothing stays open', async () => {
    const named = new Set<string>();
    const calls = Array.from({ length: 200 }, () =>
      rig.run(person.token, { graceMs: LONG, onNamed: (id) => named.add(id) }).catch((error: unknown) => error),
    );
    await eventually(() => expect([machine.jobs.size, named.size]).toEqual([200, 200]));
    person.cancel('user');
    const errors = await Promise.all(calls);
    expect(errors.filter((error) => (error as Error).name !== 'AbortError')).toEqual([]);
    const jobs = [...machine.jobs.values()];
    expect(jobs.filter(({ state, cancels }) => state !== 'cancelled' || cancels !== 1)).toEqual([]);
    await eventually(async () => expect(await rig.connections()).toBe(0));
  }, 300_000);

  it('is told at most once, and never when it had finished, at five hundred random stops', async () => {
    // A linear congruence, so that a failure can be played again.
    let seed = 20_261_128;
    const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
    for (let round = 0; round < 5; round++) {
      const before = machine.jobs.size;
      const people = Array.from({ length: 100 }, () => new CancellationTokenSource());
      const calls = people.map((one) => rig.run(one.token, { graceMs: LONG }).catch((error: unknown) => error));
      if (random(2) === 0) await eventually(() => expect(machine.jobs.size).toBe(before + 100));
      const finishing = [...machine.jobs.keys()].slice(before).filter(() => random(3) === 0);
      for (const one of people) {
        const id = finishing.pop();
        if (id !== undefined && random(2) === 0) machine.end(id, 'completed');
        one.cancel('user');
      }
      await Promise.all(calls);
    }
    const jobs = [...machine.jobs.values()];
    expect(jobs.filter(({ cancels }) => cancels > 1)).toEqual([]);
    // A cancel and the end of the work may pass each other on the wire; what nobody stopped was told nothing.
    expect(jobs.filter(({ state, cancels }) => state === 'cancelled' && cancels !== 1)).toEqual([]);
    expect(jobs.filter(({ state }) => state === 'running')).toEqual([]);
  }, 300_000);
});
