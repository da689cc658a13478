/**
 * The turns that run now, for questions that no token answers: whether a guarded tool that belongs to none should have
 * belonged to one. Under a registered symbol, so that all copies of the package in a process see the same.
 *
 * @module
 */
import type { TurnRun } from './turn-run.ts';

const runningKey: unique symbol = Symbol.for('desist.running-turns.1') as never;

/** In the order of their start. */
export const runningTurns: Set<TurnRun> = /* @__PURE__ */ shared();

function shared(): Set<TurnRun> {
  return ((globalThis as { [runningKey]?: Set<TurnRun> | undefined })[runningKey] ??= new Set());
}
