/** A program whose turn ends while the person types a line to it: the prompt waits behind that. */
import { createInterface } from 'node:readline/promises';

import { delay, InterruptController } from '../../../src/index.ts';
import { createOutputGate, watchTerminal } from '../../../src/adapters/terminal/index.ts';

const agent = new InterruptController();
const output = createOutputGate();
const terminal = watchTerminal(agent, { inject: { output } });

function ask(): Promise<string> {
  return terminal.prompt(async () => {
    const lines = createInterface({ input: process.stdin, output: process.stdout, escapeCodeTimeout: 50 });
    try {
      return await lines.question('$ ');
    } finally {
      lines.close();
    }
  });
}

for (let line = await ask(); line !== 'exit'; line = await ask()) {
  process.stdout.write(`<asked ${line}>\n`);
  await agent.runTurn(({ token }) => delay(token, 300));
}
await terminal.close();
console.log('<left>');
