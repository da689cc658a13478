import type { AgentHarness } from '../../../../src/testing/index.ts';

/** One framework, as it comes and with this package. */
export interface AgentPair {
  /** The package and its version. */
  readonly name: string;
  readonly bare: AgentHarness;
  readonly guarded: AgentHarness;
  /** Scenarios that say nothing of it. */
  readonly unfit?: readonly string[];
  /** Those that say nothing of it alone. */
  readonly unfitAlone?: readonly string[];
  /** Ends what is left of its runs. */
  readonly close?: () => Promise<void>;
}
