import { PassThrough } from 'node:stream';

import { expect, it, vi } from 'vitest';

import { guard, type GuardedCommand } from '../../../../src/adapters/internal/guardian/guardian-program.ts';
import { eventually } from '../../../support/eventually.ts';

interface Row {
  readonly stat: string;
  readonly environ?: string;
  readonly fd?: readonly string[];
}

const stat = (pid: number, parent: number, group: number, startTime: number) =>
  `${String(pid)} (sh) S ${String(parent)} ${String(group)} ${String(group)} ${'0 '.repeat(15)}${String(startTime)} 0`;

/** A `/proc` in memory, and a pipe that the test breaks. */
function setUp(rows: Record<number, Row>) {
  const living = new Map(Object.entries(rows));
  const file = (path: string): string => {
    const [, , pid = '', name] = path.split('/');
    const row = living.get(pid);
    if (row === undefined) throw new Error('ENOENT');
    return name === 'stat' ? row.stat : (row.environ ?? '');
  };
  const killed: number[] = [];
  const exit = vi.fn();
  const terminal = { mode: 'raw', asked: [] as string[] };
  const stdin = new PassThrough();
  guard({
    stdin,
    pid: 99,
    exit,
    kill: (pid: number) => {
      killed.push(pid);
      living.delete(String(pid));
    },
    stty: (file: number, argument: string) => {
      terminal.asked.push(`${String(file)} ${argument}`);
      if (argument !== '-g') terminal.mode = argument;
      return `${terminal.mode}\n`;
    },
    fs: {
      constants: { O_RDWR: 2, O_NOCTTY: 256 },
      openSync: (path: string, flags: number) => (path === '/dev/pts/7' && flags === 258 ? 9 : -1),
      readdirSync: (path: string) =>
        path === '/proc' ? [...living.keys(), 'self'] : (living.get(path.split('/')[2]!)?.fd ?? []),
      readFileSync: file,
      writeSync: (file: number, text: string) => terminal.asked.push(`${String(file)} writes ${JSON.stringify(text)}`),
      readlinkSync: (path: string) => path.split('/').at(-1),
    } as never,
  });
  const begin = (command: Partial<GuardedCommand>) =>
    stdin.write(`+${JSON.stringify({ pid: 500, startTime: 50, marker: 'm', ...command })}\n`);
  return { stdin, begin, killed, exit, terminal };
}

const tree = {
  99: { stat: stat(99, 1, 99, 60), environ: 'DESIST_RUN=m' },
  400: { stat: stat(400, 1, 400, 40), environ: 'DESIST_RUN=m' },
  500: { stat: stat(500, 1, 500, 50) },
  501: { stat: stat(501, 500, 501, 51) },
  502: { stat: stat(502, 1, 500, 52) },
  600: { stat: stat(600, 1, 600, 60), environ: 'A=1\0DESIST_RUN=outer,m\0' },
  601: { stat: stat(601, 600, 601, 61) },
  700: { stat: stat(700, 1, 700, 70), fd: ['socket:[7]'] },
  800: { stat: stat(800, 1, 800, 80), environ: 'DESIST_RUN=mm' },
};

it('kills who came from a command, wherever it went, and nobody else, itself not either', async () => {
  const { stdin, begin, killed, exit } = setUp(tree);
  begin({ file: 'socket:[7]' });
  stdin.end();
  await eventually(() => expect(exit).toHaveBeenCalled());
  expect(killed.sort()).toEqual([500, 501, 502, 600, 601, 700]);
});

it('kills by its marker what was being started', async () => {
  const { stdin, begin, killed, exit } = setUp(tree);
  begin({ pid: undefined, startTime: undefined });
  stdin.end();
  await eventually(() => expect(exit).toHaveBeenCalled());
  expect(killed.sort()).toEqual([400, 600, 601]);
});

it('spares who was released, and the group of a leader whose number is somebody else\u2019s', async () => {
  const { stdin, begin, killed, exit } = setUp(tree);
  begin({ marker: 'mm', pid: 501, startTime: 5 });
  begin({ marker: 'm' });
  stdin.write('-m\n');
  stdin.end();
  await eventually(() => expect(exit).toHaveBeenCalled());
  expect(killed).toEqual([800]);
});

it('needs nothing but what it is given: it is sent as text', () => {
  expect(guard.toString()).not.toMatch(/__vi_|import\(|require\(/);
});

const guarded = 't{"path":"/dev/pts/7","found":"cooked","watched":"raw","off":"\\u001b[<u"}\n';

it('puts a terminal back that is still in our mode', async () => {
  const { stdin, exit, terminal } = setUp({});
  stdin.write(guarded);
  stdin.end();
  await eventually(() => expect(exit).toHaveBeenCalled());
  expect(terminal.asked).toEqual(['9 -g', '9 writes "\\u001b[<u"', '9 cooked']);
});

it('switches off what was on where the engine has put the mode back itself', async () => {
  const { stdin, exit, terminal } = setUp({});
  terminal.mode = 'cooked';
  stdin.end('t{"path":"/dev/pts/7","found":"cooked","watched":"raw","off":"\\u001b[<u"}\n');
  await vi.waitUntil(() => exit.mock.calls.length > 0);
  expect(terminal.asked).toEqual(['9 -g', '9 writes "\\u001b[<u"']);
});

it('leaves a terminal alone that somebody else has set since, or that was released', async () => {
  const taken = setUp({});
  taken.terminal.mode = 'of the shell';
  taken.stdin.end(guarded);
  const released = setUp({});
  released.stdin.end(`${guarded}T\n`);
  await eventually(() => expect([taken, released].every(({ exit }) => exit.mock.calls.length > 0)).toBe(true));
  expect([taken.terminal.asked, released.terminal.asked]).toEqual([['9 -g'], []]);
});
