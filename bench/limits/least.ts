/**
 * The least that each thing could cost on this machine: only what its contract cannot do without, nothing else.
 *
 * A goal that even these miss cannot be reached here, whoever writes the library; a row beside it says so. They count
 * objects, clock reads and microtasks; what they leave out is every case but the plainest.
 *
 * @module
 */

/** As many fields as a token has. */
class LeastToken {
  stamp = 1;
  flags = 0;
  parent: LeastToken | undefined = undefined;
  cancellation: unknown = undefined;
  extra: LeastExtra | undefined = undefined;
}

class LeastSource {
  readonly token: LeastToken;

  constructor(token: LeastToken) {
    this.token = token;
  }
}

/** What a token needs that somebody listens to: its listener, and what it is linked for. */
class LeastExtra {
  first: LeastListener | undefined = undefined;
  kid: LeastToken | undefined = undefined;
  watch = 0;
}

type LeastCallback = (reason: LeastReason) => void;

class LeastListener {
  node: LeastToken | undefined;
  fn: LeastCallback | undefined;

  constructor(node: LeastToken, fn: LeastCallback) {
    this.node = node;
    this.fn = fn;
  }
}

/** Who reads it must not be able to change it for the others: it is handed out frozen. */
class LeastReason {
  readonly kind: string;
  readonly message: string;
  readonly at: number;

  constructor(kind: string, message: string, at: number) {
    this.kind = kind;
    this.message = message;
    this.at = at;
  }
}

/** A limit: whose, and until when. */
class LeastAlarm {
  readonly at: number;
  readonly token: LeastToken;
  index = -1;

  constructor(at: number, token: LeastToken) {
    this.at = at;
    this.token = token;
  }
}

/** A source and its token: two objects. */
export function leastSource(): LeastSource {
  return new LeastSource(new LeastToken());
}

/** A session that children are made under; somebody else listens below it already. */
export function leastSession(): LeastToken {
  const session = new LeastToken();
  session.extra = new LeastExtra();
  return session;
}

/** A child of a session. */
export function leastChild(session: LeastToken): LeastSource {
  const source = leastSource();
  source.token.parent = session;
  return source;
}

/** The first listener of a child: one object for it, one for what the child did not need before, and a link upwards. */
export function leastListen(token: LeastToken, fn: LeastCallback): LeastListener {
  const listener = new LeastListener(token, fn);
  const extra = (token.extra ??= new LeastExtra());
  extra.first = listener;
  const above = token.parent?.extra;
  if (extra.watch++ === 0 && above !== undefined) {
    above.kid = token;
    above.watch++;
  }
  return listener;
}

/** Takes the listener of a token without a parent back. */
function leastUnlisten(listener: LeastListener): void {
  const extra = listener.node?.extra;
  if (extra === undefined) return;
  extra.first = undefined;
  extra.watch--;
  listener.node = undefined;
  listener.fn = undefined;
}

/** A cancel of a source with one listener: a clock read, a frozen reason, one call. */
export function leastCancel({ token }: LeastSource): void {
  const reason = Object.freeze(new LeastReason('user', 'User cancelled', performance.timeOrigin + performance.now()));
  token.stamp = -1;
  token.cancellation = reason;
  const first = token.extra?.first;
  if (first?.fn === undefined) return;
  const { fn } = first;
  leastUnlisten(first);
  fn(reason);
}

/** An error that names the reason and has no stack. */
function leastError(reason: LeastReason): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return new Error(reason.message, { cause: reason });
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Lets go of a child and of its listener. */
export function leastRelease({ token }: LeastSource): void {
  const { extra } = token;
  const above = token.parent?.extra;
  if (extra?.first !== undefined) {
    extra.first.node = undefined;
    extra.first.fn = undefined;
    extra.first = undefined;
    if (--extra.watch === 0 && above !== undefined) {
      above.kid = undefined;
      above.watch--;
    }
  }
  token.flags |= 2;
  token.parent = undefined;
}

const alarms: LeastAlarm[] = [];

/** Arms a limit: one clock read, one object, one entry in a list that one timer serves. */
export function leastArm(token: LeastToken, ms: number): LeastAlarm {
  const alarm = new LeastAlarm(performance.now() + ms, token);
  alarm.index = alarms.push(alarm) - 1;
  return alarm;
}

/** Disarms the limit that was armed last. */
export function leastDisarm(alarm: LeastAlarm): void {
  alarms.pop();
  alarm.index = -1;
}

/** A promise in a promise: what a race is before anybody can win it but the promise. */
export function leastRace<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    promise.then(
      (value) => resolve(value),
      (error: unknown) => reject(error),
    );
  });
}

/** The same, and somebody who listens meanwhile: what a race is. */
export function leastListenedRace<T>(token: LeastToken, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const listener = leastListen(token, (reason) => reject(leastError(reason)));
    promise.then(
      (value) => {
        leastUnlisten(listener);
        resolve(value);
      },
      (error: unknown) => {
        leastUnlisten(listener);
        reject(error);
      },
    );
  });
}

/** One tool call: a child, a clock read for its limit, a promise in a promise, and the child let go of. */
export async function leastCall<T>(session: LeastToken, tool: () => Promise<T>, ms: number): Promise<T> {
  const call = leastChild(session);
  const alarm = leastArm(call.token, ms);
  try {
    return await leastRace(tool());
  } finally {
    leastDisarm(alarm);
    leastRelease(call);
  }
}

const kept: object[] = [];
// Compiled code goes with the last instance of what it was compiled for: one of each stays.
kept.push(
  new LeastSource(new LeastToken()),
  new LeastExtra(),
  new LeastListener(new LeastToken(), () => undefined),
  Object.freeze(new LeastReason('', '', 0.5)),
  new LeastAlarm(0.5, new LeastToken()),
);
