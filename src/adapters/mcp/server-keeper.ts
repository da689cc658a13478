/**
 * Keeps one MCP server: stops it when a cancel finds it deaf, starts it again when it is needed.
 *
 * ```
 *          request                cancelled            no answer to the probe
 * absent ──────────► connected ─────────────► probing ────────────────────────► stopping ──► absent
 *                        ▲                       │ any answer
 *                        └───────────────────────┘
 * ```
 *
 * Invariants:
 * - **M1** At most one connection is there or being made; a request waits until a server that is being stopped is gone.
 * - **M2** No request waits for a stop that it did not need: a cancelled one has rejected before the probe is sent.
 * - **M3** Who is connected when `close` is called is stopped by it; nothing is started afterwards.
 * - **M4** A process that was started for a connection that did not come about is stopped with what it started, and so is what a
 *   server has left behind that went away by itself.
 * - **M5** A request connects once: a connection that is gone again by then is its failure.
 * - **M6** A connection is stopped once, whoever asks for that at the same time, and no client holds its stop up.
 *
 * Prior art: Erlang's supervisors; systemd's `WatchdogSec`.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';

import {
  callSafely,
  CancellationTokenSource,
  type Clock,
  DEFAULT_GRACE_MS,
  isDeadlineExceededError,
  raceCancellation,
  requireFunction,
  requireMs,
  requireOneOf,
  requireOptions,
  runUntilCancelled,
  systemClock,
  type TokenLike,
  tokenOf,
  wireSignal,
  withCancellation,
} from '../../core/inside.ts';
import {
  cancellableRequest,
  requestNames,
  type CancellableRequestOptions,
  type McpRequestContext,
} from './cancellable-request.ts';
import {
  closeClient,
  defaultProbe,
  isConnected,
  isNoAnswer,
  requireConnected,
  type McpClientLike,
} from './server-probe.ts';
import { killIfWeEnd, markedServer, ServerProcess, stopLeftBehind, type McpServerStop } from './server-process.ts';
import { isRunning, notingChildren } from './spawned-children.ts';
import { optionNames } from './keeper-names.ts';

/**
 * Options of `restartableClient`.
 *
 * @since 0.1.0
 */
export interface RestartableClientOptions<C> {
  /**
   * What to do with the server when a request was cancelled or timed out: `probe`, the default, stops it if it answers
   * nothing within the grace; `stop` stops it always, for servers that answer but go on with what they were told to
   * drop; `keep` leaves it alone.
   */
  readonly afterCancel?: 'probe' | 'stop' | 'keep' | undefined;
  /** Milliseconds for the answer to the probe, and again between SIGTERM and SIGKILL; 1,000 by default. */
  readonly graceMs?: number | undefined;
  /** The question to the server; by default `ping`, or `discover` in revision 2026-07-28, which has no ping. */
  readonly probe?: ((client: C, context: McpRequestContext) => unknown) | undefined;
  /** Told of each server that was stopped. */
  readonly onServerStopped?: ((stop: McpServerStop) => void) | undefined;
  /** Measures the graces. */
  readonly clock?: Clock | undefined;
}

/**
 * What the function that connects is given.
 *
 * @since 0.1.0
 */
export interface McpConnectContext {
  /** Ends when `close` is called: for the SDK's `client.connect(transport, { signal })`. */
  readonly signal: AbortSignal;
  /**
   * For the environment of a server on stdio: `env: { ...getDefaultEnvironment(), ...env }`. By this variable its daemons are
   * found, too: what left its group and lost its parents. Empty where there are no processes.
   */
  readonly env: Readonly<Record<string, string>>;
}

/** Makes a connected client. */
type Connect<C> = (context: McpConnectContext) => C | PromiseLike<C>;

/** A client that is connected, and its server's process where there is one. */
interface Connection<C> {
  readonly client: C;
  readonly process: ServerProcess | undefined;
  stopped?: Promise<void>;
}

/** One client, connected when it is needed. */
export class ServerKeeper<C extends McpClientLike> {
  readonly #connect: Connect<C>;
  readonly #afterCancel: 'probe' | 'stop' | 'keep';
  readonly #graceMs: number;
  readonly #clock: Clock;
  readonly #probe: (client: C, context: McpRequestContext) => unknown;
  readonly #onServerStopped: ((stop: McpServerStop) => void) | undefined;
  #connecting: Promise<Connection<C>> | undefined;
  #connection: Connection<C> | undefined;
  /** What is being connected has started these. */
  #spawned: ChildProcess[] = [];
  #marker: string | undefined;
  #spawnedStopped: Promise<unknown> = Promise.resolve();
  /** The probe or stop of the current connection. */
  #ending: Promise<void> | undefined;
  readonly #life = new CancellationTokenSource({ name: 'mcp client' });

  constructor(connect: Connect<C>, options: RestartableClientOptions<C>) {
    requireOptions(options, optionNames);
    const { afterCancel = 'probe', graceMs = DEFAULT_GRACE_MS, probe = defaultProbe, onServerStopped, clock } = options;
    requireFunction('connect', connect);
    requireFunction('options.probe', probe);
    if (onServerStopped !== undefined) requireFunction('onServerStopped', onServerStopped);
    this.#connect = connect;
    this.#afterCancel = requireOneOf('afterCancel', afterCancel, ['probe', 'stop', 'keep']);
    this.#graceMs = requireMs('graceMs', graceMs, 'finite');
    this.#clock = clock ?? systemClock;
    this.#probe = probe;
    this.#onServerStopped = onServerStopped;
  }

  get client(): C | undefined {
    return this.#connection?.client;
  }

  async request<T>(
    token: TokenLike | null | undefined,
    send: (client: C, context: McpRequestContext) => T | PromiseLike<T>,
    options?: CancellableRequestOptions<T>,
  ): Promise<T> {
    requireFunction('send', send);
    if (options !== undefined) requireOptions(options, requestNames);
    const connection = await withCancellation(token, (context) => raceCancellation(context.token, this.#connected()));
    const sent = { yet: false };
    try {
      return await cancellableRequest(
        token,
        (context) => {
          sent.yet = true;
          return send(connection.client, context);
        },
        options,
      );
    } catch (error) {
      if (sent.yet && isNoAnswer(error)) this.#doubt(connection);
      throw error;
    }
  }

  async settled(): Promise<void> {
    await this.#ending;
  }

  async close(): Promise<void> {
    this.#life.cancel({ kind: 'shutdown', message: 'The client was closed' });
    // A server may be deaf from the start.
    await this.#withinGrace(this.#connecting);
    await this.#ending;
    if (this.#connection !== undefined) await this.#stop(this.#connection, 'closed');
    await this.#stopSpawned('closed');
  }

  /** M1, M5. */
  async #connected(): Promise<Connection<C>> {
    while (this.#isEnding()) await this.#ending;
    this.#requireOpen();
    if (this.#connection !== undefined) return this.#connection;
    const started = await (this.#connecting ??= this.#start());
    this.#requireOpen();
    return started;
  }

  /** A client that has let go of its transport has a server that went away by itself, and may have left something behind: M4. */
  #isEnding(): boolean {
    const current = this.#connection;
    if (current !== undefined && !isConnected(current.client)) this.#end(() => this.#stop(current, 'closed'));
    return this.#ending !== undefined;
  }

  #end(work: () => Promise<void>): void {
    this.#ending ??= work().finally(() => {
      this.#ending = undefined;
    });
  }

  #requireOpen(): void {
    if (this.#life.isCancelled) throw new Error('The client is closed');
  }

  async #start(): Promise<Connection<C>> {
    const { marker, env } = markedServer();
    const spawned: ChildProcess[] = [];
    this.#spawned = spawned;
    this.#marker = marker;
    const hook = killIfWeEnd(spawned, marker);
    try {
      // Not in this tick: a connect that throws would be forgotten before it is remembered.
      const connect = (): C | PromiseLike<C> => this.#connect({ signal: wireSignal(this.#life.token), env });
      const client = await Promise.resolve().then(() => notingChildren(connect, spawned));
      requireConnected(client);
      const pid = (client.transport as { readonly pid?: unknown } | undefined)?.pid;
      const process = typeof pid === 'number' ? new ServerProcess(pid, marker) : undefined;
      const connection: Connection<C> = { client, process };
      this.#connection = connection;
      this.#spawned = [];
      // Nobody waits for it any more: M3.
      if (this.#life.isCancelled) await this.#stop(connection, 'closed');
      return connection;
    } catch (error) {
      // A server that did not connect is nobody's: the SDK's own way to end it takes seconds, and spares its children.
      await this.#stopSpawned('closed');
      this.#requireOpen();
      throw error;
    } finally {
      hook?.release();
      this.#connecting = undefined;
    }
  }

  /** M4. */
  #stopSpawned(why: McpServerStop['why']): Promise<void> {
    const stops = this.#spawned.splice(0).map(async (child) => {
      const { pid } = child;
      if (pid === undefined) return;
      const wasRunning = isRunning(child);
      const stopped = wasRunning ? await new ServerProcess(pid, undefined).stop(this.#graceMs, this.#clock) : [];
      // One that has ended by itself, or has just begun to, is not asked for its marker any more.
      const left = await stopLeftBehind(child, this.#marker, this.#graceMs, this.#clock);
      const survivors = stopped === 'unknown' || left === 'unknown' ? 'unknown' : [...stopped, ...left];
      if (!wasRunning && survivors.length === 0) return; // nothing of it was there to be stopped, or is any more
      callSafely(tokenOf(null), this.#onServerStopped, { pid, why, survivors });
    });
    this.#spawnedStopped = Promise.all([this.#spawnedStopped, ...stops]);
    return this.#spawnedStopped.then(() => undefined);
  }

  async #withinGrace(work: Promise<unknown> | undefined): Promise<void> {
    await runUntilCancelled(null, () => work, { timeoutMs: this.#graceMs, graceMs: 0, clock: this.#clock });
  }

  /** M2: after a cancel, in the background. */
  #doubt(connection: Connection<C>): void {
    if (this.#afterCancel !== 'keep' && this.#connection === connection) this.#end(() => this.#judge(connection));
  }

  async #judge(connection: Connection<C>): Promise<void> {
    if (this.#afterCancel === 'stop') await this.#stop(connection, 'cancelled');
    else if (await this.#isDeaf(connection.client)) await this.#stop(connection, 'deaf');
  }

  async #isDeaf(client: C): Promise<boolean> {
    try {
      await withCancellation(
        null,
        ({ token, progress }) => this.#probe(client, { signal: wireSignal(token), onprogress: progress, token }),
        { timeoutMs: this.#graceMs, graceMs: 0, clock: this.#clock, name: 'mcp probe' },
      );
      return false;
    } catch (error) {
      // Any other error is an answer, if not a friendly one, or the news that the connection is gone.
      return isDeadlineExceededError(error);
    }
  }

  /** M6. */
  #stop(connection: Connection<C>, why: McpServerStop['why']): Promise<void> {
    return (connection.stopped ??= this.#stopNow(connection, why));
  }

  async #stopNow(connection: Connection<C>, why: McpServerStop['why']): Promise<void> {
    const { client, process } = connection;
    const gone = isConnected(client) ? undefined : 'gone';
    const survivors = (await process?.stop(this.#graceMs, this.#clock, gone)) ?? [];
    // After the process: the SDK's own way to end a deaf server takes seconds, and spares what it started.
    await this.#withinGrace(closeClient(client));
    if (this.#connection === connection) this.#connection = undefined;
    if (gone !== undefined && survivors.length === 0) return; // nothing of it is left
    callSafely(tokenOf(null), this.#onServerStopped, { pid: process?.pid, why, survivors });
  }
}
