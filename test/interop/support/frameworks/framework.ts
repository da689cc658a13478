/**
 * A framework that owns its loop, as the shared scenarios see it: something that runs a prompt with tools under a turn.
 * Each driver writes what a user of that framework would write, and nothing more.
 */
import type { Turn } from '../../../../src/index.ts';

/** What a tool does; `signal` is what the framework, or the guard around the tool, handed to it. */
export type Work = (given: { readonly signal: AbortSignal | undefined }) => unknown;

/** What a scenario asks of a loop. */
export interface LoopOptions {
  /** The server's address, with `/v1`. */
  readonly baseURL: string;
  readonly tools?: Readonly<Record<string, Work>> | undefined;
  /** Makes of each tool, in the framework's own shape, the one that the loop is given. */
  readonly around?: (<T extends object>(tool: T) => T) | undefined;
  /** Whether the model is asked for a stream, and its words are read as they come. */
  readonly stream?: boolean | undefined;
  /** Called with each part of a streamed loop that is given out. */
  readonly onPart?: (() => void) | undefined;
  readonly graceMs?: number | undefined;
  readonly onInterject?: 'finish' | 'cancel' | 'yield' | undefined;
  readonly idleMs?: number | undefined;
  /** Whether it is not of the conversation whose turn this is. */
  readonly aside?: boolean | undefined;
  /** How often the framework, or its client, repeats a model call that failed; 0 by default. */
  readonly maxRetries?: number | undefined;
}

export interface Framework {
  /** The package and its version. */
  readonly name: string;
  /** Whether it tells the model of all steps of a run in one message, with the results after it. */
  readonly mergesSteps?: boolean;
  /** Whether a request has the results of tools and what the person says next in one message. */
  readonly joinsResults?: boolean;
  /** Whether its loop asks for messages when it has its last answer, and goes on with them. */
  readonly asksBehindAnswer?: boolean;
  /** Whether its model hears no stop while the provider is silent: it is left behind, and its request stays open. */
  readonly isDeafInSilence?: boolean;
  /** Runs the loop under a turn; resolves with what the model said last. */
  run(turn: Turn, options: LoopOptions): Promise<string>;
  /** The same without the adapter, to show what it is for. */
  runBare(signal: AbortSignal, options: LoopOptions): Promise<unknown>;
}

/** The same tools in the framework's own shape. */
export function mapTools<T extends object>(
  { tools = {}, around = (tool) => tool }: Pick<LoopOptions, 'tools' | 'around'>,
  make: (name: string, work: Work) => T,
): Record<string, T> {
  return Object.fromEntries(Object.entries(tools).map(([name, work]) => [name, around(make(name, work))]));
}
