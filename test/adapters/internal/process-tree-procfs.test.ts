import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { parseStat, procfsTable } from '../../../src/adapters/internal/process-tree-procfs.ts';

const tail = '0 -1 4194304 102 0 0 0 0 0 0 0 20 0 1 0 144729 3133440 413 18446744073709551615 1 1 0';
const entry = { pid: 6434, parentPid: 6429, groupId: 6428, sessionId: 3686, startTime: 144729, state: 'running' };

describe('parseStat', () => {
  it('reads the fields by their number', () => {
    expect(parseStat(`6434 (cat) R 6429 6428 3686 ${tail}\n`)).toEqual(entry);
  });

  it.each([
    ['spaces', '(tmux: server)'],
    ['a parenthesis', '(a) S 1 1 1 (b)'],
    ['a closing parenthesis at the end', '(()))'],
    ['nothing', '()'],
    ['a newline', '(a\nb)'],
  ])('is not misled by a name with %s', (_, name) => {
    expect(parseStat(`6434 ${name} R 6429 6428 3686 ${tail}\n`)).toEqual(entry);
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
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual([6434, 6435]);
    expect(table.find(6434)).toEqual(entry);
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

  it('looks again at a process that has no environment yet', () => {
    write(6437, { environ: '' });
    let paused = 0;
    const pause = (): void => {
      if (++paused === 2) write(6437, { environ: 'DESIST_RUN=abc\0' });
    };
    expect(procfsTable({ root, pause }).environmentOf(6437)).toBe('DESIST_RUN=abc\0');
    write(6437, { environ: '' });
    expect(procfsTable({ root, pause }).environmentOf(6437)).toBe('');
    expect(paused).toBe(5);
    rmSync(join(root, '6437'), { recursive: true });
  });

  it('is empty where there is no /proc', () => {
    expect(procfsTable({ root: join(root, 'missing') }).snapshot()).toEqual([]);
  });

  it('signals through kill', () => {
    const kill = vi.fn();
    expect(procfsTable({ root, kill }).send(-6434, 'SIGTERM')).toBe('sent');
    expect(kill.mock.calls).toEqual([[-6434, 'SIGTERM']]);
  });
});
