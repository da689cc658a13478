/** I1–I9 on random forests: the real tokens and the naive model of the test kit do the same, in the same order. */
import { getEventListeners } from 'node:events';

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  CancellationToken,
  CancellationTokenSource,
  type CancelReason,
  type CancellationTokenSource as Source,
} from '../../src/index.ts';
import { FROZEN } from '../../src/core/token/tree/node.ts';
import { tokenOf } from '../../src/core/token/bridge/linked-tokens.ts';
import { Source as SourceClass } from '../../src/core/token/source.ts';
import { shieldOf } from '../../src/core/token/token.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { deepFreeze } from '../support/deep-freeze.ts';
import { propertyRuns } from '../support/property-runs.ts';
import type { TokenForest, TokenKind, TokenRung } from '../support/token-model/token-forest.ts';
import { differenceFromModel, tokenScript, type TokenStep } from '../support/token-model/token-script.ts';

/** Errors of callbacks, whoever's: the default handler of the host. */
let report: () => void = () => {};
const host = globalThis as { reportError?: unknown };
beforeAll(() => {
  host.reportError = () => report();
});
afterAll(() => {
  delete host.reportError;
});

class RealForest implements TokenForest {
  readonly #clock = new VirtualClock();
  readonly #tokens: CancellationToken[] = [];
  readonly #sources: (Source | undefined)[] = [];
  readonly #controllers: (AbortController | undefined)[] = [];
  /** I2: a reason is one object wherever it arrives. */
  readonly #reasons = new Map<string, CancelReason>();
  /** What a consumer does to all that he gets. */
  readonly #guard: <T>(value: T) => T;

  constructor(guard: <T>(value: T) => T) {
    this.#guard = guard;
  }

  get size(): number {
    return this.#tokens.length;
  }

  make(kind: TokenKind, numbers: readonly number[]): void {
    const parents = numbers.map((number) => this.#tokens[number]!);
    const clock = this.#clock;
    const [first] = parents;
    let source: Source | undefined;
    let token: CancellationToken | undefined;
    let controller: AbortController | undefined;
    if (kind === 'any') token = CancellationToken.any(...parents);
    else if (kind === 'all') token = CancellationToken.all(...parents);
    else if (kind === 'foreign') {
      controller = new AbortController();
      token = CancellationToken.from(controller.signal);
    } else if (kind === 'join') source = new CancellationTokenSource({ parent: parents, clock });
    else if (first === undefined) source = new CancellationTokenSource({ clock });
    else if (kind === 'shield') source = new SourceClass(shieldOf(tokenOf(first)), { clock });
    else source = first.child({ clock });
    this.#tokens.push(this.#guard((token ??= source!.token)));
    this.#sources.push(this.#guard(source));
    this.#controllers.push(controller);
  }

  cancel(node: number, id: string, graceMs: number | undefined): boolean | undefined {
    return this.#sources[node]?.cancel(id, { graceMs });
  }

  kill(node: number, id: string): boolean | undefined {
    return this.#sources[node]?.kill(id);
  }

  release(node: number): void {
    this.#sources[node]?.release();
  }

  limit(node: number, ms: number, id: string): void {
    this.#sources[node]?.cancelAfter(ms, id);
  }

  abort(node: number, id: string): void {
    this.#controllers[node]?.abort(id);
    // An abort that nobody has looked at has no place yet in the order of cancels.
    void this.#tokens[node]!.isCancelled;
  }

  on(node: number, rung: TokenRung, run: () => void): () => boolean {
    const registration = this.#guard(this.#tokens[node]![rung === 'kill' ? 'onKilled' : 'onCancelled'](run));
    return () => registration.unregister();
  }

  advance(ms: number): void {
    this.#clock.advanceSync(ms);
  }

  read(node: number): string {
    const token = this.#tokens[node]!;
    const { reason } = token;
    if (reason === undefined) return token.isCancelled || token.isKilled ? 'torn' : 'live';
    const known = this.#reasons.get(reason.message);
    if (known === undefined) this.#reasons.set(reason.message, reason);
    else if (known !== reason) return 'another object';
    return `${reason.message}${token.isKilled ? '!' : ''}`;
  }

  watched(node: number): number {
    const { extra } = tokenOf(this.#tokens[node]);
    const signal = this.#controllers[node]?.signal;
    if (signal !== undefined && !signal.aborted) {
      expect(getEventListeners(signal, 'abort').length).toBe((extra?.watch ?? 0) > 0 ? 1 : 0);
    }
    // A released token may hand its place to what is below it: where it stands then is nobody's promise, only that
    // nothing is held where nobody listens.
    if ((tokenOf(this.#tokens[node]).flags & FROZEN) !== 0) return 0;
    return Math.min(1, extra?.watch ?? 0);
  }
}

/** Where the two have parted: one in 30,000 scripts comes to such a place. */
const parted: readonly (readonly TokenStep[])[] = [
  [
    make('child'),
    make('shield', 0),
    make('all', 0, 1),
    make('join', 1, 2),
    make('join', 1, 2),
    { act: 'cancel', node: 0, graceMs: undefined },
    { act: 'on', node: 2, rung: 'cancel', script: [] },
    { act: 'on', node: 3, rung: 'kill', script: [] },
    { act: 'on', node: 4, rung: 'cancel', script: [] },
    { act: 'kill', node: 1 },
  ],
  ...(['child', 'shield'] as const).map((kind) => [
    make('child'),
    make('foreign'),
    make('any', 0, 1),
    make(kind, 2),
    make('child', 3),
    { act: 'on', node: 0, rung: 'cancel', script: [{ act: 'abort', node: 1 }] } as const,
    { act: 'on', node: 4, rung: 'kill', script: [] } as const,
    { act: 'kill', node: 0 } as const,
  ]),
];

function make(kind: TokenKind, ...parents: readonly number[]): TokenStep {
  return { act: 'make', kind, parents };
}

describe('a random forest', () => {
  it('a random forest does what the model does: I1–I9, whoever looks, and whoever freezes', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(tokenScript(), fc.boolean(), fc.boolean(), (script, look, isFrozen) => {
        const open = (onError: () => void): TokenForest => {
          report = onError;
          return new RealForest(isFrozen ? deepFreeze : (value) => value);
        };
        expect(differenceFromModel(script, open, { look })).toBeUndefined();
      }),
      { numRuns: propertyRuns(3_000), examples: parted.map((script) => [script, false, false]) },
    );
  });
});

describe('a race', () => {
  /** What may happen to a child of a turn, each once, in any order. */
  interface Scene {
    readonly turn: Source;
    readonly call: Source;
    readonly guard: Disposable;
  }
  const events: Readonly<Record<string, (scene: Scene) => unknown>> = {
    'the turn is cancelled': ({ turn }) => turn.cancel('the turn is cancelled'),
    'the call is cancelled': ({ call }) => call.cancel('the call is cancelled'),
    'the work completes': ({ call }) => call.release(),
    'the guard is disposed': ({ guard }) => guard[Symbol.dispose](),
    'the turn is killed': ({ turn }) => turn.kill('the turn is killed'),
  };

  /** The same in words: the first cancel that reaches the call before its work completed. */
  function expected(order: readonly string[]): { reason: string | undefined; killed: boolean } {
    const before = order.slice(0, order.indexOf('the work completes'));
    const [first] = before;
    const reason = first === 'the guard is disposed' ? 'Cancelled' : first;
    return { reason, killed: before.includes('the turn is killed') };
  }

  async function raced(
    schedule: (run: () => Promise<void>, name: string) => Promise<void>,
    wait: () => Promise<void>,
  ): Promise<void> {
    const turn = new CancellationTokenSource();
    const call = turn.token.child();
    const scene = { turn, call, guard: turn.dropGuard() };
    const order: string[] = [];
    const heard: CancelReason[] = [];
    const killed: CancelReason[] = [];
    let promised: CancelReason | undefined;
    call.token.onCancelled((reason) => void heard.push(reason));
    call.token.onKilled((reason) => void killed.push(reason));
    void call.token.whenCancelled().then((reason) => (promised = reason));
    const { signal } = call;
    const runs = Object.entries(events).map(([name, happen]) =>
      schedule(async () => {
        order.push(name);
        happen(scene);
      }, name),
    );
    await wait();
    await Promise.all(runs);
    const { reason, killed: isKilled } = expected(order);
    expect(call.reason?.message).toBe(reason);
    expect(call.token.isKilled).toBe(isKilled);
    expect(heard).toEqual(reason === undefined ? [] : [call.reason]);
    expect(killed.length).toBe(isKilled ? 1 : 0);
    expect(promised).toBe(call.reason);
    expect(signal.aborted).toBe(reason !== undefined);
    expect(tokenOf(turn.token).extra?.watch ?? 0).toBe(0);
  }

  it('a race of two cancels, a kill, a completion and a disposal ends the same way for everybody, by scheduler', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        await raced(
          (run, name) => scheduler.schedule(Promise.resolve(name), name).then(run),
          () => scheduler.waitIdle(),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('the same in each of the 120 orders there are', async () => {
    for (const order of permutations(Object.keys(events))) {
      const runs = new Map<string, () => Promise<void>>();
      await raced(
        async (run, name) => void runs.set(name, run),
        async () => {
          for (const name of order) await runs.get(name)?.();
        },
      );
    }
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => permutations(items.filter((_, j) => j !== i)).map((rest) => [item, ...rest]));
}
