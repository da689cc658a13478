/**
 * A trace with one row of each kind, made by hand, for what draws traces.
 *
 * @module
 */
import type { Trace } from '../../src/inspect/index.ts';
import type { TraceOperation } from '../../src/inspect/trace.ts';

export function row(more: Partial<TraceOperation> & { readonly id: string }): TraceOperation {
  return {
    parentId: 'main',
    kind: 'tool',
    name: more.id,
    agent: 'main',
    startedAt: 1_000,
    outcome: 'running',
    ...more,
  };
}

export function traceOf(operations: readonly TraceOperation[], more: Partial<Trace> = {}): Trace {
  const tokens = [{ id: 'main', kind: 'agent', name: 'main' } as const];
  return { version: 1, startedAt: 1_000, takenAt: 2_000, tokens, operations, stops: [], dropped: 0, ...more };
}

const reason = { kind: 'user', message: 'enough', at: 1_500 } as const;

/** A turn that was stopped at half time: one tool obeyed, one still runs. */
export const stopped: Trace = traceOf(
  [
    row({ id: 't', kind: 'turn', name: 'turn 1', askedAt: 1_500, endedAt: 1_800, outcome: 'cancelled' }),
    row({ id: 'a', parentId: 't', name: 'search', askedAt: 1_500, endedAt: 1_510, outcome: 'cancelled' }),
    row({ id: 'b', parentId: 't', name: 'deploy', askedAt: 1_500, endedAt: 1_700, outcome: 'abandoned' }),
  ],
  {
    stops: [
      {
        kind: 'cancel',
        agent: 'main',
        reason,
        requestedAt: 1_500,
        asked: ['t', 'a', 'b'],
        observedAt: 1_510,
        settledAt: 1_800,
        survivors: ['b'],
      },
    ],
  },
);

/** A name that would take over a page or a terminal. */
export const hostile = `</td><script>x()</script>" onfocus='x()' & \u001b[31m\u202e`;
