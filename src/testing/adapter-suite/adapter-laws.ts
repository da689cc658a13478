/**
 * The laws of an adapter, each one thing that a caller relies on.
 *
 * @module
 */
import {
  CancellationTokenSource,
  CancelledError,
  type CancelKind,
  type CancelReason,
  type CancellationTokenSource as Source,
  type TokenLike,
} from '../../index.ts';
import { attachedTo, listenersOf } from '../leaks/leak-check.ts';
import type { AdapterCall, AdapterHarness } from './describe-adapter.ts';

/** What a law has to work with. */
export interface AdapterStage {
  readonly harness: AdapterHarness;
  /** Long enough for what must not happen. */
  readonly quiet: () => Promise<void>;
  /** A promise, or an error that says what did not happen in time. */
  readonly within: <T>(what: string, promise: PromiseLike<T>) => Promise<T>;
  readonly until: (what: string, isSo: () => boolean | Promise<boolean>) => Promise<void>;
}

/** Resolves with the name of what its calls would need, rejects with what went wrong. */
type Law = (stage: AdapterStage) => Promise<'finish' | 'fail' | undefined>;

type Ended = { readonly value: unknown } | { readonly error: unknown };

/** A call of the harness, whose parts are what they should be. */
function startOf({ harness }: AdapterStage, token: TokenLike | undefined): AdapterCall {
  const call = harness.start(token) as Partial<AdapterCall> | null | undefined;
  for (const name of ['done', 'begun'] as const) {
    if (typeof call?.[name]?.then !== 'function') throw new TypeError(`the call has no promise ${name}`);
  }
  if (typeof call?.isRunning !== 'function') throw new TypeError('the call has no isRunning()');
  return call as AdapterCall;
}

function endOf(call: AdapterCall): Promise<Ended> {
  return Promise.resolve(call.done).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

/** What the witness says; one that says nothing is no witness. */
function runs(stage: AdapterStage, call: AdapterCall): Promise<boolean> {
  return stage.within('the witness answers', Promise.resolve(call.isRunning()));
}

/** What the call says that it was stopped by. */
function reasonOf(end: Ended, { reasonOf: read }: AdapterHarness): CancelReason {
  if ('error' in end) {
    if (end.error instanceof CancelledError) return end.error.reason;
    throw new Error(`a stopped call rejected with ${String(end.error)}`);
  }
  const reason = read?.(end.value);
  if (reason === undefined) throw new Error('a stopped call resolved as if it had not been stopped');
  return reason;
}

function require(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** A call whose work has begun; its end is being watched. */
async function begun(
  stage: AdapterStage,
  token: TokenLike | undefined,
): Promise<AdapterCall & { readonly end: Promise<Ended> }> {
  const call = startOf(stage, token);
  const end = endOf(call);
  await stage.within('the work begins', call.begun);
  await stage.until('the witness sees the work', () => runs(stage, call));
  return { ...call, end };
}

/** The call is over for the reason of the stop, and so is its work. */
async function stopped(
  stage: AdapterStage,
  call: AdapterCall & { readonly end: Promise<Ended> },
  reason: CancelReason | undefined,
): Promise<void> {
  const said = reasonOf(await stage.within('the stopped call settles', call.end), stage.harness);
  require(said.kind === reason?.kind &&
    said.message === reason.message, `stopped by ${said.kind}, not by ${String(reason?.kind)}`);
  await stage.until('the work has ended', async () => !(await runs(stage, call)));
}

/** A run of something under a source of its own, which is cancelled in any case. */
async function under<T>(run: (source: Source) => Promise<T>): Promise<T> {
  const source = new CancellationTokenSource({ name: 'session' });
  try {
    return await run(source);
  } finally {
    source.kill('the law is over');
  }
}

/** What hangs on a token without the call: the link of its signal, which a call may have asked for. */
function before(source: Source): number {
  // Asking for it is what links it.
  return source.token.signal.aborted ? 0 : attachedTo(source.token);
}

async function released(stage: AdapterStage, source: Source, before: number): Promise<void> {
  await stage.until('nothing of the call hangs on the token', () => attachedTo(source.token) === before);
}

const kinds: readonly CancelKind[] = ['user', 'deadline', 'shutdown', 'sibling', 'app:loop-detected'];

export const adapterLaws: Readonly<Record<string, Law>> = {
  'under a token that is cancelled already, nothing is started': (stage) =>
    under(async (source) => {
      source.cancel('too early');
      const call = startOf(stage, source.token);
      const end = await stage.within('the call settles', endOf(call));
      require('error' in end &&
        end.error instanceof CancelledError, 'a call under a cancelled token did not reject with its stop');
      await stage.quiet();
      require(!(await runs(stage, call)), 'the work was started under a cancelled token');
      return undefined;
    }),

  'a stop in the tick of the call reaches it, and nothing runs on': (stage) =>
    under(async (source) => {
      const call = startOf(stage, source.token);
      const end = endOf(call);
      source.cancel('at once');
      await stopped(stage, { ...call, end }, source.reason);
      await stage.quiet();
      require(!(await runs(stage, call)), 'the work began after the stop');
      return undefined;
    }),

  'a stop reaches the work, and the call says why': async (stage) => {
    for (const kind of kinds) {
      await under(async (source) => {
        const call = await begun(stage, source.token);
        source.cancel({ kind, message: `stopped for ${kind}` });
        await stopped(stage, call, source.reason);
      });
    }
    return undefined;
  },

  'a second stop and a kill change nothing of what the call says': (stage) =>
    under(async (source) => {
      const call = await begun(stage, source.token);
      source.cancel('first');
      source.cancel('second');
      source.kill('third');
      await stopped(stage, call, source.reason);
      return undefined;
    }),

  'an AbortSignal does as well as a token': async (stage) => {
    const controller = new AbortController();
    const call = await begun(stage, controller.signal);
    controller.abort();
    reasonOf(await stage.within('the stopped call settles', call.end), stage.harness);
    await stage.until('the work has ended', async () => !(await runs(stage, call)));
    return undefined;
  },

  'a call that ends leaves nothing on its token or its signal': async (stage) => {
    const controller = new AbortController();
    const both = [new CancellationTokenSource({ name: 'session' }), controller] as const;
    for (const owner of both) {
      const token = 'token' in owner ? owner.token : owner.signal;
      const attached = 'token' in owner ? before(owner) : 0;
      const call = await begun(stage, token);
      if (call.finish === undefined) {
        if ('token' in owner) owner.kill('the law is over');
        else owner.abort();
        await stage.within('the call that was stopped settles', call.end);
        return 'finish';
      }
      call.finish();
      const end = await stage.within('the call that was let end settles', call.end);
      if ('error' in end) throw new Error(`a call that was let end rejected with ${String(end.error)}`);
      require(stage.harness.reasonOf?.(end.value) ===
        undefined, 'a call that ended by itself says that it was stopped');
      if ('token' in owner) await released(stage, owner, attached);
      else await stage.until('no listener is left on the signal', () => listenersOf(owner.signal) === 0);
    }
    both[0].cancel('too late');
    both[1].abort();
    await stage.quiet();
    return undefined;
  },

  'without a token the work runs to its end': async (stage) => {
    const call = await begun(stage, undefined);
    if (call.finish === undefined) {
      if (call.fail === undefined) return 'finish';
      call.fail(new Error('the law is over'));
      await stage.within('the call that was let fail settles', call.end);
      return 'finish';
    }
    call.finish();
    const end = await stage.within('the call settles', call.end);
    if ('error' in end) throw new Error(`a call without a token rejected with ${String(end.error)}`);
    return undefined;
  },

  'a failure of the work is its own, and no stop': (stage) =>
    under(async (source) => {
      const attached = before(source);
      const call = await begun(stage, source.token);
      if (call.fail === undefined) return 'fail';
      call.fail(new Error('the disk is full'));
      const end = await stage.within('the failed call settles', call.end);
      require('error' in end && !(end.error instanceof CancelledError), 'a failure was reported as something else');
      await released(stage, source, attached);
      return undefined;
    }),

  'many calls at once end with one stop, each with its reason': (stage) =>
    under(async (source) => {
      const { atOnce = 200 } = stage.harness;
      const calls = await Promise.all(Array.from({ length: atOnce }, () => begun(stage, source.token)));
      source.cancel('everything');
      await Promise.all(calls.map((call) => stopped(stage, call, source.reason)));
      return undefined;
    }),
};
