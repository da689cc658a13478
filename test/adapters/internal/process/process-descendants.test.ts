import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';

import { ProcessDescendants } from '../../../../src/adapters/internal/process/process-descendants.ts';
import { FakeTable, leader, ownPid, type FakeRow } from './process-table-fake.ts';

const pidsOf = async (family: ProcessDescendants) => (await family.look()).alive.map(({ pid }) => pid);

describe('who belongs', () => {
  it('descendants, oldest first, wherever they went', async () => {
    const table = new FakeTable(
      leader,
      { pid: 503, startTime: 90 },
      { pid: 502, startTime: 80, groupId: 502, sessionId: 502 },
      { pid: 504, startTime: 95, parentPid: 502, groupId: 502, sessionId: 502 },
    );
    expect(await pidsOf(new ProcessDescendants(table, 500, 'm'))).toEqual([500, 502, 503, 504]);
  });

  it('orphans of its group or its session, when the leader is gone', async () => {
    const table = new FakeTable(
      leader,
      { pid: 501, parentPid: 1, sessionId: undefined },
      { pid: 502, parentPid: 1, groupId: 502 },
    );
    const family = new ProcessDescendants(table, 500, 'm');
    table.remove(500);
    family.leaderReaped();
    expect(await pidsOf(family)).toEqual([501, 502]);
  });

  it('a daemon with a session of its own, by the marker, and what it started', async () => {
    const daemon = { parentPid: 1, groupId: 700, sessionId: 700 };
    const table = new FakeTable(
      leader,
      { ...daemon, pid: 700, environment: 'DESIST_RUN=outer,m\0' },
      { ...daemon, pid: 701, parentPid: 700, groupId: 701, sessionId: 701 },
      { ...daemon, pid: 702, environment: 'DESIST_RUN=other\0' },
    );
    expect(await pidsOf(new ProcessDescendants(table, 500, 'm'))).toEqual([500, 700, 701]);
  });

  it('whoever was seen in it once, also after losing its parent and its marker', async () => {
    const table = new FakeTable(leader, { pid: 501 }, { pid: 502, parentPid: 501, groupId: 502, sessionId: 502 });
    const family = new ProcessDescendants(table, 500, 'm');
    await family.look();
    table.remove(500, 501);
    table.add({ pid: 502, parentPid: 1, groupId: 502, sessionId: 502 });
    expect(await pidsOf(family)).toEqual([502]);
  });

  it('nobody who started before the leader, not even with the marker', async () => {
    const table = new FakeTable(leader, { pid: 400, startTime: 49, parentPid: 1, environment: 'DESIST_RUN=m\0' });
    expect(await pidsOf(new ProcessDescendants(table, 500, 'm'))).toEqual([500]);
    expect(table.reads.filter((read) => read === 'environment')).toHaveLength(1); // its own
  });

  it('not the dead', async () => {
    const table = new FakeTable({ ...leader, state: 'dead' }, { pid: 501, state: 'dead' });
    const family = new ProcessDescendants(table, 500, 'm');
    expect(await pidsOf(family)).toEqual([]);
    expect(family.hasKnownAlive()).toBe(false);
    expect(family.isLeaderDead()).toBe(true);
  });

  it('not those around a stranger who got the pid of the leader', async () => {
    const table = new FakeTable(leader, { pid: 501 });
    const family = new ProcessDescendants(table, 500, 'm');
    table.remove(500, 501);
    family.leaderReaped();
    table.add({ pid: 500, parentPid: 1, startTime: 200 });
    table.add({ pid: 601, startTime: 210 });
    expect(await pidsOf(family)).toEqual([]);
    expect(family.isLeaderDead()).toBe(false);
  });
});

describe('after the leader is reaped', () => {
  it('its group speaks for those who stand beside a member, known or marked', async () => {
    const orphan = { parentPid: 1, sessionId: undefined };
    const table = new FakeTable(leader, { ...orphan, pid: 501 });
    const family = new ProcessDescendants(table, 500, 'm');
    table.remove(500);
    family.leaderReaped();
    table.add({ ...orphan, pid: 502, startTime: 99 });
    expect(await pidsOf(family)).toEqual([501, 502]);

    const unseen = new FakeTable(leader);
    const second = new ProcessDescendants(unseen, 500, 'm');
    unseen.remove(500);
    second.leaderReaped();
    unseen.add({ ...orphan, pid: 503, startTime: 98, environment: 'DESIST_RUN=m\0' });
    unseen.add({ ...orphan, pid: 504, startTime: 99 });
    expect(await pidsOf(second)).toEqual([503, 504]);
  });

  it('it speaks for nobody when all of them were gone: a stranger may have got the number, and may be gone too', async () => {
    const table = new FakeTable(leader, { pid: 501 });
    const family = new ProcessDescendants(table, 500, 'm');
    await family.look();
    table.remove(500, 501);
    family.leaderReaped();
    table.add({ pid: 777, parentPid: 1, startTime: 300 });
    expect(await pidsOf(family)).toEqual([]);
  });
});

describe('the cheap questions', () => {
  it('hasKnownAlive looks only at who was seen, and sees through a recycled pid', async () => {
    const table = new FakeTable(leader, { pid: 501 });
    const family = new ProcessDescendants(table, 500, 'm');
    await family.look();
    table.reads.length = 0;
    expect(family.hasKnownAlive()).toBe(true);
    table.remove(500);
    expect(family.hasKnownAlive()).toBe(true);
    table.add({ pid: 501, startTime: 300 });
    expect(family.hasKnownAlive()).toBe(false);
    expect(table.reads).not.toContain('snapshot');
  });

  it('describe names them', async () => {
    const table = new FakeTable(leader);
    const family = new ProcessDescendants(table, 500, 'm');
    expect(family.describe((await family.look()).alive)).toEqual([{ pid: 500, command: 'sh -c work' }]);
  });
});

describe('signal', () => {
  it('reaches the group in one call and the others one by one, oldest first', () => {
    const table = new FakeTable(
      leader,
      { pid: 501, startTime: 70 },
      { pid: 503, startTime: 80, groupId: 503 },
      { pid: 502, startTime: 75, groupId: 502 },
    );
    expect(new ProcessDescendants(table, 500, 'm').signal('SIGTERM')).toBe('all');
    expect(table.sent).toEqual([
      [-500, 'SIGTERM'],
      [502, 'SIGTERM'],
      [503, 'SIGTERM'],
    ]);
  });

  it('F2: still signals the group when only an orphan or an unreaped leader is in it', () => {
    const orphan = new FakeTable(leader, { pid: 501, parentPid: 1 });
    const family = new ProcessDescendants(orphan, 500, 'm');
    orphan.remove(500);
    family.leaderReaped();
    family.signal('SIGKILL');
    expect(orphan.sent).toEqual([[-500, 'SIGKILL']]);

    const zombie = new FakeTable({ ...leader, state: 'dead' });
    new ProcessDescendants(zombie, 500, 'm').signal('SIGKILL');
    expect(zombie.sent).toEqual([[-500, 'SIGKILL']]);
  });

  it('S24 no signal to a recycled pid or a recycled group', async () => {
    const table = new FakeTable(leader, { pid: 501 });
    const family = new ProcessDescendants(table, 500, 'm');
    await family.look();
    table.remove(500, 501);
    family.leaderReaped();
    table.add({ pid: 500, parentPid: 1, startTime: 200 });
    table.add({ pid: 501, startTime: 210 });
    expect(family.signal('SIGKILL')).toBe('nobody');
    expect(table.sent).toEqual([]);
  });

  it('S24 never signals our own group: members in it are signalled one by one', () => {
    const table = new FakeTable(leader, { pid: 501 });
    // As if the leader's number were also our group's.
    table.add({ pid: ownPid, parentPid: 1, groupId: 500, sessionId: 500, startTime: 10 });
    new ProcessDescendants(table, 500, 'm').signal('SIGTERM');
    expect(table.sent).toEqual([
      [500, 'SIGTERM'],
      [501, 'SIGTERM'],
    ]);
    expect(table.rows.has(ownPid)).toBe(true);
  });

  it('continues who is stopped, except before the axe', () => {
    const table = new FakeTable({ ...leader, state: 'stopped' });
    const family = new ProcessDescendants(table, 500, 'm');
    family.signal('SIGTERM');
    family.signal('SIGKILL');
    expect(table.sent).toEqual([
      [-500, 'SIGTERM'],
      [500, 'SIGCONT'],
      [-500, 'SIGKILL'],
    ]);
  });

  it('says when nobody was found', () => {
    const table = new FakeTable();
    expect(new ProcessDescendants(table, 500, 'm').signal('SIGTERM')).toBe('nobody');
    expect(table.sent).toEqual([]);
  });
});

/** A kernel in which processes fork, leave and die, and numbers come back soon. It alone knows who really belongs. */
class Kernel extends FakeTable {
  readonly #ours = new Set<FakeRow>();
  #now = 60;

  constructor() {
    super({ ...leader, environment: 'DESIST_RUN=m\0' });
    for (const row of this.rows.values()) if (row.pid === 500) this.#ours.add(row);
  }

  pick(index: number): FakeRow & { sessionId?: number | undefined } {
    const living = [...this.rows.values()].filter(({ pid }) => pid !== ownPid);
    return living[index % living.length] ?? { pid: 1, groupId: 1, sessionId: 1 };
  }

  fork(parent: FakeRow, wish: number, isCleared: boolean): void {
    const taken = new Set([...this.rows.values()].flatMap((row) => [row.pid, row.groupId, row.sessionId]));
    const pid = Array.from({ length: 12 }, (_, i) => 500 + ((wish + i) % 12)).find((free) => !taken.has(free));
    if (pid === undefined) return;
    const { groupId = 1, sessionId = 1 } = parent;
    const environment = isCleared ? '' : parent.environment;
    this.#now += 1;
    this.add({ pid, parentPid: parent.pid, groupId, sessionId, environment, startTime: this.#now });
    const row = this.rows.get(pid);
    if (row !== undefined && this.#ours.has(parent)) this.#ours.add(row);
  }

  /** A session of its own, which a leader of a group cannot ask for. */
  leave(row: FakeRow): void {
    if (row.groupId !== row.pid) Object.assign(row, { groupId: row.pid, sessionId: row.pid });
  }

  die(dead: FakeRow, family: ProcessDescendants): void {
    this.remove(dead.pid);
    for (const row of this.rows.values()) if (row.parentPid === dead.pid) Object.assign(row, { parentPid: 1 });
    if (dead.pid === 500 && dead.startTime === 50) family.leaderReaped();
  }

  alive(isOurs: boolean): FakeRow[] {
    return [...this.rows.values()].filter((row) => this.#ours.has(row) === isOurs && row.pid !== ownPid);
  }
}

const step = fc.record({
  act: fc.constantFrom('fork', 'fork', 'fork', 'stranger', 'leave', 'die', 'die', 'look'),
  // Mostly the oldest process, and the leader's number: that is where the traps are.
  who: fc.oneof(fc.constant(0), fc.nat(11)),
  wish: fc.oneof(fc.constant(0), fc.nat(11)),
  isCleared: fc.boolean(),
});

test.prop([fc.array(step, { minLength: 3, maxLength: 30 })], {
  numRuns: Math.max(1000, fc.readConfigureGlobal().numRuns ?? 0),
})('S24 no history of forks, deaths and recycled pids makes it hit a stranger', async (steps) => {
  const kernel = new Kernel();
  const family = new ProcessDescendants(kernel, 500, 'm');
  for (const { act, who, wish, isCleared } of steps) {
    const row = kernel.pick(who);
    if (act === 'fork') kernel.fork(row, wish, isCleared);
    else if (act === 'stranger') kernel.fork({ pid: 1, groupId: 1, sessionId: 1 }, wish, true);
    else if (act === 'leave') kernel.leave(row);
    else if (act === 'look') await family.look();
    else if (row.pid !== 1) kernel.die(row, family);
  }
  const strangers = kernel.alive(false);
  family.signal('SIGKILL');
  expect(kernel.alive(false)).toEqual(strangers);
  // And nobody who still carries the marker gets away.
  expect(kernel.alive(true).filter(({ environment }) => environment !== '')).toEqual([]);
});

describe('Ctrl+C handed on', () => {
  it('goes to the leader\u2019s group alone', () => {
    const table = new FakeTable(leader, { pid: 501 }, { pid: 502, groupId: 502, sessionId: 502 });
    new ProcessDescendants(table, 500, 'm').interrupt();
    expect(table.sent).toEqual([[-500, 'SIGINT']]);
  });

  it('goes to nobody whose group is our own: the terminal tells them itself', () => {
    const table = new FakeTable({ ...leader, groupId: ownPid, sessionId: ownPid });
    new ProcessDescendants(table, 500, 'm').interrupt();
    expect(table.sent).toEqual([]);
  });
});

describe('a marker that is found out', () => {
  it('is asked for until it is known, from the start, of a leader that is alive', async () => {
    const daemon = { pid: 700, parentPid: 1, groupId: 700, sessionId: 700, environment: 'DESIST_RUN=a,b' };
    const table = new FakeTable(leader, daemon);
    const answers = [undefined, 'b'];
    let asked = 0;
    const family = new ProcessDescendants(table, 500, () => answers[asked++]);
    expect(asked).toBe(1);
    expect(await pidsOf(family)).toEqual([500, 700]);
    table.remove(500);
    expect(await pidsOf(family)).toEqual([700]);
    expect(asked).toBe(2);
  });

  it('is known of a leader that is gone before the first look', async () => {
    const daemon = { pid: 700, parentPid: 1, groupId: 700, sessionId: 700, environment: 'DESIST_RUN=a,b' };
    const table = new FakeTable(leader, daemon);
    const family = new ProcessDescendants(table, 500, () => 'b');
    table.remove(500);
    family.leaderReaped();
    expect(await pidsOf(family)).toEqual([700]);
  });

  it('is not asked of whoever has the number now', async () => {
    const table = new FakeTable(leader);
    const family = new ProcessDescendants(table, 500, () => 'stranger');
    table.add({ pid: 500, startTime: 99 });
    expect([family.isLeaderAlive(), await pidsOf(family)]).toEqual([false, []]);
  });
});

describe('a daemon that overwrote its environment', () => {
  const daemon = { pid: 700, parentPid: 1, groupId: 700, sessionId: 700, environment: 'redis *:6379' };
  const pipeOf = (held: () => boolean) => ({ file: 'socket:[9]', isHeld: held });

  it('is found by the pipe of the run, when nobody else is left', async () => {
    const table = new FakeTable(
      leader,
      { ...daemon, files: ['socket:[9]'] },
      { ...daemon, pid: 701, files: ['socket:[8]'] },
    );
    const family = new ProcessDescendants(
      table,
      500,
      'm',
      pipeOf(() => true),
    );
    expect(await pidsOf(family)).toEqual([500]);
    expect(table.reads).not.toContain('files');
    table.remove(500);
    family.leaderReaped();
    expect(await pidsOf(family)).toEqual([700]);
  });

  it('is named in a report beside others, who are found at once', async () => {
    const table = new FakeTable(leader, { ...daemon, files: ['socket:[9]'] });
    const family = new ProcessDescendants(
      table,
      500,
      'm',
      pipeOf(() => true),
    );
    const { alive, isSure } = await family.look('report');
    expect([alive.map(({ pid }) => pid), isSure]).toEqual([[500, 700], true]);
  });

  it('costs a report nothing when nobody holds the pipe', async () => {
    const table = new FakeTable(leader, { ...daemon, files: ['socket:[9]'] });
    const family = new ProcessDescendants(
      table,
      500,
      'm',
      pipeOf(() => false),
    );
    expect((await family.look('report')).alive.map(({ pid }) => pid)).toEqual([500]);
    expect(table.reads.filter((read) => read === 'look' || read === 'files')).toEqual(['look']);
  });

  it('is named in a report by a loop whose commands come and go, and of which no look sees the same', async () => {
    const child = { ...daemon, pid: 701, parentPid: 700 };
    const table = new FakeTable({ ...daemon, files: ['socket:[9]'] }, child, { ...child, pid: 702, parentPid: 701 });
    const family = new ProcessDescendants(
      table,
      500,
      'm',
      pipeOf(() => true),
    );
    const look = table.look.bind(table);
    table.look = () => {
      const snapshot = look();
      for (const pid of [701, 702]) table.remove(pid);
      table.add({ ...child, pid: 703 });
      return snapshot;
    };
    const { alive, isSure } = await family.look('report');
    expect([alive.map(({ pid }) => pid), isSure]).toEqual([[700, 703], true]);
  });

  it('F4: makes a report unsure while one hands on to the next', async () => {
    const table = new FakeTable(leader, { ...daemon, files: ['socket:[9]'] });
    const family = new ProcessDescendants(
      table,
      500,
      'm',
      pipeOf(() => true),
    );
    const look = table.look.bind(table);
    table.look = () => {
      const snapshot = look();
      // Who was seen is gone before the next look, and has a successor.
      table.remove(500);
      table.add({ ...daemon, pid: 701, files: ['socket:[9]'] });
      return snapshot;
    };
    const { alive, isSure } = await family.look('report');
    expect([alive.map(({ pid }) => pid), isSure]).toEqual([[700, 701], false]);
  });

  it('is sought at once at the end of our own process', () => {
    const table = new FakeTable(leader, { ...daemon, files: ['socket:[9]'] });
    new ProcessDescendants(
      table,
      500,
      'm',
      pipeOf(() => true),
    ).killNow();
    expect(table.rows.has(700)).toBe(false);
  });

  it('F4: makes a look unsure if it shows nothing else of itself', async () => {
    const table = new FakeTable(daemon);
    let isHeld = true;
    const family = new ProcessDescendants(
      table,
      500,
      'm',
      pipeOf(() => isHeld),
    );
    expect(await family.look()).toEqual({ alive: [], isSure: false });
    setImmediate(() => (isHeld = false)); // the last end is closed, and the loop has not said so yet
    expect(await family.look()).toEqual({ alive: [], isSure: true });
  });
});

describe('a table too large to be read at once', () => {
  it('is not read for a signal: the group and all descendants are reached, the others after a look', async () => {
    const table = new FakeTable(
      leader,
      { pid: 501, groupId: 501, sessionId: 501 },
      { pid: 502, parentPid: 501, groupId: 502, sessionId: 502 },
      { pid: 700, parentPid: 1, groupId: 700, sessionId: 700, environment: 'DESIST_RUN=m' },
    );
    table.isLarge = true;
    const family = new ProcessDescendants(table, 500, 'm');
    expect(family.signal('SIGTERM')).toBe('some');
    expect(table.sent).toEqual([
      [-500, 'SIGTERM'],
      [501, 'SIGTERM'],
      [502, 'SIGTERM'],
    ]);
    expect(table.reads).not.toContain('snapshot');
    expect(await pidsOf(family)).toEqual([700]);
  });

  it('S24 leads to no stranger who has a member’s number now, nor to what came from it', async () => {
    const table = new FakeTable(leader, { pid: 501, groupId: 501 });
    const family = new ProcessDescendants(table, 500, 'm');
    await family.look();
    table.isLarge = true;
    table.add({ pid: 501, parentPid: 1, groupId: 501, startTime: 300 });
    table.add({ pid: 502, parentPid: 501, groupId: 502, startTime: 301 });
    family.signal('SIGKILL');
    expect(table.sent).toEqual([[-500, 'SIGKILL']]);
  });

  it('is read all the same for the end of our own process', () => {
    const table = new FakeTable(leader, {
      pid: 700,
      parentPid: 1,
      groupId: 700,
      sessionId: 700,
      environment: 'DESIST_RUN=m',
    });
    table.isLarge = true;
    new ProcessDescendants(table, 500, 'm').killNow();
    expect(table.rows.has(700)).toBe(false);
  });

  it('S24 the end of our own process takes who leaves the group between the look and the signal', () => {
    const table = new FakeTable(leader, { pid: 501 });
    const send = table.send.bind(table);
    table.send = (target, signal) => {
      if (target === -500 && signal === 'SIGKILL') table.add({ pid: 501, groupId: 501, sessionId: 501 });
      return send(target, signal);
    };
    new ProcessDescendants(table, 500, 'm').killNow();
    expect(table.rows.has(501)).toBe(false);
  });
});

describe('who is forked while the end of our own process kills its parent', () => {
  const newcomer = { pid: 700, parentPid: 1, groupId: 700, sessionId: 700, environment: 'DESIST_RUN=m' };

  /** A table in which the first kills each let one more come, as many as there are. */
  function forking(...newcomers: FakeRow[]): FakeTable {
    const table = new FakeTable(leader);
    const send = table.send.bind(table);
    table.send = (target, signal) => {
      const row = signal === 'SIGKILL' ? newcomers.shift() : undefined;
      if (row !== undefined) table.add(row);
      return send(target, signal);
    };
    return table;
  }

  it('is found by a look after that, also if it forks once more', () => {
    const table = forking(newcomer, { ...newcomer, pid: 701, groupId: 701 });
    const family = new ProcessDescendants(table, 500, 'm');
    family.killNow();
    expect(table.rows.has(700)).toBe(true);
    family.killNewcomers();
    expect([...table.rows.keys()]).toEqual([ownPid]);
  });

  it('is not looked for again when nobody new was found, and nobody is told twice', () => {
    const table = new FakeTable({ ...leader, deafTo: ['SIGKILL'] });
    const family = new ProcessDescendants(table, 500, 'm');
    family.killNow();
    const sent = table.sent.length;
    table.reads.length = 0;
    family.killNewcomers();
    expect(table.reads.filter((read) => read === 'snapshot')).toHaveLength(1);
    expect(table.sent).toHaveLength(sent);
  });

  it('is not looked for without end', () => {
    const forks = Array.from({ length: 100 }, (_, n) => ({ ...newcomer, pid: 700 + n, groupId: 700 + n }));
    const table = forking(...forks);
    const family = new ProcessDescendants(table, 500, 'm');
    family.killNow();
    table.reads.length = 0;
    family.killNewcomers();
    expect(table.reads.filter((read) => read === 'snapshot')).toHaveLength(4);
  });

  it('is no stranger: neither one without the marker nor an older one', () => {
    const table = forking({ ...newcomer, environment: 'DESIST_RUN=other' });
    table.add({ ...newcomer, pid: 800, groupId: 800, sessionId: 800, startTime: 40 });
    const family = new ProcessDescendants(table, 500, 'm');
    family.killNow();
    family.killNewcomers();
    expect([...table.rows.keys()]).toEqual([ownPid, 800, 700]);
  });
});

describe('a leader that is younger than the snapshot of this turn', () => {
  it('is found all the same', () => {
    const table = new FakeTable(leader);
    const old = new FakeTable().snapshot();
    table.snapshot = () => old;
    expect(new ProcessDescendants(table, 500, 'm').signal('SIGTERM')).toBe('some');
    expect(table.sent).toEqual([[-500, 'SIGTERM']]);
  });
});
