/**
 * The processes of a program under check: itself, what descends from it, and what has left it and still has its environment, or works in
 * its folders.
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
  readonly #marks: readonly string[];
  readonly #folders: readonly string[];
  /** Who has started the program: its terminal's shell, which has its environment as well. */
  #host: number | undefined;

  /**
   * @param commands The folder of the hostile commands, in which each has written down its process.
   * @param mark The value of `DESIST_CHECK` in the program's environment.
   * @param folders The program's own: whoever works there is one of it.
   * @param url The model server's, which nobody else's environment has.
   */
  constructor(commands: string, mark: string, folders: readonly string[] = [], url?: string) {
    this.#commands = commands;
    this.#folders = folders;
    // The end of a variable, or a path: a port may begin as another one does.
    const address = url === undefined ? [] : [`${url}\0`, `${url}/`];
    this.#marks = [`DESIST_CHECK=${mark}`, ...address];
  }

  /** A program and what it has started, also once it has ended; nobody of one that was never seen. */
  async all(pid: number | undefined): Promise<readonly ProcessRow[]> {
    const rows = await readProcesses();
    return this.#marked(rows, this.#descends(rows, pid));
  }

  /** The same, the hostile commands aside. */
  async members(pid: number | undefined): Promise<readonly ProcessRow[]> {
    const rows = await readProcesses();
    return this.#withoutCommands(rows, this.#marked(rows, this.#descends(rows, pid)));
  }

  /**
   * Who of them still lives, and who else is known as the program's by now: what is started on the way out as well.
   */
  async remaining(members: readonly ProcessRow[]): Promise<readonly ProcessRow[]> {
    const rows = await readProcesses();
    return this.#withoutCommands(rows, this.#marked(rows, isOneOf(members)));
  }

  /** Kills whoever is known as the program's, and those of the seen that still live. */
  async end(seen: readonly ProcessRow[] = []): Promise<void> {
    for (const pid of markedProcesses(this.#marks, this.#folders)) send(pid, 'SIGKILL');
    if (seen.length === 0) return;
    for (const row of (await readProcesses()).filter(isOneOf(seen))) send(row.pid, 'SIGKILL');
  }

  #descends(rows: readonly ProcessRow[], pid: number | undefined): (row: ProcessRow) => boolean {
    if (pid === undefined) return () => false;
    this.#host = rows.find((row) => row.pid === pid)?.ppid;
    const family = new Set([pid, ...descendantsOf(rows, pid).map((row) => row.pid)]);
    return (row) => family.has(row.pid);
  }

  /** These and whoever is known as the program's; who hosts the program aside. */
  #marked(rows: readonly ProcessRow[], isOwn: (row: ProcessRow) => boolean): readonly ProcessRow[] {
    // Without a host nobody was started, or it is one of them and cannot be told from them.
    const marked = new Set(this.#host === undefined ? [] : markedProcesses(this.#marks, this.#folders));
    return rows.filter((row) => isOwn(row) || (marked.has(row.pid) && row.pid !== this.#host));
  }

  #withoutCommands(rows: readonly ProcessRow[], all: readonly ProcessRow[]): readonly ProcessRow[] {
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
