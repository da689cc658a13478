/** An agent of this folder as a program, which is going to be killed. */
import type { AgentHarness } from '../../../../src/testing/index.ts';
import { runProgram, type ProgramArguments } from '../../../support/agents/program.ts';
import { majors } from '../../majors.ts';

/** Only what is played is loaded: a program should be up soon. */
async function agentNamed(name: string): Promise<AgentHarness> {
  if (name === 'demo') return (await import('./demo.ts')).demo;
  const { bare, guarded } = await (await import('./ai-sdk.ts')).aiSdkAgents(majors[0]!);
  return name === 'ai-sdk bare' ? bare : guarded;
}

const given = JSON.parse(process.argv[2] ?? '') as ProgramArguments;
await runProgram(await agentNamed(given.argument), given);
