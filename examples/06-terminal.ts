/**
 * The person at the keyboard. In a terminal, ESC stops the turn; here the keyboard is a pipe, as in CI, so there are no
 * keys to watch – but Ctrl+C's signal still stops the turn, and prompts still ask.
 */
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline/promises';

import { InterruptController, delay } from 'desist';
import { watchTerminal } from 'desist/terminal';

// A program leaves `input` out and gets `process.stdin`.
const input = new PassThrough();
const agent = new InterruptController({ name: 'main' });
const terminal = watchTerminal(agent, { input });
console.log('degraded:', terminal.degraded);

// A question while no turn runs. In a terminal the prompt has the keyboard to itself, ESC included.
const answer = terminal.prompt(async ({ signal }) => {
  const lines = createInterface({ input });
  try {
    return await lines.question('', { signal });
  } finally {
    lines.close();
  }
});
console.log('waiting for input:', terminal.gate.isWaitingInput);
input.write('fix the tests\n');
console.log('prompt:', await answer);
console.log('waiting for input:', terminal.gate.isWaitingInput);

// A turn that would take a minute; after a moment, Ctrl+C.
const running = agent.runTurn(async (turn) => {
  process.kill(process.pid, 'SIGINT');
  await delay(turn.token, 60_000);
});
const report = await running;
console.log('turn:', report.status, report.status === 'cancelled' && report.reason.message);

// Nothing is left: no raw mode, no listener, nothing that keeps the process alive.
await terminal.close();
console.log('signal listeners:', process.listenerCount('SIGINT'));

// Output:
// degraded: no terminal
// waiting for input: true
// prompt: fix the tests
// waiting for input: false
// turn: cancelled User cancelled
// signal listeners: 0
