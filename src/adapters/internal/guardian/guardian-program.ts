/**
 * What the guardian process runs: it holds the other end of a pipe to our program, and when that breaks, however our
 * program has ended, it kills what was started under it, and puts the terminal back.
 *
 * The function is sent as text, so it uses nothing but what it is given and what it asks of Node: it is the same in each
 * build and behind each bundler.
 *
 * Prior art: systemd's `KillMode=control-group`; Erlang's port programs, which end when their pipe does.
 *
 * @module
 */
import type * as fs from 'node:fs';

/** One command that is guarded, as one line of JSON. */
export interface GuardedCommand {
  /** What it has in its environment. */
  readonly marker: string;
  /** Its number; `undefined` while it is being started. */
  readonly pid?: number | undefined;
  /** Its start time, as `/proc/<pid>/stat` has it; `undefined` where there is none. */
  readonly startTime?: number | undefined;
  /** What it has inherited and has open, as `/proc/<pid>/fd` shows it. */
  readonly file?: string | undefined;
}

/** A terminal in the mode that our program has set, as one line of JSON. */
export interface GuardedTerminal {
  readonly path: string;
  /** The mode that was found, as `stty -g` has it. */
  readonly found: string;
  /** Ours. In any third mode it is somebody else's by now, and left alone. */
  readonly watched: string;
  /** Written to it besides. */
  readonly off: string;
}

/** What of Node the program uses. */
export interface GuardianHost {
  readonly stdin: NodeJS.ReadableStream & { setEncoding(encoding: 'utf8'): unknown };
  readonly fs: Pick<
    typeof fs,
    'readdirSync' | 'readFileSync' | 'readlinkSync' | 'openSync' | 'writeSync' | 'constants'
  >;
  /** Runs `stty` with this terminal as its input; what it prints. */
  stty(terminal: number, argument: string): string;
  kill(pid: number, signal: 'SIGKILL'): unknown;
  exit(): unknown;
  /** Its own number, which it never kills. */
  readonly pid: number;
}

/**
 * Reads lines until the pipe breaks: a command begins with `+` and ends with `-` and its marker, a terminal with `t` and
 * `T`. Then puts the terminal back, and kills who is left.
 */
export function guard(host: GuardianHost): void {
  interface Row {
    readonly pid: number;
    readonly parent: number;
    readonly group: number;
    readonly session: number;
    readonly startTime: number;
  }
  const commands = new Map<string, GuardedCommand>();
  let terminal: GuardedTerminal | undefined;
  let rest = '';
  const quietly = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch {
      return undefined; // it has ended meanwhile, or is somebody else's
    }
  };

  function readRows(): Row[] {
    const names = quietly(() => host.fs.readdirSync('/proc')) ?? [];
    return names.flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      const text = quietly(() => host.fs.readFileSync(`/proc/${name}/stat`, 'latin1'));
      if (text === undefined) return [];
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ', 20);
      if (fields[0] === 'Z' || fields[0] === 'X') return [];
      const [parent, group, session, startTime] = [1, 2, 3, 19].map((index) => Number(fields[index]));
      return [{ pid: Number(name), parent, group, session, startTime } as Row];
    });
  }

  function holds(row: Row, file: string): boolean {
    const folder = `/proc/${String(row.pid)}/fd`;
    const names = quietly(() => host.fs.readdirSync(folder)) ?? [];
    return names.some((name) => quietly(() => host.fs.readlinkSync(`${folder}/${name}`)) === file);
  }

  /** Who belongs to the commands: by number, group and session of a leader that is the same still, by marker, by pipe. */
  function members(known: ReadonlyMap<number, number>): Map<number, number> {
    const rows = readRows();
    const found = new Map<number, number>();
    const oldest = Math.min(...[...commands.values()].map(({ startTime = 0 }) => startTime));
    for (const row of rows) {
      if (row.startTime < oldest || row.pid === host.pid) continue;
      const environment = quietly(() => host.fs.readFileSync(`/proc/${String(row.pid)}/environ`, 'latin1')) ?? '';
      const line = environment.split('\0').find((one) => one.startsWith('DESIST_RUN='));
      const markers = line?.slice('DESIST_RUN='.length).split(',') ?? [];
      for (const { pid, startTime, marker, file } of commands.values()) {
        if (row.startTime < (startTime ?? 0)) continue;
        const leader = rows.find((one) => one.pid === pid && one.startTime === startTime);
        const inRanks = leader !== undefined && (row.group === pid || row.session === pid);
        const isOurs = row === leader || inRanks || markers.includes(marker) || known.get(row.pid) === row.startTime;
        if (isOurs || (file !== undefined && holds(row, file))) found.set(row.pid, row.startTime);
      }
    }
    for (let before = -1; before !== found.size;) {
      before = found.size;
      for (const row of rows) {
        const parent = found.get(row.parent);
        if (parent !== undefined && parent <= row.startTime) found.set(row.pid, row.startTime);
      }
    }
    found.delete(host.pid);
    return found;
  }

  let rounds = 0;
  let known = new Map<number, number>();
  function killAll(): void {
    known = members(known);
    for (const pid of known.keys()) quietly(() => host.kill(pid, 'SIGKILL'));
    // Who was being forked is found the next time; twice nobody is nobody.
    rounds = known.size === 0 ? rounds + 1 : Math.min(rounds, 0);
    if (commands.size === 0 || rounds >= 2) host.exit();
    else setTimeout(killAll, 20);
  }

  function restoreTerminal({ path, found, watched, off }: GuardedTerminal): void {
    // Without O_NOCTTY it would become ours, and what ends us would end what runs on it.
    const file = host.fs.openSync(path, host.fs.constants.O_RDWR | host.fs.constants.O_NOCTTY);
    const mode = host.stty(file, '-g').trim();
    // The engine puts the mode back at a crash that it notices, and knows nothing of the switches.
    if (mode !== watched && mode !== found) return;
    if (off !== '') host.fs.writeSync(file, off);
    if (mode === watched) host.stty(file, found);
  }

  function end(): void {
    const left = terminal;
    if (left !== undefined) quietly(() => restoreTerminal(left));
    terminal = undefined;
    killAll();
  }

  host.stdin.setEncoding('utf8');
  host.stdin.on('data', (text) => {
    const lines = (rest + String(text)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('-')) commands.delete(line.slice(1));
      else if (line === 'T') terminal = undefined;
      else if (line.startsWith('t')) terminal = JSON.parse(line.slice(1)) as GuardedTerminal;
      else if (line.startsWith('+')) {
        const command = JSON.parse(line.slice(1)) as GuardedCommand;
        commands.set(command.marker, command);
      }
    }
  });
  host.stdin.on('end', end);
  host.stdin.on('error', end);
}
