/** The agents of this folder that can be started as programs. */
import type { AgentHarness } from '../../../../src/testing/index.ts';
import { startProgram } from '../../../support/agents/program.ts';

/** Which agent the program is. */
export type ProgramName = 'demo' | 'ai-sdk bare' | 'ai-sdk guarded';

/** Starts it; guarded, its tools run their commands under the guardian. */
export function programOf(name: ProgramName): NonNullable<AgentHarness['startProgram']> {
  const main = new URL('run-program.ts', import.meta.url);
  return (start) => startProgram(start, { guardian: name !== 'ai-sdk bare', main, argument: name });
}
