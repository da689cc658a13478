import { describe, expect, it, vi } from 'vitest';

import {
  CancellationTokenSource,
  CancelledError,
  DeadlineExceededError,
  InterruptController,
  moveOnAfter,
  pollUntil,
  raceCancellation,
  retry,
  runUntilCancelled,
  scope,
  shield,
  withCancellation,
  yieldCheckpoint,
  type ToolContext,
} from '../../src/index.ts';
import { fromEvent } from '../../src/adapters/http-request/index.ts';
import { guardTool, guardTools } from '../../src/guard/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { describeOptions, inTurn, type Taking } from '../support/option-objects.ts';

const source = new CancellationTokenSource();
const { token } = source;
const quiet = new CancellationTokenSource({ onCallbackError: () => undefined }).token;
const agent = new InterruptController({ token: quiet });
const call = { id: 'c1', name: 'pay' };

/** The same of a tool call. */
function inTool(use: (context: ToolContext) => unknown): Promise<unknown> {
  return inTurn(async ({ tool }) => {
    const outcome = await tool(call, (_call, context) => use(context));
    if (outcome.status === 'failed') throw outcome.error;
    return outcome;
  });
}

/** Every function of the core that takes options, as its door has it; `options.test.ts` compares the keys with the types. */
const taking: Readonly<Record<string, Taking>> = {
  'new CancellationTokenSource': {
    use: (options) => new CancellationTokenSource(options),
    names: 'parent, name, timeoutMs, deadlineAt, clock, captureStack, onCallbackError',
    right: { name: 'x' },
  },
  'token.child': {
    use: (options) => token.child(options),
    names: 'name, timeoutMs, deadlineAt, clock, captureStack, onCallbackError',
    right: { name: 'x' },
  },
  withCancellation: {
    use: (options) => withCancellation(null, () => 1, options),
    names: 'settle, graceMs, timeoutMs, idleMs, name, onLateSettle, isStop, clock',
    right: { graceMs: 1 },
  },
  runUntilCancelled: {
    use: (options) => runUntilCancelled(null, () => 1, options),
    names: 'settle, graceMs, timeoutMs, idleMs, name, onLateSettle, isStop, clock',
    right: { graceMs: 1 },
  },
  raceCancellation: {
    use: (options) => raceCancellation(null, Promise.resolve(1), options),
    names: 'onLateSettle',
    right: { onLateSettle: undefined },
  },
  moveOnAfter: {
    use: (options) => moveOnAfter(null, 5, () => 1, options),
    names: 'graceMs, name',
    right: { name: 'x' },
  },
  retry: {
    use: (options) => retry(null, () => 1, options),
    names: 'attempts, backoff, retryIf',
    right: { attempts: 1 },
  },
  pollUntil: {
    use: (options) => pollUntil(null, () => true, options),
    names: 'intervalMs, timeoutMs',
    right: { intervalMs: 1 },
  },
  scope: {
    use: (options) => scope(null, () => 1, options),
    names: 'name, timeoutMs, graceMs, clock, onSuppressed',
    right: { name: 'x' },
  },
  fork: { use: (options) => scope(quiet, ({ fork }) => fork(() => 1, options)), names: 'name', right: { name: 'x' } },
  shield: { use: (options) => shield(null, () => 1, options), names: 'graceMs', right: { graceMs: 1 } },
  yieldCheckpoint: { use: (options) => yieldCheckpoint(null, options), names: 'everyMs', right: { everyMs: 8 } },
  commit: {
    use: (options) => withCancellation(null, ({ commit }) => commit(() => 1, options)),
    names: 'limitMs',
    right: { limitMs: 5 },
  },
  'new CancelledError': {
    use: (options) => new CancelledError('user', options),
    names: 'completed, abandoned, captureStack',
    right: { captureStack: true },
  },
  'new DeadlineExceededError': {
    use: (options) => new DeadlineExceededError(5, {}, options),
    names: 'completed, abandoned, captureStack',
    right: { completed: undefined },
  },
  'new InterruptController': {
    use: (options) => new InterruptController(options),
    names: 'name, token, undelivered, graceMs, clock',
    right: { name: 'x' },
  },
  'agent.child': {
    use: (options) => agent.child('kid', options),
    names: 'detached, onChildInterrupted, onParentInterject',
    right: { detached: true },
  },
  'agent.runTurn': {
    use: (options) => agent.runTurn(() => 1, options),
    names: 'ticket, token, whenBusy, budget, isAutomatic',
    right: { whenBusy: 'queue' },
  },
  'agent.interject': {
    use: (options) => agent.interject('wait', options),
    names: 'delivery',
    right: { delivery: 'now' },
  },
  'agent.background': {
    use: (options) => agent.background('build', () => 1, options),
    names: 'graceMs, timeoutMs',
    right: { graceMs: 1 },
  },
  'agent.onEvent': {
    use: (options) => agent.onEvent(() => undefined, options).unregister(),
    names: 'operations',
    right: { operations: true },
  },
  'turn.model': {
    use: (options) => inTurn(({ model }) => model(() => 1, options)),
    names: 'name, idleMs, timeoutMs, recover, graceMs, token, aside, isStop',
    right: { name: 'x' },
  },
  'turn.tool': {
    use: (options) => inTurn(({ tool }) => tool(call, () => 1, options)),
    names: 'identify, timeoutMs, graceMs, token, onInterject, canDetach, aside, isStop, mode',
    right: { graceMs: 1 },
  },
  'turn.tools': {
    use: (options) => inTurn(({ tools }) => tools([call], () => 1, options)),
    names: 'identify, timeoutMs, graceMs, token, onInterject, canDetach, aside, isStop, mode',
    right: { mode: 'sequential' },
  },
  'turn.step': {
    use: (options) => inTurn(({ step }) => step('check', () => 1, options)),
    names: 'id, timeoutMs, graceMs, token, isStop',
    right: { graceMs: 1 },
  },
  'context.ask': {
    use: (options) => inTool(({ ask }) => ask((respond) => respond('yes'), options)),
    names: 'timeoutMs',
    right: { timeoutMs: 5 },
  },
  'context.subagent': {
    use: (options) => inTool(({ subagent }) => subagent('kid', options)),
    names: 'detached, onChildInterrupted, onParentInterject',
    right: { detached: true },
  },
  guardTool: {
    use: (options) => guardTool({ execute: () => 1 }, options),
    names: 'turn, graceMs, onInterject, aside, identify, dialect, toResult',
    right: { graceMs: 1 },
  },
  guardTools: {
    use: (options) => guardTools({ pay: () => 1 }, options),
    names: 'turn, graceMs, onInterject, aside, identify, dialect, toResult',
    right: { graceMs: 1 },
  },
  'new SessionRegistry': {
    use: (options) => new SessionRegistry(options),
    names: 'bus, clock, pendingMs',
    right: { pendingMs: 5 },
  },
  'registry.open': {
    use: (options) => new SessionRegistry().open('chat', options),
    names: 'again, groups, name, token, undelivered, graceMs, clock',
    right: { name: 'x' },
  },
  'registry.cancel': {
    use: (options) => new SessionRegistry().cancel('chat', 'user', options),
    names: 'turnId, wait, level, epoch, timeoutMs',
    right: { wait: 'requested' },
  },
  'registry.cancelGroup': {
    use: (options) => new SessionRegistry().cancelGroup('acme', 'user', options),
    names: 'wait, level, timeoutMs',
    right: { wait: 'requested' },
  },
  'registry.drain': {
    use: (options) => new SessionRegistry().drain(options),
    names: 'timeoutMs, token, willRetry',
    right: { timeoutMs: 0 },
  },
  'registry.close': {
    use: (options) => new SessionRegistry().close('chat', 'user', options),
    names: 'willRetry',
    right: { willRetry: true },
  },
};

describeOptions(taking);

describe('an option that there is not', () => {
  it('what has no options to read is refused in their place by an adapter too', () => {
    for (const given of [[], new Map(), new Date(0), new Error('late')])
      expect(() => fromEvent(new EventTarget(), 'x', given as object)).toThrow(
        /must be an object of options, got an? (array|instance)/,
      );
  });

  it('a fork that is misused is reported, for nobody may await it', async () => {
    const reported = vi.fn();
    const source = new CancellationTokenSource({ onCallbackError: reported });
    await scope(source.token, ({ fork }) => {
      void fork(() => 1, { timeoutMs: 5 } as object);
    });
    expect(reported).toHaveBeenCalledExactlyOnceWith(new TypeError('options.timeoutMs is no option: there are name'));
  });

  it('of a stop is reported, and the stop happens as far as it is understood', () => {
    const reported = vi.fn();
    const source = new CancellationTokenSource({ onCallbackError: reported });
    const told = (): unknown[] => reported.mock.calls.splice(0).map(([error]) => String(error));
    expect(source.cancel('user', { gracems: 1 } as object)).toBe(true);
    expect(told()).toEqual(['TypeError: options.gracems is no option: there are graceMs']);
    source.token.child().cancel('user', 5 as never);
    expect(told()).toEqual(['TypeError: options must be an object, got 5']);
    const killed = new InterruptController({ token: new CancellationTokenSource({ onCallbackError: reported }).token });
    killed.background('build', () => new Promise(() => undefined));
    for (const options of [{ al: true }, { all: 'yes' }, 5, token]) {
      expect(killed.kill('user', options as object).accepted).toBe(false);
    }
    expect(told()).toHaveLength(4);
    expect(killed.kill('user', { all: true, al: 1 } as object).accepted).toBe(true);
    expect(told()).toEqual(['TypeError: options.al is no option: there are all']);
  });

  it('of what a call tells is refused: tracked work, and the count of a client without the one that is read', async () => {
    const tracked = inTurn(({ track }) =>
      track({ kind: 'process', name: 'x', outcome: 1 } as never, Promise.resolve()),
    );
    await expect(tracked).rejects.toThrow('operation.outcome is no option: there are kind, name, outcomeOf');
    const tell = (usage: object): Promise<unknown> => inTurn(({ model }) => model((ctx) => (ctx.usage(usage), 'told')));
    await expect(tell({ outputToken: 5 })).rejects.toThrow('usage.outputToken is no option: there are outputTokens');
    expect(await tell({ inputTokens: 9, outputTokens: undefined })).toMatchObject({ value: 'told' });
  });

  it('a limit that there is not is refused, and a word of a recovery', async () => {
    const budget = { modelCall: 3 } as object;
    await expect(agent.runTurn(() => 1, { budget })).rejects.toThrow(
      'budget.modelCall is no option: there are modelCalls',
    );
    const recover = { attempts: 1, backOffMs: 5 };
    await expect(inTurn(({ model }) => model(() => 1, { recover }))).rejects.toThrow(
      'recover.backOffMs is no option: there are attempts, backoffMs',
    );
  });

  it('a token in the place of options is refused where it is an option, and where it is an argument', async () => {
    await expect(agent.runTurn(() => 1, token as object)).rejects.toThrow('write { token: token }');
    await expect(withCancellation(null, () => 1, token as object)).rejects.toThrow('a token is an argument of its own');
  });
});

describe('a token in the place of options', () => {
  const make = (options: unknown): unknown => new CancellationTokenSource(options as object);

  it.each<[string, unknown]>([
    ['a token', token],
    ['a source', new CancellationTokenSource()],
    ['a signal', new AbortController().signal],
    ['a controller', new AbortController()],
  ])('a token in the place of options is refused in words that say what to write: %s', (_what, given) => {
    for (const call of [() => make(given), () => token.child(given as object)])
      expect(call).toThrow(/options must be an object of options.*\{ parent: token \}/);
  });

  it('a token in the place of options is a type error', () => {
    // @ts-expect-error -- a token is no options
    expect(() => new CancellationTokenSource(token)).toThrow(TypeError);
    // @ts-expect-error -- nor of a child
    expect(() => token.child(token)).toThrow(TypeError);
    // @ts-expect-error -- nor is a signal
    expect(() => new CancellationTokenSource(new AbortController().signal)).toThrow(TypeError);
  });
});
