import type { AgentHarness } from '../../../../src/testing/index.ts';

/** One framework, as it comes and with this package. */
export interface AgentPair {
  /** The package and its version. */
  readonly name: string;
  readonly bare: AgentHarness;
  readonly guarded: AgentHarness;
}
