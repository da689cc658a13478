/** The hand-written loop as a program, which is going to be killed. */
import { goodAgent } from './own-loop.ts';
import { runProgram, type ProgramArguments } from './program.ts';

await runProgram(goodAgent(), JSON.parse(process.argv[2] ?? '') as ProgramArguments);
