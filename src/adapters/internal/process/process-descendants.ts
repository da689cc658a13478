/**
 * Everything that came from one started process, found again at every look, wherever it went.
 *
 * A process belongs if it was seen to belong before, descends from one that does, stands in the leader's group or
 * session, carries the run's marker in its environment, or holds the run's pipe – the last two for daemons that changed
 * session and lost their parent. Who started before the leader cannot be one. The kernel gives the leader's number to
 * nobody while it is unreaped or its group or session lives; after that, group and session speak only for who stands
 * beside a member.
 *
 * Invariants:
 * - **F1** Nobody is signalled whose pid and start time were not seen together in the family.
 * - **F2** A group is signalled only while a member of the family is in it, or, if the process table cannot be read,
 *   while the leader is unreaped or its group has not been empty since: then it cannot be anybody else's.
 * - **F3** Never this process, never its group.
 * - **F4** "Nobody is left" is said only after a look that could be made and that the run's pipe does not contradict.
 *
 * Prior art: systemd's control groups, which need no search; Jenkins' `BUILD_ID` environment marker.
 *
 * @module
 */
import { type ProcessSnapshot, readInSlices } from './process-snapshot.ts';
import type { FamilyLook, LiveProcess, RunPipe, SignalReach, StoppableFamily } from './process-table.ts';
import {
  isAccountedFor,
  isAlive,
  isSameProcess,
  isThere,
  membersAmong,
  oldestFirst,
  signalProcess,
  type ProcessEntry,
  type ProcessIdentity,
  type ProcessTable,
} from './process-table.ts';

/** With more processes than this a table is not read in one go: that would hold up the event loop for too long. */
const quickLook = 600;

/** How often who forks while it is killed is looked for, at the end of our own process. */
const lastLooks = 4;

/** The family of one leader, on a system whose process table can be read. */
export class ProcessDescendants implements StoppableFamily {
  readonly #table: ProcessTable;
  readonly #pipe: RunPipe | undefined;
  #leader: ProcessIdentity;
  #marker: string | (() => string | undefined);
  readonly #known = new Map<number, ProcessIdentity>();
  #isReaped = false;
  #isLastLook = false;
  #hadLeaderEnded: boolean | undefined;
  /** What the last quick search went by. */
  #seen: ProcessSnapshot | undefined;

  /**
   * @param table Where to look.
   * @param leaderPid Not yet reaped, so the pid is still its own.
   * @param marker What nobody but this family has in its environment's marker; a function is asked until it knows.
   * @param pipe The run's pipe, if it has one.
   */
  constructor(table: ProcessTable, leaderPid: number, marker: string | (() => string | undefined), pipe?: RunPipe) {
    this.#table = table;
    this.#marker = marker;
    this.#pipe = pipe;
    this.#leader = { pid: leaderPid, startTime: this.#startTimeOf(leaderPid) };
    this.#known.set(leaderPid, this.#leader);
    // Before the first look the leader may be gone, and with it what it carries.
    this.#learnMarker();
  }

  async look(purpose?: 'report'): Promise<FamilyLook> {
    const seen = await this.#look();
    if (purpose === undefined || seen.alive.length === 0 || this.#pipe?.isHeld() !== true) return seen;
    // Beside members that are found at once there may be some that only the pipe shows.
    const snapshot = await this.#table.look(this.#leader.startTime);
    if (snapshot === undefined) return { alive: seen.alive, isSure: false };
    await readInSlices(snapshot.readFiles(this.#leader.startTime));
    const alive = this.#search(snapshot, this.#pipe.file).filter(isAlive);
    return { alive, isSure: seen.alive.every((one) => isAccountedFor(one, seen.alive, alive)) };
  }

  async #look(): Promise<{ readonly alive: readonly (ProcessIdentity | ProcessEntry)[]; readonly isSure: boolean }> {
    this.#identify();
    const snapshot = await this.#table.look(this.#leader.startTime);
    if (snapshot === undefined) return { alive: this.#knownAlive(), isSure: false };
    let alive = this.#search(snapshot).filter(isAlive);
    // That the last end of the pipe was closed is told by the event loop.
    for (let turns = 0; turns < 2 && alive.length === 0 && this.#pipe?.isHeld() === true; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (alive.length === 0 && this.#pipe?.isHeld() === true) {
      // Who shed the marker may hold the pipe. This is looked at last: it costs more than all the rest.
      await readInSlices(snapshot.readFiles(this.#leader.startTime));
      alive = this.#search(snapshot, this.#pipe.file).filter(isAlive);
    }
    return { alive, isSure: alive.length > 0 || this.#pipe?.isHeld() !== true };
  }

  /** Tells that the leader has been reaped: its group is looked at for the last time that its number proves anything. */
  leaderReaped(): void {
    if (this.#table.send(-this.#leader.pid, 0) === 'gone') {
      this.#isReaped = true;
      return;
    }
    // Its number is not given away meanwhile: the group has it. The next full look is the last that may go by it.
    this.#isLastLook = true;
    const snapshot = this.#table.snapshot(quickLook);
    if (snapshot !== undefined) this.#search(snapshot);
  }

  /** Whether anybody seen before is still alive. Reads only those, so it may be asked often; newcomers need `look()`. */
  hasKnownAlive(): boolean {
    for (const identity of this.#known.values()) {
      const now = this.#table.send(identity.pid, 0) === 'gone' ? undefined : this.#table.find(identity.pid);
      if (now === 'unreadable' || (isThere(now) && isSameProcess(now, identity))) return true;
      this.#known.delete(identity.pid);
    }
    return false;
  }

  /** Whether the leader has ended and only waits to be reaped. `false` if it is not to be seen. */
  isLeaderDead(): boolean {
    const now = this.#leaderNow();
    return now !== 'unreadable' && now?.state === 'dead';
  }

  hadLeaderEnded(): boolean {
    return this.#hadLeaderEnded === true;
  }

  isLeaderAlive(): boolean {
    const now = this.#leaderNow();
    return now === 'unreadable' || isThere(now);
  }

  /**
   * Signals everybody who is alive: the group at once, so that nobody is forked in between, the others one by one.
   * Who is stopped is continued afterwards, or it could not act on the signal.
   */
  signal(signal: NodeJS.Signals): SignalReach {
    return this.#signalAll(signal, quickLook);
  }

  killNow(): SignalReach {
    return this.#signalAll('SIGKILL', Infinity);
  }

  killNewcomers(): void {
    for (let looks = 0; looks < lastLooks; looks += 1) {
      const told = new Map(this.#known);
      this.#seen = this.#table.snapshotAfter(this.#seen, this.#leader.startTime);
      const found = this.#seen === undefined ? [] : this.#search(this.#seen, this.#heldFile()).filter(isAlive);
      const newcomers = found.filter(({ pid, startTime }) => told.get(pid)?.startTime !== startTime);
      if (newcomers.length === 0) return;
      for (const entry of newcomers) signalProcess(this.#table, entry, 'SIGKILL'); // F1
    }
  }

  /** The leader's group alone: who left it would not hear the terminal either, and in our own group the kernel tells. */
  interrupt(): void {
    const now = this.#leaderNow();
    if (now !== undefined && now !== 'unreadable') this.#signalGroup([now], 'SIGINT');
  }

  /** Names members for a report. */
  describe(members: readonly ProcessIdentity[]): LiveProcess[] {
    return members.map(({ pid }) => ({ pid, command: this.#table.commandOf(pid) }));
  }

  #signalAll(signal: NodeJS.Signals, atMost: number): SignalReach {
    this.#identify();
    // Zombies count here: an unreaped leader keeps its pid, and thereby the group, its own.
    const { found, isAll } = this.#quickSearch(atMost);
    if (found === undefined) return this.#signalUnseen(signal);
    // Right before the signal: what is seen after it may have been its doing.
    this.#hadLeaderEnded ??= this.#isLeaderEnding();
    const asGroup = this.#signalGroup(found, signal);
    for (const entry of found) {
      if (entry.state === 'dead') continue;
      // No later look finds who has left the group since this one, where it is the last.
      const isTold = asGroup && entry.groupId === this.#leader.pid && atMost !== Infinity;
      if (!isTold) signalProcess(this.#table, entry, signal); // F1
      if (entry.state === 'stopped' && signal !== 'SIGKILL') signalProcess(this.#table, entry, 'SIGCONT');
    }
    if (!isAll) return 'some';
    return found.length > 0 ? 'all' : 'nobody';
  }

  /** Whom can be found at once; `undefined` if nothing at all can be read. */
  #quickSearch(atMost: number): { readonly found: readonly ProcessEntry[] | undefined; readonly isAll: boolean } {
    const snapshot = this.#table.snapshot(atMost);
    this.#seen = snapshot;
    // The snapshot of this turn may be older than the leader.
    const isOlder = snapshot?.get(this.#leader.pid) === undefined && !this.#isReaped;
    if (snapshot !== undefined && !(isOlder && isThere(this.#leaderNow()))) {
      return { found: this.#search(snapshot, atMost === Infinity ? this.#heldFile() : undefined), isAll: true };
    }
    const walked = this.#table.descendantsOf([...this.#known.keys()]);
    if (walked === undefined) {
      const whole = this.#table.snapshot();
      return { found: whole && this.#search(whole), isAll: true };
    }
    const found = membersAmong(walked.filter(this.#isYoung), this.#known);
    for (const entry of found) this.#known.set(entry.pid, entry);
    return { found: found.sort(oldestFirst), isAll: false };
  }

  /** F2: nothing can be read, so the group is all there is. */
  #signalUnseen(signal: NodeJS.Signals): SignalReach {
    if (this.#isReaped || this.#leader.pid === this.#ownGroup()) return 'nobody';
    if (this.#isLastLook && this.#table.send(-this.#leader.pid, 0) === 'gone') this.#isReaped = true;
    if (this.#isReaped) return 'nobody';
    this.#table.send(-this.#leader.pid, signal);
    if (signal !== 'SIGKILL') this.#table.send(-this.#leader.pid, 'SIGCONT');
    return 'some';
  }

  /** @returns Whether there is a group of the family's own. */
  #signalGroup(found: readonly ProcessEntry[], signal: NodeJS.Signals): boolean {
    const { pid } = this.#leader;
    if (pid === this.#ownGroup() || !found.some((entry) => entry.groupId === pid)) return false; // F2, F3
    this.#table.send(-pid, signal);
    return true;
  }

  #isLeaderEnding(): boolean {
    const now = this.#leaderNow();
    if (now === undefined) return this.#isReaped || this.#isLastLook;
    return now !== 'unreadable' && (now.state === 'dead' || now.isEnding === true);
  }

  #heldFile(): string | undefined {
    return this.#pipe?.isHeld() === true ? this.#pipe.file : undefined;
  }

  #ownGroup(): number | undefined {
    const own = this.#table.find(this.#table.ownPid);
    return own === 'unreadable' ? undefined : own?.groupId;
  }

  #leaderNow(): ProcessEntry | 'unreadable' | undefined {
    this.#identify();
    const now = this.#table.find(this.#leader.pid);
    return now === undefined || now === 'unreadable' || isSameProcess(now, this.#leader) ? now : undefined;
  }

  #knownAlive(): ProcessIdentity[] {
    return [...this.#known.values()].filter(({ pid, startTime }) => {
      const now = this.#table.find(pid);
      return now !== undefined && now !== 'unreadable' && now.state !== 'dead' && now.startTime === startTime;
    });
  }

  #startTimeOf(pid: number): number {
    const now = this.#table.find(pid);
    return now === 'unreadable' ? NaN : (now?.startTime ?? 0);
  }

  /** Where the leader could not be read when it started, it is as soon as that works. */
  #identify(): void {
    if (!Number.isNaN(this.#leader.startTime) || this.#isReaped) return;
    this.#leader = { pid: this.#leader.pid, startTime: this.#startTimeOf(this.#leader.pid) };
    this.#known.set(this.#leader.pid, this.#leader);
  }

  #search(snapshot: ProcessSnapshot, file?: string): ProcessEntry[] {
    const { pid: leaderPid, startTime } = this.#leader;
    const inRanks = (entry: ProcessEntry): boolean => entry.groupId === leaderPid || entry.sessionId === leaderPid;
    const ranks = [...snapshot.inGroup(leaderPid), ...snapshot.inSession(leaderPid)].filter(this.#isYoung);

    // The number has a new owner: nobody told us, because it was not our child.
    const owner = snapshot.get(leaderPid);
    if (owner !== undefined && !isSameProcess(owner, this.#leader)) this.#isReaped = true;
    let family = snapshot.descendants(this.#known.values()).filter(this.#isYoung);
    if (!this.#isReaped || family.some(inRanks)) family = snapshot.descendants([...family, ...ranks]);
    this.#learnMarker();
    const strays = typeof this.#marker === 'string' ? [...snapshot.marked(this.#marker, startTime)] : [];
    if (file !== undefined) strays.push(...snapshot.holding(file, startTime));
    const outside = strays.filter(this.#isYoung);
    if (outside.some(inRanks)) outside.push(...ranks);
    if (outside.length > 0) family = snapshot.descendants([...family, ...outside]);
    family = family.filter(this.#isYoung);

    this.#known.clear();
    for (const entry of family) this.#known.set(entry.pid, entry);
    this.#isReaped ||= this.#isLastLook;
    return family.sort(oldestFirst);
  }

  /** Who may be a member, by its age. */
  readonly #isYoung = ({ pid, startTime }: ProcessEntry): boolean =>
    startTime >= this.#leader.startTime && pid > 1 && pid !== this.#table.ownPid;

  /** Only the leader itself can tell: once it is gone, its number may be anybody's. */
  #learnMarker(): void {
    if (typeof this.#marker !== 'function') return;
    if (isThere(this.#leaderNow())) this.#marker = this.#marker() ?? this.#marker;
  }
}
