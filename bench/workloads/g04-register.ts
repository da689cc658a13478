/** G4: registering a callback and taking it back, while others stay. */
import { setMaxListeners } from 'node:events';
import { CancellationTokenSource } from 'desist';
import { compare, type Contender } from '../harness.ts';
import type { Goal, Workload } from '../workload.ts';

const noop = () => {};

function ours(others: number): Contender {
  const { token } = new CancellationTokenSource();
  for (let i = 0; i < others; i++) token.onCancelled(() => {});
  return {
    run: (count) => {
      for (let i = 0; i < count; i++) token.onCancelled(noop).unregister();
    },
  };
}

function native(others: number): Contender {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  for (let i = 0; i < others; i++) signal.addEventListener('abort', () => {});
  return {
    run: (count) => {
      for (let i = 0; i < count; i++) {
        signal.addEventListener('abort', noop);
        signal.removeEventListener('abort', noop);
      }
    },
  };
}

const goals: readonly (readonly [others: number, goal: Goal])[] = [
  [0, { node24: 6, node20: 8 }],
  [10, { node24: 6, node20: 7 }],
  [1000, { node24: 130, node20: 150 }],
];

export const workload: Workload = {
  id: 'G4',
  title: 'Register and unregister a callback',
  async measure(effort) {
    const rows = [];
    for (const [others, atLeast] of goals) {
      const timings = await compare(effort, { ours: ours(others), native: native(others) });
      rows.push({
        what: `add/removeEventListener / ours, ${others.toLocaleString('en')} others`,
        value: timings.ratio('native', 'ours'),
        unit: 'x' as const,
        atLeast,
      });
    }
    return rows;
  },
};
