/**
 * Commands that outlive a program that has only their first process in mind, and who of them still lives.
 *
 * Invariant: `release` leaves none of them and no file, whatever became of the program.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** A text in single quotes, for `sh`. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Who must not stay; each writes down its process under its name, so that none is left by a run that goes wrong. */
const names = [
  'background',
  'beside the background',
  'beside the session',
  'deaf',
  'no environment',
  'session',
] as const;

function commandsIn(folder: string): Readonly<Record<string, string>> {
  const write = (name: (typeof names)[number]): string => `echo $$ > ${quoted(join(folder, name))}`;
  const stays = (name: (typeof names)[number]): string => `${write(name)}; exec sleep 600`;
  // A session of its own, by the one program that is certainly there.
  const leave = `require('child_process').spawn('sh', ['-c', process.argv[1]], { detached: true, stdio: 'ignore' }).unref()`;
  return {
    first: `trap '' TERM INT HUP; ${write('deaf')}; while :; do sleep 1; done`,
    second: `${quoted(process.execPath)} -e ${quoted(leave)} ${quoted(stays('session'))}; ${stays('beside the session')}`,
    third: `sh -c ${quoted(stays('background'))} >/dev/null 2>&1 & ${stays('beside the background')}`,
    other: `env -i PATH=/bin:/usr/bin sh -c ${quoted(stays('no environment'))} >/dev/null 2>&1 & wait`,
  };
}

/**
 * Shell commands that outlive a program which ends their first process only: one that is deaf to TERM, one in the background, one in a
 * session of its own, one without an environment, and what runs beside them.
 *
 * They need a POSIX system. What is asked of them is asked of the system's table of processes, and not of the program.
 *
 * @cleanup `release()` kills what lives of them and removes their files; without it they sleep for ten minutes.
 */
export class HostileCommands {
  /** Where their scripts are: a part of what the system's table of processes shows of them. */
  readonly folder: string = mkdtempSync(join(tmpdir(), 'commands-'));
  /** Each command by itself: deaf, in a session of its own, in the background, without an environment. */
  readonly lines: Readonly<Record<string, string>> = commandsIn(this.folder);
  /** One command, without quotes or blanks in its arguments, that starts all of them and waits for them. */
  readonly command: string = this.#writeScript();

  /** Whether every one of them has its process. */
  get areUp(): boolean {
    return Object.keys(this.#pids()).length === names.length;
  }

  /** What lives, by what is hostile about it. */
  async alive(): Promise<readonly string[]> {
    const pids = this.#pids();
    const living = await livingOf(Object.values(pids));
    return Object.keys(pids).filter((name) => living.has(pids[name] ?? 0));
  }

  /** Kills what lives of them, and removes their files. */
  async release(): Promise<void> {
    const living = await livingOf(Object.values(this.#pids()));
    for (const pid of living) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has gone by itself.
      }
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  #writeScript(): string {
    const script = join(this.folder, 'all.sh');
    const starts = Object.values(this.lines).map((line) => `sh -c ${quoted(line)} &\n`);
    writeFileSync(script, `${starts.join('')}wait\n`);
    return `sh ${script}`;
  }

  #pids(): Readonly<Record<string, number>> {
    const written = names
      .filter((name) => existsSync(join(this.folder, name)))
      .map((name) => [name, Number(readFileSync(join(this.folder, name)))] as const);
    // A file may have been made and not been written yet.
    return Object.fromEntries(written.filter(([, pid]) => pid > 0));
  }
}

/** Those that live; what nobody has waited for is dead, though its number is still taken. */
async function livingOf(pids: readonly number[]): Promise<ReadonlySet<number>> {
  if (pids.length === 0) return new Set();
  const table = await new Promise<string>((resolve) => {
    // It fails where none of them is there any more.
    execFile('ps', ['-o', 'pid=,stat=', '-p', pids.join(',')], (_error, stdout) => {
      resolve(stdout);
    });
  });
  const rows = [...table.matchAll(/^\s*(\d+)\s+(\S)/gm)];
  return new Set(rows.filter(([, , state]) => state !== 'Z').map(([, pid]) => Number(pid)));
}
