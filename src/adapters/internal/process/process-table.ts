/**
 * What a process tree is, and how to signal one process of it without ever hitting a stranger.
 *
 * A pid is only a name, and names are reused. A process is identified by its pid *and* its start time, and the pair is
 * compared again right before each signal. What is left is the time between that look and the signal itself, which the
 * kernel closes only through a pidfd, and Node has none.
 *
 * Prior art: psutil's `Process` identity (pid + creation time), systemd's `KillMode=control-group`.
 *
 * @module
 */
import { nodeModule } from '../node-module.ts';
import type { ProcessSnapshot } from './process-snapshot.ts';

/** Which process, for good: no two have had the same pid and start time. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In the table's own unit; only compared with others of the same table. */
  readonly startTime: number;
}

/** One row of the process table. */
export interface ProcessEntry extends ProcessIdentity {
  readonly parentPid: number;
  readonly groupId: number;
  /** `undefined` where the system does not tell. */
  readonly sessionId: number | undefined;
  /** `dead` is a zombie: it has ended, and only its parent has not looked yet. */
  readonly state: 'running' | 'stopped' | 'dead';
  /** Whether it has begun to end, so that no signal reaches it any more; only where the system tells. */
  readonly isEnding?: boolean | undefined;
}

/** The run's pipe: all that a run starts inherits its one end, and we hold the other. */
export interface RunPipe {
  /** What all of the run have open, as `/proc/<pid>/fd` shows it; `undefined` where that is not to be seen. */
  readonly file: string | undefined;
  /** Whether anybody still holds the inherited end. */
  isHeld(): boolean;
}

/**
 * A process that is alive, for people.
 *
 * @since 0.1.0
 */
export interface LiveProcess {
  /** Its number, as `ps` shows it. */
  readonly pid: number;
  /** Its command line. */
  readonly command: string;
}

/** What one full look found. */
export interface FamilyLook {
  /** Who is alive, oldest first. */
  readonly alive: readonly ProcessIdentity[];
  /** `false` if somebody else may be alive: the table could not be read, or the run's pipe is held by nobody known. */
  readonly isSure: boolean;
}

/** What a stop needs of everything that came from one started process; each kind of system has its own. */
export interface StoppableFamily {
  /** Finds out who is alive now, without holding up the event loop; for a report with more effort. */
  look(purpose?: 'report'): Promise<FamilyLook>;
  /** Tells that the leader has been reaped, so that its number may soon be somebody else's. */
  leaderReaped(): void;
  /** Whether anybody seen before is still alive; cheap. */
  hasKnownAlive(): boolean;
  /** Whether the leader has ended and only waits to be reaped; `false` where that is not to be seen. */
  isLeaderDead(): boolean;
  /** Whether the leader had ended, or was about to, when the first signal was sent. */
  hadLeaderEnded(): boolean;
  /** Whether the process that the family was made of is still there. */
  isLeaderAlive(): boolean;
  /** Signals everybody who is alive and whom a quick look finds. */
  signal(signal: NodeJS.Signals): SignalReach;
  /** Kills everybody, at once: for the end of our own process, where nothing can be waited for. */
  killNow(): SignalReach;
  /** After that: kills whom a member has started between the look and its end. */
  killNewcomers(): void;
  /** What Ctrl+C would do if the leader were in the terminal's foreground group. */
  interrupt(): void;
  /** Names members for a report. */
  describe(members: readonly ProcessIdentity[]): LiveProcess[];
}

/** Whom a signal reached: `some` means that only a full look finds the others, `nobody` that nobody was found. */
export type SignalReach = 'all' | 'some' | 'nobody';

/** What became of a signal: `gone` means there is nobody of that identity, `refused` that we may not. */
export type SendOutcome = 'sent' | 'gone' | 'refused';

/** The operating system as this folder needs it. What is synchronous is so for the exit hook, the last chance to kill. */
export interface ProcessTable {
  /** This process: never signalled, nor its group. */
  readonly ownPid: number;
  /**
   * Every process that can be seen, read at once, and once for everybody who asks in the same turn of the event loop.
   *
   * @param atMost Reads nothing if there are more processes than this, or if many take too long; without it all are read, however long it
   * takes.
   * @returns `undefined` if it was not read, or could not be.
   */
  snapshot(atMost?: number): ProcessSnapshot | undefined;
  /**
   * Every process once more, read at once, but once for everybody who asks after the same reading.
   *
   * @param seen The last reading of the one who asks.
   * @param since The environments of who started then or later are read along.
   * @returns `undefined` if it could not be read, or would show nothing new.
   */
  snapshotAfter(seen: ProcessSnapshot | undefined, since: number): ProcessSnapshot | undefined;
  /**
   * The same without holding up the event loop, read after the call, and once for everybody who has asked by then.
   *
   * @param since The environments of who started then or later are read along.
   * @returns `undefined` if it could not be read: that is no "nobody is there".
   */
  look(since: number): Promise<ProcessSnapshot | undefined>;
  /** Some processes and what comes from them, by asking each for its children; `undefined` if they cannot be asked. */
  descendantsOf(pids: readonly number[]): readonly ProcessEntry[] | undefined;
  /** One process by pid; `unreadable` if that could not be found out. */
  find(pid: number): ProcessEntry | 'unreadable' | undefined;
  /** The environment a process was started with, as NUL-separated `NAME=value`; `undefined` if it cannot be read. */
  environmentOf(pid: number): string | undefined;
  /** What stands behind a descriptor of a process, such as `socket:[123]`; `undefined` if it cannot be read. */
  openFileOf(pid: number, descriptor: number): string | undefined;
  /** The command line, for people. */
  commandOf(pid: number): string;
  /** Signals a pid, or with a negative number a group, unchecked; signal 0 only asks. */
  send(target: number, signal: NodeJS.Signals | 0): SendOutcome;
}

/** How long "too much to read at once" is believed: to count processes takes a moment, too. */
const refusalMs = 200;

/**
 * How long a reading is shared at least, in milliseconds: a turn of the loop that is held up lasts longer than a fork, and whoever
 * was forked since would be left behind by the signal that ends its parent.
 */
const freshMs = 10;

interface Kept {
  readonly snapshot: ProcessSnapshot;
  readonly until: number;
}

/** Has the table read once for all who need it at the same time. */
export class TurnCache {
  readonly #now: () => number;
  #kept: Kept | undefined;
  #refusedUntil = -Infinity;
  #running: Promise<unknown> = Promise.resolve();
  #next: { since: number; readonly look: Promise<ProcessSnapshot | undefined> } | undefined;

  /** @param now A clock, ms; the process's own by default. */
  constructor(now: () => number = () => nodeModule('node:perf_hooks').performance.now()) {
    this.#now = now;
  }

  /**
   * What was read a moment ago in this turn of the event loop, or what `read` gives.
   *
   * @param isLimited Whether it may give nothing because there is too much to read: then it is not asked twice.
   */
  get(isLimited: boolean, read: () => ProcessSnapshot | undefined): ProcessSnapshot | undefined {
    const now = this.#now();
    const kept = this.#kept;
    if (kept !== undefined && now < kept.until) return kept.snapshot;
    if (isLimited && now < this.#refusedUntil) return undefined;
    const fresh = read();
    if (fresh === undefined && isLimited) this.#refusedUntil = now + refusalMs;
    return this.#keep(fresh, now);
  }

  /** What was read after `seen`, in this turn of the event loop, or what `read` gives. */
  after(seen: ProcessSnapshot | undefined, read: () => ProcessSnapshot | undefined): ProcessSnapshot | undefined {
    const snapshot = this.#kept?.snapshot;
    if (snapshot !== undefined && snapshot !== seen) return snapshot;
    const now = this.#now();
    return this.#keep(read(), now);
  }

  /**
   * A look that begins after this call: one that is on its way may have passed by somebody who came since.
   *
   * @param since Of the one who asks.
   * @param read Is given the smallest `since` of all who share the look.
   */
  look(
    since: number,
    read: (since: number) => Promise<ProcessSnapshot | undefined>,
  ): Promise<ProcessSnapshot | undefined> {
    if (this.#next !== undefined) {
      this.#next.since = Math.min(this.#next.since, since);
      return this.#next.look;
    }
    const look = this.#running.then(async () => {
      const oldest = this.#next?.since ?? since;
      this.#next = undefined;
      const snapshot = await read(oldest);
      if (snapshot !== undefined) this.#keep(snapshot, this.#now()); // whoever acts on it now needs no other
      return snapshot;
    });
    this.#next = { since, look };
    this.#running = look.catch(() => undefined);
    return look;
  }

  /** Shared for as long as its reading has taken: with many who need one, half of the time is theirs. */
  #keep(snapshot: ProcessSnapshot | undefined, startedAt: number): ProcessSnapshot | undefined {
    const now = this.#now();
    const kept = snapshot && { snapshot, until: now + Math.max(freshMs, now - startedAt) };
    this.#kept = kept;
    const turn = setImmediate(() => {
      if (this.#kept === kept) this.#kept = undefined;
    });
    turn.unref();
    return snapshot;
  }
}

/** Whether a row is no zombie's. */
export function isAlive({ state }: ProcessEntry): boolean {
  return state !== 'dead';
}

/** Neither gone nor a zombie, as far as is seen. */
export function isThere(entry: ProcessEntry | 'unreadable' | undefined): entry is ProcessEntry {
  return entry !== undefined && entry !== 'unreadable' && isAlive(entry);
}

/** Orders rows by their age. */
export function oldestFirst(a: ProcessEntry, b: ProcessEntry): number {
  return a.startTime - b.startTime || a.pid - b.pid;
}

/**
 * Who belongs of those that were walked to. Whoever has a member's number now does not, nor does what came from it.
 *
 * @param walked Parents come before their children.
 * @param known Members, by their number.
 */
export function membersAmong(
  walked: readonly ProcessEntry[],
  known: ReadonlyMap<number, ProcessIdentity>,
): ProcessEntry[] {
  const found = new Map<number, ProcessEntry>();
  for (const entry of walked) {
    const before = known.get(entry.pid);
    const parent = found.get(entry.parentPid);
    const isMember = before === undefined ? parent !== undefined : isSameProcess(before, entry);
    if (isMember && (parent === undefined || parent.startTime <= entry.startTime)) found.set(entry.pid, entry);
  }
  return [...found.values()];
}

/** Whether two rows mean the same process. */
export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startTime === b.startTime;
}

/**
 * Signals one process if its pid still belongs to it; never this process, never a special pid.
 *
 * @param table Where to look and whom to ask.
 * @param identity As it was seen in a snapshot.
 * @param signal What to send.
 */
export function signalProcess(table: ProcessTable, identity: ProcessIdentity, signal: NodeJS.Signals): SendOutcome {
  if (identity.pid <= 1 || identity.pid === table.ownPid) return 'refused';
  const now = table.find(identity.pid);
  // Better no signal than one to a stranger: the group is told in any case.
  if (now === 'unreadable') return 'refused';
  if (now === undefined || !isSameProcess(now, identity) || now.state === 'dead') return 'gone';
  return table.send(identity.pid, signal);
}

/**
 * Whether somebody of one look is named in the next: as itself, or by whoever started it, where it came and went. Who
 * forks and ends all the time is somebody else in each look, and below nobody.
 */
export function isAccountedFor(
  one: ProcessIdentity | ProcessEntry,
  then: readonly (ProcessIdentity | ProcessEntry)[],
  now: readonly ProcessEntry[],
): boolean {
  if (now.some((other) => isSameProcess(one, other))) return true;
  const parent = 'parentPid' in one ? then.find(({ pid }) => pid === one.parentPid) : undefined;
  return parent !== undefined && parent !== one && isAccountedFor(parent, then, now);
}
