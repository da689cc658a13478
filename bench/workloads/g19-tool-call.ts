/** G19: everything one tool call needs: a child, a deadline, a race, and nothing left behind. */
import { CancellationTokenSource, raceCancellation, withCancellation } from 'desist';
import { Effect } from 'effect';
import { CancellationTokenSource as VSCodeSource } from 'vscode-jsonrpc/node';
import { compare, type Contender } from '../harness.ts';
import { leastCall, leastSession } from '../limits/least.ts';
import { linkedController, raceBySignal } from '../peers/native.ts';
import type { Workload } from '../workload.ts';

const LIMIT_MS = 3_600_000;

// A tool that answers at once: what is measured is everything around it.
const answer = Promise.resolve(1);
const tool = () => answer;

function calls(call: () => Promise<number>): Contender {
  return {
    run: async (count) => {
      for (let i = 0; i < count; i++) await call();
    },
  };
}

function ours(): () => Promise<number> {
  const session = new CancellationTokenSource().token;
  return async () => {
    const call = session.child({ timeoutMs: LIMIT_MS });
    try {
      return await raceCancellation(call.token, tool());
    } finally {
      call.release();
    }
  };
}

function least(): () => Promise<number> {
  const session = leastSession();
  return () => leastCall(session, tool, LIMIT_MS);
}

/** The engine around a call: also grace, abandonment, late results and its outcome as data. */
function withWork(): () => Promise<number> {
  const session = new CancellationTokenSource().token;
  return () => withCancellation(session, tool, { timeoutMs: LIMIT_MS });
}

function anyAndTimeout(): () => Promise<number> {
  const session = new AbortController().signal;
  return () => raceBySignal(tool(), AbortSignal.any([session, AbortSignal.timeout(LIMIT_MS)]));
}

function handWritten(): () => Promise<number> {
  const session = new AbortController().signal;
  return async () => {
    const { controller, unlink } = linkedController(session);
    const timer = setTimeout(() => controller.abort(new DOMException('too late', 'TimeoutError')), LIMIT_MS);
    try {
      return await raceBySignal(tool(), controller.signal);
    } finally {
      clearTimeout(timer);
      unlink();
    }
  };
}

function vscode(): () => Promise<number> {
  const session = new VSCodeSource().token;
  return () => {
    const source = new VSCodeSource();
    const link = session.onCancellationRequested(() => source.cancel());
    const timer = setTimeout(() => source.cancel(), LIMIT_MS);
    return new Promise<number>((resolve, reject) => {
      const registration = source.token.onCancellationRequested(() => reject(new Error('Canceled')));
      tool()
        .then(resolve, reject)
        .finally(() => {
          registration.dispose();
          clearTimeout(timer);
          link.dispose();
          source.dispose();
        });
    });
  };
}

function effect(): () => Promise<number> {
  const { signal } = new AbortController();
  const program = Effect.timeout(Effect.promise(tool), LIMIT_MS);
  return () => Effect.runPromise(program, { signal });
}

export const workload: Workload = {
  id: 'G19',
  title: 'One tool call: child, deadline, race, clean-up',
  async measure(effort) {
    const timings = await compare(effort, {
      ours: calls(ours()),
      withWork: calls(withWork()),
      least: calls(least()),
      any: { ...calls(anyAndTimeout()), most: 5000 },
      handWritten: calls(handWritten()),
      vscode: calls(vscode()),
      effect: calls(effect()),
    });
    return [
      {
        what: 'AbortSignal.any + timeout / ours',
        value: timings.ratio('any', 'ours'),
        unit: 'x',
        atLeast: { node24: 16, node20: 30 },
        floor: { node24: 7.5, node20: 16 },
      },
      {
        what: 'hand-written / ours',
        value: timings.ratio('handWritten', 'ours'),
        unit: 'x',
        atLeast: { node24: 5, node20: 13 },
        floor: { node24: 2.5, node20: 7 },
      },
      {
        what: 'VS Code’s source / ours',
        value: timings.ratio('vscode', 'ours'),
        unit: 'x',
        atLeast: 3,
        floor: { node24: 1.7, node20: 1.3 },
      },
      { what: 'effect / ours', value: timings.ratio('effect', 'ours'), unit: 'x', atLeast: 10, floor: 8.5 },
      { what: 'limit: AbortSignal.any + timeout / the least', value: timings.ratio('any', 'least'), unit: 'x' },
      { what: 'limit: hand-written / the least', value: timings.ratio('handWritten', 'least'), unit: 'x' },
      { what: 'limit: VS Code’s source / the least', value: timings.ratio('vscode', 'least'), unit: 'x' },
      {
        what: 'AbortSignal.any + timeout / withCancellation',
        value: timings.ratio('any', 'withWork'),
        unit: 'x',
      },
      { what: 'withCancellation / ours', value: timings.ratio('withWork', 'ours'), unit: 'x' },
    ];
  },
};
