/** What the compiler promises of foundation and token; `tsc -p test/types` is the test. */
import {
  CancellationToken,
  CancellationTokenSource,
  CancelledError,
  DeadlineExceededError,
  classify,
  type isCancellation,
  type CancelGuard,
  type CancelKind,
  type CancelReason,
  type CancelReasonInit,
  type CancellationTokenSourceOptions,
  type Classification,
  type Clock,
  type Registration,
  type TokenLike,
} from 'desist';

/** Exactly the same type, both ways. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** `expectSame<A, B>(true)` compiles only if they are. */
function expectSame<A, B>(same: Same<A, B>, _a?: A, _b?: B): void {
  void same;
}

// Kinds are the package's own, or have a colon in them; reasons are read-only.
expectSame<
  CancelKind,
  | 'user'
  | 'interjection'
  | 'superseded'
  | 'deadline'
  | 'idle'
  | 'budget'
  | 'sibling'
  | 'disconnect'
  | 'shutdown'
  | 'lease-lost'
  | 'ended'
  | 'unknown'
  | `${string}:${string}`
>(true);
declare const reason: CancelReason;
expectSame<typeof reason.source, string | undefined>(true);
expectSame<typeof reason.cause, unknown>(true);
// @ts-expect-error -- a reason does not change
reason.kind = 'user';
// @ts-expect-error -- there is no such kind
new CancelledError({ kind: 'aborted' });
new CancelledError({
  kind: undefined,
  message: undefined,
  by: undefined,
  source: undefined,
  at: undefined,
  cause: undefined,
});

// Errors.
const error = new CancelledError('user');
expectSame<typeof error.code, 'ABORT_ERR'>(true);
expectSame<typeof error.reason, CancelReason>(true);
expectSame<typeof error.completed, { readonly value: unknown } | undefined>(true);
expectSame<DeadlineExceededError['limitMs'], number>(true);
// @ts-expect-error -- a limit is a number
new DeadlineExceededError('5');
const caught: unknown = error;
if (caught instanceof CancelledError) expectSame<typeof caught, CancelledError>(true);

// Classification takes tokens and signals.
const _verdict: Classification = classify(caught, CancellationToken.none);
classify(caught, new AbortController().signal);
classify(caught, undefined);
expectSame<typeof _verdict.status, 'cancelled' | 'deadline' | 'foreign-abort' | 'failure'>(true);
expectSame<typeof _verdict.retryable, boolean | undefined>(true);
expectSame<ReturnType<typeof isCancellation>, boolean>(true);

// Every option may be undefined, in a variable as well.
const options: CancellationTokenSourceOptions = {
  name: undefined,
  parent: undefined,
  timeoutMs: undefined,
  deadlineAt: undefined,
  clock: undefined,
  captureStack: undefined,
  onCallbackError: undefined,
};
const source: CancellationTokenSource = new CancellationTokenSource(options);
new CancellationTokenSource({ parent: source.token });
new CancellationTokenSource({ parent: source.signal });
new CancellationTokenSource({ parent: [source.token, source.signal] });
new CancellationTokenSource({ parent: null });
// @ts-expect-error -- a controller is not a token
new CancellationTokenSource({ parent: new AbortController() });
// @ts-expect-error -- a child's parent is the token it is made of
source.token.child({ parent: source.token });

// The write side.
expectSame<ReturnType<CancellationTokenSource['cancel']>, boolean>(true);
source.cancel();
source.cancel('user');
source.cancel({ kind: 'user', by: 'ada' } satisfies CancelReasonInit, { graceMs: undefined });
source.kill('shutdown');
source.cancelAfter(5, { kind: 'idle' });
// @ts-expect-error -- a duration is needed
source.cancelAfter();
const _dropGuard: CancelGuard = source.dropGuard();
expectSame<typeof _dropGuard.token, CancellationToken>(true);
{
  using _scope = new CancellationTokenSource();
  using _guard = source.dropGuard();
  using _registration = source.token.onCancelled(() => {});
}

// The read side cannot write.
const { token } = source;
expectSame<typeof token.reason, CancelReason | undefined>(true);
expectSame<typeof token.signal, AbortSignal>(true);
expectSame<ReturnType<typeof token.whenCancelled>, Promise<CancelReason>>(true);
expectSame<ReturnType<typeof token.child>, CancellationTokenSource>(true);
const _registration: Registration = token.onCancelled((_why) => expectSame<typeof _why, CancelReason>(true));
expectSame<ReturnType<typeof _registration.unregister>, boolean>(true);
// @ts-expect-error -- a token is no source
void token.cancel;
// @ts-expect-error -- its state is read-only
token.isCancelled = true;
// @ts-expect-error -- the class is not public
new CancellationToken();

// Statics take anything token-like, and nothing.
const likes: (TokenLike | null | undefined)[] = [token, source.signal, null, undefined];
expectSame<ReturnType<typeof CancellationToken.any>, CancellationToken>(true);
CancellationToken.any(...likes);
CancellationToken.all(...likes);
CancellationToken.from(undefined);
// @ts-expect-error -- a string is not token-like
CancellationToken.from('turn');
// @ts-expect-error -- statics are read-only
CancellationToken.none = token;

// Handles are structural: a token of another copy, which has the same members, is assignable.
type ForeignToken = Pick<CancellationToken, keyof CancellationToken>;
declare const foreign: ForeignToken;
const like: TokenLike = foreign;
void like;

// A clock is easily made.
const clock: Clock = { now: () => 0, setTimer: () => ({ release: () => {} }) };
new CancellationTokenSource({ clock });
