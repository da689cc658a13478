/**
 * Turns that are stopped or steered at any moment, for the stores of frameworks: what their model says, and what their tools do.
 *
 * @module
 */
import { fc } from '@fast-check/vitest';

import type { InterruptController } from '../../../../src/index.ts';
import type { ModelReply } from '../../../../src/testing/model-server/index.ts';

/** One of them. */
export interface CutTurn {
  readonly steps: readonly {
    readonly text: string | undefined;
    readonly thinking?: string | undefined;
    readonly calls: readonly string[];
  }[];
  /** The moments at which it is stopped, and at which somebody says something. */
  readonly stopAt: number;
  readonly steerAt: number;
  readonly delivery: 'next-model-call' | 'now';
  readonly stream: boolean;
}

/** What a turn is made of, for `fc.record`. */
export function cutTurn({ maxSteps, thinks }: { readonly maxSteps: number; readonly thinks: boolean }) {
  const step = fc.record({
    text: fc.constantFrom(undefined, 'Let me see.'),
    calls: fc.array(fc.constantFrom('quick', 'slow', 'deaf'), { minLength: 1, maxLength: 3 }),
    ...(thinks && { thinking: fc.constantFrom(undefined, 'Hm.') }),
  });
  return {
    steps: fc.array(step, { maxLength: maxSteps }),
    stopAt: fc.integer({ min: 0, max: 24 }),
    steerAt: fc.integer({ min: 0, max: 24 }),
    delivery: fc.constantFrom('next-model-call' as const, 'now' as const),
    stream: fc.boolean(),
  };
}

/** How the turn with this number goes. */
export function playCut(
  agent: InterruptController,
  at: number,
  { steps, stopAt, steerAt, delivery }: CutTurn,
  /** The next value of a tool. */
  nextValue: () => string,
  idOf: (place: number) => { readonly id?: string },
) {
  let moments = 0;
  const passes = (): void => {
    if (moments === stopAt) agent.cancel('user');
    if (moments++ === steerAt) agent.interject(`steered ${String(at)};`, { delivery });
  };
  const left = [...steps];
  const answer = (): ModelReply => {
    passes();
    const { calls, ...words } = left.shift() ?? { calls: [], text: 'Done.' };
    return { ...words, toolCalls: calls.map((name, place) => ({ ...idOf(place), name, input: {} })) };
  };
  const value = (): string => {
    passes();
    return nextValue();
  };
  const tools = {
    quick: () => Promise.resolve().then(value),
    slow: () => {
      passes();
      return new Promise(setImmediate).then(value);
    },
    deaf: () => {
      setImmediate(() => agent.cancel('user'));
      return new Promise<never>(() => undefined);
    },
  };
  return { passes, answer, tools };
}
