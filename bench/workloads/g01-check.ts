/** G1: a check against a bare field read. */
import { CancellationTokenSource, type CancellationToken } from 'desist';
import { compare, keep, type Contender } from '../harness.ts';
import type { Workload } from '../workload.ts';

// Eight different functions, so that none is inlined and nothing may be remembered across the call.
const state = { value: 0 };
const opaque = [
  () => (state.value += 1),
  () => (state.value += 2),
  () => (state.value += 3),
  () => (state.value += 4),
  () => (state.value += 5),
  () => (state.value += 6),
  () => (state.value += 7),
  () => (state.value += 8),
];

class Bare {
  readonly cancelled: boolean = false;
}

function ours(tokens: readonly CancellationToken[]): Contender {
  return {
    run: (count) => {
      let seen = 0;
      for (let i = 0; i < count; i++) {
        if (tokens[i & 7]!.isCancelled) seen++;
        opaque[i & 7]!();
      }
      keep(seen);
    },
  };
}

/** Roots, children and grandchildren, as a program has them. */
function mixed(root: CancellationToken | AbortSignal): CancellationToken[] {
  return Array.from({ length: 8 }, (_, i) => {
    const child = new CancellationTokenSource({ parent: root }).token;
    return i % 2 === 0 ? child : child.child().token;
  });
}

export const workload: Workload = {
  id: 'G1',
  title: 'Check against a bare field read: eight tokens rotating, between opaque calls',
  async measure(effort) {
    const bare = Array.from({ length: 8 }, () => new Bare());
    const signal = new AbortController().signal;
    const timings = await compare(effort, {
      bare: {
        run: (count) => {
          let seen = 0;
          for (let i = 0; i < count; i++) {
            if (bare[i & 7]!.cancelled) seen++;
            opaque[i & 7]!();
          }
          keep(seen);
        },
      },
      native: {
        run: (count) => {
          let seen = 0;
          for (let i = 0; i < count; i++) {
            if (signal.aborted) seen++;
            opaque[i & 7]!();
          }
          keep(seen);
        },
      },
      token: ours(mixed(new CancellationTokenSource().token)),
    });
    // In a comparison of its own: the getter's slow path would otherwise be warm in the fast one.
    const foreign = await compare(effort, {
      native: {
        run: (count) => {
          let seen = 0;
          for (let i = 0; i < count; i++) {
            if (signal.aborted) seen++;
            opaque[i & 7]!();
          }
          keep(seen);
        },
      },
      token: ours(mixed(signal)),
    });
    return [
      {
        what: 'check / bare field read',
        value: timings.ratio('token', 'bare'),
        unit: 'x',
        atMost: { node24: 1.2, node20: 1.15 },
      },
      { what: 'signal.aborted / bare field read, for orientation', value: timings.ratio('native', 'bare'), unit: 'x' },
      {
        what: 'check below a foreign signal / that signal’s aborted',
        value: foreign.ratio('token', 'native'),
        unit: 'x',
      },
    ];
  },
};
