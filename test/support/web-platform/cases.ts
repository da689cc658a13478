/**
 * What the platform's own tests say of `AbortSignal` and `AbortSignal.any`, said of the signals our tokens make.
 * Runs on any runtime: no import but types, no test framework; a case throws if it fails. After the web platform tests
 * `dom/abort/event.any.js` and `dom/abort/resources/abort-signal-any-tests.js`.
 *
 * One difference is meant: inside an abort listener of a source, a dependent's *native* `aborted` may still be false;
 * its token already reads cancelled.
 *
 * @module
 */
import type { CancellationToken, CancellationTokenSource } from '../../../src/index.ts';

type Token = CancellationToken;
type Source = CancellationTokenSource;

/** What a case is given: the front door, from wherever the runtime loads it. */
export interface Subject {
  readonly CancellationToken: typeof CancellationToken;
  readonly CancellationTokenSource: typeof CancellationTokenSource;
}

/** One behaviour; `run` throws, or rejects, if it does not hold. */
export interface PlatformCase {
  readonly name: string;
  readonly run: (subject: Subject) => void | Promise<void>;
}

function same(actual: unknown, expected: unknown, what: string): void {
  if (!Object.is(actual, expected)) throw new Error(`${what}: expected ${String(expected)}, got ${String(actual)}`);
}

function thrownBy(fn: () => void): unknown {
  try {
    fn();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** Everything that can make a signal of ours: a source's own, a child's, a link's, one that follows a foreign signal. */
interface Origin {
  readonly signal: AbortSignal;
  readonly token: Token;
  abort(): void;
}

const origins: Readonly<Record<string, (subject: Subject) => Origin>> = {
  'a source': ({ CancellationTokenSource }) => {
    const source = new CancellationTokenSource();
    return { signal: source.signal, token: source.token, abort: () => void source.cancel('user') };
  },
  'a child': ({ CancellationTokenSource }) => {
    const source = new CancellationTokenSource();
    const { token } = source.token.child();
    return { signal: token.signal, token, abort: () => void source.cancel('user') };
  },
  'CancellationToken.any': ({ CancellationToken, CancellationTokenSource }) => {
    const sources = [new CancellationTokenSource(), new CancellationTokenSource()];
    const token = CancellationToken.any(...sources.map((source) => source.token));
    return { signal: token.signal, token, abort: () => void sources[1]?.cancel('user') };
  },
  'CancellationToken.any over a foreign signal': ({ CancellationToken, CancellationTokenSource }) => {
    const controller = new AbortController();
    const token = CancellationToken.any(new CancellationTokenSource().token, controller.signal);
    return { signal: token.signal, token, abort: () => controller.abort('stop') };
  },
  'a child of a foreign signal': ({ CancellationTokenSource }) => {
    const controller = new AbortController();
    const { token } = new CancellationTokenSource({ parent: controller.signal });
    return { signal: token.signal, token, abort: () => controller.abort('stop') };
  },
};

const ofEachOrigin: Readonly<Record<string, (origin: Origin) => void>> = {
  'aborted and reason change with the cancel, and only then': ({ signal, abort }) => {
    same(signal.aborted, false, 'aborted before');
    same('reason' in signal, true, 'has a reason property');
    same(signal.reason, undefined, 'reason before');
    abort();
    same(signal.aborted, true, 'aborted after');
    same((signal.reason as Error).name, 'AbortError', 'name of the reason');
    same(signal.reason instanceof Error, true, 'reason is an Error');
  },
  'the reason is one object, the same that the token throws': ({ signal, token, abort }) => {
    abort();
    same(signal.reason, signal.reason, 'reason twice');
    same((signal.reason as { reason?: unknown }).reason, token.reason, 'the reason in the reason');
    same(
      thrownBy(() => token.throwIfCancelled()),
      signal.reason,
      'what the token throws',
    );
  },
  'throwIfAborted throws the reason, and nothing before': ({ signal, abort }) => {
    signal.throwIfAborted();
    abort();
    same(
      thrownBy(() => signal.throwIfAborted()),
      signal.reason,
      'what is thrown',
    );
  },
  'the event fires synchronously, once, and never again': ({ signal, token, abort }) => {
    let [listener, handler] = [0, 0];
    signal.addEventListener('abort', () => void listener++);
    signal.onabort = () => void handler++;
    abort();
    same(listener, 1, 'listener calls');
    same(handler, 1, 'onabort calls');
    abort();
    same(listener, 1, 'listener calls after a second cancel');
    same(handler, 1, 'onabort calls after a second cancel');
    signal.addEventListener('abort', () => void listener++);
    same(listener, 1, 'calls of a late listener');
    same(token.signal, signal, 'the signal afterwards');
  },
  'the event is a trusted abort event of that signal': ({ signal, abort }) => {
    let seen: Event | undefined;
    signal.addEventListener('abort', (event) => (seen = event));
    abort();
    same(seen?.type, 'abort', 'type');
    same(seen?.target, signal, 'target');
    same(seen?.bubbles, false, 'bubbles');
    same(seen?.isTrusted, true, 'isTrusted');
  },
  'inside the event the signal and its token are aborted': ({ signal, token, abort }) => {
    const seen: unknown[] = [];
    signal.addEventListener('abort', () => seen.push(signal.aborted, token.isCancelled, signal.reason !== undefined));
    abort();
    same(seen.join(), 'true,true,true', 'seen inside');
  },
  'the signal is the same object before and after': ({ signal, token, abort }) => {
    same(token.signal, signal, 'before');
    abort();
    same(token.signal, signal, 'after');
  },
  'a removed listener does not run, a once listener runs once': ({ signal, abort }) => {
    let [removed, once] = [0, 0];
    const listener = (): void => void removed++;
    signal.addEventListener('abort', listener);
    signal.removeEventListener('abort', listener);
    signal.addEventListener('abort', () => void once++, { once: true });
    abort();
    same(removed, 0, 'removed');
    same(once, 1, 'once');
  },
  'is a real AbortSignal': ({ signal }) => {
    same(signal instanceof AbortSignal, true, 'instanceof');
    same(Object.prototype.toString.call(signal), '[object AbortSignal]', 'toString');
    const composite = AbortSignal.any([signal]);
    same(composite.aborted, false, 'AbortSignal.any takes it');
  },
};

const ofAny: Readonly<Record<string, (subject: Subject) => void>> = {
  'of nothing is never aborted': ({ CancellationToken }) => {
    same(CancellationToken.any().signal.aborted, false, 'aborted');
  },
  'follows a single signal': ({ CancellationToken }) => {
    const controller = new AbortController();
    const { signal } = CancellationToken.any(controller.signal).child().token;
    let fired = 0;
    signal.onabort = (event) => {
      same(event.target, signal, 'target');
      fired++;
    };
    controller.abort('reason string');
    same(fired, 1, 'events');
    same((signal.reason as Error).message, 'reason string', 'message');
  },
  'follows each of several signals': ({ CancellationToken }) => {
    for (let i = 0; i < 3; i++) {
      const controllers = [0, 1, 2].map(() => new AbortController());
      const { signal } = CancellationToken.any(...controllers.map((controller) => controller.signal));
      let fired = 0;
      signal.onabort = () => void fired++;
      controllers[i]?.abort();
      same(fired, 1, 'events');
      same((signal.reason as Error).name, 'AbortError', 'name');
      for (const controller of controllers) controller.abort();
      same(fired, 1, 'events after the others');
    }
  },
  'is aborted at birth if one of its inputs is, with the first reason': ({ CancellationToken }) => {
    const controllers = [0, 1, 2].map(() => new AbortController());
    controllers[1]?.abort('reason 1');
    controllers[2]?.abort('reason 2');
    const token = CancellationToken.any(...controllers.map((controller) => controller.signal));
    same(token.signal.aborted, true, 'aborted');
    same(token.reason?.message, 'reason 1', 'message');
  },
  'takes the same signal more than once': ({ CancellationToken, CancellationTokenSource }) => {
    const source = new CancellationTokenSource();
    const { signal } = CancellationToken.any(source.signal, source.token, source.signal).child().token;
    same(signal.aborted, false, 'before');
    source.cancel();
    same(signal.aborted, true, 'after');
  },
  composes: ({ CancellationToken, CancellationTokenSource }) => {
    for (let i = 0; i < 3; i++) {
      const sources = [0, 1, 2].map(() => new CancellationTokenSource());
      const inner = CancellationToken.any(sources[0]?.token, sources[1]?.token);
      const { signal } = CancellationToken.any(inner, sources[2]?.token);
      let fired = 0;
      signal.onabort = () => void fired++;
      sources[i]?.cancel('user');
      same(fired, 1, 'events');
      same(signal.reason, sources[i]?.signal.reason, 'reason');
    }
  },
  'works through intermediate signals': ({ CancellationToken, CancellationTokenSource }) => {
    const source = new CancellationTokenSource();
    let combined = CancellationToken.any(source.token, new CancellationTokenSource().token);
    for (let i = 0; i < 3; i++) combined = CancellationToken.any(combined, new CancellationTokenSource().token);
    let fired = 0;
    combined.signal.onabort = () => void fired++;
    source.cancel('user');
    same(fired, 1, 'events');
    same(combined.reason, source.reason, 'reason');
  },
  'tells the source before its dependents, and dependents in link order': ({
    CancellationToken,
    CancellationTokenSource,
  }) => {
    const source = new CancellationTokenSource();
    const other = (): Token => new CancellationTokenSource().token;
    const tokens = [source.token, CancellationToken.any(source.token, other())];
    tokens.push(CancellationToken.any(source.token, other()));
    // These two name a dependent, and hang on the source all the same.
    tokens.push(CancellationToken.any(tokens[1], other()));
    tokens.push(CancellationToken.any(tokens[2], other()));
    let result = '';
    tokens.forEach((token, i) => token.signal.addEventListener('abort', () => (result += String(i))));
    source.cancel();
    same(result, '01234', 'order');
  },
  'keeps the order of native dependents of a foreign signal': ({ CancellationToken, CancellationTokenSource }) => {
    const controller = new AbortController();
    const tokens = [0, 1, 2, 3].map(() =>
      CancellationToken.any(controller.signal, new CancellationTokenSource().token),
    );
    let result = '';
    tokens.forEach((token, i) => token.signal.addEventListener('abort', () => (result += String(i))));
    controller.abort();
    same(result, '0123', 'order');
  },
  'marks dependents before the first event fires': ({ CancellationToken, CancellationTokenSource }) => {
    const source = new CancellationTokenSource();
    const other = (): Token => new CancellationTokenSource().token;
    const first = CancellationToken.any(source.token, other());
    const second = CancellationToken.any(first, other());
    // Their native signals exist, and are told in their turn: only their tokens are asked here.
    let fired = first.signal.aborted || second.signal.aborted;
    source.signal.addEventListener('abort', () => {
      const third = CancellationToken.any(second, other());
      same(source.signal.aborted, true, 'source');
      for (const token of [first, second, third]) same(token.isCancelled, true, 'dependent token');
      same(third.signal.aborted, true, 'a signal made inside');
      fired = true;
    });
    source.cancel();
    same(fired, true, 'fired');
    for (const token of [first, second]) same(token.signal.aborted, true, 'dependent signal afterwards');
  },
  'is aborted once by reentrant aborts, with the first reason': ({ CancellationToken, CancellationTokenSource }) => {
    const [one, two] = [new CancellationTokenSource(), new CancellationTokenSource()];
    const token = CancellationToken.any(one.token, two.token);
    let count = 0;
    one.signal.addEventListener('abort', () => void two.cancel('reason 2'));
    token.signal.addEventListener('abort', () => void count++);
    one.cancel('reason 1');
    same(count, 1, 'events');
    same(token.reason?.message, 'reason 1', 'message');
  },
  'shares the reason object with an already aborted source': ({ CancellationToken, CancellationTokenSource }) => {
    const source = new CancellationTokenSource();
    source.cancel();
    const { signal } = CancellationToken.any(source.token, new CancellationTokenSource().token);
    same(signal.reason, source.signal.reason, 'reason');
  },
  'shares the reason object with a source aborted later': ({ CancellationToken, CancellationTokenSource }) => {
    const source = new CancellationTokenSource();
    const { signal } = CancellationToken.any(source.token, new CancellationTokenSource().token);
    source.cancel();
    same(signal.reason, source.signal.reason, 'reason');
  },
};

/** Cases that take their time from the host. */
const timed: readonly PlatformCase[] = [
  {
    name: 'any works with AbortSignal.timeout, and calls it a deadline',
    run: ({ CancellationToken, CancellationTokenSource }) =>
      new Promise<void>((resolve, reject) => {
        const { token } = new CancellationTokenSource();
        const composite = CancellationToken.any(token, AbortSignal.timeout(5));
        const giveUp = setTimeout(() => reject(new Error('no event within 5 s')), 5_000);
        composite.signal.onabort = () => {
          clearTimeout(giveUp);
          try {
            same(composite.signal.aborted, true, 'aborted');
            same(composite.reason?.kind, 'deadline', 'kind');
            resolve();
          } catch (error) {
            reject(error);
          }
        };
      }),
  },
  {
    name: 'CancellationToken.timeout aborts its signal',
    run: ({ CancellationToken }) =>
      new Promise<void>((resolve, reject) => {
        const token = CancellationToken.timeout(5);
        const giveUp = setTimeout(() => reject(new Error('no event within 5 s')), 5_000);
        token.signal.addEventListener('abort', () => {
          clearTimeout(giveUp);
          if (token.reason?.kind === 'deadline') resolve();
          else reject(new Error(`kind ${String(token.reason?.kind)}`));
        });
      }),
  },
  {
    name: 'fetch with a cancelled signal rejects with the reason',
    run: async ({ CancellationTokenSource }) => {
      const source: Source = new CancellationTokenSource();
      source.cancel('user');
      const error: unknown = await fetch('http://127.0.0.1:9/', { signal: source.signal }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      same(error, source.signal.reason, 'rejection');
    },
  },
];

/** Every case, in the order in which they are best read. */
export const platformCases: readonly PlatformCase[] = [
  ...Object.entries(origins).flatMap(([origin, make]) =>
    Object.entries(ofEachOrigin).map(([name, run]) => ({
      name: `${origin}: ${name}`,
      run: (subject: Subject) => run(make(subject)),
    })),
  ),
  ...Object.entries(ofAny).map(([name, run]) => ({ name: `any ${name}`, run })),
  ...timed,
];
