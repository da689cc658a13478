/**
 * What the compiler says of the combinators: results are inferred, outcomes narrow, nonsense is refused.
 */
import {
  checkpoint,
  delay,
  moveOnAfter,
  pollUntil,
  raceCancellation,
  retry,
  runUntilCancelled,
  scope,
  shield,
  withCancellation,
  yieldCheckpoint,
  type CancelContext,
  type CancelReason,
  type CancellationToken,
  type LateOutcome,
  type Outcome,
  type ScopeContext,
  type TokenLike,
  type WithCancellationOptions,
} from 'desist';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only if the types are the same. */
function same<A, B>(_answer: Same<A, B>): void {}

declare const token: CancellationToken;
declare const signal: AbortSignal;
declare const maybe: TokenLike | null | undefined;

// The first parameter takes a token, a signal or nothing.
for (const first of [token, signal, null, undefined, maybe]) {
  void withCancellation(first, () => 1);
  void raceCancellation(first, 1);
  void delay(first, 1);
  void retry(first, () => 1);
  void scope(first, () => 1);
  void shield(first, () => 1, { graceMs: 1 });
  void moveOnAfter(first, 1, () => 1);
  void pollUntil(first, () => true);
  void yieldCheckpoint(first);
  checkpoint(first);
}
// @ts-expect-error -- an AbortController is not a token
void withCancellation(new AbortController(), () => 1);
// @ts-expect-error -- nor is a string
checkpoint('token');

// The result is inferred from the work, and unwrapped once.
const sync = withCancellation(token, () => 7);
same<typeof sync, Promise<number>>(true);
const async = withCancellation(token, async ({ signal: own }) => fetch('https://example.com', { signal: own }));
same<typeof async, Promise<Response>>(true);
const never = withCancellation(token, () => {
  throw new Error('no');
});
same<typeof never, Promise<never>>(true);
const asData = runUntilCancelled(token, async () => 'text');
same<typeof asData, Promise<Outcome<string>>>(true);
const raced = raceCancellation(token, Promise.resolve(7));
same<typeof raced, Promise<number>>(true);
const plain = raceCancellation(token, 'text' as string);
same<typeof plain, Promise<string>>(true);
const moved = moveOnAfter(token, 5, async () => 7);
same<typeof moved, Promise<Outcome<number>>>(true);
const shielded = shield(token, async (grace) => grace.isCancelled, { graceMs: 5 });
same<typeof shielded, Promise<boolean>>(true);
const retried = retry(token, async (context, attempt) => [context.signal, attempt] as const);
same<typeof retried, Promise<readonly [AbortSignal, number]>>(true);
same<ReturnType<typeof delay>, Promise<void>>(true);
same<ReturnType<typeof yieldCheckpoint>, Promise<void>>(true);
same<ReturnType<typeof checkpoint>, void>(true);

// A poll returns the answer without what means "not yet".
const polled = pollUntil(token, (): string | false | null | undefined => 'ready');
same<typeof polled, Promise<string>>(true);
const polledAsync = pollUntil(token, async (own) => (own.isCancelled ? null : { id: 1 }));
same<typeof polledAsync, Promise<{ id: number }>>(true);

// An outcome narrows by its status.
export function describe(outcome: Outcome<number>): string {
  switch (outcome.status) {
    case 'completed':
      return outcome.value.toFixed();
    case 'failed':
      return String(outcome.error);
    case 'cancelled':
      same<typeof outcome.reason, CancelReason>(true);
      return outcome.reason.kind;
    case 'abandoned':
      same<typeof outcome.late, Promise<LateOutcome<number>>>(true);
      return outcome.name;
  }
}
// @ts-expect-error -- no value before the status is known
void ((outcome: Outcome<number>) => outcome.value);
same<LateOutcome<number>['status'], 'completed' | 'failed' | 'cancelled'>(true);

// The context.
export function use({
  token: own,
  signal: ownSignal,
  graceToken,
  checkpoint: check,
  progress,
  commit,
}: CancelContext): void {
  same<typeof own, CancellationToken>(true);
  same<typeof ownSignal, AbortSignal>(true);
  same<typeof graceToken, CancellationToken>(true);
  same<ReturnType<typeof check>, void>(true);
  same<ReturnType<typeof progress>, void>(true);
  const saved = commit(async () => 7);
  same<typeof saved, Promise<number>>(true);
  const alsoSaved = commit(() => 'text' as string);
  same<typeof alsoSaved, Promise<string>>(true);
  // @ts-expect-error -- a context is handed out, not changed
  own.isCancelled = true;
}
void scope(token, async ({ fork, defer, cancel, token: own, signal: ownSignal }: ScopeContext) => {
  const forked = fork(async ({ progress }) => progress(), { name: 'one' });
  same<typeof forked, Promise<void>>(true);
  defer(async (grace) => grace.throwIfCancelled());
  cancel('user');
  cancel({ kind: 'superseded' });
  return [own, ownSignal] as const;
});

// Every option may be there, undefined, or missing; nothing else may.
const all: WithCancellationOptions<number> = {
  settle: undefined,
  graceMs: undefined,
  timeoutMs: undefined,
  idleMs: undefined,
  name: undefined,
  onLateSettle: undefined,
  clock: undefined,
};
void withCancellation(token, () => 7, all);
void withCancellation(token, () => 7, {});
void withCancellation(token, () => 7, { onLateSettle: (outcome) => same<typeof outcome, LateOutcome<number>>(true) });
same<NonNullable<WithCancellationOptions['settle']>, 'abandon' | 'try' | 'wait'>(true);
// @ts-expect-error -- no such policy
void withCancellation(token, () => 7, { settle: 'later' });
// @ts-expect-error -- no such option
void withCancellation(token, () => 7, { timeout: 5 });
// @ts-expect-error -- the grace of a shield has no default
void shield(token, () => 7, {});
// @ts-expect-error -- nor can it be left out
void shield(token, () => 7);
// @ts-expect-error -- milliseconds are a number
void delay(token, '5');
// A token in the place of options would be as silent as none.
// @ts-expect-error -- no options
void withCancellation(null, () => 1, token);
// @ts-expect-error -- no options
void runUntilCancelled(null, () => 1, token);
// @ts-expect-error -- no options
void moveOnAfter(null, 1, () => 1, token);
// @ts-expect-error -- no options
void scope(null, () => 1, token);
// @ts-expect-error -- no options
void scope(null, ({ fork }) => fork(() => 1, token));
