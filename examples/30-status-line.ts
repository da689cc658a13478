/**
 * A row below the output says what the agent does and how it is stopped. Here it is only printed: a program leaves the
 * stream out, and the row stands on its screen.
 */
import { InterruptController } from 'desist';
import { createOutputGate, openStatusLine } from 'desist/terminal';
import { PassThrough } from 'node:stream';

const agent = new InterruptController({ name: 'Ada' });
const status = openStatusLine(createOutputGate(new PassThrough()), agent);

await agent.runTurn((turn) => {
  const reading = status.progress('Reading', { total: 2, token: turn.token });
  reading.update(1);
  console.log(status.text);
  turn.cancel();
  console.log(status.text);
});
status.release();

// Output:
// Ada is working · 0 s · Reading 1/2 · esc to interrupt
// Stopping Ada · 0 s
