/**
 * Everything that came from one started process, found again at every look, wherever it went.
 * On this floor beside the table it reads; it decides who belongs, not when to stop.
 *
 * A process belongs if it was seen to belong before, descends from one that does, stands in the leader's group or
 * session, or carries the run's marker in its environment – the last for daemons that changed session and lost their
 * parent. Who started before the leader cannot be one. The kernel gives the leader's number to nobody while it is
 * unreaped or its group or session lives; after that, group and session speak only for who stands beside a member.
 *
 * Invariants:
 * - **F1** Nobody is signalled whose pid and start time were not seen together in the family.
 * - **F2** A group is signalled only while a member of the family is in it: then it cannot be anybody else's.
 * - **F3** Never this process, never its group.
 *
 * Prior art: systemd's control groups, which need no search; Jenkins' `BUILD_ID` environment marker.
 *
 * @module
 */
import {
  byEnvironmentMarker,
  descendants,
  isSameProcess,
  signalProcess,
  type ProcessEntry,
  type ProcessIdentity,
  type ProcessTable,
} from './process-tree.ts';

/** What a stop needs of everything that came from one started process; each kind of system has its own. */
export interface StoppableFamily {
  /** Who is alive now, oldest first, as far as the system tells. May be slow. */
  members(): readonly ProcessIdentity[];
  /** Tells that the leader has been reaped, so that its number may soon be somebody else's. */
  leaderReaped(): void;
  /** Whether anybody seen before is still alive; cheap. */
  hasKnownAlive(): boolean;
  /** Whether the leader has ended and only waits to be reaped; `false` where that is not to be seen. */
  isLeaderDead(): boolean;
  /** Whether the process that the family was made of is still there. */
  isLeaderAlive(): boolean;
  /** Whether somebody may be left in the leader's group; a cheap hint. */
  mayHaveGroup(): boolean;
  /** Signals everybody who is alive; `false` if nobody was found to be signalled. */
  signal(signal: NodeJS.Signals): boolean;
  /** What Ctrl+C would do if the leader were in the terminal's foreground group. */
  interrupt(): void;
  /** Names members for a report. */
  describe(members: readonly ProcessIdentity[]): LiveProcess[];
}

/** The environment variable that names the runs a process belongs to, outermost first, separated by commas. */
export const markerVariable = 'DESIST_RUN';

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

/** The family of one leader, on a system whose process table can be read. */
export class ProcessFamily implements StoppableFamily {
  readonly #table: ProcessTable;
  readonly #leader: ProcessIdentity;
  #marker: string | (() => string | undefined);
  readonly #known = new Map<number, ProcessIdentity>();
  #isReaped = false;

  /**
   * @param table Where to look.
   * @param leaderPid Not yet reaped, so the pid is still its own.
   * @param marker What nobody but this family has in {@link markerVariable}; a function is asked until it knows.
   */
  constructor(table: ProcessTable, leaderPid: number, marker: string | (() => string | undefined)) {
    this.#table = table;
    this.#marker = marker;
    this.#leader = { pid: leaderPid, startTime: table.find(leaderPid)?.startTime ?? 0 };
    this.#known.set(leaderPid, this.#leader);
    // Before the first look the leader may be gone, and with it what it carries.
    this.#learnMarker();
  }

  /** Who is alive now, oldest first. Reads the whole table. */
  members(): ProcessEntry[] {
    return this.#search().filter((entry) => entry.state !== 'dead');
  }

  /** Tells that the leader has been reaped: its group is looked at for the last time that its number proves anything. */
  leaderReaped(): void {
    if (this.mayHaveGroup()) this.#search();
    this.#isReaped = true;
  }

  /** Whether anybody seen before is still alive. Reads only those, so it may be asked often; newcomers need `members()`. */
  hasKnownAlive(): boolean {
    for (const identity of this.#known.values()) {
      const now = this.#table.send(identity.pid, 0) === 'gone' ? undefined : this.#table.find(identity.pid);
      if (now !== undefined && now.state !== 'dead' && isSameProcess(now, identity)) return true;
      this.#known.delete(identity.pid);
    }
    return false;
  }

  /** Whether the leader has ended and only waits to be reaped. `false` if it is not to be seen. */
  isLeaderDead(): boolean {
    const now = this.#table.find(this.#leader.pid);
    return now?.state === 'dead' && isSameProcess(now, this.#leader);
  }

  isLeaderAlive(): boolean {
    const now = this.#table.find(this.#leader.pid);
    return now !== undefined && now.state !== 'dead' && isSameProcess(now, this.#leader);
  }

  /** Whether the leader's group has anybody in it: one cheap question, which a stranger's group may also answer. */
  mayHaveGroup(): boolean {
    return this.#table.send(-this.#leader.pid, 0) !== 'gone';
  }

  /**
   * Signals everybody who is alive: the group at once, so that nobody is forked in between, the others one by one.
   * Who is stopped is continued afterwards, or it could not act on the signal.
   *
   * @returns Whether anybody was found; `false` also if the table cannot be read.
   */
  signal(signal: NodeJS.Signals): boolean {
    // Zombies count here: an unreaped leader keeps its pid, and thereby the group, its own.
    const found = this.#search();
    const asGroup = this.#signalGroup(found, signal);
    for (const entry of found) {
      if (entry.state === 'dead') continue;
      if (!asGroup || entry.groupId !== this.#leader.pid) signalProcess(this.#table, entry, signal); // F1
      if (entry.state === 'stopped' && signal !== 'SIGKILL') signalProcess(this.#table, entry, 'SIGCONT');
    }
    return found.length > 0;
  }

  /** The leader's group alone: who left it would not hear the terminal either, and in our own group the kernel tells. */
  interrupt(): void {
    this.#signalGroup(this.#search(), 'SIGINT');
  }

  /** Names members for a report. */
  describe(members: readonly ProcessIdentity[]): LiveProcess[] {
    return members.map(({ pid }) => ({ pid, command: this.#table.commandOf(pid) }));
  }

  /** @returns Whether there is a group of the family's own. */
  #signalGroup(found: readonly ProcessEntry[], signal: NodeJS.Signals): boolean {
    const { pid } = this.#leader;
    if (pid === this.#ownGroup() || !found.some((entry) => entry.groupId === pid)) return false; // F2, F3
    this.#table.send(-pid, signal);
    return true;
  }

  #ownGroup(): number | undefined {
    return this.#table.find(this.#table.ownPid)?.groupId;
  }

  #search(): ProcessEntry[] {
    const { pid: leaderPid, startTime } = this.#leader;
    const candidates = this.#table
      .snapshot()
      .filter((entry) => entry.startTime >= startTime && entry.pid > 1 && entry.pid !== this.#table.ownPid);
    const inRanks = (entry: ProcessEntry): boolean => entry.groupId === leaderPid || entry.sessionId === leaderPid;
    const ranks = candidates.filter(inRanks);

    // The number has a new owner: nobody told us, because it was not our child.
    if (candidates.some((entry) => entry.pid === leaderPid && !isSameProcess(entry, this.#leader)))
      this.#isReaped = true;
    let family = descendants(candidates, this.#known.values());
    if (!this.#isReaped || family.some(inRanks)) family = descendants(candidates, [...family, ...ranks]);
    const marked = this.#strays(candidates, family);
    if (marked.some(inRanks)) marked.push(...ranks);
    if (marked.length > 0) family = descendants(candidates, [...family, ...marked]);

    this.#known.clear();
    for (const entry of family) this.#known.set(entry.pid, entry);
    return family.sort((a, b) => a.startTime - b.startTime || a.pid - b.pid);
  }

  /** Only the leader itself can tell: once it is gone, its number may be anybody's. */
  #learnMarker(): void {
    if (typeof this.#marker === 'function' && this.isLeaderAlive()) this.#marker = this.#marker() ?? this.#marker;
  }

  #strays(candidates: readonly ProcessEntry[], family: readonly ProcessEntry[]): ProcessEntry[] {
    this.#learnMarker();
    const marker = this.#marker;
    if (typeof marker === 'function') return [];
    const found = new Set(family);
    const others = candidates.filter((entry) => !found.has(entry));
    return byEnvironmentMarker(this.#table, others, markerVariable, marker);
  }
}
