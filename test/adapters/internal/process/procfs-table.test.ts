import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { parseStat, procfsTable } from '../../../../src/adapters/internal/process/procfs-table.ts';

const tail = '0 -1 4194304 102 0 0 0 0 0 0 0 20 0 1 0 144729 3133440 413 18446744073709551615 1 1 0';
const entry = {
  pid: 6434,
  parentPid: 6429,
  groupId: 6428,
  sessionId: 3686,
  startTime: 144729,
  state: 'running',
  isEnding: false,
};

describe('parseStat', () => {
  it('reads the fields by their number', () => {
    expect(parseStat(`6434 (cat) R 6429 6428 3686 ${tail}\n`)).toEqual({ ...entry, threads: 1 });
  });

  it.each([
    ['spaces', '(tmux: server)'],
    ['a parenthesis', '(a) S 1 1 1 (b)'],
    ['a closing parenthesis at the end', '(()))'],
    ['nothing', '()'],
    ['a newline', '(a\nb)'],
  ])('is not misled by a name with %s', (_, name) => {
    expect(parseStat(`6434 ${name} R 6429 6428 3686 ${tail}\n`)).toEqual({ ...entry, threads: 1 });
  });

  it.each([
    ['Z', 'dead'],
    ['X', 'dead'],
    ['x', 'dead'],
    ['T', 'stopped'],
    ['t', 'stopped'],
    ['S', 'running'],
    ['D', 'running'],
    ['I', 'running'],
  ])('reads state %s as %s', (letter, state) => {
    expect(parseStat(`6434 (cat) ${letter} 6429 6428 3686 ${tail}`)?.state).toBe(state);
  });

  it('sees that a process has begun to end', () => {
    expect(parseStat(`6434 (cat) R 6429 6428 3686 ${tail.replace('4194304', '4194308')}`)?.isEnding).toBe(true);
  });

  it.each(['', 'rubbish', '6434 (cat', '6434 (cat) R 6429', `x (cat) R 6429 6428 3686 ${tail}`, '(cat) R 1 1 1'])(
    'gives nothing for %j',
    (text) => {
      expect(parseStat(text)).toBeUndefined();
    },
  );
});

describe('procfsTable', () => {
  const root = mkdtempSync(join(tmpdir(), 'procfs-'));
  const write = (pid: number, files: Record<string, string>) => {
    mkdirSync(join(root, String(pid)), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, String(pid), name), text);
  };

  beforeAll(() => {
    write(6434, {
      stat: `6434 (cat) R 6429 6428 3686 ${tail}\n`,
      cmdline: 'cat\0a file\0',
      environ: 'HOME=/\0DESIST_RUN=abc\0',
    });
    write(6435, { stat: `6435 (kthread) S 2 0 0 ${tail}\n`, cmdline: '', comm: 'kthread\n' });
    mkdirSync(join(root, '6436')); // ended while the table was read
    mkdirSync(join(root, 'self'));
    writeFileSync(join(root, 'uptime'), '1 1');
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it('lists who can be read', () => {
    const table = procfsTable({ root });
    expect(
      table
        .snapshot()
        ?.entries.map(({ pid }) => pid)
        .sort(),
    ).toEqual([6434, 6435]);
    expect(table.find(6434)).toMatchObject(entry);
    expect(table.find(6436)).toBeUndefined();
    expect(table.ownPid).toBe(process.pid);
  });

  it('reads environment and command line', () => {
    const table = procfsTable({ root });
    expect(table.environmentOf(6434)).toBe('HOME=/\0DESIST_RUN=abc\0');
    expect(table.environmentOf(6435)).toBeUndefined();
    expect(table.commandOf(6434)).toBe('cat a file');
    expect(table.commandOf(6435)).toBe('kthread');
    expect(table.commandOf(6436)).toBe('?');
  });

  it('looks again at a process that has no environment yet', async () => {
    write(6437, { stat: `6437 (sh) S 1 6437 6437 ${tail}`, environ: '' });
    const table = procfsTable({ root });
    const look = table.look(0);
    setTimeout(() => write(6437, { environ: 'DESIST_RUN=abc\0' }), 0);
    expect((await look)?.marked('abc', 0).map(({ pid }) => pid)).toContain(6437);
    rmSync(join(root, '6437'), { recursive: true });
  });

  it('reads once more after a reading, and once for all who had that one', () => {
    const table = procfsTable({ root });
    const first = table.snapshot();
    write(6437, { stat: `6437 (sh) S 1 6437 6437 ${tail}`, environ: 'DESIST_RUN=abc\0' });
    expect(table.snapshot()).toBe(first);
    const second = table.snapshotAfter(first, 0);
    expect(second?.marked('abc', 0).map(({ pid }) => pid)).toContain(6437);
    expect(table.snapshotAfter(first, 0)).toBe(second);
    rmSync(join(root, '6437'), { recursive: true });
    expect(table.snapshotAfter(second, 0)?.get(6437)).toBeUndefined();
    expect(procfsTable({ root: join(root, 'missing') }).snapshotAfter(undefined, 0)).toBeUndefined();
  });

  it('does not take a folder that cannot be listed for one that is empty', async () => {
    const table = procfsTable({ root: join(root, 'missing') });
    expect(table.snapshot()).toBeUndefined();
    expect(await table.look(0)).toBeUndefined();
  });

  it('does not take a process that cannot be read for one that is gone', async () => {
    // A folder in the place of the file: an error that is not "no such process", as without descriptors.
    mkdirSync(join(root, '6438', 'stat'), { recursive: true });
    const table = procfsTable({ root });
    expect(table.find(6438)).toBe('unreadable');
    expect(table.snapshot()).toBeUndefined();
    expect(await table.look(0)).toBeUndefined();
    rmSync(join(root, '6438'), { recursive: true });
  });

  it('reads nothing at once if there is too much', () => {
    expect(procfsTable({ root }).snapshot(2)).toBeUndefined();
    expect(procfsTable({ root }).snapshot(3)).toBeDefined();
  });

  it('reads no table in one go that takes too long, and one that somebody has to have in any case', () => {
    const pids = Array.from({ length: 300 }, (_, at) => 7000 + at);
    for (const pid of pids) write(pid, { stat: `${String(pid)} (sh) S 1 ${String(pid)} ${String(pid)} ${tail}` });
    const tableAt = (step: number) => {
      let at = 0;
      return procfsTable({ root, now: () => (at += step) });
    };
    expect(tableAt(0.01).snapshot(1000)?.entries.length).toBeGreaterThan(300);
    expect(tableAt(30).snapshot(1000)).toBeUndefined();
    expect(tableAt(30).snapshot()?.entries.length).toBeGreaterThan(300);
    for (const pid of pids) rmSync(join(root, String(pid)), { recursive: true });
    // A small one is worth it.
    expect(tableAt(30).snapshot(1000)).toBeDefined();
  });

  it('finds descendants by asking each for its children, thread by thread', () => {
    const threads = tail.replace(' 20 0 1 0 ', ' 20 0 2 0 ');
    write(6440, { stat: `6440 (node) S 1 6440 6440 ${threads}` });
    write(6441, { stat: `6441 (sh) S 6440 6440 6440 ${tail}` });
    mkdirSync(join(root, '6440', 'task', '6440'), { recursive: true });
    mkdirSync(join(root, '6440', 'task', '6442'), { recursive: true });
    mkdirSync(join(root, '6441', 'task', '6441'), { recursive: true });
    writeFileSync(join(root, '6440', 'task', '6440', 'children'), '');
    writeFileSync(join(root, '6440', 'task', '6442', 'children'), '6441 6443 ');
    writeFileSync(join(root, '6441', 'task', '6441', 'children'), '');
    const found = procfsTable({ root }).descendantsOf([6440]);
    expect(found?.map(({ pid }) => pid)).toEqual([6440, 6441]);
    rmSync(join(root, '6441', 'task'), { recursive: true });
    expect(procfsTable({ root }).descendantsOf([6440])).toBeUndefined(); // a kernel that does not list children
    for (const pid of ['6440', '6441']) rmSync(join(root, pid), { recursive: true });
  });

  it('names what stands behind a descriptor', () => {
    mkdirSync(join(root, '6434', 'fd'));
    symlinkSync('socket:[7]', join(root, '6434', 'fd', '3'));
    const table = procfsTable({ root });
    expect(table.openFileOf(6434, 3)).toBe('socket:[7]');
    expect(table.openFileOf(6434, 4)).toBeUndefined();
    expect(
      table
        .snapshot()
        ?.holding('socket:[7]', 0)
        .map(({ pid }) => pid),
    ).toEqual([6434]);
  });

  it('signals through kill', () => {
    const kill = vi.fn();
    expect(procfsTable({ root, kill }).send(-6434, 'SIGTERM')).toBe('sent');
    expect(kill.mock.calls).toEqual([[-6434, 'SIGTERM']]);
  });
});
