/**
 * The tools that an agent is given, and what only they know: who was started, who still runs, which signal they have.
 * That makes them the witness against what the agent says.
 *
 * @module
 */
import { deferred } from '../fakes.ts';
import { pause } from '../waiting.ts';
import type { AgentTool } from './harness.ts';

/** What a tool is given when it is called. */
export interface ToolGiven {
  readonly signal: AbortSignal | undefined;
  readonly context: unknown;
}

/** What a tool does. */
export type ToolWork = (given: ToolGiven) => string | Promise<string>;

/** One call that a tool got. */
export interface BenchCall {
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  isRunning: boolean;
}

const names = [
  ...['slow', 'other', 'pay', 'first', 'second', 'third', 'wait', 'port', 'tidy', 'busy'],
  ...['start_helper', 'start_deeper', 'dig'],
];

/** By this name the work of the program is among what was started. */
export const hookName = 'hook';

/** All tools of one run of a scenario. */
export class ToolBench {
  readonly #works = new Map<string, ToolWork>();
  readonly #slow = deferred<string>();
  /** Every call, oldest first. */
  readonly calls: BenchCall[] = [];

  /** Says what a tool does; one of which nothing is said is deaf until `finish`. */
  does(name: string, work: ToolWork): void {
    this.#works.set(name, work);
  }

  /** Ends the deaf tools. */
  finish(result: string): void {
    this.#slow.resolve(result);
  }

  get tools(): Readonly<Record<string, AgentTool>> {
    return Object.fromEntries(names.map((name) => [name, this.#tool(name)]));
  }

  /** Work of the program's own, which is offered to no model. */
  get hook(): AgentTool {
    return this.#tool(hookName);
  }

  /** Names of the tools, in the order in which they were started. */
  get started(): readonly string[] {
    return this.calls.map(({ name }) => name);
  }

  get running(): readonly string[] {
    return this.calls.filter(({ isRunning }) => isRunning).map(({ name }) => name);
  }

  /** The signal of the last call of a tool. */
  signalOf(name: string): AbortSignal | undefined {
    return this.calls.filter((call) => call.name === name).at(-1)?.signal;
  }

  #tool(name: string): AgentTool {
    return async (signal, context) => {
      const call: BenchCall = { name, signal, isRunning: true };
      this.calls.push(call);
      try {
        return await (this.#works.get(name)?.({ signal, context }) ?? this.#slow.promise);
      } finally {
        call.isRunning = false;
      }
    };
  }
}

/** A tool that hears its stop, and then tidies up for a while. */
export function listening(tidyMs: number, until: Promise<string>): ToolWork {
  return async ({ signal }) => {
    const stopped = deferred<'stopped'>();
    const hear = (): void => {
      stopped.resolve('stopped');
    };
    if (signal?.aborted === true) hear();
    signal?.addEventListener('abort', hear, { once: true });
    const ended = deferred<string>();
    until.then(ended.resolve, ended.reject);
    stopped.promise.then(ended.resolve, ended.reject);
    try {
      const result = await ended.promise;
      if (signal?.aborted !== true) return result;
      await pause(tidyMs);
      throw signal.reason;
    } finally {
      signal?.removeEventListener('abort', hear);
    }
  };
}
