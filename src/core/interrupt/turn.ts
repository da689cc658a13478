/**
 * The handle of one turn: model calls, tool calls, questions and messages of one prompt.
 * In the interrupt room above the ledger; the controller makes one per accepted prompt that starts.
 *
 * @module
 */
import { checkpoint } from '../combinators/checkpoint.ts';
import { ask } from './approvals.ts';
import type { Turn } from './handles.ts';
import { callModel } from './model-call.ts';
import { runTool, runTools } from './tool-calls.ts';
import type { TurnState } from './turn-state.ts';

/** Fields and closures: a loop may take the turn apart, or spread it. */
export function turnHandle(state: TurnState): Turn {
  const { id, token, host, queue } = state;
  return {
    id,
    token,
    get signal() {
      return token.signal;
    },
    model: (call, options = {}) => callModel(state, call, options),
    tool: (call, run, options = {}) => runTool(state, call, run, options),
    tools: (calls, run, options = {}) => runTools(state, calls, run, options),
    ask: (open) => ask(state, open),
    takeInterjections: () => {
      // Nothing will be sent any more: what waits goes back instead.
      if (token.isCancelled) return [];
      const taken = queue.take();
      host.delivered(state, taken);
      return taken;
    },
    checkpoint: () => {
      checkpoint(token);
    },
    cancel: (reason) => host.cancelFrom(state, reason),
  };
}
