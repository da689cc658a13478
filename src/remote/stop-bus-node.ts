/**
 * One process on a stop bus: the runs it hosts, the runs it works for, the stops it asked for, and its lease.
 *
 * Invariants: a node that hosts nothing costs the engine nothing; what arrives is shown to everything here that it
 * concerns, whatever way it came.
 *
 * @module
 */
import { quoted, requireFunction, requireMs, requireOptions } from '../core/foundation/check.ts';
import type { Releasable } from '../core/foundation/disposable.ts';
import type { Hosting, HostingOptions, SessionHost, StopProgress, StopRequest } from '../sessions/stop-bus.ts';
import type { SessionStatus } from '../sessions/session-status.ts';
import { waitAtMost } from '../core/combinators/wait-at-most.ts';
import type { StopConnection, StopPull } from './backend.ts';
import { closeConnection } from './node/engine/close-connection.ts';
import { Endings } from './node/endings.ts';
import { DataLoss } from './node/engine/data-loss.ts';
import { Exchange } from './node/engine/exchange.ts';
import { Health, type StopBusEvent } from './node/engine/health.ts';
import { Lull } from './node/engine/lull.ts';
import { HostedRun } from './node/hosted-run.ts';
import { Lease } from './node/lease.ts';
import { readStatus } from './node/read-status.ts';
import { Members, type RunMember } from './node/members.ts';
import type { NodeParts } from './node/node-parts.ts';
import { Persistence } from './node/engine/persistence.ts';
import { Recovery } from './node/engine/recovery.ts';
import { Upkeep } from './node/upkeep.ts';
import { decodeRecord, type RunRecord } from './record/run-record.ts';
import type { Step } from './record/step-result.ts';
import type { StopAsk } from './record/ask-stop.ts';
import { Pursuits } from './requester/pursuits.ts';
import { tellHosting } from './requester/tell-hosting.ts';
import { stopGroup, type GroupStopParts } from './stop-group.ts';
import type { RemoteStopBus } from './open-stop-bus.ts';

/** The bus of one process. */
export class StopBusNode implements RemoteStopBus {
  readonly #parts: NodeParts;
  readonly #connection: StopConnection;
  readonly #exchange: Exchange;
  readonly #persistence: Persistence;
  readonly #lease: Lease;
  readonly #lull: Lull;
  readonly #members: Members;
  readonly #hosted = new Map<string, HostedRun>();
  readonly #endings: Endings;
  readonly #pursuits: Pursuits;
  readonly #groups: GroupStopParts;
  readonly load: RemoteStopBus['load'];
  readonly #health = new Health();
  readonly #recovery: Recovery;
  readonly #loss: DataLoss;
  #closing: Promise<void> | undefined;

  constructor(connection: StopConnection, parts: NodeParts) {
    const { name, clock, leaseMs, times, newId, node, mostAtOnce } = parts;
    [this.#parts, this.#connection, this.#lull] = [parts, connection, new Lull(clock)];
    const [deadlineMs, hosted] = [leaseMs / 3, this.#hosted];
    const exchange = new Exchange(connection, { name, clock, deadlineMs, times, mostAtOnce, changed: this.#recovered });
    this.#exchange = exchange;
    this.#recovery = new Recovery({
      ...{ clock, everyMs: leaseMs / 10, failed: this.degraded },
      // A heartbeat that fails is made again by itself.
      ask: async () => (this.#lease.isWanted ? undefined : exchange.pull(leaseMs, newId()).then(this.#recovered)),
    });
    const persistence = (this.#persistence = new Persistence(clock, leaseMs / 3, this.degraded));
    // A heartbeat comes within a third of a lease, and another one soon after it where it fails.
    const over = (): void => hosted.forEach((run) => run.say());
    const loss = (this.#loss = new DataLoss({ clock, returnMs: leaseMs / 2, over }));
    const pursuits = (this.#pursuits = new Pursuits(
      { ...parts, membersOf: (runId) => this.#members.of(runId) },
      ...([exchange, persistence, loss] as const),
    ));
    this.load = () => ({ waiting: exchange.waiting + persistence.waiting, retried: persistence.retried });
    const lease = (this.#lease = new Lease({
      ...{ clock, leaseMs, newId },
      pull: (ms, mark) => exchange.pull(ms, mark),
      pending: this.#pulled,
      assert: (isAll) => upkeep.assert(isAll),
      ...{ dataLost: loss.noticed, lost: this.#fence, failed: this.degraded, renewed: this.#recovered },
    }));
    this.#groups = { ...parts, hosted, exchange, loss, lease, persistence, pursuits, askHere: this.#askHere };
    const changed = this.#restIfIdle;
    this.#endings = new Endings(changed);
    this.#members = new Members({ node, newId, leaseHeld: () => this.#held(), changed, exchange, persistence, loss });
    const upkeep = new Upkeep({ clock, exchange, hosted, members: this.#members });
  }

  /** Whether the engine answers; rejects if it does not. */
  async probe(): Promise<void> {
    await this.#exchange.anyAlive([this.#parts.node]);
  }

  host(sessionId: string, host: SessionHost, { again = false, groups = [] }: HostingOptions = {}): Hosting {
    this.#requireOpen();
    const before = this.#hosted.get(sessionId);
    if (before !== undefined && before.ending === undefined)
      throw new TypeError(`the session ${quoted(sessionId)} is hosted already`);
    const { node, newId, name, onUnavailable, clock, confirmMs } = this.#parts;
    if (this.#health.isDegraded && onUnavailable === 'throw') {
      throw new Error(`${name} is not available, so no stop would reach the session ${quoted(sessionId)}`);
    }
    const run: HostedRun = new HostedRun(host, {
      ...{ runId: sessionId, node, claim: newId(), again, groups, clock, before: before?.before },
      ...{ exchange: this.#exchange, persistence: this.#persistence, lull: this.#lull, loss: this.#loss },
      leaseHeld: () => this.#held(),
      show: (record) => this.#see(sessionId, record, false),
      tellMembers: (stop) => this.#members.tell(sessionId, stop),
      told: (at) => this.#health.tell({ type: 'told', sessionId, ms: at === undefined ? 0 : this.#exchange.since(at) }),
      left: () => isHere() && this.#hosted.delete(sessionId),
      taken: () => {
        this.#restIfIdle();
        this.#takeOut(sessionId);
      },
    });
    const isHere = (): boolean => this.#hosted.get(sessionId) === run;
    // D3: here first, and then in the record.
    this.#hosted.set(sessionId, run);
    const confirmed = async (is: Promise<boolean>, ms = confirmMs) => (await waitAtMost(clock, ms, is)) ?? false;
    const claimed = run.claim().then(() => run.epoch !== undefined);
    let ended = Promise.resolve(true);
    return {
      claimed: () => confirmed(claimed),
      hold: (reason) => {
        const ask: StopAsk = { id: newId(), reason, level: 'cancel', from: '' };
        // Whoever has taken its place in this process has its stops from then on.
        if (isHere()) void this.#askHere(sessionId, run, ask).catch(() => undefined);
      },
      tell: ({ reason, level = 'cancel' }, report) => {
        const given = host.given?.();
        const ask = { id: newId(), reason, level, given, isTold: true, from: this.#lease.addressOf(node) };
        const [waitMs, hosting] = [2 * confirmMs, { runId: sessionId, run, claimed, isHere, pursuits: this.#pursuits }];
        const told = tellHosting({ ...hosting, waitMs }, ask, report);
        // To be written, and to end.
        return report.catch(() => undefined).then(() => confirmed(told, waitMs));
      },
      release: (end) => {
        ended = this.#endings.add(run.end(end ?? {}));
      },
      ended: (ms) => confirmed(ended, ms),
    };
  }

  request(request: StopRequest): Promise<StopProgress> {
    if (this.#closing !== undefined) return Promise.reject(new TypeError('the stop bus is closed'));
    const { sessionId: runId, reason, level = 'cancel', turnId, epoch: only } = request;
    const { newId, node } = this.#parts;
    const ask: StopAsk = { id: newId(), reason, level, turnId, only, from: this.#lease.addressOf(node) };
    const hosted = this.#hosted.get(runId);
    if (hosted === undefined || (only !== undefined && hosted.epoch !== only)) return this.#pursuits.send(runId, ask);
    return this.#askHere(runId, hosted, ask, turnId === undefined);
  }

  /** What runs here is told at once, which needs no engine; to that it is written behind the claim, as a stop of this hosting. */
  readonly #askHere = (runId: string, hosted: HostedRun, ask: StopAsk, isOfAny = false): Promise<StopProgress> => {
    const told = hosted.tellHere(ask);
    return this.#pursuits.send(runId, hosted.toldHere(ask, isOfAny), told, () => hosted.numbered());
  };

  async requestGroup(group: string, request: Parameters<typeof stopGroup>[2]): ReturnType<typeof stopGroup> {
    this.#requireOpen();
    return stopGroup(this.#groups, group, request);
  }

  async look(sessionId: string): Promise<SessionStatus> {
    this.#requireOpen();
    return readStatus(this.#exchange, sessionId);
  }

  join(runId: string, options: { readonly turnId?: number | undefined } = {}): RunMember {
    this.#requireOpen();
    return this.#members.join(runId, options);
  }

  onEvent(listener: (event: StopBusEvent) => void): Releasable {
    requireFunction('listener', listener);
    return this.#health.onEvent(listener);
  }

  async close(options: { readonly timeoutMs?: number | undefined } = {}): Promise<void> {
    requireOptions(options, { timeoutMs: 1 });
    const timeoutMs = requireMs('timeoutMs', options.timeoutMs ?? 5_000, 'finite');
    await (this.#closing ??= this.#close(timeoutMs));
  }

  async #close(timeoutMs: number): Promise<void> {
    const { clock } = this.#parts;
    const until = clock.now() + timeoutMs;
    // D8: from here on no stop reaches what works here, and others may take its place.
    const working = this.#working;
    if (working.length > 0 || this.#members.size > 0) this.#fence(working);
    const givenUp = working.map(([, run]) => run.giveUp());
    await waitAtMost(clock, timeoutMs, Promise.all([...givenUp, this.#endings.allOver(), this.#members.giveUp()]));
    for (const [, run] of working) run.leave();
    this.#hosted.clear();
    this.#pursuits.close();
    this.#persistence.close();
    this.#recovery.stop();
    this.#loss.stop();
    this.#lease.rest();
    await closeConnection(this.#connection, clock, Math.max(0, until - clock.now()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The backend has something for us; it may be old, or come twice. */
  woken(runId: string, value: string | undefined): void {
    const record = value === undefined ? undefined : this.#decode(value);
    this.#pursuits.poke(runId, record);
    if (!this.#hosted.has(runId) && this.#members.of(runId).length === 0) return;
    if (record !== undefined) this.#see(runId, record, false, value);
    else this.#lease.beat();
  }

  /** The connection is there again. */
  resynced(): void {
    this.#exchange.reconnected();
    this.#persistence.retryNow();
    this.#lease.beat();
    this.#recovery.askNow();
    this.#pursuits.pokeAll();
  }

  readonly degraded = (error: unknown): void => {
    if (this.#closing !== undefined) return;
    this.#health.failed(error);
    this.#recovery.start();
  };

  /** The engine has taken a change: it is there, and does what it is there for. */
  readonly #recovered = (): void => {
    if (!this.#health.isDegraded) return;
    this.#recovery.stop();
    this.#health.recovered();
    this.#persistence.retryNow();
  };

  async #held(): Promise<void> {
    // The heartbeat goes first: it finds out whether the connection is any good.
    await Promise.all([this.#lease.held(), this.#exchange.listen()]);
  }

  readonly #pulled = ({ pending }: StopPull): void => {
    for (const { runId, value } of pending) {
      const record = this.#decode(value);
      if (record !== undefined) this.#see(runId, record, true, value);
    }
  };

  #see(runId: string, record: RunRecord, isListed: boolean, value?: string): void {
    this.#members.see(runId, record);
    const run = this.#hosted.get(runId);
    if (run !== undefined) run.see(record, isListed, value);
    // For members alone, or for nobody any more: seen, so out of the inbox.
    if (isListed && run?.epoch === undefined) this.#takeOut(runId);
  }

  #takeOut(runId: string): void {
    const step = (found: RunRecord | undefined): Step<undefined> => {
      if (found !== undefined) this.#see(runId, found, false);
      return { record: found, result: undefined };
    };
    // Tried again by the next heartbeat, which finds it in the inbox.
    void this.#exchange.commit(runId, step, { handled: true, isUrgent: true }).catch(this.degraded);
  }

  /** Those that were not given up. */
  get #working(): (readonly [string, HostedRun])[] {
    return [...this.#hosted].filter(([, { ending }]) => ending === undefined);
  }

  readonly #fence = (hostings = this.#working.filter(([, { epoch }]) => epoch !== undefined)): void => {
    this.#health.tell({ type: 'lease-lost', sessionIds: hostings.map(([runId]) => runId) });
    for (const [, run] of hostings) run.fence();
    this.#members.fence();
  };

  /** Without anything to be told, the node gives its lease up by not renewing it. */
  readonly #restIfIdle = (): void => {
    if (this.#hosted.size > 0 || this.#endings.size > 0 || this.#members.size > 0) return;
    this.#lease.rest();
  };

  #decode(value: string): RunRecord | undefined {
    try {
      return decodeRecord(value);
    } catch (error) {
      this.degraded(error);
      return undefined;
    }
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new TypeError('the stop bus is closed');
  }
}
