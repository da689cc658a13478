/** A framework's loop as its own documentation shows it: a signal, and what the framework hands back. */
import { isCancelledError } from '../../../../src/core/foundation/errors.ts';
import type { AgentHarness, AgentTool } from '../../../../src/testing/index.ts';
import type { AgentRun, AgentStart } from '../../../../src/testing/agent-suite/index.ts';

export interface BareTurn {
  readonly url: string;
  readonly messages: readonly unknown[];
  readonly tools: Readonly<Record<string, AgentTool>>;
  /** Whether the model is one that the framework has made anew. */
  readonly isRebuilt: boolean;
}

/** Runs one turn, and resolves with the conversation after it. */
export type BareLoop = (given: BareTurn, signal: AbortSignal) => Promise<readonly unknown[]>;

const isAbort = (error: unknown): boolean =>
  isCancelledError(error) || (error instanceof Error && /abort/i.test(`${error.name} ${error.message}`));

export function bareHarness(
  name: string,
  loop: BareLoop,
  { canRebuild = false, isVerbatim = true }: { readonly canRebuild?: boolean; readonly isVerbatim?: boolean } = {},
): AgentHarness {
  const stops = new Set<AbortController>();
  const start = (given: AgentStart, above?: AbortSignal, isRebuilt = false): AgentRun => {
    const { url, prompt, tools, history } = given;
    const stop = new AbortController();
    stops.add(stop);
    let messages = [...((history ?? []) as readonly unknown[]), { role: 'user', content: prompt }];
    let status: 'completed' | 'cancelled' | 'failed' = 'failed';
    const signal = above === undefined ? stop.signal : AbortSignal.any([above, stop.signal]);
    const done = loop({ url, messages, tools, isRebuilt }, signal).then(
      (all) => {
        stops.delete(stop);
        messages = [...all];
        status = 'completed';
      },
      (error: unknown) => {
        stops.delete(stop);
        status = isAbort(error) ? 'cancelled' : 'failed';
        throw error;
      },
    );
    return {
      done,
      cancel: () => {
        stop.abort();
      },
      history: () => messages,
      status: () => status,
    };
  };
  return {
    name,
    start: (given) => start(given),
    honours: isVerbatim ? ['verbatim'] : [],
    startUnder: (given, signal) => start(given, signal),
    startRebuilt: canRebuild ? (given) => start(given, undefined, true) : undefined,
    cancelAll: () => {
      for (const stop of stops) stop.abort();
    },
  };
}
