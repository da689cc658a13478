/**
 * The reader of one run: events are handed over one by one, and read on without a reader once the run is to stop.
 *
 * Invariants: at most one event is read ahead while nobody wants a stop; after the end every read gives the same answer,
 * and the events that had come are read before it; `open` is called at most once.
 *
 * Prior art: the WHATWG reader.
 *
 * @module
 */
import { type CancelContext, CancellationTokenSource, show, type TokenLike } from '../../core/inside.ts';
import { callRemote } from '../internal/remote-work/call-remote.ts';
import {
  requireId,
  type RemoteContext,
  type RemoteEnd,
  type RemoteWord,
} from '../internal/remote-work/remote-words.ts';
import { finished, type Read, type Result } from '../internal/stream/pending-reads.ts';
import { Queue } from '../internal/stream/queue.ts';
import type { remoteOptions } from './await-run.ts';
import type { FollowRunOptions, OpenRun, RemoteRun } from './follow-run.ts';
import { endOfError, type RunEnd } from './run-end.ts';

/** What the caller said, checked. */
interface FollowedOptions<E> extends FollowRunOptions<E> {
  readonly remote: ReturnType<typeof remoteOptions>;
  readonly onLeave: 'cancel' | 'keep';
}

/** What the events said of the end, when they are over: nothing, if they just ended; `left`, if nobody waits for more. */
type Last = RemoteEnd | 'left' | undefined;

export class FollowedRun<E> implements RemoteRun<E> {
  readonly #source: CancellationTokenSource;
  readonly #open: OpenRun<E>;
  readonly #options: FollowedOptions<E>;
  readonly #ready = new Queue<E>();
  readonly #reads = new Queue<Read<E>>();
  readonly closed: Promise<RunEnd>;
  #settleClosed: (end: RunEnd) => void = () => undefined;
  #id: string | undefined;
  #isStarted = false;
  /** Set at the end; `error` is what every further read rejects with. */
  #end: { readonly error?: unknown } | undefined;
  #remote: RemoteContext<Last> | undefined;
  #context: CancelContext | undefined;
  /** Wakes the pump, which waits for a reader. */
  #wake: () => void = () => undefined;

  constructor(token: TokenLike | null | undefined, open: OpenRun<E>, options: FollowedOptions<E>) {
    this.#source = new CancellationTokenSource({ parent: token ?? [] });
    this.#open = open;
    this.#options = options;
    this.#id = options.id;
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve;
    });
  }

  get id(): string | undefined {
    return this.#id;
  }

  next(): Promise<Result<E>> {
    this.#start();
    return new Promise((resolve, reject) => {
      this.#reads.push({ resolve, reject });
      this.#serve();
    });
  }

  async return(): Promise<Result<E>> {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#over({ status: 'left', id: this.#id });
    }
    if (this.#end === undefined) {
      if (this.#options.onLeave === 'keep') this.#remote?.heard({ last: { value: 'left' } });
      else this.#source.cancel({ message: 'The reader left the run' });
      await this.closed;
    }
    this.#ready.clear();
    this.#end = {};
    return finished;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { remote, onNamed, graceMs, timeoutMs, idleMs } = this.#options;
    const named = (id: string): unknown => {
      this.#id = id;
      return onNamed?.(id);
    };
    callRemote<Last>(
      this.#source.token,
      (context, call) => this.#pump(context, call),
      { ...remote, mayOvertake: true, onNamed: named, endOf: (last) => (last === 'left' ? undefined : last) },
      { graceMs, timeoutMs, idleMs },
    ).then(
      (last) => {
        this.#over({ status: last ?? 'completed', id: this.#id });
      },
      (error: unknown) => {
        this.#over(endOfError(this.#id, error), { error });
      },
    );
  }

  /** Reads until the events are over, or the request is left: also of a run that is waited for no more, for its name. */
  async #pump(remote: RemoteContext<Last>, context: CancelContext): Promise<Last> {
    const { signal, heard } = (this.#remote = remote);
    this.#context = context;
    context.token.onCancelled(() => {
      this.#wake();
    });
    const progress = (): void => {
      context.progress();
    };
    // The end of the run is said by an event, which is a word of its own.
    const named = (id: string): void => {
      heard({ id });
    };
    const events = iteratorOf(await this.#open({ signal, named, progress, token: context.token }));
    const isLeft = (): boolean => signal.aborted;
    const leave = (): void => {
      this.#wake();
      void leaveEvents(events);
    };
    if (isLeft()) leave();
    else signal.addEventListener('abort', leave);
    try {
      while (!isLeft()) {
        const step = await events.next();
        // What comes of a request that was left is nobody's.
        if (step.done === true || isLeft()) break;
        heard(this.#wordOf(step.value));
        if (this.#end === undefined) this.#ready.push(step.value);
        this.#serve();
        await this.#room(context);
      }
      return undefined;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** All that an event says of the run. One that cannot be read says nothing of it, and nothing behind it is read. */
  #wordOf(event: E): RemoteWord<Last> {
    const { idOf, endOf } = this.#options;
    try {
      const end = endOf?.(event);
      const id = idOf?.(event) ?? undefined;
      if (id !== undefined) requireId('idOf(event): the id', id);
      return { id, last: end === undefined ? undefined : { value: end } };
    } catch (error) {
      return { last: { error, isSaid: false } };
    }
  }

  /** Waits until the last event was read, or somebody wants a stop. */
  #room(context: CancelContext): Promise<void> {
    if (this.#ready.length === 0 || context.token.isCancelled) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Gives what there is to whoever waits, in order. Silence counts only while somebody does. */
  #serve(): void {
    while (this.#reads.length > 0 && (this.#ready.length > 0 || this.#end !== undefined)) {
      const read = this.#reads.shift() as Read<E>;
      if (this.#ready.length > 0) read.resolve({ done: false, value: this.#ready.shift() as E });
      else if (this.#end !== undefined && 'error' in this.#end) read.reject(this.#end.error);
      else read.resolve(finished);
    }
    if (this.#ready.length === 0) this.#wake();
    const { idleMs } = this.#options;
    if (idleMs !== undefined) this.#context?.progress({ idleMs: this.#reads.length === 0 ? Infinity : idleMs });
  }

  #over(end: RunEnd, how: { readonly error?: unknown } = {}): void {
    this.#end ??= how;
    this.#source.release();
    this.#settleClosed(end);
    this.#serve();
  }
}

/** Not waited for: an iterator that hangs in a read returns only when that does. */
async function leaveEvents(events: AsyncIterator<unknown> | undefined): Promise<void> {
  try {
    await events?.return?.();
  } catch {
    // Nobody reads it any more.
  }
}

function iteratorOf<E>(events: AsyncIterable<E>): AsyncIterator<E> {
  if (typeof (events as Partial<AsyncIterable<E>> | null | undefined)?.[Symbol.asyncIterator] !== 'function') {
    throw new TypeError(`open must return an async iterable, got ${show(events)}`);
  }
  return events[Symbol.asyncIterator]();
}
