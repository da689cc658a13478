import { describe, expect, it, vi } from 'vitest';

import { parsePs, psTable } from '../../../../src/adapters/internal/process/ps-table.ts';

const macos = `
    1     0     1 Ss   Sat Nov 21 10:00:00 2026     /sbin/launchd
  640     1   640 S+   Sat Nov 21 10:11:12 2026     /Applications/My App.app/Contents/MacOS/My App --flag  two spaces
 6434   640   640 T    Sun Nov  1 01:02:03 2026     sleep 60
 6435   640   640 Z    Sat Nov 21 10:11:13 2026     (node)
 6436   640   640 R    Sat Nov 21 10:11:14 2026
ps: some warning
`;

describe('parsePs', () => {
  it('reads one row a line', () => {
    expect(parsePs(macos)).toEqual([
      row({ pid: 1, parentPid: 0, groupId: 1, startTime: Date.UTC(2026, 10, 21, 10), command: '/sbin/launchd' }),
      row({
        pid: 640,
        parentPid: 1,
        startTime: Date.UTC(2026, 10, 21, 10, 11, 12),
        command: '/Applications/My App.app/Contents/MacOS/My App --flag  two spaces',
      }),
      row({ pid: 6434, state: 'stopped', startTime: Date.UTC(2026, 10, 1, 1, 2, 3), command: 'sleep 60' }),
      row({ pid: 6435, state: 'dead', startTime: Date.UTC(2026, 10, 21, 10, 11, 13), command: '(node)' }),
      row({ pid: 6436, startTime: Date.UTC(2026, 10, 21, 10, 11, 14), command: '' }),
    ]);
  });

  it('leaves out what is no row', () => {
    expect(parsePs('')).toEqual([]);
    expect(parsePs('  1 0 1 S not a date at all 2026 x\n 2 1 1 S Sat Foo 99 99:99:99 2026 x')).toEqual([]);
  });

  it('also reads the day before the month', () => {
    expect(parsePs(' 7 1 7 S Sat 21 Nov 10:00:00 2026 x')[0]?.startTime).toBe(Date.UTC(2026, 10, 21, 10));
  });
});

describe('psTable', () => {
  it('asks for everybody, or for one', () => {
    const run = vi.fn((args: readonly string[]) => (args.includes('-p') ? macos.split('\n')[3] : macos));
    const table = psTable({ run, ownPid: 640 });
    expect(table.ownPid).toBe(640);
    expect(table.snapshot()?.entries).toHaveLength(5);
    expect(table.find(6434)).toMatchObject({ pid: 6434, state: 'stopped' });
    expect(table.find(640)).toBeUndefined();
    expect(table.commandOf(6434)).toBe('sleep 60');
    expect(run.mock.calls).toEqual([
      [['-axww', '-o', 'pid=,ppid=,pgid=,stat=,lstart=,command=']],
      ...[6434, 640, 6434].map((pid) => [['-ww', '-p', String(pid), '-o', 'pid=,ppid=,pgid=,stat=,lstart=,command=']]),
    ]);
  });

  it('tells nothing where ps fails, and knows no environment', async () => {
    const table = psTable({ run: () => undefined });
    expect(table.snapshot()).toBeUndefined();
    expect(await table.look(0)).toBeUndefined();
    expect(table.find(process.pid)).toBe('unreadable');
    expect(table.find(2 ** 30)).toBeUndefined();
    expect(table.commandOf(1)).toBe('?');
    expect(table.environmentOf(process.pid)).toBeUndefined();
  });

  it('signals through kill', () => {
    const kill = vi.fn();
    expect(psTable({ kill }).send(6434, 'SIGTERM')).toBe('sent');
    expect(kill.mock.calls).toEqual([[6434, 'SIGTERM']]);
  });
});

function row(fields: object) {
  return { parentPid: 640, groupId: 640, sessionId: undefined, state: 'running', ...fields };
}
