/**
 * Makes what the loop of an agent holds of its turn.
 *
 * @module
 */
import { noOptions } from '../../foundation/check.ts';
import { checkpoint } from '../../combinators/checkpoint.ts';
import { lazyMembers } from '../../combinators/engine/lazy-members.ts';
import { callModel, type TurnOfModelCalls } from '../calls/model-call.ts';
import { runStep, runTool, runTools } from '../calls/tool-batch.ts';
import type { TurnOfToolCalls } from '../calls/tool-call.ts';
import { track } from '../ledger/tracked-work.ts';
import type { Turn } from '../public-types/turn.ts';

/** The turn behind it. */
type TurnOfHandle = TurnOfModelCalls & TurnOfToolCalls;

/** The handle of a turn. */
export const turnHandle: (run: TurnOfHandle) => Turn = /* @__PURE__ */ lazyMembers<TurnOfHandle, Turn>(() => ({
  id: ({ id }) => id,
  token: ({ token }) => token,
  signal: ({ token }) => token.signal,
  model:
    (run) =>
    (call, options = noOptions) =>
      callModel(run, call, options),
  tool:
    (run) =>
    (call, use, options = noOptions) =>
      runTool(run, call, use, options),
  tools:
    (run) =>
    (calls, use, options = noOptions) =>
      runTools(run, calls, use, options),
  step:
    (run) =>
    (name, use, options = noOptions) =>
      runStep(run, name, use, options),
  track: (run) => (operation, work) => track(run, operation, work),
  hasInterjections: ({ queue, token }) => !token.isCancelled && queue.isWaiting,
  takeInterjections: (run) => () => {
    // Nothing will be sent any more: what waits goes back instead.
    if (run.token.isCancelled) return [];
    const taken = run.queue.deliver();
    run.messagesDelivered(taken);
    return taken;
  },
  checkpoint:
    ({ token }) =>
    () => {
      checkpoint(token);
    },
  cancel: (run) => (reason) => run.cancelFrom(reason),
}));
