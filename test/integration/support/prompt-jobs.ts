/** A program that asks with readline, and takes Ctrl+Z as a job does. Started under npm, `sh -c` or a shell. */
import { createInterface } from 'node:readline/promises';

import { suspendOnCtrlZ, watchTerminal } from '../../../src/adapters/terminal/index.ts';

const terminal = watchTerminal({ state: 'idle', cancel: () => undefined, kill: () => undefined });
const answer = await terminal.prompt(async () => {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  suspendOnCtrlZ(lines);
  try {
    return await lines.question('asks> ');
  } finally {
    lines.close();
  }
});
console.log(`<answer ${answer}>`);
await terminal.close();
