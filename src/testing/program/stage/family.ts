/**
 * The processes of a program under check: itself, what descends from it, and what has left it and still has its environment.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { descendantsOf, markedProcesses, readProcesses, send, type ProcessRow } from '../outside/processes.ts';

/** Its words without the folders of their paths, which nobody would read. */
export const nameOf = ({ pid, command }: ProcessRow): string =>
  `${command.replace(/[^\s'"]*\/(?=[^\s/])/g, '').slice(0, 60)} (${String(pid)})`;

/** The same number alone may be somebody else's by now. */
function isOneOf(members: readonly ProcessRow[]): (row: ProcessRow) => boolean {
  const commands = new Map(members.map(({ pid, command }) => [pid, command]));
  return ({ pid, command }) => commands.get(pid) === command;
}

/** See the module. */
export class Family {
  readonly #commands: string;
  readonly #variable: string;
  /** Who has started the program: its terminal's shell, which has its environment as well. */
  #host: number | undefined;

  /**
   * @param commands The folder of the hostile commands, in which each has written down its process.
   * @param mark The value of `DESIST_CHECK` in the program's environment.
   */
  constructor(commands: string, mark: string) {
    this.#commands = commands;
    this.#variable = `DESIST_CHECK=${mark}`;
  }

  /** What a program has started. */
  async descendants(pid: number | undefined): Promise<readonly ProcessRow[]> {
    return pid === undefined ? [] : descendantsOf(await readProcesses(), pid);
  }

  /** A program and what it has started, the hostile commands aside. */
  async members(pid: number | undefined): Promise<readonly ProcessRow[]> {
    if (pid === undefined) return [];
    const rows = await readProcesses();
    this.#host = rows.find((row) => row.pid === pid)?.ppid;
    const family = new Set([pid, ...descendantsOf(rows, pid).map((row) => row.pid)]);
    return this.#marked(rows, (row) => family.has(row.pid));
  }

  /**
   * Who of them still lives, and who else has the program's environment by now: what is started on the way out as well.
   */
  async remaining(members: readonly ProcessRow[]): Promise<readonly ProcessRow[]> {
    return this.#marked(await readProcesses(), isOneOf(members));
  }

  /** Kills whoever has the program's environment, and those of the seen that still live. */
  async end(seen: readonly ProcessRow[] = []): Promise<void> {
    for (const pid of markedProcesses(this.#variable)) send(pid, 'SIGKILL');
    if (seen.length === 0) return;
    for (const row of (await readProcesses()).filter(isOneOf(seen))) send(row.pid, 'SIGKILL');
  }

  /** These and whoever has the program's environment; who hosts the program, and the hostile commands, aside. */
  #marked(rows: readonly ProcessRow[], isOwn: (row: ProcessRow) => boolean): readonly ProcessRow[] {
    const marked = new Set(markedProcesses(this.#variable));
    const all = rows.filter((row) => isOwn(row) || (marked.has(row.pid) && row.pid !== this.#host));
    const written = this.#writtenDown();
    const commands = all.filter((row) => row.command.includes(this.#commands) || written.has(row.pid));
    const theirs = new Set([...commands, ...commands.flatMap((row) => descendantsOf(rows, row.pid))]);
    return all.filter((row) => !theirs.has(row));
  }

  /** What has left the family of a hostile command is known by its note only. */
  #writtenDown(): ReadonlySet<number> {
    try {
      const notes = readdirSync(this.#commands).filter((name) => !name.endsWith('.sh'));
      return new Set(notes.map((name) => Number(readFileSync(join(this.#commands, name), 'utf8'))));
    } catch {
      return new Set(); // the program has removed them
    }
  }
}
