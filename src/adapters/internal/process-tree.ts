/**
 * What a process tree is, and how to signal one process of it without ever hitting a stranger.
 * On this floor because several doors start processes; it knows the operating system only through {@link ProcessTable},
 * so the rules are tested against a table written by hand.
 *
 * A pid is only a name, and names are reused. A process is identified by its pid *and* its start time, and the pair is
 * compared again right before each signal. What is left is the time between that look and the signal itself, which the
 * kernel closes only through a pidfd, and Node has none.
 *
 * Prior art: psutil's `Process` identity (pid + creation time), systemd's `KillMode=control-group`.
 *
 * @module
 */

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
}

/** What became of a signal: `gone` means there is nobody of that identity, `refused` that we may not. */
export type SendOutcome = 'sent' | 'gone' | 'refused';

/** The operating system as this folder needs it. Every call is synchronous: the last chance to kill is an exit hook. */
export interface ProcessTable {
  /** This process: never signalled, nor its group. */
  readonly ownPid: number;
  /** Every process that can be seen. */
  snapshot(): readonly ProcessEntry[];
  /** One process by pid. */
  find(pid: number): ProcessEntry | undefined;
  /** The environment a process was started with, as NUL-separated `NAME=value`; `undefined` if it cannot be read. */
  environmentOf(pid: number): string | undefined;
  /** The command line, for people. */
  commandOf(pid: number): string;
  /** Signals a pid, or with a negative number a group, unchecked; signal 0 only asks. */
  send(target: number, signal: NodeJS.Signals | 0): SendOutcome;
}

/** Whether two rows mean the same process. */
export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startTime === b.startTime;
}

/**
 * The rows that come from one of `roots`, the roots themselves included.
 *
 * A row older than its parent is not its child: the parent's pid has been given to somebody else since.
 *
 * @param entries One snapshot.
 * @param roots Where to start; a root that is not in the snapshot, or whose pid has a new owner, leads nowhere.
 */
export function descendants(entries: readonly ProcessEntry[], roots: Iterable<ProcessIdentity>): ProcessEntry[] {
  const byPid = new Map<number, ProcessEntry>();
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of entries) {
    byPid.set(entry.pid, entry);
    const siblings = children.get(entry.parentPid);
    if (siblings === undefined) children.set(entry.parentPid, [entry]);
    else siblings.push(entry);
  }
  const found = new Map<number, ProcessEntry>();
  const pending: ProcessEntry[] = [];
  const visit = (entry: ProcessEntry): void => {
    if (found.has(entry.pid)) return;
    found.set(entry.pid, entry);
    pending.push(entry);
  };
  for (const root of roots) {
    const entry = byPid.get(root.pid);
    if (entry !== undefined && isSameProcess(entry, root)) visit(entry);
  }
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    for (const child of children.get(parent.pid) ?? []) if (child.startTime >= parent.startTime) visit(child);
  }
  return [...found.values()];
}

/**
 * The rows whose environment variable `name` lists `marker` among its comma-separated values: children that left the
 * tree, the group and the session still carry the environment they were born with.
 *
 * @param table Where environments are read.
 * @param entries Candidates; reading an environment costs a file each, so leave out who cannot be one.
 */
export function byEnvironmentMarker(
  table: ProcessTable,
  entries: readonly ProcessEntry[],
  name: string,
  marker: string,
): ProcessEntry[] {
  const prefix = `${name}=`;
  return entries.filter((entry) => {
    if (entry.state === 'dead') return false; // it has no environment any more
    const variables = table.environmentOf(entry.pid)?.split('\0') ?? [];
    return variables.some((line) => line.startsWith(prefix) && line.slice(prefix.length).split(',').includes(marker));
  });
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
  if (now === undefined || !isSameProcess(now, identity) || now.state === 'dead') return 'gone';
  return table.send(identity.pid, signal);
}
