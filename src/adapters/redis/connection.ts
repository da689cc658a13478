/**
 * A node's connection to Redis: one for operations, one for wake-ups, and both anew when the node asks for that.
 *
 * Invariants: nothing is sent again by itself, since a step that is sent twice is the protocol's business; wake-ups that
 * may have been missed are told as `resync`.
 *
 * @module
 */
import { isObject, systemClock, type Clock, type Releasable } from '../../core/inside.ts';
import type { StopBackendEvents, StopConnection, StopPull, StopReading, StopSwap } from '../../remote/backend.ts';
import { Batch } from './batch.ts';
import type { Wire, Wiring } from './client.ts';
import type { Keys } from './keys.ts';
import { WakeChannel } from './wake-channel.ts';
import { listScript, pullScript, readScript, renewScript, swapScript, type Script } from './scripts.ts';

/** How long an inbox is kept after something was put into it, in milliseconds; and after a heartbeat, since when there are records. */
const KEPT_MS = 24 * 3_600_000;
/** The longest record that is sent with a wake-up, in characters. */
const LONGEST_SENT = 4_096;

/** Milliseconds between two looks for the master, where the one that there was is a replica now. */
const SEEK_EVERY_MS = 1_000;

/** For how many milliseconds the engine's time is known from what it said before: clocks drift, and a computer may sleep. */
const TIME_KNOWN_MS = 10_000;

/** How many records one script reads or swaps: it holds the engine up for a millisecond or two. */
const MOST_IN_BATCH = 100;

type Swapped = Awaited<ReturnType<StopConnection['swap']>>;

/** One node's connection. */
export class RedisConnection implements StopConnection {
  readonly #wiring: Wiring;
  readonly #keys: Keys;
  readonly #node: string;
  readonly #events: StopBackendEvents;
  /** Resolves when the engine was reached, or could not be. */
  readonly tried: Promise<void>;
  readonly #reads = new Batch((runIds: readonly string[]) => this.#readAll(runIds), MOST_IN_BATCH);
  readonly #swaps = new Batch((changes: readonly StopSwap[]) => this.#swapAll(changes), MOST_IN_BATCH);
  readonly #leases = new Batch((nodes: readonly string[]) => this.#allAlive(nodes), MOST_IN_BATCH);
  #commands!: Wire;
  #wakes: WakeChannel | undefined;
  #seeking: Releasable | undefined;
  #isClosed = false;
  readonly #clock: Clock;
  /** The engine's time, and our own when that had arrived. */
  #heard: { readonly now: number; readonly at: number } | undefined;

  constructor(wiring: Wiring, keys: Keys, node: string, events: StopBackendEvents, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#wiring = wiring;
    this.#keys = keys;
    this.#node = node;
    this.#events = events;
    this.tried = this.#openCommands();
  }

  read(runId: string): Promise<StopReading> {
    return this.#reads.add(runId);
  }

  swap(change: StopSwap): Promise<Swapped> {
    return this.#swaps.add(change);
  }

  async pull(leaseMs: number, mark: string): Promise<StopPull> {
    const keys = [this.#keys.lease(this.#node), this.#keys.inbox(this.#node), this.#keys.since];
    const args = [whole(leaseMs), mark, this.#keys.records, whole(KEPT_MS)];
    const [previous, now, ...rest] = listOf(await this.#run(pullScript, keys, args));
    return { previous: textOf(previous), pending: pairsIn(rest), now: this.#hear(now) };
  }

  async renew(runIds: readonly string[], ttlMs: number): Promise<readonly (string | undefined)[]> {
    if (runIds.length === 0) return [];
    const keys = runIds.map((runId) => this.#keys.record(runId));
    return listOf(await this.#run(renewScript, keys, [whole(ttlMs)])).map(textOf);
  }

  async list(group: string): ReturnType<StopConnection['list']> {
    const keys = [this.#keys.group(group), this.#keys.since];
    const [ageMs, ...rest] = listOf(await this.#run(listScript, keys, [this.#keys.records, whole(KEPT_MS)]));
    return { runs: pairsIn(rest), ageMs: Number(ageMs) };
  }

  alive(nodes: readonly string[]): Promise<readonly boolean[]> {
    return Promise.all(nodes.map((node) => this.#leases.add(node)));
  }

  async listen(): Promise<void> {
    if (this.#isClosed) return;
    this.#wakes ??= this.#openWakes();
    await this.#wakes.subscribed();
  }

  reset(): void {
    if (this.#isClosed) return;
    this.#commands.close();
    const ready = this.#openCommands();
    if (this.#wakes !== undefined) {
      this.#wakes.close();
      this.#wakes = this.#openWakes();
      this.#wakes.subscribed().catch(this.#down);
    }
    void ready.then(this.#resync);
  }

  async close(release: boolean): Promise<void> {
    this.#isClosed = true;
    this.#seeking?.release();
    this.#wakes?.close();
    try {
      const gone = [this.#keys.lease(this.#node), this.#keys.inbox(this.#node)];
      if (release) await this.#commands.command(['DEL', ...gone]);
    } finally {
      this.#commands.close();
    }
  }

  /** Any command, outside the port. */
  command(args: readonly string[]): Promise<unknown> {
    return this.#commands.command(args);
  }

  async #readAll(runIds: readonly string[]): Promise<readonly StopReading[]> {
    const keys = runIds.map((runId) => this.#keys.record(runId));
    const known = this.#heard;
    const isKnown = known !== undefined && this.#clock.now() - known.at < TIME_KNOWN_MS;
    if (!isKnown) {
      const [now, values] = listOf(await this.#run(readScript, keys, []));
      return readingsOf(values, this.#hear(now));
    }
    const values = await this.#commands.command(['MGET', ...keys]);
    // Never ahead of the engine: what it said was old when it arrived.
    return readingsOf(values, known.now + this.#clock.now() - known.at);
  }

  #hear(now: unknown): number {
    this.#heard = { now: Number(now), at: this.#clock.now() };
    return this.#heard.now;
  }

  /** Many who ask at once ask after the same few. */
  async #allAlive(nodes: readonly string[]): Promise<readonly boolean[]> {
    const asked = [...new Set(nodes)];
    const leases = listOf(await this.#commands.command(['MGET', ...asked.map((node) => this.#keys.lease(node))]));
    return nodes.map((node) => leases[asked.indexOf(node)] !== null);
  }

  async #swapAll(changes: readonly StopSwap[]): Promise<readonly Swapped[]> {
    const keys = [this.#keys.inbox(this.#node)];
    const args = [whole(Math.max(KEPT_MS, ...changes.map(({ ttlMs }) => ttlMs))), this.#keys.records];
    for (const { runId, from, to, ttlMs, inboxes, hints, handled, joins = [], leaves = [] } of changes) {
      const channels = [...new Set([...inboxes, ...hints])].map((node) => this.#keys.channel(node));
      const sent = JSON.stringify([runId, to.length <= LONGEST_SENT ? to : null]).slice(1, -1);
      const joined = joins.map((group) => this.#keys.group(group));
      const left = leaves.map((group) => this.#keys.group(group));
      keys.push(this.#keys.record(runId), ...inboxes.map((node) => this.#keys.inbox(node)), ...joined, ...left);
      args.push(...[inboxes, joined, left, channels].map(({ length }) => String(length)));
      args.push(runId, flag(from !== undefined), from ?? '', to);
      args.push(whole(ttlMs), flag(handled), sent, ...channels);
    }
    const [now, ...answers] = listOf(await this.#run(swapScript, keys, args));
    return changes.map((_, n) => {
      if (Number(answers[n * 2]) === 1) return { swapped: true };
      return { swapped: false, value: textOf(answers[n * 2 + 1]), now: Number(now) };
    });
  }

  /** Resolves when the connection was first ready, or failed; what an old one tells is not heard. */
  #openCommands(): Promise<void> {
    return new Promise((resolve) => {
      let isReady = false;
      // Another engine may have answered, with another clock.
      this.#heard = undefined;
      const wire = this.#wiring({
        ready: () => {
          resolve();
          if (isReady && this.#commands === wire) this.#resync();
          isReady = true;
        },
        down: (error) => {
          resolve();
          if (this.#commands !== wire) return;
          this.#heard = undefined;
          this.#down(error);
        },
      });
      this.#commands = wire;
    });
  }

  #openWakes(): WakeChannel {
    return new WakeChannel(this.#wiring, this.#keys.channel(this.#node), {
      message: (text) => {
        const sent = sentIn(text);
        for (let n = 0; n < sent.length; n += 2) {
          const runId = sent[n];
          if (typeof runId === 'string') this.#events.wake(runId, textOf(sent[n + 1]));
        }
      },
      resync: this.#resync,
      down: this.#down,
    });
  }

  readonly #resync = (): void => {
    if (!this.#isClosed) this.#events.resync();
  };

  readonly #down = (error: unknown): void => {
    if (!this.#isClosed) this.#events.down(error);
  };

  async #run({ text, sha1 }: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    // Of one length at once: there may be a thousand, and a list that grows is copied.
    const call = (command: string, name: string): Promise<unknown> =>
      this.#commands.command([command, name, String(keys.length)].concat(keys, args));
    try {
      return await call('EVALSHA', sha1);
    } catch (error) {
      // An engine that has started again knows no scripts.
      if (messageOf(error).startsWith('NOSCRIPT')) return call('EVAL', text);
      if (messageOf(error).includes('READONLY')) this.#seekMaster();
      throw error;
    }
  }

  /** After a failover the address may lead elsewhere, while a connection stays with what has become a replica. */
  #seekMaster(): void {
    if (this.#seeking !== undefined) return;
    this.#seeking = systemClock.setTimer(() => (this.#seeking = undefined), SEEK_EVERY_MS, { ref: false });
    this.reset();
  }
}

function messageOf(error: unknown): string {
  return isObject(error) ? String(Reflect.get(error, 'message')) : '';
}

/** What a wake-up says, a run and its record in turns; one that somebody else has sent says nothing. */
function sentIn(text: string): readonly unknown[] {
  try {
    return listOf(JSON.parse(text));
  } catch {
    return [];
  }
}

function listOf(answer: unknown): readonly unknown[] {
  if (!Array.isArray(answer)) throw new TypeError('the engine answered something else than a list');
  return answer;
}

/** Runs and their records, in turns. */
function pairsIn(list: readonly unknown[]): StopPull['pending'] {
  const pairs: { runId: string; value: string }[] = [];
  for (let n = 0; n < list.length; n += 2) pairs.push({ runId: String(list[n]), value: String(list[n + 1]) });
  return pairs;
}

function readingsOf(values: unknown, now: number): readonly StopReading[] {
  return listOf(values).map((value) => ({ value: textOf(value), now }));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function flag(isSet: boolean): string {
  return isSet ? '1' : '0';
}

/** The engine takes whole milliseconds, one at least. */
function whole(ms: number): string {
  return String(Math.max(1, Math.ceil(ms)));
}
