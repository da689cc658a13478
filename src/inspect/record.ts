/**
 * Records what an agent or a source does, for a timeline.
 *
 * Invariants: without a recording nothing is made and nothing is called; a released recording holds no listener, and
 * keeps only what it has written.
 *
 * Prior art: `node:diagnostics_channel`; the flight recorder of the JVM.
 *
 * @module
 */
import { type OptionNames, type OptionsOnly, requireOptions, systemClock } from '../core/inside.ts';
import type { CancellationToken, CancellationTokenSource, Clock, InterruptController, Registration } from '../index.ts';
import { followAgent } from './follow-agent.ts';
import { TraceBook } from './trace-book.ts';
import type { Trace, TraceSink } from './trace.ts';
import { runWatched, type WatchedContext } from './watched-work.ts';

/**
 * A controller, as far as it is used.
 *
 * @since 0.1.0
 */
export type RecordedAgent = Pick<InterruptController, 'name' | 'instanceId' | 'onEvent'>;

/**
 * Options of {@link record}.
 *
 * @since 0.1.0
 */
export interface RecordOptions {
  /** How many operations are kept, 1,000 by default; what has ended is forgotten first, and counted. */
  readonly maxOperations?: number | undefined;
  /** Hear of operations as they happen; see `channelSink` and `spanSink`. */
  readonly sinks?: readonly TraceSink[] | undefined;
  /** Hears what a sink throws, and with what the promise of an asynchronous one rejects. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The clock of the agent or source, if it is not the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * Options of `recording.watch`.
 *
 * @since 0.1.0
 */
export interface WatchOptions extends OptionsOnly {
  /** What it is called on the timeline. */
  readonly name?: string | undefined;
  /** How long after a stop the work may go without a look, in milliseconds; 100 by default. */
  readonly starvedMs?: number | undefined;
}

/**
 * A recording that goes on until it is released.
 *
 * @since 0.1.0
 */
export interface Recording {
  /** What has been recorded so far, as JSON data; a copy. */
  readonly trace: () => Trace;
  /**
   * Runs work and records its checkpoints: when it noticed the stop, whether it swallowed it. After a release it only runs it.
   *
   * @checkpoint never
   * @throws What the work throws, as a rejection.
   */
  readonly watch: <T>(
    token: CancellationToken,
    work: (context: WatchedContext) => T | PromiseLike<T>,
    options?: WatchOptions,
  ) => Promise<T>;
  /** Ends the recording; the trace stays. */
  readonly release: () => void;
  /** As `release()`. */
  readonly [Symbol.dispose]: () => void;
}

const watchNames: OptionNames<WatchOptions> = { name: 1, starvedMs: 1 };

const optionNames: OptionNames<RecordOptions> = { maxOperations: 1, sinks: 1, onError: 1, clock: 1 };

/**
 * Records a controller with its sub-agents, or a source. What began before the recording has no row.
 *
 * @checkpoint never
 * @cleanup `release()`, also as `using`, removes every listener; the trace can still be read.
 * @param subject A controller or a source.
 * @param options How much is kept, and who else hears of it.
 * @returns The recording.
 * @throws TypeError, RangeError – no controller and no source, or an option that makes no sense.
 * @example Who was asked to stop, and what became of it
 * ```ts
 * import { InterruptController, delay } from 'desist'
 * import { record } from 'desist/inspect'
 *
 * const agent = new InterruptController({ name: 'main' })
 * using recording = record(agent)
 * const turn = agent.runTurn(({ tools }) => tools([{ id: 'c1', name: 'search' }], (_, { token }) => delay(token, 60_000)))
 * await agent.cancel('user').settled
 * await turn
 * recording.trace().operations.map(({ kind, outcome }) => `${kind} ${outcome}`) // => ['turn cancelled', 'tool cancelled']
 * ```
 * @since 0.1.0
 */
export function record(subject: RecordedAgent | CancellationTokenSource, options: RecordOptions = {}): Recording {
  const { maxOperations, sinks, onError, clock } = checked(options);
  const book = new TraceBook(clock.now(), { maxOperations, sinks, onError });
  const { rootId, registrations } = listenTo(subject, book, clock);
  let count = 0;
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    book.close(clock.now());
    for (const registration of registrations.splice(0)) registration.unregister();
  };
  return {
    trace: () => book.toTrace(clock.now()),
    async watch(token, work, watching = {}) {
      requireOptions(watching, watchNames);
      const { name = 'work', starvedMs = 100 } = watching;
      if (typeof work !== 'function') throw new TypeError(`work must be a function, got ${String(work)}`);
      const heard: unknown = token;
      if (typeof (heard as Partial<CancellationToken> | null | undefined)?.onCancelled !== 'function')
        throw new TypeError(`watch needs a token, got ${show(heard)}`);
      if (!(starvedMs >= 0)) throw new RangeError(`options.starvedMs must be 0 or more, got ${String(starvedMs)}`);
      const id = `${rootId}/watched/${String(++count)}`;
      if (!isReleased)
        book.start({ id, parentId: rootId, kind: 'work', name, agent: subjectName(subject), startedAt: clock.now() });
      return runWatched({ book, clock, id, starvedMs }, token, work);
    },
    release,
    [Symbol.dispose]: release,
  };
}

/** A value that was given, for the words of an error. */
function show(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function checked(options: RecordOptions): Required<{ [K in keyof RecordOptions]: NonNullable<RecordOptions[K]> }> {
  requireOptions(options, optionNames);
  const { maxOperations = 1_000, sinks = [], onError = () => undefined, clock = systemClock } = options;
  if (!Number.isInteger(maxOperations) || maxOperations < 1)
    throw new RangeError(`options.maxOperations must be a whole number from 1, got ${String(maxOperations)}`);
  if (!Array.isArray(sinks)) throw new TypeError(`options.sinks must be an array, got ${show(sinks)}`);
  for (const [place, sink] of (sinks as readonly unknown[]).entries())
    requireSink(`options.sinks[${String(place)}]`, sink);
  if (typeof onError !== 'function') throw new TypeError(`options.onError must be a function, got ${show(onError)}`);
  return { maxOperations, sinks, onError, clock };
}

function requireSink(name: string, sink: unknown): void {
  if (typeof sink !== 'object' || sink === null) throw new TypeError(`${name} must be a sink, got ${show(sink)}`);
  for (const act of ['started', 'stopping', 'ended'] satisfies (keyof TraceSink)[]) {
    const own = (sink as Readonly<Record<typeof act, unknown>>)[act];
    if (own !== undefined && typeof own !== 'function')
      throw new TypeError(`${name}.${act} must be a function, got ${show(own)}`);
  }
}

function isController(subject: object): subject is RecordedAgent {
  return typeof (subject as Partial<RecordedAgent>).onEvent === 'function';
}

function subjectName(subject: RecordedAgent | CancellationTokenSource): string {
  return isController(subject) ? subject.name : (subject.token.name ?? 'source');
}

function listenTo(
  subject: RecordedAgent | CancellationTokenSource,
  book: TraceBook,
  clock: Clock,
): { readonly rootId: string; readonly registrations: Registration[] } {
  const given: unknown = subject;
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`record needs a controller or a source, got ${show(given)}`);
  if (isController(subject)) {
    const { instanceId: id, name } = subject;
    book.addToken({ id, kind: 'agent', name });
    return { rootId: id, registrations: [subject.onEvent(followAgent(book), { operations: true })] };
  }
  const { token } = subject as Partial<CancellationTokenSource>;
  if (typeof token?.onCancelled !== 'function') throw new TypeError('record needs a controller or a source');
  const name = subjectName(subject);
  book.addToken({ id: name, kind: 'source', name });
  const registrations = [
    token.onCancelled((reason) => {
      book.request('cancel', name, reason, clock.now());
    }),
  ];
  if (!token.isCancelled)
    registrations.push(
      token.onKilled((reason) => {
        book.request('kill', name, reason, clock.now());
      }),
    );
  return { rootId: name, registrations };
}
