/**
 * One reading of the process table, indexed once for everybody who asks it, and how to take such a reading without
 * holding up the event loop.
 *
 * Invariants:
 * - **T1** Linear: each process is read once in a snapshot, its environment and its open files at most once, however
 *   many families ask.
 * - **T2** An answer that says "nobody" stays true, however old the snapshot is: a process comes only from one that was
 *   alive before it. So one snapshot may serve every stop of the same turn of the loop.
 *
 * Prior art: psutil's `process_iter`, which reads the table once; Node's own chunked `fs.cp`.
 *
 * @module
 */
import { nodeModule } from '../node-module.ts';
import type { ProcessEntry, ProcessIdentity } from './process-table.ts';

/** The environment variable that names the runs a process belongs to, outermost first, separated by commas. */
export const markerVariable = 'DESIST_RUN';

/** What a table tells of one process beyond its row. */
export interface SnapshotReader {
  /** The environment a process was started with, as NUL-separated `NAME=value`; `undefined` if it cannot be read. */
  environmentOf(pid: number): string | undefined;
  /** The targets of its open files, such as `socket:[123]`; empty if they cannot be read. */
  openFilesOf(pid: number): readonly string[];
}

/** Reading that can be interrupted after every item. */
export type Reading<T> = Generator<undefined, T, undefined>;

/** How long a reading may hold the event loop at a time. */
const sliceMs = 4;

/** Reads to the end, at once. */
export function readNow<T>(reading: Reading<T>): T {
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
  }
}

/** Reads to the end, giving the event loop a turn after every few milliseconds. */
export async function readInSlices<T>(reading: Reading<T>): Promise<T> {
  const { performance } = nodeModule('node:perf_hooks');
  for (;;) {
    const until = performance.now() + sliceMs;
    do {
      const step = reading.next();
      if (step.done === true) return step.value;
    } while (performance.now() < until);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The markers in an environment; none where the variable is not set. */
export function markersIn(environment: string): readonly string[] {
  const prefix = `${markerVariable}=`;
  const at = environment.startsWith(prefix) ? 0 : environment.indexOf(`\0${prefix}`) + 1;
  if (at === 0 && !environment.startsWith(prefix)) return [];
  const end = environment.indexOf('\0', at);
  return environment.slice(at + prefix.length, end === -1 ? undefined : end).split(',');
}

/** Groups rows by a number. */
class Index {
  readonly #rows = new Map<number, ProcessEntry[]>();

  add(key: number | undefined, entry: ProcessEntry): void {
    if (key === undefined) return;
    const rows = this.#rows.get(key);
    if (rows === undefined) this.#rows.set(key, [entry]);
    else rows.push(entry);
  }

  get(key: number): readonly ProcessEntry[] {
    return this.#rows.get(key) ?? [];
  }
}

/** What is read of every process that is young enough, once, from the youngest to older ones as far as anybody asks. */
class Traces {
  readonly #byTrace = new Map<string, ProcessEntry[]>();
  readonly #youngestFirst: readonly ProcessEntry[];
  readonly #read: (entry: ProcessEntry) => readonly string[];
  #next = 0;

  constructor(youngestFirst: readonly ProcessEntry[], read: (entry: ProcessEntry) => readonly string[]) {
    this.#youngestFirst = youngestFirst;
    this.#read = read;
  }

  *gather(since: number): Reading<void> {
    for (;;) {
      const entry = this.#youngestFirst[this.#next];
      if (entry === undefined || entry.startTime < since) return;
      this.#next += 1;
      if (entry.state !== 'dead') this.add(entry); // the dead have neither environment nor files
      yield;
    }
  }

  add(entry: ProcessEntry): void {
    for (const trace of new Set(this.#read(entry))) {
      const rows = this.#byTrace.get(trace);
      if (rows === undefined) this.#byTrace.set(trace, [entry]);
      else rows.push(entry);
    }
  }

  get(trace: string): readonly ProcessEntry[] {
    return this.#byTrace.get(trace) ?? [];
  }
}

/** One reading of the table. */
export class ProcessSnapshot {
  readonly entries: readonly ProcessEntry[];
  readonly #byPid = new Map<number, ProcessEntry>();
  readonly #byParent = new Index();
  readonly #byGroup = new Index();
  readonly #bySession = new Index();
  readonly #markers: Traces;
  readonly #files: Traces;
  readonly #blank: ProcessEntry[] = [];

  /**
   * @param entries Its rows.
   * @param reader Asked for environments and open files when somebody wants them.
   */
  constructor(entries: readonly ProcessEntry[], reader: SnapshotReader) {
    this.entries = entries;
    for (const entry of entries) {
      this.#byPid.set(entry.pid, entry);
      this.#byParent.add(entry.parentPid, entry);
      this.#byGroup.add(entry.groupId, entry);
      this.#bySession.add(entry.sessionId, entry);
    }
    const youngestFirst = [...entries].sort((a, b) => b.startTime - a.startTime);
    this.#markers = new Traces(youngestFirst, (entry) => {
      const environment = reader.environmentOf(entry.pid);
      if (environment === '') this.#blank.push(entry);
      return markersIn(environment ?? '');
    });
    this.#files = new Traces(youngestFirst, (entry) => reader.openFilesOf(entry.pid));
  }

  /** One row. */
  get(pid: number): ProcessEntry | undefined {
    return this.#byPid.get(pid);
  }

  /** Those in a process group. */
  inGroup(id: number): readonly ProcessEntry[] {
    return this.#byGroup.get(id);
  }

  /** Those in a session. */
  inSession(id: number): readonly ProcessEntry[] {
    return this.#bySession.get(id);
  }

  /** Reads the environments of all who started at `since` or later. */
  readMarkers(since: number): Reading<void> {
    return this.#markers.gather(since);
  }

  /** Those that list `marker` in their environment, among those who started at `since` or later. */
  marked(marker: string, since: number): readonly ProcessEntry[] {
    readNow(this.#markers.gather(since));
    return this.#markers.get(marker);
  }

  /**
   * Reads those environments again that were empty: in the middle of an `exec` a process has none for a moment.
   *
   * @param since Only of who started then or later: who is older has none for good.
   * @returns How many are empty still.
   */
  *readBlankAgain(since: number): Reading<number> {
    for (const entry of this.#blank.splice(0)) {
      if (entry.startTime >= since) this.#markers.add(entry);
      yield;
    }
    return this.#blank.length;
  }

  /** Reads the open files of all who started at `since` or later. */
  readFiles(since: number): Reading<void> {
    return this.#files.gather(since);
  }

  /** Those that have a file open, among those who started at `since` or later. */
  holding(file: string, since: number): readonly ProcessEntry[] {
    readNow(this.#files.gather(since));
    return this.#files.get(file);
  }

  /**
   * The rows that come from one of `roots`, the roots themselves included.
   *
   * A row older than its parent is not its child: the parent's pid has been given to somebody else since.
   *
   * @param roots Where to start; a root that is not here, or whose pid has a new owner, leads nowhere.
   */
  descendants(roots: Iterable<ProcessIdentity>): ProcessEntry[] {
    const found = new Set<ProcessEntry>();
    for (const root of roots) {
      const entry = this.#byPid.get(root.pid);
      if (entry?.startTime === root.startTime) found.add(entry);
    }
    // A set is walked in the order of its growth, and what is added during the walk is walked too.
    for (const parent of found) {
      for (const child of this.#byParent.get(parent.pid)) if (child.startTime >= parent.startTime) found.add(child);
    }
    return [...found];
  }
}
