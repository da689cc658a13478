/**
 * Every door of the core that takes a body: what would never run is refused there, and is no success.
 *
 * @module
 */
import { describe, expect, it, vi } from 'vitest';

import {
  CancellationTokenSource,
  InterruptController,
  moveOnAfter,
  pollUntil,
  retry,
  runUntilCancelled,
  scope,
  shield,
  withCancellation,
  type Turn,
} from '../../src/index.ts';

const { token } = new CancellationTokenSource({ onCallbackError: () => undefined });

/** A body of any kind: what it would do, and what it returns, is what is wrong with it. */
type Body = () => never;

/** What became of a body: the error that somebody is told of, or nothing if it passed for a success. */
type Door = (body: Body) => Promise<unknown>;

/** The error of a turn, or of its one row. */
async function inTurn(run: (turn: Turn) => unknown): Promise<unknown> {
  const report = await new InterruptController().runTurn(run);
  const rows = [report, ...report.calls, ...(report.steps ?? [])];
  return rows.map((row) => (row.status === 'failed' ? row.error : undefined)).find((error) => error !== undefined);
}

async function thrown(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
}

async function inOutcome(
  outcome: PromiseLike<{ readonly status: string; readonly error?: unknown }>,
): Promise<unknown> {
  return (await outcome).error;
}

const call = { id: 'c1', name: 'write' };

/** The value goes to somebody who can read it, under the token of the work. */
const handsOn: Readonly<Record<string, Door>> = {
  withCancellation: (body) => thrown(() => withCancellation(token, body)),
  runUntilCancelled: (body) => inOutcome(runUntilCancelled(token, body)),
  moveOnAfter: (body) => thrown(async () => ((await moveOnAfter(token, 50, body)) as { value: unknown }).value),
  retry: (body) => thrown(() => retry(token, body, { attempts: 1 })),
  pollUntil: (body) => thrown(() => pollUntil(token, body)),
  shield: (body) => thrown(() => shield(token, body, { graceMs: 10 })),
  'scope, its body': (body) => thrown(() => scope(token, body)),
  'scope, fork': (body) => thrown(() => scope(token, ({ fork }) => fork(body))),
  background: async (body) => inOutcome(new InterruptController().background('watch', body).outcome),
};

/** Nobody reads on when the work is over. */
const endsWithValue: Readonly<Record<string, Door>> = {
  'commit of work': (body) => thrown(() => withCancellation(token, ({ commit }) => commit(body))),
  'commit of a tool': (body) => inTurn(({ tool }) => tool(call, (_call, { commit }) => commit(body))),
  ask: (body) => inTurn(({ tool }) => tool(call, (_call, { ask }) => ask(body))),
  runTurn: (body) => inTurn(body),
  'turn.model': (body) => inTurn(({ model }) => model(body)),
  'turn.tool': (body) => inTurn(({ tool }) => tool(call, body)),
  'turn.tools': (body) => inTurn(({ tools }) => tools([call], body)),
  'turn.step': (body) => inTurn(({ step }) => step('write', body)),
};

/** What is called back, and whose value nobody looks at. */
const callbacks: Readonly<Record<string, Door>> = {
  'scope, defer': (body) => thrown(() => scope(token, ({ defer }) => void defer(body))),
  onCancelled: (body) => thrown(() => token.onCancelled(body)),
  onKilled: (body) => thrown(() => token.onKilled(body)),
  onCallbackError: (body) => thrown(() => new CancellationTokenSource({ onCallbackError: body })),
  onEvent: (body) => thrown(() => new InterruptController().onEvent(body)),
  retryIf: (body) => thrown(() => retry(token, () => 1, { retryIf: body })),
};

const ran = vi.fn();

const pieces = function* (): Generator {
  yield ran();
};
const laterPieces = async function* (): AsyncGenerator {
  yield ran();
};

function doors(...groups: readonly Readonly<Record<string, Door>>[]): [string, Door][] {
  return groups.flatMap((group) => Object.entries(group));
}

async function refused(door: Door, body: unknown): Promise<void> {
  const error = await door(body as Body).catch((misuse: unknown) => misuse);
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ message: expect.stringMatching(/generator|live stream/) as string });
  expect(ran).not.toHaveBeenCalled();
}

describe('a generator function never runs when it is called, and is refused', () => {
  it.each(doors(handsOn, endsWithValue, callbacks))('%s refuses one', (_name, door) => refused(door, pieces));

  it.each(doors(handsOn, endsWithValue, callbacks))('%s refuses an asynchronous one', (_name, door) =>
    refused(door, laterPieces),
  );
});

describe('a generator that a body returns is no value', () => {
  it.each(doors(handsOn, endsWithValue))('%s fails for it', (_name, door) => refused(door, () => pieces()));

  it.each(doors(handsOn, endsWithValue).filter(([name]) => name !== 'ask'))(
    '%s fails for one that comes as a promise',
    (_name, door) => refused(door, async () => pieces()),
  );

  it.each(doors(endsWithValue))('%s fails for an asynchronous one, which nobody is left to read', (_name, door) =>
    refused(door, () => laterPieces()),
  );

  it.each(doors(handsOn))('%s hands on an asynchronous one, which its caller reads', async (_name, door) => {
    expect(await door((() => laterPieces()) as Body)).toBeUndefined();
  });
});

describe('what has no name is refused', () => {
  const agent = new InterruptController();

  it.each<[string, (name: string) => unknown]>([
    ['background', (name) => agent.background(name, () => 1)],
    [
      'turn.step',
      async (name) => {
        throw (await inTurn(({ step }) => step(name, () => 1))) as Error;
      },
    ],
    [
      'track',
      async (name) => {
        const error = await inTurn(({ tool }) =>
          tool(call, (_call, { track }) => track({ kind: 'process', name }, Promise.resolve())),
        );
        throw error as Error;
      },
    ],
  ])('%s wants a text that is not empty', async (_name, start) => {
    expect(await thrown(() => start(undefined as unknown as string))).toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining('name must be a string that is not empty, got undefined') as string,
    });
    expect(await thrown(() => start(''))).toMatchObject({ message: expect.stringContaining('empty') as string });
  });

  it.each<[string, () => unknown]>([
    ['an agent', () => new InterruptController({ name: '' })],
    ['a sub-agent beside the turns', () => agent.child('')],
    [
      'a sub-agent on a call',
      async () => {
        throw (await inTurn(({ tool }) => tool(call, (_call, { subagent }) => subagent('')))) as Error;
      },
    ],
  ])('%s may not have an empty one', async (_what, make) => {
    expect(await thrown(make)).toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining('empty') as string,
    });
  });
});
