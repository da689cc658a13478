/** An agent of this folder as a program, which is going to be killed. */
import { runProgram, type ProgramArguments } from '../../../support/agents/program.ts';
import { majors } from '../../majors.ts';
import { aiSdkAgents } from './ai-sdk.ts';
import { demo } from './demo.ts';

const given = JSON.parse(process.argv[2] ?? '') as ProgramArguments;
const { bare, guarded } = await aiSdkAgents(majors[0]!);
const agents = { demo, 'ai-sdk bare': bare, 'ai-sdk guarded': guarded };
await runProgram(agents[given.argument as keyof typeof agents], given);
