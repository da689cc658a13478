import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import { createReason } from '../../../../src/core/foundation/reason.ts';
import {
  CancellationToken,
  CancellationTokenSource,
  CancelledError,
  DeadlineExceededError,
  classify,
  isCancellation,
} from '../../../../src/index.ts';

/** An error as a library makes it: a class of some name, a name of its own perhaps, and what it carries. */
function thrown(className: string, message: string, fields: Readonly<Record<string, unknown>> = {}): Error {
  const made = { [className]: class extends Error {} }[className]!;
  return Object.assign(new made(message), fields);
}

/** What `using` throws when a clean-up fails after a failure. */
function suppressedError(error: unknown, suppressed: unknown): Error {
  return thrown('SuppressedError', 'An error was suppressed', { name: 'SuppressedError', error, suppressed });
}

function aggregateOfItself(): Error {
  const error = new AggregateError([]);
  error.errors.push(error);
  return error;
}

/** An error below that many others, each the cause of the one above it. */
function wrapped(error: unknown, levels: number): unknown {
  return levels === 0 ? error : wrapped(new Error('wrapped', { cause: error }), levels - 1);
}

/** What `Promise.any` rejects with where each of two is a `Promise.any` again, over the same two errors at the end. */
function anyOfAny(levels: number, one: unknown, two: unknown): unknown {
  if (levels === 0) return new AggregateError([one, two]);
  const below = anyOfAny(levels - 1, one, two);
  return new AggregateError([below, below]);
}

/** Each look at its cause finds another one. */
class Bottomless extends Error {
  override get cause(): unknown {
    return new Bottomless();
  }
}

/** What nobody can read: each look at it throws. */
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function causedByEachOther(): Error {
  const error = new Error('a', { cause: new Error('b') });
  (error.cause as Error).cause = error;
  return error;
}

function causedByItself(): Error {
  const error = new Error('loop');
  error.cause = error;
  return error;
}

const live = new CancellationTokenSource().token;
const user = CancellationToken.alreadyCancelled({ kind: 'user', by: 'ada' });
const deadline = CancellationToken.alreadyCancelled('deadline');

type Status = 'cancelled' | 'deadline' | 'foreign-abort' | 'failure';

/** Every abort: without a token and under a live one it is somebody else's, under a cancelled one it is the token's. */
const aborts: readonly (readonly [string, unknown])[] = [
  ['a DOMException AbortError', new DOMException('This operation was aborted', 'AbortError')],
  ['our own error', new CancelledError('user')],
  ['our reason itself', createReason('user')],
  ['any error named AbortError', thrown('Error', 'stop', { name: 'AbortError' })],
  ['Node: code ABORT_ERR', thrown('AbortError', 'The operation was aborted', { code: 'ABORT_ERR' })],
  [
    'Node: ABORT_ERR with our reason as its cause',
    thrown('AbortError', 'The operation was aborted', { code: 'ABORT_ERR', cause: new CancelledError('user') }),
  ],
  ['OpenAI: APIUserAbortError, named Error', thrown('APIUserAbortError', 'Request was aborted.')],
  ['Anthropic: APIUserAbortError', thrown('APIUserAbortError', 'Request was aborted.', { status: undefined })],
  ['ACP and LSP: −32800', thrown('RequestError', 'Request cancelled', { code: -32800 })],
  ['axios: ERR_CANCELED', thrown('CanceledError', 'canceled', { name: 'CanceledError', code: 'ERR_CANCELED' })],
  ['axios: __CANCEL__', { message: 'canceled', __CANCEL__: true }],
  [
    'execa: isCanceled',
    thrown('ExecaError', 'Command was canceled: sleep 5', { isCanceled: true, exitCode: undefined }),
  ],
  ['gRPC: CANCELLED', thrown('Error', '1 CANCELLED: Cancelled on client', { code: 1, details: 'Cancelled on client' })],
  ['VS Code: CancellationError', thrown('CancellationError', 'Canceled', { name: 'Canceled' })],
  ['undici: UND_ERR_ABORTED', thrown('RequestAbortedError', 'Request aborted', { code: 'UND_ERR_ABORTED' })],
  // Each mark by itself: minifiers take away the names of classes, and wrappers the codes.
  ...['AbortError', 'APIUserAbortError', 'CanceledError', 'Canceled', 'CancellationError', 'RequestAbortedError'].map(
    (name) => [`only the name ${name}`, thrown('e', 'stopped', { name })] as const,
  ),
  ...['APIUserAbortError', 'CanceledError', 'CancellationError', 'RequestAbortedError'].map(
    (made) => [`only the class ${made}`, thrown(made, 'stopped')] as const,
  ),
  ...['ABORT_ERR', 'ERR_CANCELED', 'UND_ERR_ABORTED', -32800].map(
    (code) => [`only the code ${String(code)}`, thrown('e', 'stopped', { code })] as const,
  ),
  ['another realm', runInNewContext("Object.assign(new Error('stop'), { name: 'AbortError' })")],
  ['Promise.any of aborts', new AggregateError([new DOMException('x', 'AbortError'), new CancelledError('user')])],
  ['Promise.any of an abort and a limit', new AggregateError([new CancelledError('user'), new CancelledError('idle')])],
  ['an abort on the way out of an abort', suppressedError(new CancelledError('user'), new CancelledError('user'))],
  ['an abort that a library wrapped', thrown('Error', 'Tool failed', { cause: new DOMException('x', 'AbortError') })],
  ['an abort ten levels down', wrapped(new DOMException('x', 'AbortError'), 10)],
  ['an abort nine hundred levels down', wrapped(new DOMException('x', 'AbortError'), 900)],
  [
    'Promise.any of Promise.any of aborts',
    anyOfAny(1, new CancelledError('user'), new DOMException('x', 'AbortError')),
  ],
  ['Promise.any below a hundred others', anyOfAny(100, new CancelledError('user'), new CancelledError('user'))],
  [
    'Promise.any of what libraries wrapped, of one abort',
    new AggregateError([user.reason, user.reason].map((cause) => wrapped(new CancelledError(cause), 3))),
  ],
  ['Promise.any below a library that wraps', wrapped(anyOfAny(1, new CancelledError('user'), new CancelledError()), 3)],
];

describe('an abort', () => {
  it.each(aborts)('%s, without a token, is somebody’s', (_title, error) => {
    expect(classify(error)).toMatchObject({ status: 'foreign-abort', retryable: false });
    expect(isCancellation(error)).toBe(true);
  });

  it.each(aborts)('%s, under a live token, is somebody else’s', (_title, error) => {
    expect(classify(error, live)).toMatchObject({ status: 'foreign-abort', retryable: false });
    expect(isCancellation(error, live)).toBe(false);
  });

  it.each(aborts)('%s, under a cancelled token, is the token’s, with its reason', (_title, error) => {
    expect(classify(error, user)).toEqual({ status: 'cancelled', reason: user.reason, retryable: false });
    expect(classify(error, user).reason).toBe(user.reason);
    expect(isCancellation(error, user)).toBe(true);
  });

  it.each(aborts)('%s, under a token whose limit passed, is that limit', (_title, error) => {
    expect(classify(error, deadline)).toEqual({ status: 'deadline', reason: deadline.reason, retryable: false });
    expect(isCancellation(error, deadline)).toBe(true);
  });
});

/** Shapes that an abort produces and other things too: cancelled only if the token is. */
const ambiguous: readonly (readonly [string, unknown])[] = [
  ['undici: terminated', new TypeError('terminated')],
  ['LangChain 0: Aborted', new Error('Aborted')],
  ['LangGraph: Abort', new Error('Abort')],
  ['LangChain: ModelAbortError', thrown('e', 'Model invocation was aborted.', { name: 'ModelAbortError' })],
  ['LangChain’s OpenAI models: AbortError as a message', new Error('AbortError')],
  ['Next.js: ResponseAborted', thrown('ResponseAborted', 'The response was aborted')],
  ['got: CancelError', thrown('e', 'Promise was canceled', { name: 'CancelError' })],
  ['the platform’s words in a plain error', new Error('This operation was aborted')],
  ['fetch failed', new TypeError('fetch failed')],
  [
    'fetch failed, as the other side closed',
    new TypeError('fetch failed', { cause: thrown('SocketError', 'other side closed', { code: 'UND_ERR_SOCKET' }) }),
  ],
  ['p-retry: a reason that is no error', new TypeError('Non-error was thrown: "null". You should only throw errors.')],
  ['axios in a browser: ECONNABORTED', thrown('AxiosError', 'Request aborted', { code: 'ECONNABORTED' })],
  ['MCP v1: −32001', thrown('McpError', 'MCP error -32001: Request timed out', { code: -32001 })],
  ['MCP v2: REQUEST_TIMEOUT', thrown('SdkError', 'Request timed out', { code: 'REQUEST_TIMEOUT' })],
  ...['UND_ERR_SOCKET', 'ECONNRESET', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE', 'REQUEST_TIMEOUT', -32001].map(
    (code) => [`only the code ${String(code)}`, thrown('e', 'gone', { code })] as const,
  ),
  ...['network error', 'Request was aborted.', 'Premature close', 'socket hang up', 'Connection error.', 'aborted'].map(
    (message) => [`only the words ${message}`, new Error(message)] as const,
  ),
  ['abort(null)', null],
  ['abort of nothing, as some libraries pass it on', undefined],
];

describe('an ambiguous shape', () => {
  it.each(ambiguous)('%s is a failure without a token and under a live one', (_title, error) => {
    for (const token of [undefined, live]) {
      expect(classify(error, token)).toEqual({ status: 'failure', retryable: undefined });
      expect(isCancellation(error, token)).toBe(false);
    }
  });

  it.each(ambiguous)('%s is cancelled if the token is', (_title, error) => {
    expect(classify(error, user)).toEqual({ status: 'cancelled', reason: user.reason, retryable: false });
    expect(classify(error, deadline)).toMatchObject({ status: 'deadline', retryable: false });
  });
});

/** Genuine failures: that a cancel came at the same time does not make them one. */
const failures: readonly (readonly [string, unknown])[] = [
  ['an error', new Error('disk full')],
  ['a type error', new TypeError("Cannot read properties of undefined (reading 'x')")],
  ['a provider error', thrown('RateLimitError', '429 slow down', { status: 429 })],
  ['a server error', thrown('InternalServerError', '500 oops', { status: 500, code: null })],
  ['a system error', thrown('Error', 'ENOENT: no such file', { code: 'ENOENT', errno: -2 })],
  [
    'an exit code of 1, which is no gRPC status',
    thrown('ExecaError', 'Command failed', { code: 1, isCanceled: false }),
  ],
  [
    'a refused connection, however it is wrapped',
    thrown('APIConnectionError', 'Connection error.', {
      cause: new TypeError('fetch failed', { cause: thrown('Error', 'connect', { code: 'ECONNREFUSED' }) }),
    }),
  ],
  ['an MCP error of another code', thrown('McpError', 'MCP error -32602: Invalid params', { code: -32602 })],
  ['an error whose cause is one', new Error('a', { cause: new Error('b', { cause: 'not an object' }) })],
  ['an error that is its own cause', causedByItself()],
  ['two errors that are each other’s cause', causedByEachOther()],
  ['an error whose causes have no end', new Bottomless()],
  [
    'Promise.any of an abort and of causes without an end',
    new AggregateError([new CancelledError(), new Bottomless()]),
  ],
  ['Promise.any of an abort and a failure, deep down', anyOfAny(3, new CancelledError('user'), new Error('disk full'))],
  [
    'Promise.any of an abort and an error that is its own cause',
    new AggregateError([new CancelledError(), causedByItself()]),
  ],
  ['a message that only mentions an abort', new Error('the user aborted the payment')],
  ['a plain object', { kind: 'user', message: 'looks like a reason', at: 1 }],
  ['an object without a prototype', Object.create(null)],
  ['Promise.any of an abort and a failure', new AggregateError([new CancelledError('user'), new Error('disk full')])],
  ['Promise.any of nothing', new AggregateError([])],
  ['an aggregate of itself', aggregateOfItself()],
  [
    'a clean-up that failed on the way out of an abort',
    suppressedError(new Error('disk full'), new CancelledError('user')),
  ],
  ['a failure whose clean-up was aborted', suppressedError(new CancelledError('user'), new Error('disk full'))],
  ['what cannot be read', revoked()],
  ['an error whose cause cannot be read', new Error('a', { cause: revoked() })],
  [
    'an error that throws when it is looked at',
    {
      get name(): string {
        throw new Error('from a getter');
      },
    },
  ],
];

describe('a genuine failure', () => {
  it.each(failures)('%s stays one, also when it raced the cancel', (_title, error) => {
    for (const token of [undefined, live, user, deadline]) {
      const retryable = token?.isCancelled === true ? false : undefined;
      expect(classify(error, token)).toEqual({ status: 'failure', retryable });
      expect(isCancellation(error, token)).toBe(false);
    }
  });
});

describe('a limit', () => {
  const own = new DeadlineExceededError(5);
  const timeouts: readonly (readonly [string, unknown])[] = [
    ['a foreign TimeoutError', new DOMException('The operation was aborted due to timeout', 'TimeoutError')],
    ['our DeadlineExceededError', own],
    ['our error of kind deadline', new CancelledError('deadline')],
    ['our error of kind idle', new CancelledError('idle')],
    ['a reason of kind idle', createReason('idle')],
    ['Promise.any of limits', new AggregateError([own, new DOMException('x', 'TimeoutError')])],
    ['an SDK’s APIConnectionTimeoutError', thrown('APIConnectionTimeoutError', 'Request timed out.')],
    ['undici’s HeadersTimeoutError', new TypeError('fetch failed', { cause: thrown('HeadersTimeoutError', 'late') })],
    ['MCP: −32001 with the limit', thrown('McpError', 'Request timed out', { code: -32001, data: { timeout: 20 } })],
    ['gRPC: DEADLINE_EXCEEDED', thrown('Error', '4 DEADLINE_EXCEEDED', { code: 4, details: 'Deadline exceeded' })],
    ...[
      'TimeoutError',
      'APIConnectionTimeoutError',
      'HeadersTimeoutError',
      'BodyTimeoutError',
      'ConnectTimeoutError',
    ].map((name) => [`only the name ${name}`, thrown('e', 'late', { name })] as const),
    ['execa: timedOut', thrown('ExecaError', 'Command timed out', { timedOut: true, isCanceled: false })],
    ['axios: timeout', thrown('AxiosError', 'timeout of 20ms exceeded', { code: 'ECONNABORTED' })],
    [
      'Node: ABORT_ERR whose cause is a TimeoutError',
      thrown('AbortError', 'The operation was aborted', {
        name: 'AbortError',
        code: 'ABORT_ERR',
        cause: new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
      }),
    ],
  ];

  it.each(timeouts)('%s is a deadline without a token and under a live one, and may be retried', (_title, error) => {
    for (const token of [undefined, live]) {
      expect(classify(error, token)).toMatchObject({ status: 'deadline', retryable: true });
      expect(isCancellation(error, token)).toBe(true);
    }
  });

  it('a limit carries its reason where it has one', () => {
    expect(classify(own).reason).toBe(own.reason);
    expect('reason' in classify(new DOMException('x', 'TimeoutError'))).toBe(false);
  });

  it('a limit is the token’s where that is a limit too', () => {
    expect(classify(new DOMException('x', 'TimeoutError'), deadline)).toEqual({
      status: 'deadline',
      reason: deadline.reason,
      retryable: false,
    });
  });

  it('a limit of somebody else stays a limit in a run that a person stopped', () => {
    expect(classify(new DOMException('x', 'TimeoutError'), user)).toMatchObject({
      status: 'deadline',
      retryable: false,
    });
    expect(classify(own, user).reason).toBe(own.reason);
  });

  it.each(['deadline', 'idle'] as const)('a limit of kind %s is one of only two that may be retried', (kind) => {
    const error = new CancelledError(kind);
    for (const token of [undefined, live])
      expect(classify(error, token)).toMatchObject({ status: 'deadline', retryable: true });
  });

  it.each(['deadline', 'idle'] as const)('a limit of kind %s on the token itself ends every retry under it', (kind) => {
    const token = CancellationToken.alreadyCancelled(kind);
    expect(classify(new DOMException('x', 'AbortError'), token)).toMatchObject({
      status: 'deadline',
      retryable: false,
    });
    expect(classify(new DOMException('x', 'TimeoutError'), token).retryable).toBe(false);
  });

  it.each([
    'user',
    'interjection',
    'superseded',
    'budget',
    'sibling',
    'disconnect',
    'shutdown',
    'lease-lost',
    'unknown',
  ])('a limit is not what kind %s is', (kind) => {
    const token = CancellationToken.alreadyCancelled(kind);
    const expected: { status: Status; retryable: boolean } = { status: 'cancelled', retryable: false };
    expect(classify(new DOMException('x', 'AbortError'), token)).toMatchObject(expected);
  });
});

describe('the reason', () => {
  it('the reason is found in the error where no token gives one', () => {
    const error = new CancelledError({ kind: 'user', by: 'ada' });
    expect(classify(error).reason).toBe(error.reason);
    expect(classify(new Error('wrapped', { cause: error })).reason).toBe(error.reason);
    expect(classify(thrown('APIUserAbortError', 'Request was aborted.', { cause: error })).reason).toBe(error.reason);
    expect('reason' in classify(new DOMException('x', 'AbortError'))).toBe(false);
  });

  it('the reason decides of our own error, not what led to it', () => {
    const error = new CancelledError({ kind: 'user', cause: new DOMException('x', 'TimeoutError') });
    expect(classify(error)).toEqual({ status: 'foreign-abort', reason: error.reason, retryable: false });
    expect(classify(error, user)).toMatchObject({ status: 'cancelled', retryable: false });
  });

  it('the reason of several errors is that of the first', () => {
    const [one, two] = [new CancelledError('user'), new CancelledError('budget')];
    expect(classify(new AggregateError([one, two])).reason).toBe(one.reason);
  });

  it('the reason is the token’s, whatever the error carries', () => {
    expect(classify(new CancelledError('budget'), user).reason).toBe(user.reason);
  });
});

describe('an AbortSignal in place of a token', () => {
  function aborted(reason?: unknown): AbortSignal {
    const controller = new AbortController();
    controller.abort(reason);
    return controller.signal;
  }

  it.each<[string, AbortSignal]>([
    ['abort()', aborted()],
    ['abort(null)', aborted(null)],
    ['abort of a string', aborted('stop pressed')],
    ['abort of our error', aborted(new CancelledError('budget'))],
    ['abort of an error', aborted(new Error('the socket closed'))],
    ['a timeout', aborted(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))],
    ['a live signal', new AbortController().signal],
    ['a signal of ours', user.signal],
  ])('an AbortSignal in place of a token says the same as the token made of it: %s', (_title, signal) => {
    for (const error of [new DOMException('x', 'AbortError'), new Error('disk full'), new TypeError('terminated')]) {
      const { reason: expected, ...rest } = classify(error, CancellationToken.from(signal));
      const { reason, ...same } = classify(error, signal);
      expect(same).toEqual(rest);
      expect(reason?.kind).toBe(expected?.kind);
      expect(reason?.message).toBe(expected?.message);
    }
  });

  it('an AbortSignal in place of a token recognises what the platform rejects with: the reason itself', () => {
    for (const reason of [null, 'stop pressed', new Error('any')]) {
      const signal = aborted(reason);
      expect(isCancellation(new DOMException('x', 'AbortError'), signal)).toBe(true);
    }
    expect(classify(null, aborted(null))).toMatchObject({ status: 'cancelled' });
    expect(classify('stop pressed', aborted('stop pressed'))).toMatchObject({ status: 'cancelled' });
  });
});

it.each([5, 'token', true, Symbol('t'), () => 1])('what is no token counts as none: %o', (token) => {
  for (const error of [new Error('disk full'), new CancelledError('user')]) {
    expect(classify(error, token as never)).toEqual(classify(error));
  }
});

describe('an error that is no object', () => {
  it.each(['disk full', '', 0, 42, 42n, true, Symbol('s')])(
    '%s is a failure, but for the one that was aborted with',
    (value) => {
      const theirs = new AbortController();
      theirs.abort(value);
      for (const token of [undefined, live, user, deadline]) expect(classify(value, token).status).toBe('failure');
      for (const token of [theirs.signal, CancellationToken.from(theirs.signal)]) {
        expect(classify(value, token)).toMatchObject({ status: 'cancelled', retryable: false });
        expect(classify('another', token).status).toBe('failure');
      }
    },
  );
});
