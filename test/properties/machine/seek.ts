/**
 * Looks for the first program that breaks a law, in a process of its own: `node seek.ts <seed> <programs>`. For copies of
 * the source that something was broken in.
 *
 * @module
 */
import fc from 'fast-check';

import { lawsBroken, Unhandled } from './check.ts';
import { program } from './program.ts';

const [seed = 1, numRuns = 2_000] = process.argv.slice(2).map(Number);
const unhandled = new Unhandled();
unhandled.open();
let run = 0;
for (const given of fc.sample(program, { seed, numRuns })) {
  run += 1;
  const broken = await lawsBroken(given, unhandled).catch((error: unknown) => [`throws ${String(error)}`]);
  if (broken.length === 0) continue;
  process.stdout.write(JSON.stringify({ run, broken }));
  break;
}
unhandled.close();
