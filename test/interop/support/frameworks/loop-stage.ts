/** What the shared scenarios set up: a scripted model, an agent, and one framework's loop between them. */
import { type InterruptControllerOptions, type ToolContext, type TurnReport } from '../../../../src/index.ts';
import { toolContextOf } from '../../../../src/guard/index.ts';
import type { ModelReply, ModelScript } from '../../../../src/testing/model-server/index.ts';
import { frameworkStage, type FrameworkStage } from '../../stage.ts';
import type { Framework, LoopOptions } from './framework.ts';

export interface LoopStage extends FrameworkStage {
  /** Runs the framework's loop as one turn of the agent. */
  run(options?: Omit<LoopOptions, 'baseURL'>): Promise<TurnReport<string>>;
}

export async function loopStage(
  framework: Framework,
  script: ModelScript,
  options: InterruptControllerOptions = {},
): Promise<LoopStage> {
  const base = await frameworkStage(script, options);
  const { agent, baseURL } = base;
  return { ...base, run: (own) => agent.runTurn((turn) => framework.run(turn, { ...own, baseURL })) };
}

/** A reply that asks for these tools, in this order. */
export function callsOf(...names: string[]): ModelReply {
  return { toolCalls: names.map((name) => ({ name, input: {} })) };
}

/** The context of the call that a tool runs in. */
export function contextIn(given: { readonly signal: AbortSignal | undefined }): ToolContext {
  const context = toolContextOf(given.signal);
  if (context === undefined) throw new Error('The tool was given a signal of no call');
  return context;
}

/** Resolves when the signal is aborted. */
export function aborted({ signal }: { readonly signal: AbortSignal | undefined }): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else
      signal?.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}

/** Each row of the ledger, `name: status`. */
export function rowsOf(report: TurnReport<unknown>): string[] {
  return report.calls.map(({ name, status }) => `${name}: ${status}`);
}
