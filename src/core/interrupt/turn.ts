/**
 * The handle of one turn: model calls, tool calls, questions and messages of one prompt.
 * In the interrupt room above the ledger; the controller makes one per accepted prompt that starts.
 *
 * @module
 */
import { checkpoint } from '../combinators/checkpoint.ts';
import type { CancellationToken } from '../token/handles.ts';
import { ask } from './approvals.ts';
import type {
  Answer,
  ModelContext,
  ModelOptions,
  ModelOutcome,
  Responder,
  ToolContext,
  ToolOptions,
  ToolsOptions,
  Turn,
} from './handles.ts';
import type { Interjection } from './interjections.ts';
import { callModel } from './model-call.ts';
import type { ToolOutcome } from './outcomes.ts';
import { runTool, runTools } from './tool-calls.ts';
import type { TurnState } from './turn-state.ts';

/** Arrow properties: a loop may take the turn apart. */
export class TurnHandle implements Turn {
  readonly #state: TurnState;

  constructor(state: TurnState) {
    this.#state = state;
  }

  get id(): number {
    return this.#state.id;
  }

  get token(): CancellationToken {
    return this.#state.token;
  }

  get signal(): AbortSignal {
    return this.#state.token.signal;
  }

  readonly model = <T>(
    call: (context: ModelContext) => T | PromiseLike<T>,
    options: ModelOptions = {},
  ): Promise<ModelOutcome<T>> => callModel(this.#state, call, options);

  readonly tool = <C, R>(
    call: C,
    run: (call: C, context: ToolContext<C>) => R | PromiseLike<R>,
    options: ToolOptions<C> = {},
  ): Promise<ToolOutcome<R, C>> => runTool(this.#state, call, run, options);

  readonly tools = <C, R>(
    calls: readonly C[],
    run: (call: C, context: ToolContext<C>) => R | PromiseLike<R>,
    options: ToolsOptions<C> = {},
  ): Promise<ToolOutcome<R, C>[]> => runTools(this.#state, calls, run, options);

  readonly ask = <T>(open: (respond: Responder<T>) => void): Promise<Answer<T>> => ask(this.#state, open);

  readonly takeInterjections = (): Interjection[] => {
    const { queue, host, token, isOver } = this.#state;
    // Nothing will be sent any more: what waits goes back instead.
    if (token.isCancelled || isOver) return [];
    const taken = queue.take();
    host.delivered(this.#state, taken);
    return taken;
  };

  readonly checkpoint = (): void => {
    checkpoint(this.#state.token);
  };
}
