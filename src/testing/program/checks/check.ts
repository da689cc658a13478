/**
 * What a check is: a question, why it is asked, and how it is played.
 *
 * @module
 */
import type { Stage, StageScript } from '../stage/stage.ts';

/**
 * The checks, in the order in which they are played.
 *
 * @since 0.1.0
 */
export type ProgramCheckName =
  | 'stream'
  | 'tool'
  | 'batch'
  | 'message'
  | 'queued'
  | 'retry'
  | 'mcp'
  | 'quit'
  | 'terminate'
  | 'hangup'
  | 'kill'
  | 'resume';

/** One check. */
export interface Check {
  readonly name: ProgramCheckName;
  /** What it asks, as a question. */
  readonly asks: string;
  /** Why anybody should care. */
  readonly why: string;
  readonly script: StageScript;
  /** Plays it on a stage whose program is ready. */
  readonly play: (stage: Stage, run: number) => Promise<void>;
}
