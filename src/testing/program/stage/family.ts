/**
 * The processes of a program under check: itself, what descends from it, and what has left it and still has its environment.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { descendantsOf, markedProcesses, readProcesses, send, type ProcessRow } from '../outside/processes.ts';

/** Its words without the folders of their paths, which nobody would read. */
const nameOf = ({ pid, command }: ProcessRow): string =>
  `${command.replace(/[^\s'"]*\/(?=[^\s/])/g, '').slice(0, 60)} (${String(pid)})`;

/** See the module. */
export class Family {
  readonly #commands: string;
  readonly #variable: string;

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
    const marked = new Set(markedProcesses(this.#variable));
    const parent = rows.find((row) => row.pid === pid)?.ppid;
    const family = new Set([pid, ...descendantsOf(rows, pid).map((row) => row.pid)]);
    const all = rows.filter((row) => family.has(row.pid) || (marked.has(row.pid) && row.pid !== parent));
    const written = this.#writtenDown();
    const commands = all.filter((row) => row.command.includes(this.#commands) || written.has(row.pid));
    const theirs = new Set([...commands, ...commands.flatMap((row) => descendantsOf(rows, row.pid))]);
    return all.filter((row) => !theirs.has(row));
  }

  /**
   * Who of them still lives. The same number alone may be somebody else's by now, and who has it may have changed its words.
   *
   * @returns Their names.
   */
  async living(members: readonly ProcessRow[]): Promise<readonly string[]> {
    if (members.length === 0) return [];
    const rows = new Map((await readProcesses()).map((row) => [row.pid, row]));
    const marked = new Set(markedProcesses(this.#variable));
    return members
      .filter(({ pid, command }) => rows.has(pid) && (marked.has(pid) || rows.get(pid)?.command === command))
      .map(nameOf);
  }

  /** Kills whoever has the program's environment. */
  end(): void {
    for (const pid of markedProcesses(this.#variable)) send(pid, 'SIGKILL');
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
